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
        for search in self._counted(searches):
            if not search.sparse:
                search.guess()
                if search.best:  # a higher bound: grams may tell places apart now
                    again = Search(search.quote, self.text, *search.bound, search.best)
                    search = next(self._counted([again]))
            yield search.quote, search.outcome()

    def _counted(self, searches: list[Search]) -> Iterator[Search]:
        """Yield each search once the counts of all its patterns are in; up to eight patterns share a pass."""
        alike: dict[tuple[int, int], list[tuple[Search, Pattern]]] = {}
        for search in searches:
            for pattern in search.patterns:
                alike.setdefault((pattern.length, pattern.width), []).append((search, pattern))
        ready: list[Search] = []
        for (length, width), waiting in alike.items():
            table = empty_table(len(waiting))
            for at in range(0, len(waiting), LANES):
                self._count(waiting[at : at + LANES], length, width, table)
                ready += [search for search, _ in waiting[at : at + LANES] if not search.waiting]
                # Many at a time: Python code that stays in the processor's cache runs twice as fast.
                if len(ready) >= BATCH or sum(search.evidence for search in ready) > MOST_RUNS:
                    yield from dict.fromkeys(ready)
                    ready = []
        yield from dict.fromkeys(ready)

    def _count(self, group: list[tuple[Search, Pattern]], length: int, width: int, table: Table) -> None:
        parts = [search.quote[pattern.start : pattern.start + pattern.size] for search, pattern in group]
        counts = self._sweep.counts(parts, length, width, table)
        enough = [pattern.enough for _, pattern in group]
        runs = runs_of_enough(counts, enough, int(DENSE * counts.shape[1]) + 2)
        for (search, pattern), row, found in zip(group, counts, runs, strict=True):
            search.add_counts(pattern, row, found)


def _best_window(quote: str, outcome: Outcome, p: int, q: int) -> BestWindow:
    window = outcome.window
    return BestWindow(*window, found=reaches(window, len(quote), p, q) and bool(quote), proven=outcome.proven)
