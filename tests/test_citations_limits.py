"""How much is read of one answer."""

from __future__ import annotations

import pytest

from quotecheck.citations.limits import at_most
from quotecheck.errors import InvalidInput


def test_at_most_lets_through_up_to_the_limit() -> None:
    """As many items as the limit are fine, also from an endless iterator as long as no more are asked for."""
    assert list(at_most(3, "marks", "abc")) == ["a", "b", "c"]
    endless = at_most(3, "marks", iter(int, 1))
    assert [next(endless) for _ in range(3)] == [0, 0, 0]


def test_at_most_names_limit_and_remedy() -> None:
    """One item more is an error that says what there is too much of."""
    with pytest.raises(InvalidInput, match=r"more than 1,000 marks: split it"):
        list(at_most(1_000, "marks", range(1_001)))
