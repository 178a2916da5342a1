"""Quotations found in pieces: the six kinds, their limits, and hostile texts."""

from __future__ import annotations

import pytest
from flag_pairs import rows
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from quotecheck.text.differences import edits_between, most_severe
from quotecheck.text.fold import fold
from quotecheck.text.pieces import PieceFinder


@pytest.mark.parametrize("row", rows("pieces_found.jsonl"), ids=lambda row: row["quote"][:40])
def test_found_in_pieces(row: dict[str, str | list[str]]) -> None:
    """Each quotation stands in its parts, and the differences are of its kind at most."""
    folded, quote = fold(str(row["text"])), fold(str(row["quote"])).text
    found = PieceFinder(folded.text).find(quote)
    assert found is not None
    spans = [folded.span(part.start, part.end) for part in found.parts]
    assert [str(row["text"])[start:end] for start, end in spans] == row["parts"]
    assert most_severe(edits_between(quote, folded.text, found.parts)) == row["kind"]


@pytest.mark.parametrize("row", rows("pieces_not_found.jsonl"), ids=lambda row: row["why"])
def test_not_found_in_pieces(row: dict[str, str]) -> None:
    """What goes beyond the six kinds is left to similarity."""
    assert PieceFinder(fold(row["text"]).text).find(fold(row["quote"]).text) is None


@pytest.mark.parametrize(("gap", "found"), [(1_000, True), (1_001, False)])
def test_elision_skips_a_thousand_characters_at_most(gap: int, found: bool) -> None:
    """The gap counts from the end of one part to the start of the next."""
    text = "The bridge was closed" + "x" * (gap - 1) + " the ferry ran on."
    text = text.replace("closedx", "closed ")
    finder = PieceFinder(text)
    assert (finder.find("The bridge was closed ... the ferry ran on.") is not None) is found


def test_earliest_first_part_then_smallest_gaps() -> None:
    """An early first part whose gap is too large gives way to the next one."""
    early = "One two three. " + "x " * 600
    text = early + "One two three, then four five six, or four five six."
    found = PieceFinder(text).find("One two three ... four five six")
    assert found is not None
    assert [text[part.start : part.end] for part in found.parts] == ["One two three", "four five six"]
    assert (found.parts[0].start, found.parts[1].start) == (len(early), text.index("four"))


def test_part_that_cuts_no_word_is_preferred() -> None:
    """A place inside a word counts only where there is no other."""
    text = "The old weirs held. The old weir gave way, and by noon the mill was gone."
    found = PieceFinder(text).find("The old weir ... the mill was gone")
    assert found is not None
    assert found.start == text.index("The old weir gave")
    only = PieceFinder("The old weirs held, and the mill was gone.").find(
        "The old weir ... the mill was gone"
    )
    assert only is not None


def test_most_similar_of_several_places_is_reported() -> None:
    """Of the passages that equal a quotation loosely, the nearest one in letters wins."""
    text = "THE OLD MILL BURNED. The old Mill burned. THE OLD MILL BURNED."
    found = PieceFinder(text).find("The old mill burned.")
    assert found is not None
    assert text[found.start : found.end] == "The old Mill burned."


def test_similarity_of_an_elided_quotation_is_that_of_its_parts() -> None:
    """The passage is its parts joined by one space, so it is never 1."""
    text = "The old weir, patched with straw, gave way before noon."
    quote = "The old weir ... gave way before noon."
    found = PieceFinder(text).find(quote)
    assert found is not None
    assert found.elided
    assert found.similarity == Indel.normalized_similarity(quote, "The old weir gave way before noon.") < 1


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_parts_slice_what_the_quotation_says(data: st.DataObject) -> None:
    """Random words with random marks: parts are in order, inside both strings, and below 1."""
    words = st.lists(
        st.sampled_from(["old", "weir", "gave", "Way", "in", "été", "[2]", "桥"]), min_size=3, max_size=20
    )
    text = fold(" ".join(data.draw(words))).text
    quote = fold(
        " ".join(data.draw(st.lists(st.sampled_from([*text.split(), "...", "[she]"]), min_size=1)))
    ).text
    found = PieceFinder(text).find(quote)
    if found is None:
        return
    edges = [edge for part in found.parts for edge in (part.start, part.end)]
    assert edges == sorted(edges)
    assert 0 <= edges[0] < edges[-1] <= len(text)
    assert found.similarity < 1 or quote == text[found.start : found.end]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a " * 500_000, "a a a ... b b b"),
        ("a a a " * 100_000 + "x " * 600 + "b b b " * 100_000, "a a a ... b b b"),
        ("a b c d " * 100_000, " ... ".join(["a b c"] * 99 + ["d a x"])),
        ("a b c d " * 100_000, " ... ".join(["A b c"] * 99 + ["d a b"])),
        ("a" * 1_000_000, "AA"),
        ("[1] " * 200_000, "... [2] [she] a b c d e f g"),
        ("the old weir " * 50_000, "the [a] " * 40 + "weird"),
        ("x" * 1_000_000, "... " * 4_000),
        ("הַ" * 200_000, "הוה" * 50),
        ("İß" * 200_000, "iss" * 1_000 + "x"),
    ],
    ids=range(10),
)
def test_hostile_text_is_left_in_bounded_time(text: str, quote: str) -> None:
    """Repeated parts, thousands of marks and one letter a million times end within seconds."""
    finder = PieceFinder(text)
    for _ in range(2):
        finder.find(quote)


def test_long_quotation_is_left_to_others() -> None:
    """Above twenty thousand characters nothing is sought in pieces."""
    assert PieceFinder("a b c " * 5_000).find("A b c " * 4_000) is None
    assert PieceFinder("a b c " * 5_000).find(("A b c " * 3_000).strip()) is not None


def test_many_quotations_of_one_text_find_the_same() -> None:
    """The table of grams, made at the thirtieth question, changes no answer."""
    text = " ".join(f"line {number} of the old ledger was burned" for number in range(2_000))
    finder = PieceFinder(text)
    quotes = [f"Line {number} of the old ledger" for number in (5, 1_999, 2_001)]
    first = [finder.find(quote) is not None for quote in quotes]
    assert [finder.find(quote) is not None for quote in quotes * 20] == first * 20 == [True, True, False] * 20
