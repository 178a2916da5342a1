"""Count, for every place of a text, how many grams of a pattern occur near it: a filter that misses nothing.

A window similar enough to a pattern holds a known number of its grams (see `patterns`). So one pass over
the text that looks each gram up in a table, and sums over stretches as long as such a window, leaves only
the places where one can start. Up to eight patterns share a pass: an entry of the table has a byte for
each. Grams are hashed to 16 bits; a collision costs time, never a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from quotecheck.text.scan import code_points

LANES = 8  # patterns per pass
LONG = 16  # characters: length of grams that are rare even in a text of two letters
CHUNK = 1 << 15  # text positions at a time: table and temporaries stay in the second-level cache
PADDING = 16  # the number of positions is filled up to a multiple of this, a whole number of cells
OVER = 255  # more than any count
TABLE_SIZE = 1 << 16

Hashes = np.ndarray[tuple[int], np.dtype[np.uint16]]
Counts = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
Table = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
Lanes = np.ndarray[Any, np.dtype[Any]]  # one integer per element, a byte of it per pattern

# Odd factors for hashes of 2, 3 or 4, 8, and 16 characters; the first keeps pairs of ASCII characters apart.
_FACTORS = {1: np.uint16(251), 2: np.uint16(40503), 4: np.uint16(30011), 8: np.uint16(51749)}
_LANE_TYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


class Run(NamedTuple):
    """Neighbouring cells `first..last` where a pattern has enough grams, and the most that one has."""

    first: int
    last: int
    most: int


def hash_grams(text: str, length: int) -> Hashes:
    """Return one 16-bit hash per gram of the text, for grams of 1, 2, 3, 4 or 16 characters."""
    codes = np.frombuffer(text.encode("latin-1"), np.uint8) if text.isascii() else code_points(text)
    hashes = codes.astype(np.uint16)
    covered = 1
    while covered < length:
        step = min(covered, length - covered)
        hashes = hashes[:-step] * _FACTORS[covered] + hashes[step:]
        covered += step
    return hashes


class GramSweep:
    """The grams of one text, hashed once for each gram length that is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._hashes: dict[int, Hashes] = {}

    def counts(self, patterns: Sequence[str], length: int, cell: int, width: int, table: Table) -> Counts:
        """Count each pattern's grams in cells x .. x + width - 1: one row per pattern, one column per cell x.

        At most as many patterns as `table` has columns; it is empty before and after. The counts are upper
        bounds: grams of one hash are the same.
        """
        columns = table.shape[1]
        lanes = table.view(_LANE_TYPES[columns])[:, 0]
        filled = _fill(table, patterns, length)
        cells = self._count_cells(lanes, length, cell)
        lanes[filled] = 0
        by_cell = _sliding_sums(cells, width).view(np.uint8).reshape(-1, columns)
        return np.ascontiguousarray(by_cell[:, : len(patterns)].T)

    def _count_cells(self, lanes: Lanes, length: int, cell: int) -> Lanes:
        hashes = self._text_hashes(length)
        cells = np.empty(len(hashes) // cell, lanes.dtype)
        for start in range(0, len(hashes), CHUNK):
            found = lanes.take(hashes[start : start + CHUNK].astype(np.intp))
            size = cell
            while size > 1:
                found = found[0::2] + found[1::2]
                size >>= 1
            cells[start // cell : (start + CHUNK) // cell] = found
        return cells

    def _text_hashes(self, length: int) -> Hashes:
        """Return the text's hashes, padded to whole cells; padding can only add to a count."""
        if length not in self._hashes:
            count = max(0, len(self._text) - length + 1)
            padded = np.zeros(-(-count // PADDING) * PADDING, np.uint16)
            for start in range(0, count, CHUNK):
                part = self._text[start : start + CHUNK + length - 1]
                padded[start : start + len(part) - length + 1] = hash_grams(part, length)
            self._hashes[length] = padded
        return self._hashes[length]


def empty_table(patterns: int) -> Table:
    """Return a table for passes that share up to so many (at most eight) patterns."""
    lanes = 1 << (min(patterns, LANES) - 1).bit_length()
    return np.zeros((TABLE_SIZE, lanes), np.uint8)


def _fill(table: Table, patterns: Sequence[str], length: int) -> Hashes:
    """Put a 1 in the column of each pattern for each of its grams, and return rows that cover those."""
    hashes = hash_grams("".join(patterns), length)
    start = 0
    for lane, pattern in enumerate(patterns):
        table[hashes[start : start + len(pattern) - length + 1], lane] = 1
        start += len(pattern)
    return hashes


def _sliding_sums(cells: Lanes, width: int) -> Lanes:
    """Return the sums of `width` neighbouring cells, at every cell; past the end there is nothing."""
    sums = np.zeros_like(cells)
    power, offset, rest = cells, 0, min(width, len(cells))
    step = 1
    while rest:
        if rest & 1:
            sums[: len(cells) - offset] += power[offset:]
            offset += step
        rest >>= 1
        if rest:
            doubled = power.copy()
            doubled[:-step] += power[step:]
            power, step = doubled, 2 * step
    return sums


def runs_of_enough(counts: Counts, enough: Sequence[int], most_cells: int) -> list[list[Run] | None]:
    """Return for each row the runs of cells with at least its number of grams, or None if there are too many.

    Too many is more than `most_cells` cells, and any number if a row's grams say nothing (`enough` is 0).
    """
    size = counts.shape[1]
    kept = counts >= np.array([number or OVER for number in enough], np.uint8)[:, np.newaxis]
    full = [number <= 0 for number in enough]
    if np.count_nonzero(kept) > most_cells:  # their offsets could take eight times the memory of the counts
        for row, number in enumerate(np.count_nonzero(kept, axis=1).tolist()):
            if number > most_cells:
                kept[row], full[row] = False, True
    hits = np.flatnonzero(kept)
    found: list[list[Run]] = [[] for _ in enough]
    if len(hits):
        _add_runs(hits.tolist(), counts.ravel()[hits].tolist(), size, found)
    return [None if too_many else runs for too_many, runs in zip(full, found, strict=True)]


def _add_runs(hits: list[int], counts: list[int], size: int, found: list[list[Run]]) -> None:
    # A plain loop: for the few hits that there usually are, it takes half the time of array operations.
    first, last, most = -1, -2, 0
    for hit, count in zip(hits, counts, strict=True):
        if hit == last + 1 and hit % size:
            last = hit
            most = max(most, count)
            continue
        if first >= 0:
            found[first // size].append(Run(first % size, last % size, most))
        first, last, most = hit, hit, count
    found[first // size].append(Run(first % size, last % size, most))
