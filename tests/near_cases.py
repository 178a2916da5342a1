"""Random and adversarial cases of near quotations, and a run of the matcher against the reference over them.

    python tests/near_cases.py --cases 20000 --long 200

prints how many cases there were of each kind and what the matcher made of them, and stops with the case at
the first disagreement. The default test run takes fewer of them.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from oracle import Truth, best_of_all_windows

from quotecheck.text.bounds import Work
from quotecheck.text.grams import BestWindow, TextIndex
from quotecheck.text.scan import best_by_scan

_WORDS = """ a an and as at barley before bench brook candle careful carried cellar clear coal cold copper
corner could count distant door down early evening every few field first for from garden gate glass grey had
half harbour he heavy her his hour in iron is it its keeper known lamp late letter little long low many
market meadow mile morning narrow never night no north not of old on one open or orchard other out over
paper path quiet rain read road roof said salt seven she ship shore slow small so some stone street table
than that the their them then there they three to tower two under until upon valley wall was water went were
when where white who wind window winter with without wood yard year
"""
WORDS = _WORDS.split()
HAN = "山水火木金土日月星雲雨雪風花草鳥魚馬牛羊犬人口手足目耳心力刀弓車舟門戸家村町市国王玉石田米竹糸衣食行"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
ASTRAL = "𝔞𝔟𝔠𝔡𝔢\ud800\udfff🙂🙃"
OTHER_THRESHOLDS = (Fraction(1), Fraction(19, 20), Fraction(4, 5), Fraction(2, 3), Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Case:
    """One quotation against one text, and what kind of hardship it is."""

    kind: str
    quote: str
    text: str
    threshold: Fraction


def make_cases(count: int, *, seed: int) -> Iterator[Case]:
    """Yield `count` cases of short texts; the same seed gives the same ones."""
    rng = random.Random(seed)
    for _ in range(count):
        text_size = rng.randint(1, 220)
        quote_size = rng.choice((rng.randint(1, 12), rng.randint(8, 40), rng.randint(20, 100)))
        yield _make_case(rng, text_size, quote_size)


def make_long_cases(count: int, *, seed: int) -> Iterator[Case]:
    """Yield `count` cases of quotations that are looked for in several patterns."""
    rng = random.Random(seed)
    for _ in range(count):
        yield _make_case(rng, rng.randint(300, 900), rng.randint(181, 400))


def make_wide_cases(count: int, *, seed: int) -> Iterator[Case]:
    """Yield `count` cases of texts in which several damaged copies of a passage lie far apart."""
    rng = random.Random(seed)
    for _ in range(count):
        kind = rng.choice(("words", "letters", "han", "dna"))
        passage = MAKERS[kind](
            rng, rng.choice((rng.randint(12, 60), rng.randint(60, 180), rng.randint(181, 420)))
        )
        text = MAKERS[kind](rng, rng.randint(0, 900))
        for _ in range(rng.randint(1, 4)):
            edit = EDITS[rng.choice(list(EDITS))]
            text += edit(rng, passage, rng.random() * 0.14, _alphabet(passage)) + MAKERS[kind](
                rng, rng.randint(300, 1_500)
            )
        quote = EDITS[rng.choice(list(EDITS))](rng, passage, rng.random() * 0.08, _alphabet(passage))
        yield Case(
            f"{kind}, copies far apart",
            quote,
            text,
            rng.choice((Fraction(9, 10), Fraction(9, 10), Fraction(17, 20))),
        )


def disagreement(case: Case, best: BestWindow, truth: Truth) -> str | None:
    """Say how a result differs from the reference, or None where it agrees.

    A window that reaches the threshold must be the best one; else the verdict and the bound must hold.
    """
    reported = _ratio(case, best)
    found = truth.similarity >= case.threshold
    if best.found != found or not best.proven:
        return f"found={best.found} proven={best.proven}, but the best similarity is {truth.similarity}"
    if found and (best.start, best.end, best.lcs) != (truth.start, truth.end, truth.lcs):
        return f"{best} instead of {truth}"
    if reported > truth.similarity or not 0 <= best.start <= best.end <= len(case.text):
        return f"{best} claims more than there is: {truth}"
    return None


def _ratio(case: Case, best: BestWindow) -> Fraction:
    return Fraction(2 * best.lcs, len(case.quote) + best.end - best.start)


def _make_case(rng: random.Random, text_size: int, quote_size: int) -> Case:
    kind = rng.choice(list(MAKERS))
    text = MAKERS[kind](rng, text_size)
    size = min(quote_size, len(text))
    start = rng.randrange(len(text) - size + 1)
    rate = rng.choice((0.0, 0.02, 0.05, 0.08, 0.11, 0.14, 0.2, 0.26)) * rng.random() * 1.2
    edit = rng.choice(list(EDITS))
    quote = EDITS[edit](rng, text[start : start + size], rate, _alphabet(text))
    if rng.random() < 0.25:  # damage the text as well, so that it holds more than the quotation
        damaged = rng.choice(list(EDITS.values()))(rng, text[start : start + size], rate, _alphabet(text))
        text = text[:start] + damaged + text[start + size :]
    if rng.random() < 0.06:
        quote = MAKERS[kind](rng, size)
    if rng.random() < 0.05:
        quote, edit = quote + MAKERS[kind](rng, rng.randint(1, 90)), "longer than the text"
        text = text[start : start + size]
    threshold = Fraction(9, 10) if rng.random() < 0.6 else rng.choice(OTHER_THRESHOLDS)
    return Case(f"{kind}, {edit}", quote or text[:1], text, threshold)


def _alphabet(text: str) -> str:
    return "".join(sorted(set(text))) + "x"


def _letters_of(alphabet: str) -> Callable[[random.Random, int], str]:
    return lambda rng, size: "".join(rng.choices(alphabet, k=size))


def _words(rng: random.Random, size: int) -> str:
    return " ".join(rng.choices(WORDS, k=size // 3 + 1))[:size]


def _periodic(rng: random.Random, size: int) -> str:
    period = rng.choice((_words, _letters_of("ab"), _letters_of(LETTERS)))(rng, rng.randint(1, 19))
    letters = list((period * size)[:size])
    for _ in range(rng.randint(0, size // 15)):
        letters[rng.randrange(size)] = rng.choice("abx ")
    return "".join(letters)


def _near_copies(rng: random.Random, size: int) -> str:
    base, text = _words(rng, rng.randint(12, 45)), ""
    while len(text) < size:
        edit = rng.choice(list(EDITS.values()))
        text += edit(rng, base, rng.random() * 0.15, LETTERS) + _words(rng, rng.randint(0, 9))
    return text[:size]


MAKERS: dict[str, Callable[[random.Random, int], str]] = {
    "binary": _letters_of("ab"),
    "dna": _letters_of("acgt"),
    "letters": _letters_of(LETTERS + " "),
    "words": _words,
    "han": _letters_of(HAN),
    "astral": _letters_of(ASTRAL),
    "periodic": _periodic,
    "near copies": _near_copies,
}


def _mixed(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    return _edited(rng, text, rate, alphabet, "sid")


def _substituted(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    return _edited(rng, text, rate, alphabet, "s")


def _inserted(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    return _edited(rng, text, rate, alphabet, "i")


def _deleted(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    return _edited(rng, text, rate, alphabet, "d")


def _edited(rng: random.Random, text: str, rate: float, alphabet: str, kinds: str) -> str:
    letters = list(text)
    for _ in range(round(rate * len(text))):
        at = rng.randrange(len(letters) + 1)
        kind = rng.choice(kinds)
        letters[at : at + (kind != "i")] = [] if kind == "d" else [rng.choice(alphabet)]
    return "".join(letters)


def _at_the_ends(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    count = round(rate * len(text))
    left = rng.randint(0, count)
    filler = "".join(rng.choices(alphabet, k=count))
    if rng.random() < 0.5:
        return filler[:left] + text + filler[left:]
    return filler[:left] + text[left : len(text) - (count - left)] + filler[left:]


def _long_insertion(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + "".join(rng.choices(alphabet, k=round(2 * rate * len(text)))) + text[at:]


def _evenly_spread(rng: random.Random, text: str, rate: float, alphabet: str) -> str:
    """The worst case for a filter of grams: no two neighbouring grams stay intact together."""
    step = max(2, round(1 / rate)) if rate else len(text) + 1
    deletes = rng.random() < 0.5
    parts = (
        "" if deletes and at % step == step - 1 else rng.choice(alphabet) * (at % step == step - 1) + letter
        for at, letter in enumerate(text)
    )
    return "".join(parts)


EDITS: dict[str, Callable[[random.Random, str, float, str], str]] = {
    "mixed": _mixed,
    "substituted": _substituted,
    "inserted": _inserted,
    "deleted": _deleted,
    "at the ends": _at_the_ends,
    "long insertion": _long_insertion,
    "evenly spread": _evenly_spread,
}


def run_wide(cases: Iterable[Case]) -> int:
    """Compare the matcher with the scan, and return how many quotations were found.

    The reference takes minutes for such texts; the scan is itself compared with it.
    """
    number_found = 0
    for case in cases:
        ratio = case.threshold.as_integer_ratio()
        best = TextIndex(case.text).best_windows([case.quote], threshold=case.threshold)[0]
        truth = best_by_scan(case.quote, case.text, 0, len(case.text), *ratio, Work(10**12))
        assert best.proven, case
        assert (truth and (*truth,)) == ((best.start, best.end, best.lcs) if best.found else None), case
        number_found += best.found
    return number_found


def run(cases: Iterable[Case]) -> Counter[str]:
    """Compare the matcher with the reference on all cases; raise AssertionError at a disagreement."""
    tally: Counter[str] = Counter()
    for case in cases:
        best = TextIndex(case.text).best_windows([case.quote], threshold=case.threshold)[0]
        truth = best_of_all_windows(case.quote, case.text)
        problem = disagreement(case, best, truth)
        if problem:
            raise AssertionError(f"{problem}\n{case}")
        tally[case.kind] += 1
        tally["= found" if best.found else "= not found"] += 1
        tally["= found, exactly"] += best.found and case.quote in case.text
        tally["= not found, best score seen is the true best"] += not best.found and (
            _ratio(case, best) == truth.similarity
        )
    return tally


def main() -> int:
    """Run the comparison from the command line and print the counts."""
    parser = argparse.ArgumentParser(description="Compare the matcher with the reference on random cases.")
    parser.add_argument("--cases", type=int, default=20_000, help="short ones (default: %(default)s)")
    parser.add_argument("--long", type=int, default=200, help="long ones (default: %(default)s)")
    parser.add_argument("--wide", type=int, default=1_000, help="copies far apart (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    short = make_cases(options.cases, seed=options.seed)
    tally = run(chain(short, make_long_cases(options.long, seed=options.seed)))
    for kind, number in sorted(tally.items()):
        print(f"{number:8,}  {kind}")
    found = run_wide(make_wide_cases(options.wide, seed=options.seed))
    print(f"{options.wide:8,}  copies far apart, {found:,} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
