"""Points that the best alignment of a quotation with a stretch of text is likely to pass.

Guesses only: whoever uses them proves that they hold, or finds others. A pin lies inside a run of equal
characters, where alignments seldom part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

ONE_PIN = 190  # characters: up to here one pin near the middle is as good as two near the ends, and cheaper
SHORT_PIECES = (10, 5)  # characters: what a short quotation shares with a near passage, and with most
PIECE = 16  # characters: a shared piece of this length is seldom a coincidence
TRIES = 12  # pieces tried per pin: at 9 % of random edits, one in five pieces of 16 is intact
SAMPLE = 128  # characters of a long quotation that are aligned to find a pin
ALIGNABLE = 500_000_000  # pairs of letters in an alignment, a bit each: 62 MB for a moment


class Pin(NamedTuple):
    """A point that an alignment passes: before `quote[quote_at]` and before `text[text_at]`."""

    quote_at: int
    text_at: int


class Pins(NamedTuple):
    """Two points that an alignment passes one after the other; they may be the same."""

    first: Pin
    last: Pin


def shared_pins(quote: str, text: str, lo: int, hi: int, depth: int) -> Pins | None:
    """Return pins inside pieces of the quotation that occur in `text[lo:hi]`.

    For a long quotation they lie about `depth` characters from its ends, for a short one in its middle.
    """
    size = len(quote)
    if size <= ONE_PIN:
        for length in SHORT_PIECES:
            for at in _from_the_middle(size, length):
                found = text.find(quote[at : at + length], lo, hi)
                if found >= 0:
                    pin = Pin(at + length // 2, found + length // 2)
                    return Pins(pin, pin)
        return None
    start = (lo + hi - size) // 2  # of a window in the middle of the stretch
    for at in range(depth + PIECE, size - PIECE, PIECE)[:TRIES]:
        first = _nearest(quote, text, lo, hi, at, start)
        if first:
            break
    else:
        return None
    start = first.text_at - first.quote_at
    for at in range(size - depth - 2 * PIECE, first.quote_at, -PIECE)[:TRIES]:
        last = _nearest(quote, text, max(first.text_at, start + at - size // 4), hi, at, start)
        if last and last.text_at - start - last.quote_at <= size // 4:
            return Pins(first, last)
    return Pins(first, first)


def _nearest(quote: str, text: str, lo: int, hi: int, at: int, start: int) -> Pin | None:
    """Pin the quotation's piece from `at` where it occurs nearest to its place in a window from `start`."""
    piece, expected = quote[at : at + PIECE], max(lo, start + at)
    behind = text.find(piece, expected, hi)
    before = text.rfind(piece, lo, min(hi, expected + PIECE - 1))
    if behind < 0 or (before >= 0 and expected - before < behind - expected):
        behind = before
    return Pin(at + PIECE // 2, behind + PIECE // 2) if behind >= 0 else None


def _from_the_middle(size: int, length: int) -> Iterator[int]:
    middle = (size - length) // 2
    if middle < 0:
        return
    yield middle
    for step in range(length, middle + 1, length):
        yield middle - step
        yield middle + step


def aligned_pins(quote: str, text: str, lo: int, hi: int) -> Pins | None:
    """Return a pin in the longest run of an alignment of the quotation, or of a sample of a long one."""
    if len(quote) <= ONE_PIN:
        pin = _longest_run(quote, 0, text[lo:hi], lo)
        return Pins(pin, pin) if pin else None
    at = len(quote) // 2
    sample, stretch = quote[at : at + SAMPLE], text[lo:hi]
    if len(stretch) < SAMPLE:
        return None
    place = fuzz.partial_ratio_alignment(sample, stretch)
    if place is None:
        return None
    pin = _longest_run(sample, at, stretch[place.dest_start : place.dest_end], lo + place.dest_start)
    return Pins(pin, pin) if pin else None


def _longest_run(part: str, quote_start: int, window: str, text_start: int) -> Pin | None:
    runs = [
        (block.src_end - block.src_start, block.src_start, block.dest_start)
        for block in LCSseq.opcodes(part, window)
        if block.tag == "equal"
    ]
    if not runs:
        return None
    length, quote_at, text_at = max(runs)
    return Pin(quote_start + quote_at + length // 2, text_start + text_at + length // 2)


def common_pins(quote: str, text: str, windows: Iterable[tuple[int, int]], lo: int, hi: int) -> Pins | None:
    """Return pins that one best alignment of each of these windows passes, inside `text[lo:hi]`."""
    common: set[tuple[int, int]] | None = None
    for start, end in windows:
        if len(quote) * (end - start) > ALIGNABLE:
            return None
        passed = {
            (block.src_start + k, start + block.dest_start + k)
            for block in LCSseq.opcodes(quote, text[start:end])
            if block.tag == "equal"
            for k in range(block.src_end - block.src_start)
        }
        common = passed if common is None else common & passed
    usable = [Pin(*pin) for pin in common or () if lo <= pin[1] <= hi]
    return Pins(min(usable), max(usable)) if usable else None
