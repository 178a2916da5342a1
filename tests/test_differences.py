"""Where a quotation and a passage differ, and of which kind each place is."""

from __future__ import annotations

import pytest
from flag_pairs import parts_of, rows
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.models import Difference, WordDifference
from quotecheck.text.differences import SEVERITY, edits_between, least_class, most_severe, word_differences
from quotecheck.text.fold import fold
from quotecheck.text.pieces import Part


def _differences(source: str, quote: str) -> tuple[WordDifference, ...]:
    folded, words = fold(source), fold(quote)
    edits = edits_between(words.text, folded.text, parts_of(source, quote))
    return word_differences(edits, quote=quote, folded_quote=words, text=source, folded_text=folded)


@pytest.mark.parametrize("row", rows("difference_kinds.jsonl"), ids=lambda row: row["quote"][:40])
def test_kinds_and_places(row: dict[str, str]) -> None:
    """Each place is told with its words on both sides; the most severe kind is the class."""
    found = _differences(row["source"], row["quote"])
    assert [[item.quote, item.source] for item in found] == row["edits"]
    assert max((item.kind for item in found), key=SEVERITY.__getitem__) == row["kind"]


def test_neighbouring_words_of_other_kinds_are_told_apart() -> None:
    """ "The Old" for "the new" is a letter's case and another word."""
    found = _differences("it was the new mill", "it was The Old mill")
    assert [(item.kind, item.quote, item.source) for item in found] == [
        (Difference.CASE, "The", "the"),
        (Difference.WORDS, "Old", "new"),
    ]


def test_offsets_are_those_of_the_strings_as_given() -> None:
    """Ligatures, soft hyphens and spaces do not shift them."""
    source, quote = "The  oﬃce\u00ad was  shut.", "The office  was open."
    (found,) = _differences(source, quote)
    assert (found.quote, quote[found.quote_start : found.quote_end]) == ("open", "open")
    assert (found.source, source[found.source_start : found.source_end]) == ("shut", "shut")


def test_gap_that_holds_the_very_mark_is_no_difference() -> None:
    """A source may write the dots itself."""
    text = "I really think so... the dam is safe, and it will hold."
    quote = "I really think so... the dam is safe [...] it will hold."
    assert [item.source for item in _differences(text, quote)] == [", and"]


def test_marks_at_the_ends_are_elisions_of_nothing() -> None:
    """What they skip lies outside the passage."""
    text, quote = "The mill stood empty for years.", "... the mill stood empty ..."
    folded, words = fold(text).text, fold(quote).text
    edits = edits_between(words, folded, [Part(4, 24, 0, 20)])
    assert [(edit.kind, edit.start, edit.end) for edit in edits] == [
        (Difference.ELISION, 0, 0),
        (Difference.CASE, 0, 3),
        (Difference.ELISION, 20, 20),
    ]


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_differences_slice_and_rebuild_the_passage(data: st.DataObject) -> None:
    """In order, apart, and with them replaced the quotation has the passage's letters."""
    word = st.sampled_from(["old", "Old", "òld", "weir", "weir,", "42", "4.2", "桥", "断", "[1]", "not", "-"])
    source, quote = (" ".join(data.draw(st.lists(word, min_size=1, max_size=12))) for _ in range(2))
    found = edits_between(quote, source, [Part(0, len(quote), 0, len(source))])
    rebuilt, done, done_source = "", 0, 0
    for edit in found:
        assert edit.quote_start >= done
        assert edit.start >= done_source
        rebuilt += quote[done : edit.quote_start] + source[edit.start : edit.end]
        done, done_source = edit.quote_end, edit.end
    rebuilt += quote[done:]
    assert rebuilt.replace(" ", "") == source.replace(" ", "")


@settings(deadline=None)
@given(st.text(max_size=40))
def test_equal_strings_have_no_differences(text: str) -> None:
    """Nothing is made up."""
    folded = fold(text).text
    assert edits_between(folded, folded, [Part(0, len(folded), 0, len(folded))]) == ()
    assert most_severe(()) is Difference.NONE


@pytest.mark.parametrize(
    ("quote", "source", "kind"),
    [
        ("a b", "ab", Difference.SPACING),
        ("a-b", "ab", Difference.PUNCTUATION),
        ("4.2", "42", Difference.WORDS),
        ("1,000", "1000", Difference.WORDS),
        ("Straße", "STRASSE", Difference.CASE),
        ("Été", "ete", Difference.DIACRITICS),
        ("בחורף", "בַּחֹרֶף", Difference.DIACRITICS),
        ("5%", "5", Difference.WORDS),
        ("デ", "テ", Difference.WORDS),
    ],
)
def test_least_class_that_explains(quote: str, source: str, kind: Difference) -> None:
    """Digits are never joined, symbols never dropped."""
    assert least_class(quote, source) is kind


@pytest.mark.timeout(60)
def test_long_passages_are_compared_in_bounded_time() -> None:
    """Twenty thousand characters without spaces on both sides are aligned; more are one difference."""
    text = "桥断了四次" * 4_000
    assert len(edits_between("河" + text[1:], text, [Part(0, 20_000, 0, 20_000)])) == 1
    longer = "桥断了四次" * 8_000
    edits = edits_between("河" + longer[1:], longer, [Part(0, 40_000, 0, 40_000)])
    assert [edit.kind for edit in edits] == [Difference.WORDS]


def test_insertion_at_the_start_of_a_slice_has_its_place_in_the_whole_text() -> None:
    """A folded text may be a part of a longer one; its offsets are those of the whole."""
    text, quote = "Before it. The mill burned.", "So the mill burned."
    part = fold(text).part(11, 27)
    edits = edits_between(quote, part.text, [Part(0, 19, 0, 16)])
    found = word_differences(edits, quote=quote, folded_quote=fold(quote), text=text, folded_text=part)
    assert (found[0].quote, found[0].source_start, found[0].source) == ("So the", 11, "The")
