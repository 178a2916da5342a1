"""What a quotation asks for: the pieces that must stand in the text, and what may stand between them.

Elision marks, an editor's brackets and reference marks each have more than one reading (a source may hold
"..." or "[3]" itself), so a quotation has a few plans, the plainest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from quotecheck.models import Span
from quotecheck.text.marks import BRACKET, ELISION, REFERENCE_MARK, SIC
from quotecheck.text.skeleton import skeleton_of
from quotecheck.text.words import measure

PART_MEASURE = 6  # three words, or six characters without spaces: the least that counts as a part
PARTS_LIMIT = 100  # a quotation with more elisions is a table of contents, not a quotation
EDITED_MEASURE = 12  # six words of the quotation must stand outside brackets


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of the quotation to be found whole.

    Attributes
    ----------
    stretch : where the run stands in the quotation.
    words : its characters without marks that stand for nothing.
    bracket_follows : whether an editor's bracket stands between it and the next piece, not an elision.
    open_start, open_end : whether it may begin, or end, inside a word: a bracket touches it ("walk[ed]").
    """

    stretch: Span
    words: str
    bracket_follows: bool = False
    open_start: bool = False
    open_end: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Pieces in order, and the stretches of the quotation between its elisions (None: it marks none)."""

    pieces: tuple[Piece, ...]
    stretches: tuple[Span, ...] | None


def has_too_many_parts(quote: str) -> bool:
    """Return whether a quotation has more elision marks or brackets than are looked for."""
    return any(
        sum(1 for _ in islice(mark.finditer(quote), PARTS_LIMIT + 1)) > PARTS_LIMIT
        for mark in (ELISION, BRACKET)
    )


def verbatim_plan(quote: str) -> Plan | None:
    """Return the plan that takes only the elision marks as marks; None where there are none.

    >>> verbatim_plan("The old weir ... gave way before noon").stretches
    ((0, 12), (17, 37))
    """
    stretches = _elided(quote)
    if stretches is None:
        return None
    return Plan(tuple(Piece(stretch, quote[slice(*stretch)]) for stretch in stretches), stretches)


def loose_plans(quote: str) -> Iterator[Plan]:
    """Yield the plans for a search that forgives case, accents and spaces, the plainest reading first."""
    elided = _elided(quote)
    for stretches in [None] if elided is None else [None, elided]:
        for brackets in _bracket_readings(quote):
            pieces: list[Piece] = []
            for start, end in stretches or ((0, len(quote)),):
                pieces += _pieces_of(quote, start, end, brackets)
            if pieces and len(pieces) <= PARTS_LIMIT:
                yield Plan(tuple(pieces), stretches)


# --- elisions ---


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
    joined = _join_short(quote, stretches)
    return None if joined in ([], [_trimmed(quote, 0, len(quote))]) else tuple(joined)


def _join_short(quote: str, stretches: list[Span]) -> list[Span]:
    joined: list[Span] = []
    pending: Span | None = None
    for start, end in stretches:
        pending = (pending[0] if pending else start, end)
        if measure(_outside_brackets(quote[slice(*pending)])) >= PART_MEASURE:
            joined.append(pending)
            pending = None
    if pending and joined:
        joined[-1] = (joined[-1][0], pending[1])
    elif pending:
        joined.append(pending)
    return joined


def _trimmed(quote: str, start: int, end: int) -> Span:
    while start < end and quote[start] == " ":
        start += 1
    while end > start and quote[end - 1] == " ":
        end -= 1
    return start, end


# --- brackets and reference marks ---

_LETTER = re.compile(r"\[([^\W\d_])\]")


def _outside_brackets(quote: str) -> str:
    return BRACKET.sub("", _LETTER.sub(r"\1", quote))


@dataclass(frozen=True, slots=True)
class _Brackets:
    """One way to read a quotation's brackets: characters to leave out, and brackets that stand for words."""

    dropped: tuple[Span, ...]
    stand_ins: tuple[Span, ...] = ()


def _bracket_readings(quote: str) -> Iterator[_Brackets]:
    marks = [match.span() for pattern in (REFERENCE_MARK, SIC) for match in pattern.finditer(quote)]
    yield _Brackets(tuple(marks))
    brackets = [span for span in _editors_brackets(quote) if not any(a <= span[0] < b for a, b in marks)]
    if not brackets:
        return
    letters = [span for span in brackets if _LETTER.fullmatch(quote[slice(*span)])]
    words = [span for span in brackets if span not in letters]
    if letters and words:
        yield _Brackets((*marks, *_rims(letters)))
    yield _Brackets((*marks, *_rims(brackets)))
    if measure(_outside_brackets(quote)) >= EDITED_MEASURE:
        if words:
            yield _Brackets((*marks, *_rims(letters)), tuple(words))
        if letters:
            yield _Brackets(tuple(marks), tuple(brackets))


def _editors_brackets(quote: str) -> list[Span]:
    found = BRACKET.finditer(quote)
    return [m.span() for m in found if measure(m.group()) and not ELISION.fullmatch(m.group())]


def _rims(brackets: Sequence[Span]) -> list[Span]:
    """Return the opening and closing characters of brackets, so that what they hold stays."""
    return [rim for start, end in brackets for rim in ((start, start + 1), (end - 1, end))]


def _pieces_of(quote: str, start: int, end: int, brackets: _Brackets) -> list[Piece]:
    """Cut one stretch at the brackets that stand for words; a bracket at its ends stands for none."""
    inner = [span for span in brackets.stand_ins if start <= span[0] and span[1] <= end]
    edges = [start, *(edge for span in inner for edge in span), end]
    pieces: list[Piece] = []
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        low, high = _trimmed(quote, left, right)
        words = _without(quote, low, high, brackets.dropped)
        if skeleton_of(words):
            touched = (low == left != start, high == right != end)
            pieces.append(Piece((low, high), words, right != end, *touched))
    if pieces:
        pieces[-1] = replace(pieces[-1], bracket_follows=False)
    return pieces


def _without(quote: str, start: int, end: int, dropped: Sequence[Span]) -> str:
    kept = []
    for drop_start, drop_end in sorted(span for span in dropped if start <= span[0] and span[1] <= end):
        kept.append(quote[start:drop_start])
        start = drop_end
    return "".join((*kept, quote[start:end]))
