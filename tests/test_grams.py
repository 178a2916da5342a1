"""Tests of the matcher over plain strings: against the reference, at its edges, and for the worst texts."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from near_cases import make_cases, make_long_cases, make_wide_cases, run, run_wide

from quotecheck.text import grams, patterns, pins, scan, search, sweep
from quotecheck.text.grams import BestWindow, TextIndex

FOX = "the quick brown fox jumps over the lazy dog and the lazy dog sleeps on"


def best(text: str, quote: str, threshold: Fraction = Fraction(9, 10)) -> BestWindow:
    return TextIndex(text).best_windows([quote], threshold=threshold)[0]


def test_best_windows_agree_with_reference() -> None:
    """On random and adversarial short texts, verdict, score and window are those of the reference."""
    tally = run(make_cases(2_000, seed=11))
    assert tally["= found"] > 1_000
    assert tally["= not found"] > 300


def test_best_windows_agree_with_reference_on_long_quotes() -> None:
    """Quotations that are cut into several patterns are found where the reference finds them."""
    assert run(make_long_cases(8, seed=12)).total() > 8


@pytest.mark.parametrize("way", ["default", "sorted grams", "no guess", "no guess, sorted grams"])
def test_best_windows_are_those_of_the_scan_where_copies_lie_far_apart(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every place that can hold a window is looked at, whichever is the first and by whatever way."""
    for module, name, value in WAYS.get(way, []):
        monkeypatch.setattr(module, name, value)
    assert run_wide(make_wide_cases(120, seed=15)) > 60


WAYS = {
    "sorted grams": [(grams, "LONG_TEXT", 0), (grams, "MANY_PATTERNS", 1)],
    "several patterns": [(patterns, "WHOLE", 39), (patterns, "PART", 36), (search, "WHOLE", 39)],
    "many small patterns": [(patterns, "WHOLE", 12), (patterns, "PART", 9), (search, "WHOLE", 12)],
    "scan in 16 bits": [(search, "MOST_RUNS", 0)],
    "exact scan": [(search, "MOST_RUNS", 0), (search, "NARROW", 0), (scan, "NARROW", 0)],
    "small chunks, no guess": [
        (search, "climb_from_guess", lambda *_: None),
        (search, "MOST_RUNS", 0),
        (search, "PIECE", 1),
        (search, "CHUNK", 16),
        (sweep, "CHUNK", 16),
    ],
    "piece by piece": [(search, "MOST_RUNS", 0), (search, "PIECE", 1)],
    "two pins": [(pins, "ONE_PIN", 8), (pins, "PIECE", 4)],
    "no common pins": [(pins, "ONE_PIN", 8), (pins, "PIECE", 4), (pins, "ALIGNABLE", 0)],
    "no guess": [(search, "climb_from_guess", lambda *_: None)],
    "no guess, several patterns": [
        (search, "climb_from_guess", lambda *_: None),
        (patterns, "WHOLE", 39),
        (patterns, "PART", 36),
        (search, "WHOLE", 39),
    ],
    "no guess, sorted grams": [
        (search, "climb_from_guess", lambda *_: None),
        (grams, "LONG_TEXT", 0),
        (grams, "MANY_PATTERNS", 1),
    ],
    "one by one": [(grams, "BATCH", 1), (grams, "IN_MEMORY", 1)],
}


@pytest.mark.parametrize("way", WAYS)
def test_best_windows_agree_with_reference_by_every_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way of deciding, forced on short texts, finds what the reference finds."""
    for module, name, value in WAYS[way]:
        monkeypatch.setattr(module, name, value)
    assert run(make_cases(200, seed=13)).total() > 200


@pytest.mark.parametrize("budget", [0, 1_000, 10_000])
def test_best_windows_within_a_tiny_budget_claim_no_more_than_they_know(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the budget ends, the window is what it says it is; whatever is called proven is right."""
    monkeypatch.setattr(search, "BUDGET", budget)
    for case in make_cases(300, seed=14):
        window = best(case.text, case.quote, case.threshold)
        reached = Fraction(2 * window.lcs, len(case.quote) + window.end - window.start)
        assert window.found == (reached >= case.threshold)
        if window.proven:
            run([case])


def test_best_windows_ties_go_to_smallest_start_then_shortest() -> None:
    """Of equally similar windows the first one wins, and of those the shortest."""
    assert best("xx abcdefghijXklmnop yy abcdefghijYklmnop", "abcdefghijklmnop") == BestWindow(
        3, 20, 16, found=True, proven=True
    )
    assert best("aabaabaab", "aba", Fraction(1, 2)) == BestWindow(1, 4, 3, found=True, proven=True)


def test_best_windows_found_where_the_window_is_longer_than_the_quote() -> None:
    """A passage from which the quoter dropped words is one window, not a part of it."""
    window = best(
        "Item. The harbour was, as ever, grey and quiet in the rain. End.",
        "The harbour was grey and quiet in the rain",
        Fraction(4, 5),
    )
    assert (window.start, window.end, window.lcs) == (6, 58, 42)


def test_best_windows_below_threshold_tell_the_closest() -> None:
    """A quotation that is not there comes with the best window seen; that none reaches 0.9 is proven."""
    window = best(FOX, "the quick brown cat sat over a lazy frog")
    assert not window.found
    assert window.proven
    assert 0.6 < window.similarity(40) < 0.9


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("", "", BestWindow(0, 0, 0, found=False, proven=True)),
        ("abc", "", BestWindow(0, 0, 0, found=False, proven=True)),
        ("", "abc", BestWindow(0, 0, 0, found=False, proven=True)),
        ("a", "a", BestWindow(0, 1, 1, found=True, proven=True)),
        ("a", "b", BestWindow(0, 0, 0, found=False, proven=True)),
        ("\ud800\udc00x", "\udc00x", BestWindow(1, 3, 2, found=True, proven=True)),
        ("🙂🙃🙂", "🙃", BestWindow(1, 2, 1, found=True, proven=True)),
        ("abcdefghi", "abcdefghij", BestWindow(0, 9, 9, found=True, proven=True)),
        ("abcdefgh", "abcdefghijkl", BestWindow(0, 8, 8, found=False, proven=True)),
    ],
)
def test_best_windows_at_the_edges(text: str, quote: str, expected: BestWindow) -> None:
    """Empty strings, single letters, surrogates, and quotations longer than the text are ordinary input."""
    assert best(text, quote) == expected


@pytest.mark.parametrize("way", ["one pass", "sorted grams"])
def test_best_windows_miss_nothing_where_as_few_grams_are_intact_as_can_be(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """27 of 107 grams are intact, the least there can be at 0.9, and those occur all over the text."""
    if way == "sorted grams":
        monkeypatch.setattr(grams, "LONG_TEXT", 0)
        monkeypatch.setattr(grams, "MANY_PATTERNS", 1)
    monkeypatch.setattr(search, "climb_from_guess", lambda *_: None)
    rng = random.Random(9)
    quote = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=110))
    missing = {3 + round(at * 5.4) for at in range(20)}
    passage = "".join(letter for at, letter in enumerate(quote) if at not in missing)
    intact = [quote[at : at + 4] for at in range(107) if not missing.intersection(range(at, at + 4))]
    text = "#".join(intact * 3) + "##" + passage + "." * 3_000
    window = best(text, quote)
    assert window.found
    assert text[window.start : window.end] == passage


def test_best_windows_of_many_quotes_equal_those_of_each_alone() -> None:
    """Sharing a pass, or sorted grams, changes no result; repeated quotations each get theirs."""
    rng = random.Random(5)
    text = " ".join(rng.choices(FOX.split(), k=900))
    quotes = [text[at : at + rng.randint(1, 400)].replace("z", "s", 2) for at in range(0, 4_000, 37)] * 2
    assert TextIndex(text).best_windows(quotes) == [best(text, quote) for quote in quotes]


def test_best_windows_of_a_threshold_above_the_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """With sorted grams a threshold above the first probe is still the one that decides."""
    monkeypatch.setattr(grams, "LONG_TEXT", 0)
    monkeypatch.setattr(grams, "MANY_PATTERNS", 1)
    quote = "the quick brown fox jumped over the lazy dog and the lazy dog"
    assert not best(FOX, quote, Fraction(99, 100)).found
    assert best(FOX, quote, Fraction(96, 100)).found


def test_similarity_is_that_of_indel() -> None:
    """2·lcs / (|quote| + |window|), unrounded; nothing at all is 0."""
    assert BestWindow(3, 8, 4, found=False, proven=True).similarity(7) == 8 / 12
    assert BestWindow(0, 0, 0, found=False, proven=True).similarity(0) == 0.0


def test_find_exact_returns_first_occurrences() -> None:
    """The first occurrence, None where there is none, the start for an empty quotation."""
    assert TextIndex(FOX).find_exact(["the lazy", "fox", "foxes", "", "t"]) == [31, 16, None, 0, 0]


def test_find_exact_by_sorted_grams_equals_str_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many quotations are looked up instead, with the same result."""
    monkeypatch.setattr(grams, "LONG_TEXT", 0)
    monkeypatch.setattr(grams, "MANY_PATTERNS", 1)
    rng = random.Random(6)
    text = "".join(rng.choices("abé🙂 ", k=3_000))
    quotes = ["".join(rng.choices("abé🙂 ", k=rng.randint(1, 9))) for _ in range(400)] + [text[70:900], ""]
    expected = [text.find(quote) if quote in text else None for quote in quotes]
    assert TextIndex(text).find_exact(quotes) == expected


def _random_letters(letters: str) -> Callable[[int], str]:
    return lambda size: "".join(random.Random(7).choices(letters, k=size))


def _repeated(piece: str) -> Callable[[int], str]:
    return lambda size: (piece * (size // len(piece) + 1))[:size]


WORST = {
    "binary": _random_letters("ab"),
    "dna": _random_letters("acgt"),
    "one letter": _repeated("a"),
    "two letters": _repeated("ab"),
    "one sentence": _repeated(
        "the lamp in the window of the old harbour house went out at seven, as always. "
    ),
}


@pytest.mark.parametrize("kind", WORST)
@pytest.mark.parametrize("size", [90, 700, 5_000])
def test_best_windows_of_the_worst_texts_are_found_within_the_budget(
    kind: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged copy in a hopeless text is found, and no more is scanned than the budget allows."""
    monkeypatch.setattr(search, "BUDGET", 200_000_000)
    scanned: list[int] = []
    for name in ("_best_at", "_scores"):
        original = getattr(scan, name)

        def counting(quote: list[int], text: list[int], *rest: int, original: Any = original) -> Any:
            scanned.append(len(quote) * len(text))
            return original(quote, text, *rest)

        monkeypatch.setattr(scan, name, counting)
    text = WORST[kind](500_000)
    passage = text[250_000 : 250_000 + size]
    assert best(text, "".join(letter for at, letter in enumerate(passage) if at % 40) + "#").found
    assert sum(scanned) < 4 * search.BUDGET  # the 16-bit scan counts a quarter of its pairs, or more


@pytest.mark.parametrize("quote_size", [80, 20_000])
def test_best_windows_of_a_long_text_take_little_memory(quote_size: int) -> None:
    """Five million random binary letters are decided with less than 150 MB beside the text."""
    text = _random_letters("ab")(5_000_000)
    quote = text[2_000_000 : 2_000_000 + quote_size].replace("aaaabbbb", "aaabbb")
    tracemalloc.start()
    window = best(text, quote)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert window.found
    assert peak < 150_000_000


def test_sorted_grams_of_a_long_text_take_little_memory() -> None:
    """Sorting the grams of five million characters stays below 150 MB beside the text."""
    words = [f"{a}{b}{c}" for a in "bdfgklm" for b in "aeiou" for c in "nrst"]
    text = " ".join(random.Random(8).choices(words, k=1_250_000))
    quotes = [text[at : at + 80].replace("n", "m", 1) for at in range(0, 1_000_000, 3_000)]
    tracemalloc.start()
    index = TextIndex(text)
    index.find_exact(quotes)
    windows = index.best_windows(quotes)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert all(window.found and window.proven for window in windows)
    assert peak < 150_000_000
