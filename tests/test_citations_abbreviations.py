"""Full stops that end no sentence."""

from __future__ import annotations

import pytest

from quotecheck.citations.abbreviations import ends_no_sentence


@pytest.mark.parametrize(
    ("before", "after"),
    [("for tea, e.g", "Assam"), ("see Fig", "3"), ("by Dr", "Orr"), ("J", "Hart"), ("by J.R", "Hart"),
     ("Lund et al", "2020"), ("at 5 p.m", "they"), ("see No", "5"), ("on p", "12"), ("the U.S", "Senate"),
     ("pots etc", "were"), ("vgl", "Tee"), ("z.B", "Tee"), ("4 Jan", "1881")],
)  # fmt: skip
def test_sentence_goes_on(before: str, after: str) -> None:
    """Abbreviations, initials and numbers behind short words do not end a sentence."""
    assert ends_no_sentence(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [("it rusts", "Tin"), ("it rusts", "tin"), ("pots etc", "They"), ("plan B", "The"),
     ("in the U.S", "The"), ("in the U.S", "Black"), ("at 5 p.m", "They"), ("in 1881", "The"), ("end", ""),
     ("he said no", "They"),
     ("", "The"), ("vitamin C", "It")],
)  # fmt: skip
def test_sentence_ends(before: str, after: str) -> None:
    """Words, numbers, and short forms before a capital end it."""
    assert not ends_no_sentence(before, after)
