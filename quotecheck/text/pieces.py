"""Quotations that equal a passage but for elisions, brackets, reference marks, case, accents and spaces.

No similarity decides here: every word of the quotation outside such marks must stand in the text, in order
and whole. Searches run at the speed of `str.find`, over the text itself or over its skeleton, and the parts
of an elided quotation are joined without backtracking, so the worst text costs a few passes per part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from rapidfuzz.distance import Indel

from quotecheck.models import Span
from quotecheck.text.boundaries import inside_number, inside_word
from quotecheck.text.marks import BRACKET, ELISION, REFERENCE_MARK, SIC
from quotecheck.text.skeleton import Skeleton, is_diacritic, skeleton_of
from quotecheck.text.words import measure

GAP_LIMIT = 1_000  # characters that one elision may skip
PART_MEASURE = 6  # three words, or six characters without spaces: the least that counts as a part
PARTS_LIMIT = 100  # a quotation with more elisions is a table of contents, not a quotation
BRACKET_MEASURE = 8  # four source words, or eight characters, that one editor's bracket may stand for
BRACKET_REACH = 120  # and no more characters than this
EDITED_MEASURE = 12  # six words of the quotation must stand outside brackets
QUOTE_LIMIT = 20_000  # longer quotations are matched exactly, or by similarity
_CHOICE_LIMIT = 32  # places of which the most similar is reported
_STEP_LIMIT = 200_000  # places looked at in vain, for texts like a million times one letter


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the quotation and the stretch of text that it equals, as offsets into folded strings."""

    quote_start: int
    quote_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pieces:
    """Where a quotation was found in pieces.

    Attributes
    ----------
    parts : one part, or several in order where the quotation marks elisions between them.
    elided : whether the quotation marks an elision (a mark at its ends counts); then the parts are the
        record's segments.
    similarity : 2·LCS/(|quote|+|passage|) of the folded quotation as given and the passage; of an elided
        one the passage is its parts joined by one space. Always below 1.
    """

    parts: tuple[Part, ...]
    elided: bool
    similarity: float

    @property
    def start(self) -> int:
        """Offset of the passage's first character in the folded text."""
        return self.parts[0].start

    @property
    def end(self) -> int:
        """Offset behind the passage's last character in the folded text."""
        return self.parts[-1].end


class PieceFinder:
    """Finds quotations in pieces in one folded text (one region), which is prepared once on first use.

    >>> finder = PieceFinder("The old weir, patched with straw, gave way before noon.")
    >>> found = finder.find("The old weir ... gave way before noon.")
    >>> [(part.start, part.end) for part in found.parts]
    [(0, 12), (34, 55)]
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def find(self, quote: str) -> Pieces | None:
        """Return where a folded quotation stands but for the six kinds, or None.

        The caller has tried the whole string before: what is found here is never an exact match. Parts of an
        elided quotation are sought as they are first, then by their skeletons, as everything else is.
        """
        if len(quote) > QUOTE_LIMIT or measure(quote) == 0:
            return None
        elided = _elided(quote)
        if elided is not None:
            plan = [_Piece(stretch, quote[slice(*stretch)]) for stretch in elided]
            for strict in (True, False):
                found = self._chain(quote, _Literal(self.text), _Plan(tuple(plan), elided), strict=strict)
                if found is not None:
                    return found
        for plan_of in _plans(quote, elided):
            found = self._chain(quote, self._loose, plan_of, strict=True)
            if found is not None:
                return found
        return None

    @cached_property
    def _loose(self) -> _Loose:
        return _Loose(self.text)

    def _chain(self, quote: str, view: _View, plan: _Plan, *, strict: bool) -> Pieces | None:
        chain = _Chain(view, plan.pieces, strict=strict)
        places: list[tuple[Span, ...]] = chain.first()
        if places and len(plan.pieces) == 1 and plan.stretches is None and len(quote) <= 1_000:
            places = [(place,) for place in chain.places(_CHOICE_LIMIT)]
        candidates = [self._pieces(quote, plan, spans) for spans in places]
        return max(candidates, key=lambda found: found.similarity, default=None)

    def _pieces(self, quote: str, plan: _Plan, spans: tuple[Span, ...]) -> Pieces:
        stretches = plan.stretches or ((0, len(quote)),)
        parts = []
        for quote_start, quote_end in stretches:
            held = [
                span
                for piece, span in zip(plan.pieces, spans, strict=True)
                if quote_start <= piece.stretch[0] and piece.stretch[1] <= quote_end
            ]
            parts.append(Part(quote_start, quote_end, held[0][0], held[-1][1]))
        passage = " ".join(self.text[part.start : part.end] for part in parts)
        return Pieces(tuple(parts), plan.stretches is not None, Indel.normalized_similarity(quote, passage))


# --- what a quotation asks for ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """A run of the quotation to be found whole: where it stands there, and its key in the searched view."""

    stretch: Span
    key: str
    # How far the next piece may be: behind an elision, or behind an editor's bracket.
    bracket_follows: bool = False
    # A bracket that touches the word ("walk[ed]") lets the piece end, or start, inside a word.
    open_start: bool = False
    open_end: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """Pieces in order, and the stretches of the quotation between its elisions (None: it marks none)."""

    pieces: tuple[_Piece, ...]
    stretches: tuple[Span, ...] | None


def _elided(quote: str) -> tuple[Span, ...] | None:
    """Return the stretches between elision marks; None where there is no mark, or no sense in taking it so.

    A stretch under three words stands with its neighbour, the mark between them taken literally: such a
    mark is the source's own ("Well... I think"). A single stretch (marks at the ends alone) may be short.
    """
    marks = [match.span() for match in ELISION.finditer(quote)]
    if not marks or len(marks) > PARTS_LIMIT:
        return None
    edges = [0, *(edge for mark in marks for edge in mark), len(quote)]
    stretches: list[Span] = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        start, end = _trimmed(quote, start, end)
        if measure(_outside_brackets(quote[start:end])):
            stretches.append((start, end))
    if not stretches:
        return None
    joined = _join_short(quote, stretches)
    whole = _trimmed(quote, 0, len(quote))
    return None if joined == [whole] else tuple(joined)


def _join_short(quote: str, stretches: list[Span]) -> list[Span]:
    joined: list[Span] = []
    pending: int | None = None
    for start, end in stretches:
        start = start if pending is None else pending
        pending = start if measure(_outside_brackets(quote[start:end])) < PART_MEASURE else None
        if pending is None:
            joined.append((start, end))
    if pending is not None:
        last_end = stretches[-1][1]
        if joined:
            joined[-1] = (joined[-1][0], last_end)
        else:
            joined.append((pending, last_end))
    return joined


def _trimmed(quote: str, start: int, end: int) -> Span:
    while start < end and quote[start] == " ":
        start += 1
    while end > start and quote[end - 1] == " ":
        end -= 1
    return start, end


_LETTER = re.compile(r"\[([^\W\d_])\]")


def _outside_brackets(quote: str) -> str:
    return BRACKET.sub("", _LETTER.sub(r"\1", quote))


def _plans(quote: str, elided: tuple[Span, ...] | None) -> Iterator[_Plan]:
    """Yield what to look for in the skeleton, the plainest reading of marks and brackets first."""
    readings: list[tuple[Span, ...] | None] = [None] if elided is None else [None, elided]
    for stretches in readings:
        for brackets in _bracket_readings(quote):
            pieces: list[_Piece] = []
            for start, end in stretches or ((0, len(quote)),):
                pieces += _pieces_of(quote, start, end, brackets)
            if pieces and len(pieces) <= PARTS_LIMIT and all(piece.key for piece in pieces):
                yield _Plan(tuple(pieces), stretches)


@dataclass(frozen=True, slots=True)
class _Brackets:
    """One way to read a quotation's brackets: characters to leave out, and brackets that stand for words."""

    dropped: tuple[Span, ...]
    stand_ins: tuple[Span, ...] = ()


def _bracket_readings(quote: str) -> Iterator[_Brackets]:
    marks = [match.span() for pattern in (REFERENCE_MARK, SIC) for match in pattern.finditer(quote)]
    brackets = [
        match.span()
        for match in BRACKET.finditer(quote)
        if measure(match.group()) and not any(start <= match.start() < end for start, end in marks)
        if not ELISION.fullmatch(match.group())
    ]
    letters = [span for span in brackets if span[1] - span[0] == 3]
    words = [span for span in brackets if span not in letters]
    yield _Brackets(tuple(marks + _rims(letters)))
    if not brackets:
        return
    yield _Brackets(tuple(marks + _rims(brackets)))
    if measure(_outside_brackets(quote)) >= EDITED_MEASURE:
        if words:
            yield _Brackets(tuple(marks + _rims(letters)), tuple(words))
        if letters:
            yield _Brackets(tuple(marks), tuple(brackets))


def _rims(brackets: Sequence[Span]) -> list[Span]:
    """The opening and closing characters of brackets, so that what they hold stays."""
    return [rim for start, end in brackets for rim in ((start, start + 1), (end - 1, end))]


def _pieces_of(quote: str, start: int, end: int, brackets: _Brackets) -> list[_Piece]:
    """Cut one stretch at the brackets that stand for words; a bracket at its ends stands for none."""
    inner = [span for span in brackets.stand_ins if start <= span[0] and span[1] <= end]
    edges = [start, *(edge for span in inner for edge in span), end]
    pieces = []
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        low, high = _trimmed(quote, left, right)
        key = _key(quote, low, high, brackets.dropped)
        if key:
            touches_left = low == left and left != start
            touches_right = high == right and right != end
            pieces.append(_Piece((low, high), key, right != end, touches_left, touches_right))
    if pieces and pieces[-1].bracket_follows:
        last = pieces[-1]
        pieces[-1] = _Piece(last.stretch, last.key, False, last.open_start, last.open_end)
    return pieces


def _key(quote: str, start: int, end: int, dropped: Sequence[Span]) -> str:
    kept = []
    for drop_start, drop_end in sorted(span for span in dropped if start <= span[0] and span[1] <= end):
        kept.append(quote[start:drop_start])
        start = drop_end
    return skeleton_of("".join((*kept, quote[start:end])))


# --- where the pieces stand ---------------------------------------------------------------------------------


class _View(Protocol):
    """A string to search, and the way from its positions back to offsets in the folded text."""

    source: str
    text: str

    def span(self, position: int, length: int) -> Span | None:
        """The offsets of a hit, or None where it would cut one character of the source."""

    def position(self, offset: int) -> int:
        """The position of the first character that comes from `offset` or behind it."""


class _Literal:
    def __init__(self, source: str) -> None:
        self.source = self.text = source

    def span(self, position: int, length: int) -> Span | None:
        return position, position + length

    def position(self, offset: int) -> int:
        return max(offset, 0)


class _Loose:
    def __init__(self, source: str) -> None:
        marks = REFERENCE_MARK.finditer(source) if any(mark in source for mark in "[〔【") else ()
        skeleton = Skeleton(source, (match.span() for match in marks))
        self.source = source
        self.text = skeleton.text
        self._origin = skeleton.origin

    def span(self, position: int, length: int) -> Span | None:
        origin = self._origin
        last = position + length - 1
        start, end = int(origin[position]), int(origin[last]) + 1
        if (position and origin[position - 1] == start) or (
            last + 1 < len(origin) and origin[last + 1] < end
        ):
            return None
        while end < len(self.source) and is_diacritic(self.source[end]):
            end += 1
        return start, end

    def position(self, offset: int) -> int:
        return int(np.searchsorted(self._origin, offset))


class _Chain:
    """Pieces one behind the other: the earliest first piece for which all gaps fit, then the smallest gaps.

    `_next(i, low)` is the earliest place of piece i at or behind `low` from which pieces i.. can be joined.
    It is asked with rising `low` only, so one answer per piece is remembered; and a place whose follower is
    too far away is left by a leap to where that follower comes into reach. Each leap passes a whole gap, so
    a piece costs one pass of `str.find` over the text and few steps.
    """

    def __init__(self, view: _View, pieces: Sequence[_Piece], *, strict: bool) -> None:
        self._view = view
        self._pieces = pieces
        self._strict = strict
        self._steps = 0
        self._answers: list[tuple[int, int | None]] = [(-1, -1)] * len(pieces)

    def first(self) -> list[tuple[Span, ...]]:
        """Return the spans of all pieces in the text, as a list of one or none."""
        if any(piece.key not in self._view.text for piece in self._pieces):
            return []
        spans: list[Span] = []
        low = 0
        for number, piece in enumerate(self._pieces):
            place = self._next(number, low)
            if place is None:
                return []
            spans.append(self._span(number, place))
            low = place + len(piece.key)
        return [tuple(spans)]

    def places(self, limit: int) -> Iterator[Span]:
        """Yield the spans of a single piece, at most `limit` of them."""
        place = self._occurrence(0, 0)
        while place is not None and limit:
            yield self._span(0, place)
            limit -= 1
            place = self._occurrence(0, place + 1)

    def _next(self, number: int, low: int) -> int | None:
        asked, answer = self._answers[number]
        if asked >= 0 and asked <= low and (answer is None or low <= answer):
            return answer
        place = self._occurrence(number, low)
        if number + 1 < len(self._pieces):
            place = self._with_follower(number, place)
        self._answers[number] = (low, place)
        return place

    def _with_follower(self, number: int, place: int | None) -> int | None:
        length = len(self._pieces[number].key)
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
        span = self._view.span(place, len(self._pieces[number].key))
        assert span is not None  # only accepted places are asked for
        return span

    def _occurrence(self, number: int, low: int) -> int | None:
        """Return the first acceptable place of a piece at or behind `low`."""
        piece = self._pieces[number]
        place = self._view.text.find(piece.key, max(low, 0))
        while place >= 0 and not self._acceptable(piece, place):
            self._steps += 1
            if self._steps > _STEP_LIMIT:
                return None
            place = self._view.text.find(piece.key, place + 1)
        return place if place >= 0 else None

    def _acceptable(self, piece: _Piece, place: int) -> bool:
        span = self._view.span(place, len(piece.key))
        if span is None or not self._strict:
            return span is not None
        source, (start, end) = self._view.source, span
        cuts_start = not piece.open_start and (inside_word(source, start) or inside_number(source, start))
        return not cuts_start and (
            piece.open_end or not (inside_word(source, end) or inside_number(source, end))
        )
