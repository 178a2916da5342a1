"""Tests of the search for one quotation."""

from __future__ import annotations

import random

import pytest

from quotecheck.text import search as search_module
from quotecheck.text.bounds import Window
from quotecheck.text.search import BUDGET, Search
from quotecheck.text.sweep import Run

TEXT = (
    "Far out, the quick brown fox jumped over a lazy dog; later the quick brown fox jumps over the lazy dog."
)
FOX = "the quick brown fox jumps over the lazy dog"


def test_outcome_of_a_search_without_evidence_is_proven() -> None:
    """No cell with enough grams: no window can reach the threshold, and a fair one is reported."""
    search = Search("seven ships in the grey rain", TEXT, 9, 10)
    search.add_runs(search.patterns[0], [], 0, 0)
    search.guess()
    outcome = search.outcome()
    assert outcome.proven
    assert 0 < outcome.window.lcs < 20


def test_outcome_is_the_best_of_all_places() -> None:
    """A place that is worse than another one does not win, whichever is looked at first."""
    search = Search(FOX, TEXT, 4, 5)
    search.add_runs(search.patterns[0], [Run(0, 20, 40), Run(50, 70, 40)], 9, 3)
    search.guess()
    assert search.outcome() == (Window(59, 102, 43), True)


def test_search_starts_from_a_window_that_is_known() -> None:
    """Its similarity is the bound from the start, and it is the result if nothing is better."""
    known = Window(59, 102, 43)
    search = Search(FOX, TEXT, 4, 5, known)
    assert search.bound == (86, 86)
    search.add_runs(search.patterns[0], [], 0, 0)
    search.guess()
    assert search.outcome().window == known


def test_search_of_too_many_runs_scans_instead() -> None:
    """Where places are too many to be kept, the whole text is decided."""
    search = Search(FOX, TEXT, 9, 10)
    search.add_runs(search.patterns[0], None, 0, 0)
    assert not search.sparse
    search.guess()
    assert search.outcome() == (Window(59, 102, 43), True)


def test_search_knows_when_a_scan_costs_too_much() -> None:
    """Quotation and text together decide, not time."""
    assert not Search("ab" * 40, "ab" * 1_000_000, 9, 10).too_costly
    assert Search("ab" * 1_000, "ab" * (BUDGET // 2_000), 9, 10).too_costly


def test_voters_are_spread_over_a_long_quotation() -> None:
    """A few patterns choose the place to look at first."""
    starts = [pattern.start for pattern in Search("x" * 2_000, "", 9, 10).voters()]
    assert starts == [0, 533, 1066, 1600]


def test_search_reaches_as_far_as_a_window_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window of 97 characters for a quotation of 80 is seen to its end from its exact start alone."""
    monkeypatch.setattr(search_module, "climb_from_guess", lambda *_: None)
    quote = _random_letters(80)
    text = "." * 50 + quote[:60] + "+" * 17 + quote[60:] + "." * 2_000
    search = Search(quote, text, 9, 10)
    search.add_runs(search.patterns[0], [Run(50, 50, 77)], 0, 0)
    search.guess()
    assert search.outcome() == (Window(50, 147, 80), True)


def test_search_begins_as_early_as_a_window_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of three patterns alone tells of a window with 66 more characters before it."""
    monkeypatch.setattr(search_module, "climb_from_guess", lambda *_: None)
    quote = _random_letters(300)
    text = "." * 100 + quote[:100] + "+" * 66 + quote[100:] + "." * 100
    search = Search(quote, text, 9, 10)
    for pattern, runs in zip(search.patterns, ([], [], [Run(366, 366, 97)]), strict=True):
        search.add_runs(pattern, runs, 0, 0)
    search.guess()
    assert search.outcome() == (Window(100, 466, 300), True)


def _random_letters(size: int) -> str:
    return "".join(random.Random(3).choices("abcdefghijklmnopqrstuvwxyz", k=size))
