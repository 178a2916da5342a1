"""What a window of a given similarity may look like, in whole numbers.

Similarity is 2·lcs / (|quote| + |window|). With u unmatched characters of the quotation and v unmatched
characters of the window it is at least P/Q exactly when

    (2Q - P)·u + P·v <= (2Q - 2P)·|quote|

so every limit below is exact, and no verdict depends on floating point. A ratio travels as two integers.
"""

from __future__ import annotations

from typing import NamedTuple


class Window(NamedTuple):
    """The window `text[start:end]`, and the length of its longest common subsequence with the quotation."""

    start: int
    end: int
    lcs: int


class Work:
    """A budget of work, in pairs of letters compared by `best_by_scan`: about 3 ns each.

    It counts, it does not measure: the same inputs get the same result on every machine.
    """

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, pairs: int) -> bool:
        """Take the cost of a scan off; False, and nothing is left, if it is more than there is."""
        affordable = pairs <= self.left
        self.left = self.left - pairs if affordable else 0
        return affordable

    def spend_alignments(self, size: int, length: int, count: int) -> None:
        """Take off the cost of `count` alignments of two strings: 64 pairs take a third of a scan's one."""
        self.left = max(0, self.left - count * (size // 64 + 1) * length // 3 - 1_000 * count)


def most_inserted(size: int, p: int, q: int) -> int:
    """Return how many characters of the window can be unmatched; also the widest drift of the alignment."""
    return (2 * q - 2 * p) * size // p


def most_missing(size: int, p: int, q: int) -> int:
    """Return how many characters of the quotation can be unmatched."""
    return (2 * q - 2 * p) * size // (2 * q - p)


def least_lcs(size: int, p: int, q: int) -> int:
    """Return the shortest common subsequence that can do; no window is shorter than it either."""
    return size - most_missing(size, p, q)


def longest_window(size: int, p: int, q: int) -> int:
    """Return the length of the longest window that can do."""
    return size + most_inserted(size, p, q)


def broken_grams(size: int, length: int, p: int, q: int) -> int:
    """Return how many of a quotation's grams of this length can be broken in such a window.

    An unmatched character of the quotation breaks at most `length` grams, one of the window between matched
    ones at most `length - 1`. The bound is the linear program's.
    """
    budget = (2 * q - 2 * p) * size
    return max(length * budget // (2 * q - p), (length - 1) * budget // p)


def intact_grams(size: int, length: int, p: int, q: int) -> int:
    """Return how many of its grams every such window holds, at places of their own; <= 0 is no promise."""
    return size - length + 1 - broken_grams(size, length, p, q)


def reaches(window: Window, size: int, p: int, q: int) -> bool:
    """Tell whether the window's similarity to a quotation of this size is at least p/q."""
    return 2 * window.lcs * q >= p * (size + window.end - window.start)


def compare(one: Window, other: Window, size: int) -> int:
    """Return a positive number if `one` is more similar to a quotation of this size, 0 if equally similar."""
    return one.lcs * (size + other.end - other.start) - other.lcs * (size + one.end - one.start)


def better(one: Window, other: Window | None, size: int) -> bool:
    """Tell whether `one` comes before `other`: more similar, then smaller start, then shorter."""
    if other is None:
        return True
    difference = compare(one, other, size)
    return difference > 0 or (difference == 0 and one[:2] < other[:2])
