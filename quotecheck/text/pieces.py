"""Quotations that equal a passage but for elisions, brackets, reference marks, case, accents and spaces.

No similarity decides here: every word of the quotation outside such marks must stand in the text, in order
and whole. Searches run at the speed of `str.find`, over the text itself or over its skeleton.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import Indel

from quotecheck.models import Span
from quotecheck.text.chain import Chain
from quotecheck.text.hebrew import MATRES, has_points
from quotecheck.text.plans import Plan, has_too_many_parts, loose_plans, verbatim_plan
from quotecheck.text.views import Literal, Loose, Pointless, View
from quotecheck.text.words import measure

QUOTE_LIMIT = 20_000  # characters; longer quotations are matched exactly, or by similarity
_CHOICE_LIMIT = 32  # places of which the most similar is reported
_CHOICE_LENGTH = 1_000  # characters; longer quotations are not found twice by chance


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

    No part begins or ends at a place that is marked in `closed`: one byte for each place, or none at all.
    `gave_up` tells whether the last search ended before it had looked everywhere.

    >>> finder = PieceFinder("The old weir, patched with straw, gave way before noon.")
    >>> found = finder.find("The old weir ... gave way before noon.")
    >>> [(part.start, part.end) for part in found.parts]
    [(0, 12), (34, 55)]
    """

    def __init__(self, text: str, closed: bytes = b"") -> None:
        self.text = text
        self._closed = closed
        self.gave_up = False

    def find(self, quote: str) -> Pieces | None:
        """Return where a folded quotation stands but for the six kinds, or None.

        The caller has tried the whole string before: what is found here is never an exact match. Parts of an
        elided quotation are sought as they are first, then by their skeletons, as everything else is.
        """
        self.gave_up = has_too_many_parts(quote)
        if len(quote) > QUOTE_LIMIT or measure(quote) == 0:
            return None
        verbatim = verbatim_plan(quote)
        if verbatim is not None:
            for strict in (True, False):
                found = self._carry_out(quote, Literal(self.text), verbatim, strict=strict)
                if found is not None:
                    return found
        plans = list(loose_plans(quote))
        for view in self._loose_views(quote):
            for plan in plans:
                found = self._carry_out(quote, view, plan, strict=True)
                if found is not None:
                    return found
        return None

    def _loose_views(self, quote: str) -> Iterator[View]:
        yield self._loose
        if has_points(quote) or (re.search(f"[{MATRES}]", quote) and self._is_pointed):
            yield self._pointless

    @cached_property
    def _loose(self) -> Loose:
        return Loose(self.text)

    @cached_property
    def _pointless(self) -> Pointless:
        return Pointless(self.text)

    @cached_property
    def _is_pointed(self) -> bool:
        return has_points(self.text)

    def _carry_out(self, quote: str, view: View, plan: Plan, *, strict: bool) -> Pieces | None:
        chain = Chain(view, plan.pieces, strict=strict)
        spans = chain.first()
        self.gave_up |= chain.gave_up
        if spans is None:
            return None
        candidates = [spans]
        if len(plan.pieces) == 1 and plan.stretches is None and len(quote) <= _CHOICE_LENGTH:
            candidates = [(place,) for place in chain.places(_CHOICE_LIMIT)]
        found = [self._pieces(quote, plan, spans) for spans in candidates]
        whole = [pieces for pieces in found if not self._cuts_character(pieces)]
        return max(whole, key=lambda pieces: pieces.similarity, default=None)

    def _cuts_character(self, pieces: Pieces) -> bool:
        return bool(self._closed) and any(
            self._closed[part.start] or self._closed[part.end] for part in pieces.parts
        )

    def _pieces(self, quote: str, plan: Plan, spans: tuple[Span, ...]) -> Pieces:
        parts = []
        for quote_start, quote_end in plan.stretches or ((0, len(quote)),):
            held = [
                span
                for piece, span in zip(plan.pieces, spans, strict=True)
                if quote_start <= piece.stretch[0] and piece.stretch[1] <= quote_end
            ]
            parts.append(Part(quote_start, quote_end, held[0][0], held[-1][1]))
        passage = " ".join(self.text[part.start : part.end] for part in parts)
        return Pieces(tuple(parts), plan.stretches is not None, Indel.normalized_similarity(quote, passage))
