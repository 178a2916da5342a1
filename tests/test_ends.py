"""Tests of the exact ends of the best window inside a stretch of text."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from near_cases import make_cases
from oracle import best_of_all_windows
from rapidfuzz.distance import LCSseq

from quotecheck.text import ends, pins
from quotecheck.text.bounds import Window, Work
from quotecheck.text.ends import best_between, climb, climb_from_guess
from quotecheck.text.pins import Pin, Pins

SOME_LETTERS = st.text(alphabet="abcd ", min_size=1, max_size=40)


def between(quote: str, text: str, p: int, q: int) -> Window | None:
    return best_between(quote, text, 0, len(text), p, q, Work(10**9))


def test_best_between_agrees_with_reference() -> None:
    """Inside any stretch the window of greatest similarity is found if it reaches the ratio, else none."""
    for case in make_cases(700, seed=21):
        truth = best_of_all_windows(case.quote, case.text)
        found = between(case.quote, case.text, *case.threshold.as_integer_ratio())
        if truth.similarity >= case.threshold:
            assert found == (truth.start, truth.end, truth.lcs), case
        elif found:
            size = len(case.quote) + found.end - found.start
            assert Fraction(2 * found.lcs, size) <= truth.similarity, case


def test_best_between_looks_at_its_stretch_only() -> None:
    """A better window outside the stretch is not reported, and offsets are those of the whole text."""
    text = "the lamp in the window ... a lamp in a window"
    assert best_between("the lamp in the window", text, 24, len(text), 3, 4, Work(10**9)) == Window(
        28, 45, 16
    )


def test_best_between_gives_up_where_too_little_is_common() -> None:
    """One alignment of the whole stretch rules most stretches out."""
    assert between("grey harbour", "nothing of the kind", 9, 10) is None


def test_climb_settles_ties_at_both_ends() -> None:
    """Five more characters with two more matches change nothing at 4/5: early start, early end."""
    for quote, text, expected in (("XYabcd", "X1Y23abcd", (0, 9, 6)), ("abcdXY", "abcd12X3Y", (0, 4, 4))):
        at = Pin(quote.index("c"), text.index("c"))
        climbed = climb(quote, text, 0, 9, Pins(at, at), 1, 2)
        assert climbed is not None
        assert climbed.window == expected
        assert between(quote, text, 4, 5) == expected


def test_best_between_settles_ties_by_the_corner_argument_too() -> None:
    """Among equally similar windows the smallest start wins, then the shortest window."""
    assert between("abcdefghij", "xabcdeXfghijxx abcdeYfghij", 9, 10) == Window(1, 12, 10)
    assert between("aab", "aaab", 2, 3) == Window(1, 4, 3)


@settings(deadline=None, max_examples=150)
@given(quote=SOME_LETTERS, text=SOME_LETTERS, ratio=st.sampled_from([(1, 2), (2, 3), (9, 10)]))
def test_corners_hold_every_window_that_reaches_the_ratio(
    quote: str, text: str, ratio: tuple[int, int]
) -> None:
    """No start and no end of a window that is similar enough lies outside the corners."""
    p, q = ratio
    if LCSseq.similarity(quote, text) < ends.least_lcs(len(quote), p, q):
        return
    corners = ends._corners(quote, text, 0, len(text), None, p, q)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            lcs = LCSseq.similarity(quote, text[start:end])
            if 2 * lcs * q >= p * (len(quote) + end - start):
                assert corners is not None
                assert corners.first_start <= start <= corners.last_start
                assert corners.first_end <= end <= corners.last_end


@settings(deadline=None, max_examples=150)
@given(quote=SOME_LETTERS, text=st.text(alphabet="abcd ", min_size=4, max_size=30), data=st.data())
def test_pins_that_three_corners_pass_are_passed_by_the_whole_rectangle(
    quote: str, text: str, data: st.DataObject
) -> None:
    """Where the three corners split at a pin without loss, every window of the rectangle does."""
    a0, a1, j, b0, b1 = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=5, max_size=5)))
    i = data.draw(st.integers(0, len(quote)))
    pin = Pin(i, j)
    climbed = climb(quote, text, 0, len(text), Pins(pin, pin), 1, 10**6)
    assert climbed is not None
    if ends._passed_by_all(quote, text, ends.Corners(a0, a1, b0, b1), climbed):
        for start in range(a0, a1 + 1):
            for end in range(b0, b1 + 1):
                parts = LCSseq.similarity(quote[:i], text[start:j]) + LCSseq.similarity(
                    quote[i:], text[j:end]
                )
                assert LCSseq.similarity(quote, text[start:end]) == parts


@settings(deadline=None, max_examples=200)
@given(
    rest=st.text(alphabet="abc", max_size=20),
    text=st.text(alphabet="abc", max_size=30),
    p=st.integers(1, 40),
    more=st.integers(0, 40),
    longest=st.booleans(),
)
def test_reach_finds_the_greatest_potential(rest: str, text: str, p: int, more: int, longest: bool) -> None:
    """One end of a window is where matches outweigh length most; ties go where they are asked to."""
    match, gap = 2 * (p + more), p
    k = ends._End(rest, text).reach(match, gap, longest=longest, roughly=False)
    potentials = [match * LCSseq.similarity(rest, text[:at]) - gap * at for at in range(len(text) + 1)]
    best = [at for at, potential in enumerate(potentials) if potential == max(potentials)]
    assert k == (best[-1] if longest else best[0])


def test_climb_reports_what_it_passes() -> None:
    """The window, and the matches between the pins, are those of an alignment through both."""
    quote, text = "abcdefghijklmnop", "--abcdefXghijklmnop--"
    climbed = climb(quote, text, 0, len(text), Pins(Pin(4, 6), Pin(12, 15)), 9, 10)
    assert climbed is not None
    assert climbed.window == Window(2, 19, 16)
    assert climbed.middle == 8


def test_climb_from_guess_of_unrelated_strings_claims_no_more_than_there_is() -> None:
    """A guess is a lower bound: its window has the matches that it says."""
    quote, text = "grey harbour in the rain", "seven lamps went out before the ship came in"
    climbed = climb_from_guess(quote, text, 0, len(text))
    assert climbed is not None
    assert climbed.window.lcs <= LCSseq.similarity(quote, text[climbed.window.start : climbed.window.end])
    assert climb_from_guess("qqq", "zzz", 0, 3) is None


@pytest.mark.parametrize("alignable", [pins.ALIGNABLE, 0])
def test_best_between_of_a_long_repetitive_stretch(alignable: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where alignments have no point in common, dynamic programming decides."""
    monkeypatch.setattr(pins, "ALIGNABLE", alignable)
    text = "the same few words again and " * 14
    quote = "same few words again and again the " * 6
    truth = best_of_all_windows(quote, text)
    assert between(quote, text, 3, 4) == (truth.start, truth.end, truth.lcs)
