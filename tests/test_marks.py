"""Patterns for elisions, reference marks and brackets."""

from __future__ import annotations

import pytest

from quotecheck.text.fold import fold
from quotecheck.text.marks import ELISION, REFERENCE_MARK, SIC, reference_marks


@pytest.mark.parametrize(
    "mark",
    [
        "...",
        "…",
        ". . .",
        "....",
        ". . . .",
        "[...]",
        "[…]",
        "[ … ]",
        "[. . .]",
        "(…)",
        "(...)",
        "（…）",
        "<…>",
        "{...}",
        "[..]",
        "……",
        "（中略）",
        "［中略］",
        "【中略】",
        "〔中略〕",
        "（略）",
        "(중략)",
        "(후략)",
        "[snip]",
        "[omissis]",
        "⋯⋯",
    ],
)
def test_elision_marks_of_many_traditions(mark: str) -> None:
    """Each is one mark as a whole, once folded."""
    assert ELISION.fullmatch(fold(mark).text) is not None


@pytest.mark.parametrize("text", ["..", "p. 3", "e.g. it", "[she]", "(略式)", "1..2", "a.b.c"])
def test_other_dots_and_brackets_are_no_elision(text: str) -> None:
    """Two dots, abbreviations and words in brackets are text."""
    assert ELISION.search(fold(text).text) is None


@pytest.mark.parametrize(
    "mark",
    [
        "[12]",
        "[ 3 ]",
        "[1,2]",
        "[1-3]",
        "[12, p. 3]",
        "[note 1]",
        "[n 2]",
        "[citation needed]",
        "[who?]",
        "[注 1]",
        "［1］",
        "〔1〕",
        "【1】",
        "[要出典]",
        "[來源請求]",
        "[출처 필요]",
        "[источник не указан 12 дней]",
        "[réf. nécessaire]",
    ],
)
def test_reference_marks(mark: str) -> None:
    """Note numbers and the wishes of encyclopedias are marks."""
    assert REFERENCE_MARK.fullmatch(fold(mark).text) is not None


def test_letter_is_a_reference_mark_where_it_hangs_on_a_word() -> None:
    """ "half[a] in" is a note, "[a]s the boat" and "[A] boat" are an editor's."""
    text = "half[a] in, [a]s the boat, [A] boat, walk[s], x[I] y"
    assert [text[start:end] for start, end in reference_marks(text)] == ["[a]", "[s]", "[I]"]


@pytest.mark.parametrize("text", ["[2019]", "[she]", "[1.3-1.7]", "(12)", "[0, 1.5]"])
def test_other_brackets_are_no_reference_marks(text: str) -> None:
    """Years, words and intervals are content."""
    assert list(reference_marks(text)) == []


def test_sic_in_both_kinds_of_brackets() -> None:
    """In any letter case."""
    assert all(SIC.fullmatch(mark) for mark in ("[sic]", "[Sic!]", "(sic)", "[ sic ]"))


@pytest.mark.timeout(20)
def test_marks_are_found_in_linear_time() -> None:
    """No repetition of openings, dots or digits makes a search slow."""
    for text in ("[" * 200_000, "[1," * 60_000, ". " * 100_000, "(" + "." * 200_000, "[a" * 100_000):
        assert sum(1 for _ in reference_marks(text)) == 0
        assert sum(1 for _ in ELISION.finditer(text)) <= 1
