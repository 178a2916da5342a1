"""The exact ends of the best window inside a stretch of text, with few alignments.

H(a, b) = lcs(quote, text[a:b]) falls by at most one per step of an end, and pairs of alignments can be crossed
and swapped: a <= a', b <= b' gives H(a, b') + H(a', b) <= H(a, b) + H(a', b'). Hence, if best alignments of
three corners of a rectangle of ends all pass one point (i of the quotation, j of the text), then those of the
whole rectangle do, and there H(a, b) = lcs(quote[:i], text[a:j]) + lcs(quote[i:], text[j:b]): the start and the
end are chosen apart from each other, each on a few short strings.

Why three corners do, for the rectangle a0 <= a <= a1 <= j <= b0 <= b <= b1. Write S(a, b) <= H(a, b) for the sum
above. Along the edge a = a0, alignments of H(a0, b) cross row i of the quotation at a column that does not fall
as b grows; column j is best at b0 and at b1, so at every b between: H = S there. The same holds along the edge
b = b1 from the corners (a0, b1) and (a1, b1). Elsewhere H(a, b) <= H(a0, b) + H(a, b1) - H(a0, b1) = S(a, b).
With two points passed in turn the same argument holds with the part between them as a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from quotecheck.text.bounds import Window, Work, least_lcs, longest_window, reaches
from quotecheck.text.scan import best_by_scan

lcs_length = LCSseq.similarity

ONE_PIN = 190  # characters: up to here one pin near the middle is as good as two near the ends, and cheaper
ALIGNABLE = (
    3_000  # characters: longest quotation whose whole alignment is affordable (a bit per pair of letters)
)


class Pin(NamedTuple):
    """A point that an alignment passes: before `quote[quote_at]` and before `text[text_at]`."""

    quote_at: int
    text_at: int


class Pinned(NamedTuple):
    """The best window among alignments through two pins (which may be equal), and what the pins hold.

    `middle` is the length of the longest common subsequence between the pins.
    """

    window: Window
    first: Pin
    last: Pin
    middle: int


class Corners(NamedTuple):
    """Ranges (both ends included) that hold the start and the end of every window that can still win."""

    first_start: int
    last_start: int
    first_end: int
    last_end: int


def best_between(quote: str, text: str, lo: int, hi: int, p: int, q: int, work: Work) -> Window | None:
    """Return the best window of `text[lo:hi]` if its similarity to `quote` is at least p/q.

    Ties go to the smallest start, then to the shortest window. If none is that similar, return some window that
    is less so, or None: callers compare.
    """
    size = len(quote)
    least = least_lcs(size, p, q)
    work.spend((size // 64 + 1) * (hi - lo) // 2 + 500)
    if hi - lo < least or lcs_length(quote, text[lo:hi], score_cutoff=least) < least:
        return None
    work.spend((size // 64 + 1) * (hi - lo) * 8 + 10_000)
    pinned = climb_from_guess(quote, text, lo, hi)
    window = pinned.window if pinned else None
    known = window if window and reaches(window, size, p, q) else None
    if known:
        p, q = 2 * known.lcs, size + known.end - known.start
    corners = _corners(quote, text, lo, hi, known, p, q)
    if corners is None or (pinned and _passed_by_all(quote, text, corners, pinned)):
        return window
    pinned = _climb_from_corners(quote, text, lo, hi, corners)
    if pinned:
        return pinned.window
    return best_by_scan(quote, text, corners.first_start, corners.last_end, p, q, work) or window


def climb_from_guess(quote: str, text: str, lo: int, hi: int) -> Pinned | None:
    """Return a good window of `text[lo:hi]`, quickly: a lower bound of the best. None if nothing matches."""
    pins = _shared_pieces(quote, text, lo, hi) or _longest_run(quote, text, lo, hi)
    return climb(quote, text, lo, hi, *pins) if pins else None


def climb(quote: str, text: str, lo: int, hi: int, first: Pin, last: Pin) -> Pinned:
    """Return the best window of `text[lo:hi]` among alignments that pass both pins: a lower bound of the best.

    Ties go to the smallest start, then to the shortest window.
    """
    size, inner = len(quote), last.text_at - first.text_at
    head, tail = quote[: first.quote_at], quote[last.quote_at :]
    middle = 0
    if inner:
        middle = lcs_length(quote[first.quote_at : last.quote_at], text[first.text_at : last.text_at])
    before = _remembered(lambda k: lcs_length(head, text[first.text_at - k : first.text_at]))
    after = _remembered(lambda k: lcs_length(tail, text[last.text_at : last.text_at + k]))
    room_before, room_after = first.text_at - lo, hi - last.text_at
    k, j = min(len(head), room_before), min(len(tail), room_after)
    total, length = before(k) + middle + after(j), k + inner + j
    while total:
        p, q = 2 * total, size + length
        k, from_head = _reach(before, len(head), room_before, 2 * q, p, longest=True)
        j, from_tail = _reach(after, len(tail), room_after, 2 * q, p, longest=False)
        total, length = from_head + middle + from_tail, k + inner + j
        if 2 * total * q <= p * (size + length):
            break
    return Pinned(Window(first.text_at - k, last.text_at + j, total), first, last, middle)


def _remembered(score: Callable[[int], int]) -> Callable[[int], int]:
    known: dict[int, int] = {}

    def remembered(k: int) -> int:
        value = known.get(k)
        if value is None:
            value = known[k] = score(k)
        return value

    return remembered


def _reach(
    score: Callable[[int], int], size: int, room: int, match: int, gap: int, *, longest: bool
) -> tuple[int, int]:
    """Maximize match·score(k) - gap·k over 0 <= k <= room: (k, score(k)); ties to the longest or shortest k.

    `score` grows by 0 or 1 per step up to at most `size`, and match > gap > 0. Branch and bound: between two
    values the score is at most the right one, and at most the left one plus the distance.
    """
    k = min(size, room)
    reached = score(k)
    best = match * reached - gap * k
    low = max(0, -(-best // (match - gap)))
    high = min(room, (match * size - best) // gap)
    open_intervals = [(low - 1, low - 1, k, reached), (k, reached, high + 1, size)]
    while open_intervals:
        x, at_x, y, at_y = open_intervals.pop()
        if y - x < 2:
            continue
        top = min(max(x + at_y - at_x, x + 1), y - 1)
        bound = match * min(at_y, at_x + top - x) - gap * top
        if bound < best or (bound == best and (y - 1 <= k if longest else x + 1 >= k)):
            continue
        middle = (x + y) >> 1
        at_middle = score(middle)
        value = match * at_middle - gap * middle
        if value > best or (value == best and (middle > k if longest else middle < k)):
            best, k, reached = value, middle, at_middle
        open_intervals.append((x, at_x, middle, at_middle))
        open_intervals.append((middle, at_middle, y, at_y))
    return k, reached


def _shared_pieces(quote: str, text: str, lo: int, hi: int) -> tuple[Pin, Pin] | None:
    """Pin the middle of a piece that quotation and stretch share, or for a long quotation one near each end."""
    size = len(quote)
    length = min(16, max(3, size // 4))
    if size <= ONE_PIN:
        middle = (size - length) // 2
        for step in range(0, middle + 1, length):
            for at in (middle - step, middle + step) if step else (middle,):
                found = text.find(quote[at : at + length], lo, hi)
                if found >= 0:
                    pin = Pin(at + length // 2, found + length // 2)
                    return pin, pin
        return None
    for at in range(2 * length, size - length, length):
        found = text.find(quote[at : at + length], lo, hi)
        if found >= 0:
            first = Pin(at + length // 2, found + length // 2)
            return first, _last_piece(quote, text, hi, first, length)
    return None


def _last_piece(quote: str, text: str, hi: int, first: Pin, length: int) -> Pin:
    size = len(quote)
    for at in range(size - 3 * length, first.quote_at, -length):
        expected = first.text_at + at - first.quote_at
        found = text.rfind(quote[at : at + length], first.text_at, min(hi, expected + size // 4))
        if found >= 0:
            return Pin(at + length // 2, found + length // 2)
    return first


def _longest_run(quote: str, text: str, lo: int, hi: int) -> tuple[Pin, Pin] | None:
    """Pin the middle of the longest run of a best alignment of the whole stretch."""
    if len(quote) > ALIGNABLE:
        return None
    runs = [
        (block.dest_end - block.dest_start, block.src_start, block.dest_start)
        for block in LCSseq.opcodes(quote, text[lo:hi])
        if block.tag == "equal"
    ]
    if not runs:
        return None
    length, quote_at, text_at = max(runs)
    pin = Pin(quote_at + length // 2, lo + text_at + length // 2)
    return pin, pin


def _corners(
    quote: str, text: str, lo: int, hi: int, window: Window | None, p: int, q: int
) -> Corners | None:
    """Bound the ends of every window of `text[lo:hi]` of similarity at least p/q; None if there is none."""
    size = len(quote)
    least, longest = least_lcs(size, p, q), longest_window(size, p, q)
    known_start, known_end = lo, hi
    if window:  # each step of an end costs at most one
        known_start = min(window.start + window.lcs - least, hi - least)
        known_end = max(window.end - window.lcs + least, lo + least)

    def enough(start: int, end: int) -> bool:
        return lcs_length(quote, text[start:end], score_cutoff=least) >= least

    last_start = known_start + _furthest(
        lambda k: enough(known_start + k, hi), hi - least - known_start, gallop=window is not None
    )
    first_end = known_end - _furthest(
        lambda k: enough(lo, known_end - k), known_end - lo - least, gallop=window is not None
    )
    corners = Corners(max(lo, first_end - longest), last_start, first_end, min(hi, last_start + longest))
    if corners.first_start > corners.last_start or corners.first_end > corners.last_end:
        return None
    return corners


def _furthest(passes: Callable[[int], bool], limit: int, *, gallop: bool) -> int:
    """Return an upper bound, at most 8 too great, of the greatest k <= limit that passes; 0 is known to pass.

    Passing is monotone: what passes at k passes at every smaller one.
    """
    known, step = 0, 2 if gallop else limit + 1
    failed = limit + 1
    while known + step < failed:
        if passes(known + step):
            known += step
            step *= 2
        else:
            failed = known + step
    while failed - known > 9:
        k = (known + failed) >> 1
        if passes(k):
            known = k
        else:
            failed = k
    return failed - 1


def _passed_by_all(quote: str, text: str, corners: Corners, pinned: Pinned) -> bool:
    """Tell whether best alignments of all windows within the corners pass the pins (see above)."""
    first, last = pinned.first, pinned.last
    if corners.last_start > first.text_at or last.text_at > corners.first_end:
        return False
    head, tail = quote[: first.quote_at], quote[last.quote_at :]
    widest_head = lcs_length(head, text[corners.first_start : first.text_at])
    shortest_head = lcs_length(head, text[corners.last_start : first.text_at])
    widest_tail = lcs_length(tail, text[last.text_at : corners.last_end])
    shortest_tail = lcs_length(tail, text[last.text_at : corners.first_end])
    return not (
        _exceeds(
            quote, text[corners.first_start : corners.last_end], widest_head + pinned.middle + widest_tail
        )
        or _exceeds(
            quote, text[corners.first_start : corners.first_end], widest_head + pinned.middle + shortest_tail
        )
        or _exceeds(
            quote, text[corners.last_start : corners.last_end], shortest_head + pinned.middle + widest_tail
        )
    )


def _exceeds(quote: str, window: str, length: int) -> bool:
    return bool(lcs_length(quote, window, score_cutoff=length + 1) > length)


def _climb_from_corners(quote: str, text: str, lo: int, hi: int, corners: Corners) -> Pinned | None:
    """Return the best window by a pin that the alignments of the three corners have in common, if there is one."""
    if len(quote) > ALIGNABLE:
        return None
    common: set[Pin] | None = None
    for start, end in (
        (corners.first_start, corners.last_end),
        (corners.first_start, corners.first_end),
        (corners.last_start, corners.last_end),
    ):
        passed = {
            Pin(block.src_start + k, start + block.dest_start + k)
            for block in LCSseq.opcodes(quote, text[start:end])
            if block.tag == "equal"
            for k in range(block.dest_end - block.dest_start)
        }
        common = passed if common is None else common & passed
    usable = sorted(pin for pin in common or () if corners.last_start <= pin.text_at <= corners.first_end)
    if not usable:
        return None
    pin = usable[len(usable) // 2]
    return climb(quote, text, lo, hi, pin, pin)
