"""The best window of a text by dynamic programming over all windows: always right, never fast.

It needs no assumption about quotation, text or threshold, so it decides where the gram filter cannot: texts of
few distinct letters, low thresholds. Its cost is |quote| x |text|, which callers bound.
"""

from __future__ import annotations

import numpy as np
from rapidfuzz.distance import LCSseq

from quotecheck.text.bounds import Window, Work

CodePoints = np.ndarray[tuple[int], np.dtype[np.uint32]]
CHUNK = 1 << 15  # text positions per pass: three int64 rows of this size stay in the second-level cache


def code_points(text: str) -> CodePoints:
    """Return the code points of a text; lone surrogates are code points like any other."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def best_by_scan(quote: str, text: str, lo: int, hi: int, p: int, q: int, work: Work) -> Window | None:
    """Return the most similar window of `text[lo:hi]` if its similarity is at least p/q, else None.

    Ties go to the smallest start, then to the shortest window. When the budget ends, return the best so far.
    """
    letters, wanted = code_points(text[lo:hi]), code_points(quote).tolist()
    best: Window | None = None
    while True:
        if not work.spend(len(wanted) * (hi - lo)):
            return best
        value, start, end = _best_at(wanted, letters, p, q)
        if value < 0:
            return best
        lcs = LCSseq.similarity(quote, text[lo + start : lo + end])
        best = Window(lo + start, lo + end, lcs)
        if value == 0:
            return best
        p, q = 2 * lcs, len(quote) + end - start


def _best_at(wanted: list[int], letters: CodePoints, p: int, q: int) -> tuple[int, int, int]:
    """Maximize 2q·lcs - p·(|quote| + |window|) over all windows: (value, start, end)."""
    size = len(letters)
    shift = size.bit_length() + 1
    # One int64 holds (score, -start), so that one comparison prefers the better, then the earlier window.
    # Column j also carries p·j, which makes "skip a character of the text" a running maximum.
    positions = np.arange(size + 1, dtype=np.int64)
    carried = positions * (p << shift)
    row = carried + (size - positions)
    reached = np.empty_like(row)
    equal = np.empty(size, bool)
    for letter in wanted:
        np.equal(letters, letter, out=equal)
        np.multiply(equal, 2 * q << shift, out=reached[1:])
        reached[1:] += row[:-1]
        reached[0] = row[0]
        np.maximum(row, reached, out=row)
        np.maximum.accumulate(row, out=row)
    row -= carried
    end = int(row.argmax())
    score = int(row[end])
    return (score >> shift) - p * len(wanted), size - (score & ((1 << shift) - 1)), end
