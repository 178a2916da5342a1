"""The best window of a text by dynamic programming over all windows: always right, never fast.

It needs no assumption about quotation, text or threshold, so it decides where grams cannot: texts of few
distinct letters, low thresholds. The cost grows with |quote| x |text|, which callers bound (see
`bounds.Work`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq

from quotecheck.text.bounds import Window, Work, longest_window, most_inserted

CHUNK = 1 << 15  # text positions per pass: rows of this size stay in the second-level cache
NARROW = 1_000  # characters: longest quotation whose scores fit in 16 bits
LETTERS = 64  # letters of a quotation whose places in a chunk are kept, 64 KB each

CodePoints = np.ndarray[tuple[int], np.dtype[np.uint32]]
Scores = np.ndarray[tuple[int], np.dtype[Any]]
Places = np.ndarray[tuple[int], np.dtype[np.intp]]
_NEVER = -(1 << 61)  # a score that no number of matches makes up for


def code_points(text: str) -> CodePoints:
    """Return the code points of a text; lone surrogates are code points like any other."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def best_by_scan(
    quote: str, text: str, lo: int, hi: int, p: int, q: int, work: Work, closed: bytes = b""
) -> Window | None:
    """Return the most similar window of `text[lo:hi]` if its similarity is at least p/q, else None.

    Ties go to the smallest start, then to the shortest window. When the budget ends, return the best so far.
    No window begins or ends at a place that is marked in `closed` (one byte per place, or none at all).
    """
    letters, wanted = code_points(text[lo:hi]), code_points(quote).tolist()
    barred = np.flatnonzero(np.frombuffer(closed[lo : hi + 1], np.uint8))
    best: Window | None = None
    while work.spend(len(wanted) * (hi - lo)):
        value, start, end = _best_at(wanted, letters, barred, p, q)
        if value < 0:
            return best
        best = Window(lo + start, lo + end, LCSseq.similarity(quote, text[lo + start : lo + end]))
        if value == 0:
            return best
        p, q = 2 * best.lcs, len(quote) + end - start
    return best


def _best_at(wanted: list[int], letters: CodePoints, barred: Places, p: int, q: int) -> tuple[int, int, int]:
    """Maximize 2q·lcs - p·(|quote| + |window|) over all windows without a barred end: (value, start, end)."""
    size = len(letters)
    shift = size.bit_length() + 1
    # One int64 holds (score, -start), so that one comparison prefers the better, then the earlier window.
    # Column j also carries p·j, which makes "skip a character of the text" a running maximum.
    positions = np.arange(size + 1, dtype=np.int64)
    carried = positions * (p << shift)
    row = carried + (size - positions)
    if len(barred):
        row[barred] = _NEVER
        np.maximum.accumulate(row, out=row)
    matched = np.empty(size, np.int64)
    equal = np.empty(size, bool)
    for letter in wanted:
        np.equal(letters, letter, out=equal)
        np.multiply(equal, 2 * q << shift, out=matched)
        matched += row[:-1]
        np.maximum(row[1:], matched, out=row[1:])
        np.maximum.accumulate(row, out=row)
    row -= carried
    row[barred] = _NEVER
    end = int(row.argmax())
    score = int(row[end])
    return (score >> shift) - p * len(wanted), size - (score & ((1 << shift) - 1)), end


def promising_stretches(quote: str, text: str, lo: int, hi: int, p: int, q: int) -> list[tuple[int, int]]:
    """Return stretches of `text[lo:hi]`, apart from each other, that hold every window of similarity p/q.

    For quotations of up to `NARROW` characters; three times as fast as `best_by_scan`, since 16 bits hold
    the scores and the ratio is rounded down for that. Only ends are found: a stretch begins as early as a
    window can.
    """
    size = len(quote)
    fine = 20_000 // size
    match, gap = 2 * fine, p * fine // q
    row = _scores(
        code_points(quote).tolist(), code_points(text[lo:hi]), match, gap, most_inserted(size, p, q)
    )
    ends = np.flatnonzero(row >= gap * size)
    if not len(ends):
        return []
    longest = longest_window(size, p, q)
    breaks = np.flatnonzero(np.diff(ends) > longest)
    first_ends = ends[np.concatenate(([0], breaks + 1))]
    last_ends = ends[np.concatenate((breaks, [len(ends) - 1]))]
    return [
        (max(lo, lo + first - longest), lo + last)
        for first, last in zip(first_ends.tolist(), last_ends.tolist(), strict=True)
    ]


def _scores(wanted: list[int], letters: CodePoints, match: int, gap: int, inserted: int) -> Scores:
    """Return, for windows that end at each place, the greatest match·lcs - gap·|window|."""
    row = np.zeros(len(letters) + 1, np.int16)
    reached = np.empty_like(row)
    known: dict[int, Scores] = {}
    for letter in wanted:
        gains = known.get(letter)
        if gains is None:
            gains = np.where(letters == letter, np.int16(match - gap), np.int16(-gap))
            if len(known) < LETTERS:
                known[letter] = gains
        np.add(row[:-1], gains, out=reached[1:])
        np.maximum(row[1:], reached[1:], out=row[1:])
        step = 1
        while step <= inserted:  # up to 1, 3, 7, ... characters of the text left unmatched
            np.subtract(row[:-step], np.int16(gap * step), out=reached[step:])
            np.maximum(row[step:], reached[step:], out=row[step:])
            step *= 2
    return row


def scan_cost(size: int, length: int, p: int, q: int) -> int:
    """Return what it costs to look for promising stretches, in the unit of `Work`."""
    if size > NARROW:
        return size * length
    return size * length * (2 + most_inserted(size, p, q).bit_length()) // 20
