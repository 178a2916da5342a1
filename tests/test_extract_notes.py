"""Marks of notes are told from words."""

from __future__ import annotations

import pytest

from quotecheck.extract.notes import is_author_and_year, is_bracketed_mark, is_note_mark, is_remark


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "[12]",
        "(3)",
        "4.",
        "2a",
        "S3",
        "a",
        "[b]",
        "α",
        "iv",
        "XII",
        "xl",
        "*",
        "**",
        "†‡",
        "§",
        "1,2",
        "1–3",
        "3, 5–7",
        "a,b",
        "note 3",
        "Note 2",
        "nb 1",
        "fn 4",
        "ref. 12",
        "n. 5",
        "[lower-roman 2]",
        "注 1",
        "прим. 2",
        "Anm. 7",
        "note a",
    ],
)
def test_note_marks(text: str) -> None:
    """Numbers, signs, single letters, roman numerals, lists and ranges of them are marks."""
    assert is_note_mark(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "No",
        "NOT",
        "[not]",
        "ne",
        "ni",
        "il n",
        "ill",
        "mix",
        "civil",
        "iiii",
        "noted",
        "note to",
        "in 5",
        "under 5",
        "12345",
        "1.5",
        "-3",
        "3%",
        "ab",
        "не",
        "不",
        "不能",
        "non",
        "no 3",
        "not 3",
        "nein",
    ],
)
def test_words_and_values_are_no_note_marks(text: str) -> None:
    """Words of a language, and numbers that say something, are text."""
    assert not is_note_mark(text)


def test_bracketed_mark_needs_its_brackets() -> None:
    """Only square brackets make a mark of what is linked within a line."""
    assert is_bracketed_mark("[7]")
    assert not any(map(is_bracketed_mark, ("7", "(7)", "[7", "[no]")))


def test_remarks_are_known_ones() -> None:
    """An editor's remark is known word for word, in any case."""
    assert is_remark("[citation needed]")
    assert is_remark("[Clarification\n needed]")
    assert not any(map(is_remark, ("citation needed", "[needed]", "[not]", "[]", "[at no time]")))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Oak, 1999", True),
        ("Oak et al. 2001b", True),
        ("(de Elm and O’Ash, 1999, 2003)", True),
        ("Åsen & Elm (2010)", True),
        ("Oak", False),
        ("1999", False),
        ("not 1999", False),
        ("not Oak 1999", False),
        ("Oak was not right 1999", False),
        ("Oak 12", False),
    ],
)
def test_author_and_year(text: str, is_one: bool) -> None:
    """Names with a year cite a work; other words among them make it a sentence."""
    assert is_author_and_year(text) is is_one


def test_note_marks_of_long_runs() -> None:
    """Long runs cost no more than their length."""
    for run in ("1,", "a ", "[", "note ", "Oak, ", "x", "1-", "Oak"):
        assert not is_note_mark("[" + run * 20_000 + "!")
        assert not is_author_and_year(run * 20_000 + "!")
        assert not is_remark("[" + run * 20_000)
