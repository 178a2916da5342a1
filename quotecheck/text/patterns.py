"""The parts of a quotation that are looked for as a whole, and how many of their grams must be found.

A quotation of up to `WHOLE` characters is one pattern. A longer one is cut into several: the unmatched
characters of a window are shared out among them, so one of them gets no more than its share and is similar
enough by itself.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from quotecheck.text.bounds import intact_grams, longest_window

WHOLE = 180  # characters: longest quotation that is one pattern
PART = 140  # characters: longest pattern of a longer one
CELL = 16  # text positions that are counted together
SMALL_CELL = 8  # the same for patterns so short that 16 would be most of a window
SMALL = 48  # characters: patterns below have small cells
WIDEST = 254  # text positions that may be counted together: one byte must hold the count


class Pattern(NamedTuple):
    """The part `quote[start:start + size]` of a quotation.

    A window that is similar enough to it holds at least `enough` of its grams of `length` characters, each
    at a place of its own, in `width` neighbouring cells of `cell` text positions. With 0, grams say
    nothing.
    """

    start: int
    size: int
    length: int
    cell: int
    width: int
    enough: int


def patterns_of(size: int, p: int, q: int) -> list[Pattern]:
    """Return the patterns of a quotation of this size, for windows of similarity at least p/q.

    >>> [(pattern.start, pattern.size, pattern.enough) for pattern in patterns_of(300, 9, 10)]
    [(0, 100, 25), (100, 100, 25), (200, 100, 25)]
    """
    count = 1 if size <= WHOLE else -(-size // PART)
    ends = [i * size // count for i in range(count + 1)]
    terms: dict[int, tuple[int, int, int, int]] = {}
    patterns = []
    for start, end in pairwise(ends):
        if end - start not in terms:
            terms[end - start] = _gram_terms(end - start, p, q)
        patterns.append(Pattern(start, end - start, *terms[end - start]))
    return patterns


def cells_touched(positions: int, cell: int) -> int:
    """Return how many cells so many neighbouring positions of a text can touch."""
    return (max(1, positions) + cell - 2) // cell + 1


def gram_length(size: int) -> int:
    """Return the length of the grams that a pattern is looked for by.

    Longer grams are rarer, shorter ones survive more edits: at 0.9 a pattern of 32 keeps 6 of 29 4-grams,
    one of 10 keeps 3 of 8 3-grams.
    """
    if size >= 32:
        return 4
    if size >= 10:
        return 3
    return min(size, 2)


def _gram_terms(size: int, p: int, q: int) -> tuple[int, int, int, int]:
    length, cell = gram_length(size), SMALL_CELL if size < SMALL else CELL
    enough = intact_grams(size, length, p, q)
    width = cells_touched(longest_window(size, p, q) - length + 1, cell)
    if enough > 0 and width * cell <= WIDEST:
        return length, cell, width, enough
    return length, cell, cells_touched(size, cell), 0  # the counts still tell the likeliest place
