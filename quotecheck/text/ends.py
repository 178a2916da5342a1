"""The exact ends of the best window inside a stretch of text, with few alignments.

H(a, b) = lcs(quote, text[a:b]) changes by at most one per step of an end. Where two alignments cross they
can swap their ends: a <= a' and b <= b' give H(a, b') + H(a', b) <= H(a, b) + H(a', b'). Hence, if best
alignments of three corners of a rectangle of ends all pass one point (i of the quotation, j of the text),
best alignments of the whole rectangle do, and there H(a, b) = lcs(quote[:i], text[a:j]) + lcs(quote[i:],
text[j:b]): start and end are chosen apart from each other, each by a few alignments of short strings.

Why three corners do, for the rectangle a0 <= a <= a1 <= j <= b0 <= b <= b1. Write S(a, b) <= H(a, b) for
the sum above. On the side a = a0, the column where a best alignment crosses row i does not fall as b grows.
Column j is best at b0 and at b1, so also between them: H = S there, and likewise on the side b = b1, from
its corners at a0 and a1. Anywhere else H(a, b) <= H(a0, b) + H(a, b1) - H(a0, b1) = S(a, b). With two
points passed one after the other the argument is the same, the part between them being a constant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from quotecheck.text.bounds import Window, Work, least_lcs, longest_window, most_missing, reaches
from quotecheck.text.pins import Pins, aligned_pins, common_pins, shared_pins
from quotecheck.text.scan import best_by_scan

lcs_length = LCSseq.similarity


class Climbed(NamedTuple):
    """The best window of `text[lo:hi]` among alignments that pass the pins, and what lies between those."""

    window: Window
    pins: Pins
    middle: int
    lo: int
    hi: int


class Corners(NamedTuple):
    """Ranges (both ends included) that hold the start and the end of every window that can still win."""

    first_start: int
    last_start: int
    first_end: int
    last_end: int


def best_between(
    quote: str, text: str, lo: int, hi: int, p: int, q: int, work: Work, climbed: Climbed | None = None
) -> Window | None:
    """Return the best window of `text[lo:hi]` if its similarity to `quote` is at least p/q.

    Ties go to the smallest start, then to the shortest window. If none is that similar, return a window that
    is less so, or None: callers compare. `climbed` is a good window that is known already.
    """
    size = len(quote)
    if climbed is None or not reaches(climbed.window, size, p, q):
        least = least_lcs(size, p, q)
        work.spend_alignments(size, hi - lo, 1)
        if hi - lo < least or lcs_length(quote, text[lo:hi], score_cutoff=least) < least:
            return None
        climbed = climb_from_guess(quote, text, lo, hi, p, q)
    window = climbed.window if climbed else None
    known = window if window and reaches(window, size, p, q) else None
    if known:
        p, q = 2 * known.lcs, size + known.end - known.start
    work.spend_alignments(size, hi - lo, 12)
    corners = _corners(quote, text, lo, hi, known, p, q)
    if corners is None or (climbed and _passed_by_all(quote, text, corners, climbed)):
        return window
    return _best_within(quote, text, corners, p, q, work) or window


def _best_within(quote: str, text: str, corners: Corners, p: int, q: int, work: Work) -> Window | None:
    """Return the best window within the corners if its similarity is at least p/q, by whatever way works."""
    lo, hi = corners.first_start, corners.last_end
    pins = shared_pins(quote, text, corners.last_start, corners.first_end, corners.last_start - lo)
    if pins:
        climbed = climb(quote, text, lo, hi, pins, p, q)
        if climbed and _passed_by_all(quote, text, corners, climbed):
            return climbed.window
    work.spend_alignments(len(quote), hi - lo, 6)
    windows = (
        (corners.first_start, corners.last_end),
        (corners.first_start, corners.first_end),
        (corners.last_start, corners.last_end),
    )
    pins = common_pins(quote, text, windows, corners.last_start, corners.first_end)
    if pins:
        climbed = climb(quote, text, lo, hi, pins, p, q)
        return climbed.window if climbed else None
    return best_by_scan(quote, text, lo, hi, p, q, work)


def climb_from_guess(quote: str, text: str, lo: int, hi: int, p: int = 0, q: int = 1) -> Climbed | None:
    """Return a good window of `text[lo:hi]`, quickly: a lower bound of the best. None if nothing matches.

    Without p/q it is done roughly, see `climb`.
    """
    pins = shared_pins(quote, text, lo, hi, len(quote) // 16) or aligned_pins(quote, text, lo, hi)
    return climb(quote, text, lo, hi, pins, p, q) if pins else None


def climb(quote: str, text: str, lo: int, hi: int, pins: Pins, p: int = 0, q: int = 1) -> Climbed | None:
    """Return the best window of `text[lo:hi]` among alignments that pass both pins.

    Its similarity is a lower bound of the best one's. Ties go to the smallest start, then to the shortest
    window. None if too little matches between the pins for a similarity of p/q; a window that does not
    reach that need not be the best of its kind. Without p/q it is done roughly: each end may miss a
    sixteenth of the matches that there could be, which is much quicker where little matches.
    """
    first, last = pins
    size, inner, roughly = len(quote), last.text_at - first.text_at, not p
    middle = 0
    if inner:
        least = max(0, last.quote_at - first.quote_at - most_missing(size, p, q)) if p else 0
        between = text[first.text_at : last.text_at]
        middle = lcs_length(quote[first.quote_at : last.quote_at], between, score_cutoff=least)
        if middle < least:
            return None
    # Read backwards, the start of a window is one more end.
    before = _End(quote[: first.quote_at][::-1], text[lo : first.text_at][::-1])
    after = _End(quote[last.quote_at :], text[last.text_at : hi])
    k, j = before.usual, after.usual
    total, length = before.score(k) + middle + after.score(j), k + inner + j
    while total:
        if 2 * total * q >= p * (size + length):
            p, q = 2 * total, size + length
        k = before.reach(2 * q, p, longest=True, roughly=roughly)
        j = after.reach(2 * q, p, longest=False, roughly=roughly)
        total, length = before.score(k) + middle + after.score(j), k + inner + j
        if roughly or 2 * total * q <= p * (size + length):
            break
    return Climbed(Window(first.text_at - k, last.text_at + j, total), pins, middle, lo, hi)


class _End:
    """One end of a window: how much of `rest` is matched by the next k characters of the text, for any k.

    The score grows by 0 or 1 per character. `usual` is the k of an alignment without gaps.
    """

    __slots__ = ("_known", "_rest", "_text", "usual")

    def __init__(self, rest: str, text: str) -> None:
        self._rest, self._text = rest, text
        self._known: dict[int, int] = {}
        self.usual = min(len(rest), len(text))

    def score(self, k: int) -> int:
        """Return how much is matched by k characters."""
        value = self._known.get(k)
        if value is None:
            value = self._known[k] = lcs_length(self._rest, self._text[:k])
        return value

    def reach(self, match: int, gap: int, *, longest: bool, roughly: bool) -> int:
        """Return the k of greatest match·score(k) - gap·k (match > gap > 0); ties to the longest or shortest.

        Branch and bound: between two places the score is at most that of the right one, and at most that of
        the left one plus the distance. A plain loop without calls, since it runs some ten times per
        quotation.
        """
        k, score, size = self.usual, self.score, len(self._rest)
        reached = score(k)
        if reached == size:  # no window can do better, none as well
            return k
        best = match * reached - gap * k
        tolerance = match * (size // 16) + match // 2 if roughly else 0
        low = max(0, -(-(best + tolerance) // (match - gap)))
        high = min(len(self._text), (match * size - best - tolerance) // gap)
        intervals = [(low - 1, low - 1, k, reached), (k, reached, high + 1, size)]
        while intervals:
            x, at_x, y, at_y = intervals.pop()
            top = x + at_y - at_x
            if top <= x:
                top = x + 1
            if top >= y:
                top = y - 1
                if top <= x:
                    continue
            most = at_x + top - x
            bound = match * (at_y if at_y < most else most) - gap * top - tolerance
            if bound < best or (bound == best and (y - 1 <= k if longest else x + 1 >= k)):
                continue
            middle = (x + y) >> 1
            at_middle = score(middle)
            value = match * at_middle - gap * middle
            if value > best or (value == best and (middle > k if longest else middle < k)):
                best, k = value, middle
            intervals.append((x, at_x, middle, at_middle))
            intervals.append((middle, at_middle, y, at_y))
        return k


def _corners(quote: str, text: str, lo: int, hi: int, known: Window | None, p: int, q: int) -> Corners | None:
    """Bound the ends of every window of `text[lo:hi]` of similarity at least p/q; None if there is none.

    `known` is one of them. Without one, lcs(quote, text[lo:hi]) must be long enough for one.
    """
    size = len(quote)
    least, longest = least_lcs(size, p, q), longest_window(size, p, q)

    def enough(start: int, end: int) -> bool:
        return lcs_length(quote, text[start:end], score_cutoff=least) >= least

    start, end, step, tolerance = lo, hi, hi - lo, 8
    if known:  # each step of an end costs at most one
        start, end = known.start + known.lcs - least, known.end - known.lcs + least
        step = tolerance = 8 + size // 64
    last_start = start + _furthest(lambda k: enough(start + k, hi), hi - least - start, step, tolerance)
    first_end = end - _furthest(lambda k: enough(lo, end - k), end - lo - least, step, tolerance)
    corners = Corners(max(lo, first_end - longest), last_start, first_end, min(hi, last_start + longest))
    if corners.first_start > corners.last_start or corners.first_end > corners.last_end:
        return None
    return corners


def _furthest(passes: Callable[[int], bool], limit: int, step: int, tolerance: int) -> int:
    """Return an upper bound of the greatest k <= limit that passes; it is too great by less than `tolerance`.

    0 passes. What passes at k passes at every smaller one. Steps double until one fails, then the gap is
    halved.
    """
    known, failed = 0, limit + 1
    while known + step < failed:
        if passes(known + step):
            known += step
            step *= 2
        else:
            failed = known + step
    while failed - known > tolerance:
        k = (known + failed) >> 1
        if passes(k):
            known = k
        else:
            failed = k
    return failed - 1


def _passed_by_all(quote: str, text: str, corners: Corners, climbed: Climbed) -> bool:
    """Tell whether best alignments of all windows within the corners pass the pins (see the top)."""
    first, last = climbed.pins
    if corners.last_start > first.text_at or last.text_at > corners.first_end:
        return False
    if corners.first_start < climbed.lo or climbed.hi < corners.last_end:
        return False
    head, tail = quote[: first.quote_at], quote[last.quote_at :]
    long_head = lcs_length(head, text[corners.first_start : first.text_at]) + climbed.middle
    short_head = lcs_length(head, text[corners.last_start : first.text_at]) + climbed.middle
    long_tail = lcs_length(tail, text[last.text_at : corners.last_end])
    short_tail = lcs_length(tail, text[last.text_at : corners.first_end])
    return not (
        _exceeds(quote, text[corners.first_start : corners.last_end], long_head + long_tail)
        or _exceeds(quote, text[corners.first_start : corners.first_end], long_head + short_tail)
        or _exceeds(quote, text[corners.last_start : corners.last_end], short_head + long_tail)
    )


def _exceeds(quote: str, window: str, length: int) -> bool:
    return bool(lcs_length(quote, window, score_cutoff=length + 1) > length)
