"""Find the best window of one text for many quotations.

Plain strings in, offsets out; folding is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quotecheck.text.bounds import reaches
from quotecheck.text.search import DENSE, MOST_RUNS, Outcome, Pattern, Search
from quotecheck.text.sweep import LANES, GramSweep, Table, empty_table, runs_of_enough

BATCH = 64  # quotations decided in one go
DEFAULT_THRESHOLD = Fraction(9, 10)


@dataclass(frozen=True, slots=True)
class BestWindow:
    """The window `text[start:end]` most similar to a quotation.

    `lcs` is the length of their longest common subsequence. `found` says that the similarity reaches the
    threshold. `proven` says that no window of the text is better (found), or that none reaches the threshold
    (not found: then the window is the best that was seen, and its similarity a lower bound of the best).
    """

    start: int
    end: int
    lcs: int
    found: bool
    proven: bool

    def similarity(self, quote_length: int) -> float:
        """Return 2·lcs / (|quote| + |window|), unrounded; 0.0 for nothing at all."""
        total = quote_length + self.end - self.start
        return 2 * self.lcs / total if total else 0.0


class TextIndex:
    """One text, and what was worked out about it for all its quotations; built when first needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._sweep = GramSweep(text)

    def find_exact(self, quotes: Sequence[str]) -> list[int | None]:
        """Return for each quotation the start of its first occurrence, or None."""
        starts = (self.text.find(quote) for quote in quotes)
        return [start if start >= 0 else None for start in starts]

    def best_windows(
        self, quotes: Sequence[str], *, threshold: Fraction = DEFAULT_THRESHOLD
    ) -> list[BestWindow]:
        """Return for each quotation the window of greatest similarity.

        Ties go to the smallest start, then to the shortest window.
        """
        p, q = threshold.as_integer_ratio()
        found = dict(self._outcomes([Search(quote, self.text, p, q) for quote in dict.fromkeys(quotes)]))
        return [_best_window(quote, found[quote], p, q) for quote in quotes]

    def _outcomes(self, searches: list[Search]) -> Iterator[tuple[str, Outcome]]:
        # Step by step for many at a time: the interpreter runs half as fast when each step is new to the cache.
        for batch in self._counted(searches):
            for search in batch:
                search.guess()
            batch = [search if search.sparse else self._with_higher_bound(search) for search in batch]
            for search in batch:
                yield search.quote, search.outcome()

    def _with_higher_bound(self, search: Search) -> Search:
        """Search again where grams could not tell places apart; the best window so far may let them."""
        if not search.best:
            return search
        again = Search(search.quote, self.text, *search.bound, search.best)
        for batch in self._counted([again]):
            batch[0].guess()
        return again

    def _counted(self, searches: list[Search]) -> Iterator[list[Search]]:
        """Yield the searches, some at a time, once all counts of theirs are in; eight patterns share a pass."""
        alike: dict[tuple[int, int, int], list[tuple[Search, Pattern]]] = {}
        for search in searches:
            for pattern in search.patterns:
                key = pattern.length, pattern.cell, pattern.width
                alike.setdefault(key, []).append((search, pattern))
        ready: list[Search] = []
        for waiting in alike.values():
            table = empty_table(len(waiting))
            for at in range(0, len(waiting), LANES):
                ready += self._count(waiting[at : at + LANES], table)
                if len(ready) >= BATCH or sum(search.evidence for search in ready) > MOST_RUNS:
                    yield ready
                    ready = []
        yield ready

    def _count(self, group: list[tuple[Search, Pattern]], table: Table) -> list[Search]:
        """Count the grams of these patterns; return the searches that wait for no more."""
        _, _, length, cell, width, _ = group[0][1]
        parts = [search.quote[pattern.start : pattern.start + pattern.size] for search, pattern in group]
        counts = self._sweep.counts(parts, length, cell, width, table)
        enough = [pattern.enough for _, pattern in group]
        runs = runs_of_enough(counts, enough, int(DENSE * counts.shape[1]) + 2)
        finished = []
        for (search, pattern), row, found in zip(group, counts, runs, strict=True):
            search.add_counts(pattern, row, found)
            if not search.waiting:
                finished.append(search)
        return finished


def _best_window(quote: str, outcome: Outcome, p: int, q: int) -> BestWindow:
    window = outcome.window
    return BestWindow(*window, found=reaches(window, len(quote), p, q) and bool(quote), proven=outcome.proven)
