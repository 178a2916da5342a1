"""The slow, obvious reference for matching: every window of the text, by the textbook recurrence.

For each pair of ends the longest common subsequence with the quotation is worked out, none is skipped and
nothing is estimated; what the matcher reports must equal it in similarity, window and verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True, slots=True)
class Truth:
    """The best window of all: greatest 2·lcs/(|quote| + |window|), then smallest start, then shortest."""

    start: int
    end: int
    lcs: int
    similarity: Fraction


def best_of_all_windows(quote: str, text: str) -> Truth:
    """Return the best window of `text`; the empty window at 0 if nothing matches.

    Row a of `table` holds lcs(quote[:i], text[a:b]) for i = 0..|quote|; all rows take in one more character
    of the text at a time. Equal ratios are equal as floats too (both are the same rational, correctly
    rounded), and different ones differ by far more than a rounding error at these sizes.
    """
    letters = _code_points(quote)
    table = np.zeros((len(text) + 1, len(quote) + 1), np.int16)
    best, ratio = Truth(0, 0, 0, Fraction(0)), 0.0
    for end, letter in enumerate(_code_points(text), start=1):
        rows = table[:end]
        longer = rows[:, :-1] + (letters == letter)
        np.maximum(rows[:, 1:], longer, out=rows[:, 1:])
        np.maximum.accumulate(rows, axis=1, out=rows)
        ratios = 2 * rows[:, -1] / (len(quote) + end - np.arange(end))
        start = int(ratios.argmax())
        if ratios[start] > ratio or (ratios[start] == ratio and (start, end) < (best.start, best.end)):
            ratio, lcs = float(ratios[start]), int(rows[start, -1])
            best = Truth(start, end, lcs, Fraction(2 * lcs, len(quote) + end - start))
    return best


def _code_points(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
