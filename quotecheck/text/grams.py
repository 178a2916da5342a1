"""Find the best window of one text for many quotations.

Plain strings in, offsets out; folding is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from quotecheck.text.bounds import Window, reaches
from quotecheck.text.patterns import CELL, Pattern, cells_touched, patterns_of
from quotecheck.text.postings import LENGTH, Postings
from quotecheck.text.search import DENSE, MOST_RUNS, Outcome, Search
from quotecheck.text.sweep import LANES, LONG, GramSweep, Table, empty_table, runs_of_enough

LONG_TEXT = 1 << 18  # characters: below, a pass over the text is cheaper than looking up sorted grams
MANY_PATTERNS = 256  # passes that cost as much as sorting
PROBE = (97, 100)  # the similarity that is tried first
BATCH = 64  # quotations that take each step together
IN_MEMORY = 1_024  # quotations whose searches are in memory together, 2 KB each and more
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
    """One text, and what was worked out about it for all its quotations; built when first needed.

    `closed` marks the places, one byte for each from 0 to the text's length, where no window may begin or
    end, such as those between a character and its marks. The ends of the text are open.
    """

    def __init__(self, text: str, closed: bytes = b"") -> None:
        self.text = text
        self._closed = closed
        self._sweep = GramSweep(text)
        self._postings: Postings | None = None

    def find_exact(self, quotes: Sequence[str]) -> list[int | None]:
        """Return for each quotation the start of its first occurrence, or None."""
        if not self._is_worth_sorting(len(quotes)):
            starts = (self.text.find(quote) for quote in quotes)
            return [start if start >= 0 else None for start in starts]
        return [start for part in _in_parts(quotes) for start in self._sorted().first_occurrences(part)]

    def best_windows(
        self, quotes: Sequence[str], *, threshold: Fraction = DEFAULT_THRESHOLD
    ) -> list[BestWindow]:
        """Return for each quotation the window of greatest similarity.

        Ties go to the smallest start, then to the shortest window.
        """
        p, q = threshold.as_integer_ratio()
        different = [quote for quote in dict.fromkeys(quotes) if quote]
        outcomes = {"": Outcome(Window(0, 0, 0), proven=True)}
        patterns = sum(len(patterns_of(len(quote), p, q)) for quote in different)
        sort = self._is_worth_sorting(patterns)
        for at in range(0, len(different), IN_MEMORY):
            searches = [self._search(quote, (p, q)) for quote in different[at : at + IN_MEMORY]]
            outcomes.update(self._outcomes(searches, sort=sort))
        return [_best_window(quote, outcomes[quote], p, q) for quote in quotes]

    def _search(self, quote: str, bound: tuple[int, int], seen: Window | None = None) -> Search:
        return Search(quote, self.text, *bound, seen, closed=self._closed)

    def _outcomes(self, searches: list[Search], *, sort: bool) -> Iterator[tuple[str, Outcome]]:
        # Step by step for many at a time: code that stays in the processor's cache runs twice as fast.
        if sort:
            untouched, searches = searches, []
            for at in range(0, len(untouched), BATCH):
                for search in self._looked_up(untouched[at : at + BATCH]):
                    if search.waiting:
                        searches.append(search)
                    else:
                        yield search.quote, search.outcome()
        for batch in self._counted(searches):
            for search in batch:
                search.guess()
            batch = [search if search.sparse else self._with_higher_bound(search) for search in batch]
            for search in batch:
                yield search.quote, search.outcome()

    def _is_worth_sorting(self, patterns: int) -> bool:
        """Tell whether so many patterns make up for sorting all grams of the text."""
        return len(self.text) >= LONG_TEXT and (self._postings is not None or patterns >= MANY_PATTERNS)

    def _sorted(self) -> Postings:
        if self._postings is None:
            self._postings = Postings(self.text)
        return self._postings

    def _looked_up(self, searches: list[Search]) -> list[Search]:
        """Return searches with places and a guess from rare grams, untouched ones where those are no help.

        Each quotation is first looked up as if it were nearly exact, which takes the fewest grams.
        """
        probes = [self._search(search.quote, PROBE) for search in searches]
        self._look_up(probes)
        rest = []
        for number, (search, probe) in enumerate(zip(searches, probes, strict=True)):
            if not probe.best:
                probes[number] = self._search(search.quote, search.bound, probe.closest)
                rest.append(probes[number])
        self._look_up(rest)
        return [
            self._search(probe.quote, search.bound) if probe.waiting else probe
            for search, probe in zip(searches, probes, strict=True)
        ]

    def _look_up(self, searches: list[Search]) -> None:
        """Take in the places of all patterns, and guess; they wait on if grams cannot tell places apart."""
        complete = [search for search in searches if self._take_in_places(search)]
        for search in complete:
            search.guess()

    def _take_in_places(self, search: Search) -> bool:
        for pattern in search.patterns:
            if pattern.length != LENGTH:
                return False
            part = search.quote[pattern.start : pattern.start + pattern.size]
            found = self._sorted().runs(part, *search.bound, most=len(self.text) // 16)
            if found is None:
                search.waiting = len(search.patterns)
                return False
            search.add_runs(pattern, *found)
        search.waiting += not search.sparse
        return search.sparse

    def _with_higher_bound(self, search: Search) -> Search:
        """Search again where grams could not tell places apart; the best window so far may let them."""
        if not search.best and search.too_costly:
            self._vote_by_long_grams(search)
            search.guess()
        if not search.best:
            return search
        again = self._search(search.quote, search.bound, search.best)
        for batch in self._counted([again]):
            for counted in batch:
                counted.guess()
        return again

    def _vote_by_long_grams(self, search: Search) -> None:
        """Let grams vote that are rare even among few letters; edits break most of them, but seldom all."""
        voters = search.voters()
        parts = [search.quote[pattern.start : pattern.start + pattern.size] for pattern in voters]
        width = cells_touched(max(map(len, parts)), CELL)
        counts = [self._sweep.counts([part], LONG, CELL, width, empty_table(1))[0] for part in parts]
        search.vote_anew(counts)

    def _counted(self, searches: list[Search]) -> Iterator[list[Search]]:
        """Yield the searches, some at a time, once all their counts are in; eight patterns share a pass."""
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
        if ready:
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


def _in_parts(quotes: Sequence[str]) -> Iterator[Sequence[str]]:
    """Part quotations into groups of about a million characters, so that arrays over a group stay small."""
    start = size = 0
    for number, quote in enumerate(quotes):
        size += len(quote)
        if size >= 1_000_000:
            yield quotes[start : number + 1]
            start, size = number + 1, 0
    yield quotes[start:]


def _best_window(quote: str, outcome: Outcome, p: int, q: int) -> BestWindow:
    window = outcome.window
    return BestWindow(*window, found=bool(quote) and reaches(window, len(quote), p, q), proven=outcome.proven)
