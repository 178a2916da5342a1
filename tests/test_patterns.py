"""Tests of how a quotation is cut into patterns."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.text.patterns import PART, WHOLE, WIDEST, cells_touched, gram_length, patterns_of

RATIOS = st.sampled_from([(1, 2), (2, 3), (4, 5), (9, 10), (97, 100), (1, 1)])


@settings(deadline=None, max_examples=200)
@given(size=st.integers(1, 20_000), ratio=RATIOS)
def test_patterns_cover_the_quotation_without_overlap(size: int, ratio: tuple[int, int]) -> None:
    """Every character is in exactly one pattern, and none is longer than allowed."""
    patterns = patterns_of(size, *ratio)
    assert [pattern.start for pattern in patterns[1:]] == [part.start + part.size for part in patterns[:-1]]
    assert patterns[-1].start + patterns[-1].size == size
    assert max(pattern.size for pattern in patterns) <= (WHOLE if len(patterns) == 1 else PART)


@settings(deadline=None, max_examples=200)
@given(size=st.integers(1, 400), ratio=RATIOS)
def test_patterns_count_within_a_byte(size: int, ratio: tuple[int, int]) -> None:
    """No sum over a pattern's cells can overflow, and no pattern needs more grams than it has."""
    for pattern in patterns_of(size, *ratio):
        assert pattern.width * pattern.cell <= WIDEST
        assert pattern.enough <= pattern.size - pattern.length + 1


def test_patterns_of_a_low_threshold_say_nothing() -> None:
    """At one half so many characters may differ that no gram need be intact."""
    assert [pattern.enough for pattern in patterns_of(300, 1, 2)] == [0, 0, 0]


@pytest.mark.parametrize(("size", "length"), [(1, 1), (2, 2), (9, 2), (10, 3), (31, 3), (32, 4), (180, 4)])
def test_gram_length_grows_with_the_pattern(size: int, length: int) -> None:
    """Short patterns are looked for by short grams."""
    assert gram_length(size) == length


@pytest.mark.parametrize("cell", [1, 8, 16])
def test_cells_touched_is_the_most_that_positions_can_touch(cell: int) -> None:
    """However the positions lie, they touch no more cells than that."""
    for positions in range(1, 60):
        most = max((at + positions - 1) // cell - at // cell + 1 for at in range(cell))
        assert cells_touched(positions, cell) == most
