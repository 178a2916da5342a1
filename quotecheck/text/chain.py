"""Pieces one behind the other in a text: the earliest first piece for which all gaps fit, then small gaps.

`_next(i, low)` is the earliest place of piece i at or behind `low` from which pieces i.. can be joined. It is
asked with rising `low` only, so one answer per piece is remembered; and a place whose follower is too far
away is left by a leap to where that follower comes into reach. Each leap passes a whole gap, so a piece costs
one pass of `str.find` over the text and few steps, whatever the text repeats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quotecheck.models import Span
from quotecheck.text.boundaries import inside_number, inside_word
from quotecheck.text.plans import Piece
from quotecheck.text.views import View
from quotecheck.text.words import measure

GAP_LIMIT = 1_000  # characters that one elision may skip
BRACKET_MEASURE = 8  # four source words, or eight characters, that one editor's bracket may stand for
BRACKET_REACH = 120  # and no more characters than this
_STEP_LIMIT = 1_000_000  # about a second of places looked at in vain, as in a million times one letter


class Chain:
    """The search for pieces in one view; `strict` leaves out places that cut a word or a number.

    `gave_up` tells whether it ended before it had looked everywhere.
    """

    def __init__(self, view: View, pieces: Sequence[Piece], *, strict: bool) -> None:
        self._view = view
        self._pieces = pieces
        self._keys = [view.key(piece.words) for piece in pieces]
        self._strict = strict
        self._steps = 0
        self.gave_up = False
        self._answers: list[tuple[int, int | None]] = [(-1, -1)] * len(pieces)

    def first(self) -> tuple[Span, ...] | None:
        """Return the spans of all pieces in the text, or None."""
        if any(not key or not self._view.holds(key) for key in self._keys):
            return None
        spans: list[Span] = []
        low = 0
        for number, key in enumerate(self._keys):
            place = self._next(number, low)
            if place is None:
                return None
            spans.append(self._span(number, place))
            low = place + len(key)
        return tuple(spans)

    def places(self, limit: int) -> Iterator[Span]:
        """Yield the spans of a single piece, at most `limit` of them."""
        place = self._occurrence(0, 0)
        while place is not None and limit:
            yield self._span(0, place)
            limit -= 1
            place = self._occurrence(0, place + 1)

    def _next(self, number: int, low: int) -> int | None:
        asked, answer = self._answers[number]
        if 0 <= asked <= low and (answer is None or low <= answer):
            return answer
        place = self._occurrence(number, low)
        if number + 1 < len(self._pieces):
            place = self._with_follower(number, place)
        self._answers[number] = (low, place)
        return place

    def _with_follower(self, number: int, place: int | None) -> int | None:
        length = len(self._keys[number])
        reach = BRACKET_REACH if self._pieces[number].bracket_follows else GAP_LIMIT
        while place is not None:
            follower = self._next(number + 1, place + length)
            if follower is None:
                return None
            end, start = self._span(number, place)[1], self._span(number + 1, follower)[0]
            if start - end <= reach and self._bracket_fits(number, end, start):
                return place
            in_reach = self._view.position(start - reach - 1) - length + 1
            place = self._occurrence(number, max(place + 1, in_reach))
        return None

    def _bracket_fits(self, number: int, start: int, end: int) -> bool:
        if not self._pieces[number].bracket_follows:
            return True
        return measure(self._view.source[start:end]) <= BRACKET_MEASURE

    def _span(self, number: int, place: int) -> Span:
        span = self._view.span(place, self._pieces[number].words)
        assert span is not None  # only accepted places are asked for
        return span

    def _occurrence(self, number: int, low: int) -> int | None:
        """Return the first acceptable place of a piece at or behind `low`."""
        place = self._view.text.find(self._keys[number], max(low, 0))
        while place >= 0 and not self._acceptable(self._pieces[number], place):
            self._steps += self._view.effort(self._pieces[number].words)
            if self._steps > _STEP_LIMIT:
                self.gave_up = True
                return None
            place = self._view.text.find(self._keys[number], place + 1)
        return place if place >= 0 else None

    def _acceptable(self, piece: Piece, place: int) -> bool:
        span = self._view.span(place, piece.words)
        if span is None or not self._strict:
            return span is not None
        source, (start, end) = self._view.source, span
        if not piece.open_start and (inside_word(source, start) or inside_number(source, start)):
            return False
        return piece.open_end or not (inside_word(source, end) or inside_number(source, end))
