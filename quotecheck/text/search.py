"""Find the best window for one quotation in a text whose grams were counted: branch and bound over places.

The best place by count gives a first window, and its similarity is a bound that few other places can reach;
each of those is decided exactly. Where grams cannot tell places apart (few distinct letters, low
thresholds), the text is scanned. Nothing that could win is left out unless the work budget ends the search;
the outcome says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, product
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from quotecheck.text.bounds import (
    Window,
    Work,
    better,
    broken_grams,
    least_lcs,
    longest_window,
    most_inserted,
    most_missing,
    reaches,
)
from quotecheck.text.ends import Climbed, best_between, climb_from_guess, lcs_length
from quotecheck.text.patterns import CELL, WHOLE, Pattern, patterns_of
from quotecheck.text.scan import CHUNK, NARROW, best_by_scan, promising_stretches, scan_cost
from quotecheck.text.sweep import Run

VOTERS = 5  # patterns of a long quotation, or little more, whose counts vote for its best place
MOST_RUNS = 50_000  # runs of cells kept for one quotation, some 200 bytes each
DENSE = 0.25  # share of a text's cells from which a scan is cheaper than looking at places one by one
BUDGET = 1_500_000_000  # pairs of letters (see `Work`) that one quotation may cost: about 5 s
PIECE = 256  # text positions: shortest piece in which a repetitive text is looked at

CellCounts = np.ndarray[tuple[int], np.dtype[Any]]


class Outcome(NamedTuple):
    """What a search found: the best window seen, and whether it is proven that there is no better one."""

    window: Window
    proven: bool


class _Place(NamedTuple):
    """The first and the last start that a window may have, and the runs of cells that say so, by pattern."""

    first: int
    last: int
    evidence: list[tuple[Pattern, Run]]


class Search:
    """The search for one quotation: feed it the counts of its patterns, then ask for the outcome.

    No window begins or ends at a place of the text that is marked in `closed`: one byte for each place, both
    ends of the text included, or none at all.
    """

    def __init__(
        self, quote: str, text: str, p: int, q: int, seen: Window | None = None, *, closed: bytes = b""
    ) -> None:
        self.quote, self._text, self._size = quote, text, len(quote)
        self._closed = closed
        self.bound = p, q
        self.best: Window | None = None
        self.closest = Window(0, 0, 0)
        if seen:
            self._take(seen)
        self.patterns = patterns_of(self._size, *self.bound)
        self.waiting = len(self.patterns)
        self.sparse = True
        self._climbed: Climbed | None = None
        self._votes: CellCounts | None = None
        self._favourite = self._favour = 0
        self._evidence: list[tuple[Pattern, Run]] = []
        self._work = Work(BUDGET)
        self._decided: set[tuple[str, bytes]] = set()

    def add_counts(self, pattern: Pattern, counts: CellCounts, runs: list[Run] | None) -> None:
        """Take in the counts of one pattern, cell by cell, and the runs of cells that have enough, if few."""
        self.waiting -= 1
        if len(self.patterns) == 1:
            self._votes = counts
        elif self.waiting % (1 + len(self.patterns) // VOTERS) == 0:
            self._add_votes(pattern, counts)
        self._add_evidence(pattern, runs)
        if not self.waiting and self._votes is not None and len(self._votes):
            self._favourite = int(self._votes.argmax()) * pattern.cell
            self._votes = None

    def add_runs(self, pattern: Pattern, runs: list[Run] | None, favourite: int, favour: int) -> None:
        """Take in the runs of starts that one pattern can have, and the start that most grams favour."""
        self.waiting -= 1
        self._add_evidence(pattern._replace(cell=1), runs)
        if favour > self._favour:
            self._favourite, self._favour = max(0, favourite - pattern.start), favour

    def _add_evidence(self, pattern: Pattern, runs: list[Run] | None) -> None:
        if runs is None or len(self._evidence) + len(runs) > MOST_RUNS:
            self.sparse = False
        else:
            self._evidence += [(pattern, run) for run in runs]

    def voters(self) -> list[Pattern]:
        """Return the patterns whose counts vote, spread over the quotation."""
        return self.patterns[:: 1 + len(self.patterns) // VOTERS]

    def vote_anew(self, counts: Iterable[CellCounts]) -> None:
        """Take another place as the most likely one: by counts of other grams of the patterns that vote."""
        self._votes = None
        for pattern, row in zip(self.voters(), counts, strict=True):
            self._add_votes(pattern, row)
        if self._votes is not None and len(self._votes):
            self._favourite = int(self._votes.argmax()) * CELL
        self._votes = None

    def _add_votes(self, pattern: Pattern, counts: CellCounts) -> None:
        """Add counts up along the diagonal of the quotation's start: its best place gets most."""
        if self._votes is None:
            self._votes = np.zeros(len(counts), np.uint16)
        shift = pattern.start // pattern.cell
        if shift < len(counts):
            self._votes[: len(counts) - shift] += counts[shift:]

    @property
    def too_costly(self) -> bool:
        """Whether a scan of the whole text is beyond the budget."""
        return scan_cost(self._size, len(self._text), *self.bound) > BUDGET * 3 // 4

    @property
    def evidence(self) -> int:
        """How many runs of cells the search keeps in memory."""
        return len(self._evidence)

    def guess(self) -> None:
        """Look at the place with most votes: a lower bound of the best similarity, often the best itself."""
        if self.sparse and not self._some_fit(self._evidence):
            self._evidence = []
            if not self.best and not self.closest.lcs:
                self.closest = self._rough_guess()
            return
        self._climbed = climb_from_guess(self.quote, self._text, *self._favourite_stretch(), *self.bound)
        if self._climbed:
            self._take(self._climbed.window)

    def outcome(self) -> Outcome:
        """Return the best window, or the closest one seen if none reaches the threshold."""
        possible = least_lcs(self._size, *self.bound) <= len(self._text)
        proven = not possible or self._decide()
        if not self.best and not self.closest.lcs:
            self.closest = self._rough_guess()
        return Outcome(self.best or self.closest, proven and self._work.left > 0)

    def _rough_guess(self) -> Window:
        """Return a fair window where none can reach the threshold."""
        lo, hi = self._favourite_stretch()
        if self._size <= WHOLE:
            climbed = climb_from_guess(self.quote, self._text, lo, hi)
            return self._opened(climbed.window) if climbed else self.closest
        start = max(0, min(self._favourite, len(self._text) - self._size))
        end = min(len(self._text), start + self._size)
        return self._opened(Window(start, end, lcs_length(self.quote, self._text[start:end])))

    def _favourite_stretch(self) -> tuple[int, int]:
        margin = self._size // 4 + CELL
        end = self._favourite + self._size + 2 * margin
        return max(0, self._favourite - margin), min(len(self._text), end)

    def _is_open(self, start: int, end: int) -> bool:
        return not self._closed or not (self._closed[start] or self._closed[end])

    def _opened(self, window: Window) -> Window:
        """Return a window whose ends are moved out of closed places, each to the better side."""
        if self._is_open(window.start, window.end):
            return window
        best: Window | None = None
        for start, end in product(self._beside(window.start), self._beside(window.end)):
            if start < end:
                moved = Window(start, end, lcs_length(self.quote, self._text[start:end]))
                best = moved if better(moved, best, self._size) else best
        return best or window

    def _beside(self, place: int) -> tuple[int, int]:
        """Return the last open place up to one, and the first from it on; the text's ends are open."""
        return self._closed.rindex(0, 0, place + 1), self._closed.index(0, place)

    def _take(self, window: Window) -> None:
        window = self._opened(window)
        if not reaches(window, self._size, *self.bound):
            if better(window, self.closest, self._size):
                self.closest = window
        elif better(window, self.best, self._size):
            self.best = window
            self.bound = 2 * window.lcs, self._size + window.end - window.start

    def _decide(self) -> bool:
        """Find the best window, given the bound so far; tell whether that is proven."""
        if self.sparse and not self._evidence:
            return True
        if self.bound[0] == self.bound[1]:
            start = self._text.find(self.quote)
            while start >= 0 and not self._is_open(start, start + self._size):
                start = self._text.find(self.quote, start + 1)
            if start >= 0:
                self._take(Window(start, start + self._size, self._size))
            return True
        places = self._places() if self.sparse else []
        if not self.sparse or self._cost_of(places) > scan_cost(self._size, len(self._text), *self.bound):
            return self._scan()
        return all(self._look_at(place) for place in places)

    def _cost_of(self, places: list[_Place]) -> int:
        """Return roughly what it costs to decide so many places, in the unit of `Work`."""
        longest = longest_window(self._size, *self.bound)
        lengths = sum(place.last - place.first + longest for place in places)
        return lengths * (self._size // 64 + 1) * 4 + len(places) * 10_000

    def _places(self) -> list[_Place]:
        """Return the ranges of starts from which a window can still reach the bound, in order."""
        inserted, missing = most_inserted(self._size, *self.bound), most_missing(self._size, *self.bound)
        ranges = []
        for pattern, run in self._evidence:
            if self._holds(pattern, run):
                first, last = run.first * pattern.cell, run.last * pattern.cell + pattern.cell - 1
                if pattern.start:
                    first, last = first - pattern.start - inserted, last - max(0, pattern.start - missing)
                ranges.append((first, last, pattern, run))
        if len(ranges) > 1:
            ranges.sort()
        places: list[_Place] = []
        for first, last, pattern, run in ranges:
            before = places[-1] if places else None
            if (
                before
                and first <= before.last + self._size // 4
                and last - before.first <= 2 * self._size + 64
            ):
                places[-1] = _Place(before.first, max(before.last, last), before.evidence)
                before.evidence.append((pattern, run))
            else:
                places.append(_Place(first, last, [(pattern, run)]))
        return [place for place in places if self._some_fit(place.evidence)]

    def _holds(self, pattern: Pattern, run: Run) -> bool:
        """Tell whether the run has enough grams of the pattern for the bound as it is now."""
        grams = pattern.size - pattern.length + 1
        return grams - run.most <= broken_grams(pattern.size, pattern.length, *self.bound)

    def _some_fit(self, evidence: Sequence[tuple[Pattern, Run]]) -> bool:
        """Tell whether a pattern can start at the cells of any run that has enough of its grams.

        Its longest common subsequence with the text there decides.
        """
        for pattern, of_pattern in groupby(evidence, itemgetter(0)):
            least, longest = least_lcs(pattern.size, *self.bound), longest_window(pattern.size, *self.bound)
            part = self.quote[pattern.start : pattern.start + pattern.size]
            for _, run in of_pattern:
                stretch = self._text[run.first * pattern.cell : (run.last + 1) * pattern.cell + longest]
                if self._holds(pattern, run) and lcs_length(part, stretch, score_cutoff=least) >= least:
                    return True
        return False

    def _look_at(self, place: _Place) -> bool:
        """Decide one place exactly; False if the budget does not allow it."""
        if not any(self._holds(*evidence) for evidence in place.evidence):
            return True
        end = place.last + longest_window(self._size, *self.bound)
        return self._look_between(max(0, place.first), min(len(self._text), end))

    def _look_between(self, lo: int, hi: int) -> bool:
        stretch = self._text[lo:hi], self._closed[lo : hi + 1]
        if stretch in self._decided:  # the same further on: no window there comes before those of the first
            return True
        if not self._work.left:
            return False
        climbed = self._climbed
        if climbed and not lo <= climbed.window.start <= climbed.window.end <= hi:
            climbed = None
        window = best_between(self.quote, self._text, lo, hi, *self.bound, self._work, climbed)
        self._decided.add(stretch)
        if window:
            self._take(window)
            if not self._is_open(window.start, window.end):  # what is best with open ends may be elsewhere
                self._scan_exactly(lo, hi)
        return True

    def _scan_exactly(self, lo: int, hi: int) -> None:
        window = best_by_scan(self.quote, self._text, lo, hi, *self.bound, self._work, self._closed)
        if window:
            self._take(window)

    def _scan(self) -> bool:
        """Decide the whole text: piece by piece if most are repetitions, else by dynamic programming."""
        text, longest = self._text, longest_window(self._size, *self.bound)
        step = max(longest, PIECE)
        starts = range(0, max(1, len(text) - least_lcs(self._size, *self.bound) + 1), step)
        pieces: dict[tuple[str, bytes], int] = {}
        for start in starts:
            end = start + step + longest
            pieces.setdefault((text[start:end], self._closed[start : end + 1]), start)
        if len(pieces) * 8 <= len(starts) or len(starts) == 1:
            return all(self._look_between(start, start + len(piece)) for (piece, _), start in pieces.items())
        if self.too_costly:
            self._look_between(*self._favourite_stretch())
            return False
        chunk = max(CHUNK, 2 * longest)
        return all(
            self._scan_chunk(at, min(len(text), at + chunk + longest)) for at in range(0, len(text), chunk)
        )

    def _scan_chunk(self, start: int, end: int) -> bool:
        if self._size > NARROW:
            self._scan_exactly(start, end)
            return self._work.left > 0
        if not self._work.spend(scan_cost(self._size, end - start, *self.bound)):
            return False
        stretches = promising_stretches(self.quote, self._text, start, end, *self.bound)
        return all(self._look_between(*stretch) for stretch in stretches)
