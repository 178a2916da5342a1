"""The best window of a text by dynamic programming over all windows: always right, never fast.

It needs no assumption about quotation, text or threshold, so it decides where the gram filter cannot: texts of
few distinct letters, low thresholds. Its cost is |quote| x |text|, which callers bound.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from rapidfuzz.distance import LCSseq

CHUNK = 1 << 15  # text positions per pass: three int64 rows of this size stay in the second-level cache


def code_points(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    """Return the code points of a text; lone surrogates are code points like any other."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def best_by_scan(quote: str, text: str, at_least: Fraction) -> tuple[int, int, int] | None:
    """Return (start, end, lcs) of the most similar window of similarity at least `at_least`, else None.

    Ties go to the smallest start, then to the shortest window.
    """
    best: tuple[int, int, int] | None = None
    bound = at_least
    while True:
        value, start, end = _best_at(quote, text, bound)
        if value < 0:
            return best
        lcs = LCSseq.similarity(quote, text[start:end])
        best = start, end, lcs
        if value == 0:
            return best
        bound = Fraction(2 * lcs, len(quote) + end - start)


def _best_at(quote: str, text: str, bound: Fraction) -> tuple[int, int, int]:
    """Maximize 2Q·lcs - P·(|quote| + |window|) over all windows, for bound = P/Q: (value, start, end)."""
    gap, match = bound.numerator, 2 * bound.denominator
    size = len(text)
    shift = size.bit_length() + 1
    # One int64 holds (score, -start), so that one comparison prefers the better, then the earlier window.
    # Column j also carries gap*j, which makes "skip a character of the text" a running maximum.
    positions = np.arange(size + 1, dtype=np.int64)
    row = (positions * gap << shift) + (size - positions)
    letters, masks = code_points(text), {}
    reached = np.empty_like(row)
    for letter in code_points(quote).tolist():
        if letter not in masks:
            masks[letter] = letters == letter
        np.multiply(masks[letter], match << shift, out=reached[1:])
        reached[1:] += row[:-1]
        reached[0] = row[0]
        np.maximum(row, reached, out=row)
        np.maximum.accumulate(row, out=row)
    row -= positions * gap << shift
    end = int(row.argmax())
    score = int(row[end])
    return (score >> shift) - gap * len(quote), size - (score & ((1 << shift) - 1)), end
