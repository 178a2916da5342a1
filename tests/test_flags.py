"""Which flags a passage carries, and in which order."""

from __future__ import annotations

import pytest

from quotecheck.models import Flag
from quotecheck.text.differences import edits_between
from quotecheck.text.flags import change_flags, passage_flags
from quotecheck.text.fold import fold
from quotecheck.text.pieces import Part


def _of_passage(text: str, passage: str) -> tuple[Flag, ...]:
    start = text.index(passage)
    return passage_flags(passage, text, [Part(0, len(passage), start, start + len(passage))])


@pytest.mark.parametrize(
    ("text", "passage", "flags"),
    [
        ("No member may vote twice a year.", "member may vote twice", (Flag.NEGATION_NEARBY,)),
        ("A slide is unlikely to reach it.", "likely to reach it", (Flag.CUTS_WORD,)),
        ("Growth was -0.42 points in May.", "0.42 points in May", (Flag.CUTS_NUMBER,)),
        ("Hold fast.", "Hold fast", (Flag.SHORT_QUOTE,)),
        ("It seems unlikely.", "likely", (Flag.CUTS_WORD, Flag.SHORT_QUOTE)),
        ("The whole party met at noon.", "The whole party met", ()),
    ],
)
def test_flags_of_a_passage(text: str, passage: str, flags: tuple[Flag, ...]) -> None:
    """What stands around its ends, in the order of the flags."""
    assert _of_passage(text, passage) == flags


def test_any_end_of_an_elided_quotation_may_cut_a_word() -> None:
    """Each part has two ends."""
    text = "The old weirs held, and then the mill was gone."
    parts = [Part(0, 12, 0, 12), Part(17, 33, 28, 46)]
    assert passage_flags("The old weir ... the mill was gone", text, parts) == (Flag.CUTS_WORD,)


def _of_changes(source: str, quote: str, part: Part) -> tuple[Flag, ...]:
    folded = fold(source)
    edits = edits_between(quote, folded.text, [part])
    return change_flags(quote, folded, [part], edits, original=source)


def test_all_flags_of_changes_come_in_order() -> None:
    """One quotation may change everything."""
    source, quote = "It must not exceed 5 mg a day.", "It may exceed 7 g a day."
    assert _of_changes(source, quote, Part(0, len(quote), 0, len(source))) == (
        Flag.NUMBER_CHANGED,
        Flag.NEGATION_CHANGED,
        Flag.MODALITY_CHANGED,
        Flag.UNIT_CHANGED,
    )


@pytest.mark.parametrize(
    ("source", "quote", "passage", "flags"),
    [
        ("No member may vote.", "A member may vote.", "member may vote.", (Flag.NEGATION_CHANGED,)),
        ("Twelve of the boats sank.", "12 of the boats sank.", "of the boats sank.", ()),
        ("Twelve of the boats sank.", "11 of the boats sank.", "of the boats sank.", (Flag.NUMBER_CHANGED,)),
        ("The boats weigh 5 mg.", "The boats weigh 5 g", "The boats weigh 5", (Flag.UNIT_CHANGED,)),
    ],
)
def test_words_beyond_an_end_are_compared_with_what_stands_there(
    source: str, quote: str, passage: str, flags: tuple[Flag, ...]
) -> None:
    """The most similar passage may leave out the very word that differs."""
    start = source.index(passage)
    assert _of_changes(source, quote, Part(0, len(quote), start, start + len(passage))) == flags


def test_no_edits_raise_no_flags() -> None:
    """An equal passage changes nothing."""
    source = "It must not exceed 5 mg."
    assert _of_changes(source, source, Part(0, len(source), 0, len(source))) == ()
