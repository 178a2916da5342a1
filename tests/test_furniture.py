"""Page and line numbers inside passages."""

from __future__ import annotations

import pytest

from quotecheck.text.fold import fold
from quotecheck.text.furniture import furniture, list_numbers, note_numbers, raised_notes
from quotecheck.text.pieces import Part


def _found(original: str) -> list[str]:
    folded = fold(original)
    spans = furniture(folded, [Part(0, 1, 0, len(folded.text))], original)
    return [folded.text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("original", "numbers"),
    [
        ("The wall\n\n14\n\nwas rebuilt.", ["14"]),
        ("The wall\f\n 14 \nwas rebuilt.", ["14"]),
        ("I saw the lamp\n13 go out, and the\n14 chain fall.", ["13", "14"]),
        ("I saw the lamp\n13 go out, and the\n17 chain fall.", []),
        ("The wall of\n14 men was rebuilt.", []),
        ("It cost\n1,400\ncrowns.", []),
        ("The wall 14 was rebuilt.", []),
    ],
)
def test_numbers_of_pages_and_lines(original: str, numbers: list[str]) -> None:
    """Alone on a line, or counted up at line starts; everything else is content."""
    assert _found(original) == numbers


def test_number_outside_the_parts_is_not_reported() -> None:
    """Only what a passage holds can interrupt it."""
    original = "The wall was rebuilt.\n\n14\n\nThe bridge was not."
    folded = fold(original)
    assert furniture(folded, [Part(0, 1, 0, 21)], original) == []


@pytest.mark.parametrize(
    ("text", "is_note"),
    [
        ("The weir was safe.12 It held.", True),
        ("The weir was safe.12", True),
        ('The weir was "safe."12 It held.', True),
        ("See the list in vol.12 The weir held.", False),
        ("The rise was 1.12 It held.", False),
        ("The weir was safe.12 metres away.", False),
        ("The weir was safe 12 It held.", False),
    ],
)
def test_note_number_on_the_line(text: str, is_note: bool) -> None:
    """Digits behind the stop of a sentence are a note's, unless an abbreviation or a number ends there."""
    span = (text.index("12"), text.index("12") + 2)
    assert list(note_numbers(text, [span])) == ([span] if is_note else [])


@pytest.mark.parametrize(
    ("original", "is_note"),
    [("safe in adults¹² and men", True), ("10 m¹² and men", False), ("safe in adults12 and men", False)],
)
def test_raised_digits_behind_a_word_are_a_note(original: str, is_note: bool) -> None:
    """Behind a word of three letters no power stands."""
    folded = fold(original)
    span = (folded.text.index("12"), folded.text.index("12") + 2)
    assert list(raised_notes(folded, [span], original)) == ([span] if is_note else [])


@pytest.mark.parametrize(
    ("original", "is_item"),
    [
        ("No smoking.\n2. No dogs.", True),
        ("No smoking\n\n(2) No dogs.", True),
        ("2) No dogs.", True),
        ("The dam was built in\n2. Then it fell.", False),
        ("No smoking. 2. No dogs.", False),
        ("No smoking.\n2 dogs.", False),
    ],
)
def test_number_of_a_list_item(original: str, is_item: bool) -> None:
    """It opens a line behind one that ends."""
    folded = fold(original)
    at = folded.text.index("2")
    assert list(list_numbers(folded, [(at, at + 1)], original)) == ([(at, at + 1)] if is_item else [])
