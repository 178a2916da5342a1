"""Page and line numbers inside passages."""

from __future__ import annotations

import pytest

from quotecheck.text.fold import fold
from quotecheck.text.furniture import furniture
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
