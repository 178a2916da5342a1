"""Every occurrence is found, in time that does not depend on how they overlap."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.text.occurrences import occurrences


@given(st.text("ab", max_size=60), st.text("ab", min_size=1, max_size=4), st.integers(1, 8))
@settings(deadline=None, max_examples=300)
def test_occurrences_agree_with_a_look_at_every_place(text: str, needle: str, times: int) -> None:
    """Periodic needles in periodic texts are counted right."""
    text, needle = text * 3, needle * times
    assert list(occurrences(needle, text)) == [i for i in range(len(text)) if text.startswith(needle, i)]


def test_occurrences_overlap() -> None:
    """A hit may begin inside another."""
    assert list(occurrences("aba", "ababa aba")) == [0, 2, 6]


def test_occurrences_of_a_long_run_in_a_longer_one() -> None:
    """A long needle of one letter in a page of that letter takes a moment, not hours."""
    assert sum(1 for _ in occurrences("a" * 20_000, "a" * 1_000_000)) == 980_001


def test_occurrences_stop_at_the_first_break_of_the_period() -> None:
    """Hits behind a broken run are found as well."""
    assert list(occurrences("ab" * 10, "ab" * 11 + "x" + "ab" * 10)) == [0, 2, 23]
