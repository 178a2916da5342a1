"""Where each 4-gram of a text occurs: for very many quotations against one long text.

Sorting all grams once costs as much as a hundred passes over the text; after that a quotation costs only
the places of its rarest grams. An exact occurrence needs the rarest one alone, a near one so many that some
of them must be intact (see `Postings.runs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from quotecheck.text.bounds import intact_grams, most_inserted
from quotecheck.text.sweep import Hashes, Run, hash_grams

LENGTH = 4  # characters per gram
SURVIVORS = 14  # grams that must be intact near one diagonal: more than most single words have
PLACES = 200  # occurrences of the rarest gram from which the text is searched as it is

_BLOCK = 1 << 19  # grams put in order at once

Positions = np.ndarray[tuple[int], np.dtype[np.int32]]
Integers = np.ndarray[tuple[int], np.dtype[Any]]


def _by_quarter(hashes: Hashes, starts: Integers) -> Positions:
    """Return the places of all hashes in order; a quarter of the hashes at a time keeps the memory low."""
    positions = np.empty(len(hashes), np.int32)
    for quarter in range(4):
        places = np.flatnonzero(hashes >> np.uint16(14) == quarter)
        order = np.argsort(hashes[places], kind="stable")
        positions[starts[quarter << 14] : starts[(quarter + 1) << 14]] = places[order]
    return positions


def _by_block(hashes: Hashes, starts: Integers) -> Positions:
    """Return the same where most hashes are in one quarter (few letters), a stretch of the text at a time."""
    positions = np.empty(len(hashes), np.int32)
    free = starts[:-1].copy()  # where the next place of each hash goes
    for first in range(0, len(hashes), _BLOCK):
        block = hashes[first : first + _BLOCK]
        order = np.argsort(block, kind="stable")
        counts = np.bincount(block, minlength=1 << 16)
        shift = free - (np.cumsum(counts) - counts)
        positions[shift[block[order]] + np.arange(len(block))] = order + first
        free += counts
    return positions


class Postings:
    """The positions of all 4-grams of a text, in order, by their 16-bit hash."""

    def __init__(self, text: str) -> None:
        self._text = text
        hashes = hash_grams(text, LENGTH)
        self._starts = np.zeros((1 << 16) + 1, np.int64)
        np.cumsum(np.bincount(hashes, minlength=1 << 16), out=self._starts[1:])
        quarters = np.diff(self._starts[:: 1 << 14])
        in_order = _by_quarter if quarters.max(initial=0) < max(len(hashes) // 2, _BLOCK) else _by_block
        self._positions = in_order(hashes, self._starts)

    def first_occurrences(self, quotes: Sequence[str]) -> list[int | None]:
        """Return where each quotation occurs first, or None."""
        long = [quote for quote in quotes if len(quote) >= LENGTH]
        rarest = iter(self._rarest_grams(long)) if long else iter(())
        found = []
        for quote in quotes:
            at, first, count = next(rarest) if len(quote) >= LENGTH else (0, 0, PLACES + 1)
            found.append(self._first_occurrence(quote, at, first, count))
        return found

    def _first_occurrence(self, quote: str, at: int, first: int, count: int) -> int | None:
        if count > PLACES:
            start = self._text.find(quote)
            return start if start >= 0 else None
        for position in self._positions[first : first + count].tolist():
            if position >= at and self._text.startswith(quote, position - at):
                return int(position - at)
        return None

    def _rarest_grams(self, quotes: Sequence[str]) -> Iterator[tuple[int, int, int]]:
        """Yield each quotation's rarest gram: its offset, its first posting, and how many postings it has."""
        hashes = hash_grams("".join(quotes), LENGTH).astype(np.intp)
        counts = self._starts[hashes + 1] - self._starts[hashes]
        begins = np.cumsum([0, *map(len, quotes)])
        for back in range(1, LENGTH):  # grams that reach into the next quotation
            counts[begins[1:-1] - back] = len(self._text)
        rarest = counts * len(counts) + np.arange(len(counts))
        places = np.minimum.reduceat(rarest, begins[:-1]) % len(counts)
        firsts = self._starts[hashes[places]]
        yield from zip((places - begins[:-1]).tolist(), firsts.tolist(), counts[places].tolist(), strict=True)

    def runs(self, pattern: str, p: int, q: int, most: int) -> tuple[list[Run], int, int] | None:
        """Return the runs of starts from which a window of similarity p/q can match the pattern.

        Of the pattern's grams T are intact in every such window, on diagonals (text offset less pattern
        offset) that differ by no more than the window can have unmatched characters. If any T - r grams are
        left out, r or more of the intact ones are not; so the most frequent ones are left out. Also
        returned: the start with most grams, and how many. None if grams say nothing, or have more than
        `most` places together.
        """
        intact, drift = intact_grams(len(pattern), LENGTH, p, q), most_inserted(len(pattern), p, q)
        if intact <= 0:
            return None
        survivors = min(intact, SURVIVORS)
        hashes = hash_grams(pattern, LENGTH).astype(np.intp)
        left_out = intact - survivors
        diagonals = self._diagonals(hashes, len(hashes) - left_out, most)
        if diagonals is None:
            return None
        hits = np.flatnonzero(diagonals[survivors - 1 :] - diagonals[: 1 - survivors or None] <= drift)
        if not len(hits):
            return [], *_closest_together(diagonals)
        found = diagonals[hits]
        counts = np.searchsorted(diagonals, found + drift, "right") - hits
        best = int(counts.argmax())
        # Starts as far apart as twice the drift are one run.
        begins = np.flatnonzero(np.diff(found, prepend=-(1 << 30)) > 2 * drift)
        ends = np.append(begins[1:], len(found)) - 1
        runs = list(
            map(
                Run,
                np.maximum(found[begins] - drift, 0).tolist(),
                (found[ends] + drift).tolist(),
                (np.maximum.reduceat(counts, begins) + left_out).tolist(),
            )
        )
        return runs, int(found[best]), int(counts[best])

    def _diagonals(self, hashes: Integers, kept: int, most: int) -> Positions | None:
        """Return the diagonals of the pattern's `kept` rarest grams, ascending; None if more than `most`."""
        first, behind = self._starts[hashes], self._starts[hashes + 1]
        counts = behind - first
        rarest = counts.argsort()[:kept]
        if counts[rarest].sum() > most:
            return None
        parts = zip(first[rarest].tolist(), behind[rarest].tolist(), strict=True)
        diagonals = np.concatenate([self._positions[x:y] for x, y in parts])
        diagonals -= np.repeat(rarest.astype(np.int32), counts[rarest])
        diagonals.sort()  # int32: vectorized
        return diagonals


def _closest_together(diagonals: Positions) -> tuple[int, int]:
    """Return the first of the five (or all) diagonals that differ least, and how many there are."""
    several = min(5, len(diagonals))
    if not several:
        return 0, 0
    spread = diagonals[several - 1 :] - diagonals[: 1 - several or None]
    return max(0, int(diagonals[int(spread.argmin())])), several
