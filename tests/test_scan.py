"""Tests of the scan by dynamic programming."""

from __future__ import annotations

import pytest
from near_cases import make_cases
from oracle import best_of_all_windows

from quotecheck.text.bounds import Window, Work, reaches
from quotecheck.text.scan import best_by_scan, code_points, promising_stretches, scan_cost


def test_best_by_scan_agrees_with_reference() -> None:
    """The best window of all, or none where none reaches the ratio."""
    for case in make_cases(300, seed=31):
        truth = best_of_all_windows(case.quote, case.text)
        ratio = case.threshold.as_integer_ratio()
        found = best_by_scan(case.quote, case.text, 0, len(case.text), *ratio, Work(10**9))
        assert found == ((truth.start, truth.end, truth.lcs) if truth.similarity >= case.threshold else None)


def test_best_by_scan_looks_at_its_stretch_only() -> None:
    """Offsets are those of the whole text; windows outside the stretch do not count."""
    text = "grey ships, grey shops, grey ships"
    assert best_by_scan("grey ships", text, 1, 25, 9, 10, Work(10**6)) == Window(1, 10, 9)


@pytest.mark.parametrize(("budget", "expected"), [(239, None), (240, Window(0, 10, 10))])
def test_best_by_scan_ends_with_the_budget(budget: int, expected: Window | None) -> None:
    """What cannot be afforded is not begun; the best window so far is returned."""
    assert best_by_scan("grey ships", "grey ships, grey shops!!", 0, 24, 1, 2, Work(budget)) == expected


def test_promising_stretches_hold_every_window_that_reaches_the_ratio() -> None:
    """All windows that are similar enough lie inside one stretch; stretches lie apart, inside the text."""
    for case in make_cases(400, seed=32):
        p, q = case.threshold.as_integer_ratio()
        size = len(case.text)
        stretches = promising_stretches(case.quote, case.text, 0, size, p, q)
        truth = best_of_all_windows(case.quote, case.text)
        if reaches(Window(truth.start, truth.end, truth.lcs), len(case.quote), p, q):
            assert any(lo <= truth.start and truth.end <= hi for lo, hi in stretches), case
        ends = [end for stretch in stretches for end in stretch]
        assert ends == sorted(ends)
        assert all(0 <= end <= size for end in ends)


@pytest.mark.parametrize("size", [1, 2, 3, 50, 999, 1_000])
@pytest.mark.parametrize(("p", "q"), [(1, 2), (9, 10), (1, 1)])
def test_promising_stretches_do_not_overflow(size: int, p: int, q: int) -> None:
    """Scores of any quotation up to the limit fit in 16 bits: an exact copy is always promising."""
    text = "x" * 40 + "abcde" * (size // 5 + 1) + "y" * 40
    stretches = promising_stretches(text[40 : 40 + size], text, 0, len(text), p, q)
    assert any(lo <= 40 and 40 + size <= hi for lo, hi in stretches)


@pytest.mark.parametrize("inserted", [1, 2, 3, 4, 7, 8, 16, 31, 32])
def test_promising_stretches_allow_the_longest_insertion(inserted: int) -> None:
    """A passage that holds so many more characters, all in one place, that it just reaches 0.9."""
    quote = "abcdefghi" * ((inserted + 1) // 2)
    half = len(quote) // 2
    text = "xx" + quote[:half] + "x" * (len(quote) * 2 // 9) + quote[half:] + "xx"
    assert promising_stretches(quote, text, 0, len(text), 9, 10)


def test_scan_cost_is_lower_for_16_bits() -> None:
    """Up to a thousand characters the scan costs a fraction of the pairs of letters."""
    assert scan_cost(80, 1_000, 9, 10) == 80 * 1_000 * 7 // 20
    assert scan_cost(1_001, 1_000, 9, 10) == 1_001_000


def test_code_points_keep_lone_surrogates() -> None:
    """Surrogates and astral characters are one code point each."""
    assert code_points("a\ud800🙂").tolist() == [0x61, 0xD800, 0x1F642]


def test_scan_ends_no_window_at_a_closed_place() -> None:
    """The best window of all ends where none may; the next best one is found, not the same one widened."""
    closed = bytes([0, 0, 0, 0, 0, 1, 1, 0])
    assert best_by_scan("grey!", "grey!!!", 0, 7, 1, 2, Work(10**6), closed) == Window(0, 4, 4)
    assert best_by_scan("grey!", "grey!!!", 1, 7, 1, 2, Work(10**6), b"\1\1" + closed[2:]) == Window(2, 7, 3)
