"""Tests of what a window of a given similarity may look like."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from quotecheck.text.bounds import (
    Window,
    Work,
    better,
    compare,
    intact_grams,
    least_lcs,
    longest_window,
    most_inserted,
    most_missing,
    reaches,
)

LETTERS = st.text(alphabet="abc", min_size=1, max_size=30)
RATIOS = st.sampled_from([(1, 2), (2, 3), (9, 10), (19, 20), (1, 1)])


@settings(deadline=None, max_examples=300)
@given(quote=LETTERS, window=LETTERS, ratio=RATIOS)
def test_limits_hold_for_every_window_that_reaches_the_ratio(
    quote: str, window: str, ratio: tuple[int, int]
) -> None:
    """Unmatched characters, common subsequence and length stay within the limits."""
    size, lcs = len(quote), LCSseq.similarity(quote, window)
    if reaches(Window(0, len(window), lcs), size, *ratio):
        assert size - lcs <= most_missing(size, *ratio)
        assert len(window) - lcs <= most_inserted(size, *ratio)
        assert lcs >= least_lcs(size, *ratio)
        assert len(window) <= longest_window(size, *ratio)


@settings(deadline=None, max_examples=300)
@given(quote=LETTERS, window=LETTERS, ratio=RATIOS, length=st.integers(1, 4))
def test_intact_grams_are_in_every_window_that_reaches_the_ratio(
    quote: str, window: str, ratio: tuple[int, int], length: int
) -> None:
    """At least so many places of the window hold a gram of the quotation."""
    lcs = LCSseq.similarity(quote, window)
    if reaches(Window(0, len(window), lcs), len(quote), *ratio):
        grams = {quote[at : at + length] for at in range(len(quote) - length + 1)}
        places = sum(window[at : at + length] in grams for at in range(len(window) - length + 1))
        assert places >= intact_grams(len(quote), length, *ratio)


def test_limits_of_the_default_threshold() -> None:
    """At 0.9: 11·missing + 9·inserted <= 2·|quote|."""
    assert (most_missing(80, 9, 10), most_inserted(80, 9, 10)) == (14, 17)
    assert (least_lcs(80, 9, 10), longest_window(80, 9, 10)) == (66, 97)
    assert intact_grams(80, 4, 9, 10) == 19


def test_limits_of_equality_allow_no_difference() -> None:
    """At 1 nothing may be missing, and all grams are intact."""
    assert (most_missing(80, 1, 1), most_inserted(80, 1, 1), intact_grams(80, 4, 1, 1)) == (0, 0, 77)


def test_compare_is_exact_where_floats_are_not() -> None:
    """Ratios that agree to the last digit of a float are still told apart."""
    one, other = Window(0, 10**9, 10**9 - 1), Window(0, 10**9 - 1, 10**9 - 2)
    assert compare(one, other, 10**9) > 0


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Window(5, 15, 9), None, True),
        (Window(5, 15, 9), Window(1, 11, 8), True),
        (Window(5, 15, 9), Window(4, 14, 9), False),
        (Window(4, 14, 9), Window(5, 15, 9), True),
        (Window(4, 14, 9), Window(4, 14, 9), False),
    ],
)
def test_better_prefers_similar_then_early(one: Window, other: Window | None, expected: bool) -> None:
    """More similar first, then the smaller start."""
    assert better(one, other, 10) is expected


def test_better_prefers_the_shorter_of_two_at_one_start() -> None:
    """Windows of 6 and 12 characters can be equally similar; the shorter comes first."""
    assert better(Window(3, 9, 6), Window(3, 15, 8), 12)


def test_work_does_not_begin_what_it_cannot_afford() -> None:
    """A cost beyond the budget is refused, and ends it."""
    work = Work(100)
    assert work.spend(60)
    assert not work.spend(50)
    assert work.left == 0


def test_work_counts_alignments_by_words_of_64_letters() -> None:
    """Ten alignments of 100 by 300 letters: two words each, a third of a pair per letter of the text."""
    work = Work(100_000)
    work.spend_alignments(100, 300, 10)
    assert work.left == 100_000 - 10 * 2 * 300 // 3 - 10_000
