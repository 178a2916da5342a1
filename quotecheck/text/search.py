"""Find the best window for one quotation in a text whose grams were counted: branch and bound over places.

The best place by count gives a first window, and its similarity is a bound that few other places can reach;
each of those is decided exactly. Where grams cannot tell places apart (few distinct letters, low thresholds),
the text is scanned. Nothing that could win is left out unless the work budget ends the search, and the outcome
says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from quotecheck.text.bounds import (
    Window,
    Work,
    better,
    broken_grams,
    intact_grams,
    least_lcs,
    longest_window,
    most_inserted,
    most_missing,
    reaches,
)
from quotecheck.text.ends import best_between, climb_from_guess, lcs_length
from quotecheck.text.scan import best_by_scan
from quotecheck.text.sweep import STRIDE, WIDEST, Counts, gram_length

WHOLE = 180  # characters: longest quotation that is looked for as one pattern
BLOCK = 112  # characters: length of the patterns of longer ones
DENSE = 0.25  # share of a text's cells from which a scan is cheaper than looking at places one by one
BUDGET = 1_500_000_000  # pairs of letters (see `Work`) that one quotation may cost: about 5 s
SCAN_CHUNK = 1 << 15  # text positions that one scan decides on: its rows stay in the second-level cache
PIECE = 256  # text positions: shortest piece in which a repetitive text is looked at


class Outcome(NamedTuple):
    """What a search found: the best window seen, and whether it is proven that there is no better one."""

    window: Window
    proven: bool


class _Place(NamedTuple):
    """The starts (first and last) that a window may have, and how many grams of its pattern are missing there."""

    first: int
    last: int
    missing: int


@dataclass(slots=True)
class _Candidates:
    """The cells where a window for one pattern of the quotation can start, and its missing grams at each."""

    offset: int
    size: int
    cells: np.ndarray
    missing: np.ndarray


def cut(quote: str) -> list[tuple[int, int]]:
    """Cut a quotation into the patterns to look for; of any good window, one is good enough by itself.

    The unmatched characters of a window are shared out among the patterns, so one of them gets no more than its
    share.
    """
    size = len(quote)
    if size <= WHOLE:
        return [(0, size)]
    count = round(size / BLOCK)
    return [(i * size // count, (i + 1) * size // count) for i in range(count)]


def cells_spanned(size: int, p: int, q: int) -> int:
    """Return how many cells the grams of a window for a pattern of this size can touch."""
    grams = longest_window(size, p, q) - gram_length(size) + 1
    return (max(1, grams) + STRIDE - 2) // STRIDE + 1


class Search:
    """The search for one quotation: feed it the counts of its patterns, then ask for the outcome."""

    def __init__(self, quote: str, text: str, p: int, q: int, best: Window | None = None) -> None:
        self.quote, self._text, self._size = quote, text, len(quote)
        self.bound = p, q
        self.best: Window | None = best
        self._closest = Window(0, 0, 0)
        self._votes: np.ndarray | None = None
        self._candidates: list[_Candidates] = []
        self._work = Work(BUDGET)
        self._decided: dict[str, Window | None] = {}
        self.sparse = True

    def add_counts(self, offset: int, size: int, counts: Counts) -> None:
        """Take in the counts of the pattern `quote[offset:offset + size]`, cell by cell."""
        if size == self._size:
            self._votes = counts
        else:
            self._add_votes(offset, counts)
        length = gram_length(size)
        enough = intact_grams(size, length, *self.bound)
        if enough <= 0 or cells_spanned(size, *self.bound) > WIDEST:
            self.sparse = False
        if self.sparse:
            cells = np.flatnonzero(counts >= enough)
            missing = size - length + 1 - counts[cells].astype(np.int64)
            self._candidates.append(_Candidates(offset, size, cells, missing))
            self.sparse = len(cells) <= 2 or len(cells) < DENSE * len(counts)

    def _add_votes(self, offset: int, counts: Counts) -> None:
        """Add the counts up along the diagonal of the first pattern: the whole quotation's best place."""
        if self._votes is None:
            self._votes = np.zeros(len(counts), np.uint16)
        shift = offset // STRIDE
        if shift < len(counts):
            self._votes[: len(counts) - shift] += counts[shift:]

    def guess(self) -> None:
        """Look at the place with most votes: a lower bound of the best similarity, often the best itself."""
        if self._votes is None or not len(self._votes):
            lo, hi = 0, len(self._text)
        else:
            start = int(self._votes.argmax()) * STRIDE
            lo = max(0, start - self._size // 4 - STRIDE)
            hi = min(len(self._text), start + self._size + self._size // 2 + 2 * STRIDE)
        climbed = climb_from_guess(self.quote, self._text, lo, hi)
        if climbed:
            self._take(climbed.window)

    def outcome(self) -> Outcome:
        """Return the best window, or the closest one seen if none reaches the threshold."""
        proven = least_lcs(self._size, *self.bound) > len(self._text) or self._decide()
        return Outcome(self.best or self._closest, proven)

    def _take(self, window: Window) -> None:
        if not reaches(window, self._size, *self.bound):
            if better(window, self._closest, self._size):
                self._closest = window
        elif better(window, self.best, self._size):
            self.best = window
            self.bound = 2 * window.lcs, self._size + window.end - window.start

    def _decide(self) -> bool:
        """Find the best window, given the counts and the bound so far; tell whether that is proven."""
        if self.bound[0] == self.bound[1]:
            start = self._text.find(self.quote)
            if start >= 0:
                self._take(Window(start, start + self._size, self._size))
            return True
        places = list(self._places()) if self.sparse else []
        if (
            not self.sparse
            or sum(place.last - place.first for place in places) > DENSE * len(self._text) + 64
        ):
            return self._scan()
        return all(self._look_at(place) for place in places)

    def _places(self) -> Iterator[_Place]:
        """Yield the ranges of starts from which a window can still reach the bound, in order."""
        ranges: list[tuple[int, int, int]] = []
        for candidates in self._candidates:
            ranges += self._ranges(candidates)
        ranges.sort()
        first = last = missing = -1
        for start, end, lost in ranges:
            if first < 0:
                first, last, missing = start, end, lost
            elif start <= last + self._size // 4 and end - first <= 2 * self._size + 4 * STRIDE:
                last, missing = max(last, end), min(missing, lost)
            else:
                yield _Place(first, last, missing)
                first, last, missing = start, end, lost
        if first >= 0:
            yield _Place(first, last, missing)

    def _ranges(self, candidates: _Candidates) -> Iterator[tuple[int, int, int]]:
        """Yield first start, last start and missing grams for each run of candidate cells of one pattern."""
        size, offset = candidates.size, candidates.offset
        kept = candidates.missing <= broken_grams(size, gram_length(size), *self.bound)
        cells, missing = candidates.cells[kept], candidates.missing[kept]
        if not len(cells):
            return
        breaks = np.flatnonzero(np.diff(cells) > 1) + 1
        runs = zip(
            cells[np.append(0, breaks)].tolist(),
            cells[np.append(breaks, len(cells)) - 1].tolist(),
            np.minimum.reduceat(missing, np.append(0, breaks)).tolist(),
            strict=True,
        )
        before = offset + most_inserted(self._size, *self.bound) if offset else 0
        after = offset - most_missing(self._size, *self.bound) if offset else 0
        for first, last, lost in runs:
            if self._pattern_fits(candidates, first * STRIDE, (last + 1) * STRIDE):
                yield first * STRIDE - before, (last + 1) * STRIDE - 1 - max(0, after), lost

    def _pattern_fits(self, candidates: _Candidates, first: int, behind: int) -> bool:
        """Tell whether a pattern of a long quotation can start in `text[first:behind]` at the bound."""
        if candidates.size == self._size:
            return True
        size, offset = candidates.size, candidates.offset
        least = least_lcs(size, *self.bound)
        stretch = self._text[first : behind + longest_window(size, *self.bound)]
        return lcs_length(self.quote[offset : offset + size], stretch, score_cutoff=least) >= least

    def _look_at(self, place: _Place) -> bool:
        """Decide one place exactly; False if the budget does not allow it."""
        size = min(self._size, WHOLE)
        if place.missing > broken_grams(size, gram_length(size), *self.bound):
            return True
        lo = max(0, place.first)
        hi = min(len(self._text), place.last + longest_window(self._size, *self.bound))
        return self._look_between(lo, hi)

    def _look_between(self, lo: int, hi: int) -> bool:
        stretch = self._text[lo:hi]
        if stretch in self._decided:
            again = self._decided[stretch]
            if again:
                self._take(Window(lo + again.start, lo + again.end, again.lcs))
            return True
        if not self._work.left:
            return False
        window = best_between(self.quote, self._text, lo, hi, *self.bound, self._work)
        self._decided[stretch] = window and Window(window.start - lo, window.end - lo, window.lcs)
        if window:
            self._take(window)
        return True

    def _scan(self) -> bool:
        """Decide the whole text; piece by piece if most pieces are repetitions, else by dynamic programming."""
        text, longest = self._text, longest_window(self._size, *self.bound)
        step = max(longest, PIECE)
        starts = range(0, max(1, len(text) - least_lcs(self._size, *self.bound) + 1), step)
        pieces: dict[str, int] = {}
        for start in starts:
            pieces.setdefault(text[start : start + step + longest], start)
        if len(pieces) * 8 <= len(starts) or len(starts) == 1:
            return all(self._look_between(start, start + len(piece)) for piece, start in pieces.items())
        if self._size * len(text) > self._work.left:
            return False
        for start in range(0, len(text), max(SCAN_CHUNK, longest)):
            end = min(len(text), start + max(SCAN_CHUNK, longest) + longest)
            window = best_by_scan(self.quote, text, start, end, *self.bound, self._work)
            if window:
                self._take(window)
        return True
