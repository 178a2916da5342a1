"""Ends of passages inside words and numbers, and quotations that are too short."""

from __future__ import annotations

import pytest
from flag_pairs import rows
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.text.boundaries import cuts_number, cuts_word, inside_number, inside_word, is_short
from quotecheck.text.fold import fold


@pytest.mark.parametrize(
    "row", rows("edges.jsonl"), ids=lambda row: f"{row['passage']} in {row['text']}"[:50]
)
def test_ends_of_a_passage(row: dict[str, str | bool]) -> None:
    """Letters, digits, signs, operators and exponents that go on beyond an end are seen."""
    text, passage = fold(str(row["text"])).text, fold(str(row["passage"])).text
    start = text.rindex(passage) if passage == "12 years came" else text.index(passage)
    end = start + len(passage)
    assert cuts_word(text, start, end) is row["cuts_word"]
    assert cuts_number(text, start, end) is row["cuts_number"]


@pytest.mark.parametrize(
    ("quote", "short"),
    [
        ("old weir", True),
        ("the old weir", False),
        ("It's the weir", False),
        ("1,000 crowns", True),
        ("旧桥建于光", True),
        ("旧桥建于光绪", False),
        ("橋 at noon", True),
        ("橋は at noon", False),
        ("สะพาน", True),
        ("... !", True),
    ],
)
def test_short_quote_is_under_three_words_or_six_characters(quote: str, short: bool) -> None:
    """A character of a script without spaces counts as half a word."""
    assert is_short(quote) is short


@settings(deadline=None, max_examples=300)
@given(st.text(max_size=30), st.integers(-2, 32))
def test_any_position_of_any_text_can_be_asked(text: str, offset: int) -> None:
    """Positions outside the text are inside nothing, and nothing raises."""
    answers = inside_word(text, offset), inside_number(text, offset)
    if not 0 < offset < len(text):
        assert answers == (False, False)


def test_position_beside_a_space_is_inside_no_word() -> None:
    """White space always ends a word."""
    text = "the old weir"
    assert [place for place in range(len(text)) if inside_word(text, place)] == [1, 2, 5, 6, 9, 10, 11]
