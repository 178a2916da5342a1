"""Every occurrence of a string in another, overlapping ones included, in linear time.

Calling `str.find` behind each hit prepares the needle anew every time, so that a long quotation in a page of
one repeated letter would take hours. Hits closer than a quarter of the needle are a period of it apart, and
a run of them is followed by comparing one period each.
"""

from __future__ import annotations

from collections.abc import Iterator


def occurrences(needle: str, text: str) -> Iterator[int]:
    """Yield the start of each occurrence, ascending.

    Examples
    --------
    >>> list(occurrences("nana", "nananana said"))
    [0, 2, 4]
    """
    size = len(needle)
    found = text.find(needle)
    while found >= 0:
        yield found
        following = text.find(needle, found + 1)
        if 0 < following - found <= size // 4:
            period = _smallest_period(needle, following - found)
            tail = needle[size - period :]
            while text.startswith(tail, following + size):
                yield following
                following += period
        found = following


def _smallest_period(needle: str, period: int) -> int:
    """Return the smallest period of a string that has one of at most a quarter of its length.

    By the theorem of Fine and Wilf the first place where the prefix recurs is the answer already.
    """
    size = len(needle)
    core = needle[: size - period]
    shift = needle.find(core, 1)
    while needle[shift:] != needle[: size - shift]:
        shift = needle.find(core, shift + 1)
    return shift
