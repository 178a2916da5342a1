"""Findings as records: offsets in the full text, differences, flags, region, page and link."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace

from quotecheck.models import CheckResult, Closest, Difference, Flag, Source, Span, Status
from quotecheck.text import lexicon
from quotecheck.text.differences import edits_between, most_severe, word_differences
from quotecheck.text.exact import ExactPassage
from quotecheck.text.flags import change_flags, passage_flags
from quotecheck.text.forms import Part
from quotecheck.text.fragment import passage_url
from quotecheck.text.near import NearPassage
from quotecheck.text.pieces import QUOTE_LIMIT
from quotecheck.text.pieces import Part as Piece
from quotecheck.text.quotation import Quotation

CLOSEST = 0.5  # the least similarity of a passage that is shown as a hint
_CONTEXT = 120  # characters around a near passage in which its differences and flags are looked for
# A chemical symbol at the end of a formula (IUPAC): H2O, NaCO3. But E, M or x with a raised digit is a power.
_ELEMENTS = lexicon.words(
    """H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb
    Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf
    Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh
    Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og"""
)
_SYMBOL = re.compile(r"[A-Z][a-z]?$")
_PAGE_TYPES = ("text/html", "application/xhtml+xml")


class Recorder:
    """Writes the records of one source; where the search is not `complete`, only exact ones are proven."""

    def __init__(self, source: Source, *, complete: bool = True) -> None:
        self._source = source
        self._complete = complete

    def exact(self, quotation: Quotation, passage: ExactPassage) -> CheckResult:
        """Return the record of an exact passage."""
        form, words = passage.form, passage.quote.folded.text
        piece = Piece(0, len(words), passage.start, passage.end)
        flags = set(passage_flags(words, form.folded.text, [piece]))
        if form.cuts_original(passage.start, passage.end):
            flags.add(Flag.CUTS_WORD)
        if passage.occurrences > 1:
            flags.add(Flag.REPEATED)
        verbatim = passage.verbatim_span(quotation)
        span = verbatim or form.folded.span(passage.start, passage.end)
        return replace(
            self._at(Status.EXACT, span, passage.part, flags),
            similarity=1.0,
            difference=Difference.NONE if verbatim else _exact_difference(passage),
            occurrences=passage.occurrences,
        )

    def near(self, quotation: Quotation, passage: NearPassage) -> CheckResult:
        """Return the record of a near passage."""
        readings = passage.form.readings
        words = passage.quote.joined.text
        first = max(0, passage.start - _CONTEXT)
        around = readings.joined_folded(first, min(passage.end + _CONTEXT, len(readings.joined.text)))
        pieces = [
            Piece(piece.quote_start, piece.quote_end, piece.start - first, piece.end - first)
            for piece in passage.pieces
        ]
        edits = edits_between(words, around.text, pieces)
        flags = {
            *passage_flags(words, around.text, pieces),
            *change_flags(words, around, pieces, edits, original=self._source.text),
        }
        if quotation.gave_up or not passage.proven or not self._complete:
            flags.add(Flag.BEST_NOT_PROVEN)
        result = self._at(Status.NEAR, around.span(pieces[0].start, pieces[-1].end), passage.part, flags)
        return replace(
            result,
            similarity=passage.similarity,
            difference=most_severe(edits),
            differences=word_differences(
                edits,
                quote=quotation.raw,
                folded_quote=passage.quote.joined_folded(0, len(words)),
                text=self._source.text,
                folded_text=around,
            ),
            occurrences=1,
            segments=tuple(around.span(piece.start, piece.end) for piece in pieces) if passage.elided else (),
        )

    def not_found(self, quotation: Quotation, best: NearPassage | None) -> CheckResult:
        """Return the record of a quotation that no passage qualifies for; without `best` none was sought."""
        flags = {*self._source.flags}
        if best is None or len(quotation.given.joined.text) > QUOTE_LIMIT:
            flags.add(Flag.NEAR_NOT_SEARCHED)
        elif quotation.gave_up or not best.proven or not self._complete:
            flags.add(Flag.BEST_NOT_PROVEN)
        closest = None
        if best is not None and best.similarity >= CLOSEST:
            start, end = best.form.readings.joined_folded(best.start, best.end).span(0, best.end - best.start)
            closest = Closest(start, end, self._source.text[start:end])
        return CheckResult(
            Status.NOT_FOUND,
            similarity=best.similarity if best is not None else 0.0,
            source_final_url=self._source.final_url,
            flags=_in_order(flags),
            closest=closest,
            text_sha256=self._source.text_sha256,
        )

    def _at(self, status: Status, span: Span, part: Part, flags: set[Flag]) -> CheckResult:
        """Return the fields that every record of a passage has."""
        source = self._source
        flags |= set(source.flags)
        if part.region is not None:
            flags.add(Flag.OUTSIDE_VISIBLE_TEXT)
        if self._crosses_raised_digits(span):
            flags.add(Flag.SUPERSCRIPT_DIGITS)
        return CheckResult(
            status,
            *span,
            snippet=source.text[slice(*span)],
            source_final_url=source.final_url,
            flags=_in_order(flags),
            region=part.region,
            page=bisect_right(source.page_starts, span[0]) or None,
            passage_url=self._passage_url(span) if part.region is None else None,
            text_sha256=source.text_sha256,
        )

    def _crosses_raised_digits(self, span: Span) -> bool:
        """Return whether digits that markup raised go on what stands beside them: 10 and 6, (10) and 6.

        Digits beside a chemical symbol are no power, and are written on the line without loss: H2O. Nor are
        those of a footnote mark.
        """
        text = self._source.text
        first = bisect_right(self._source.raised, (span[0], 0))
        for start, end in self._source.raised[first:]:
            if start >= span[1]:
                return False
            if self._is_apparatus(start, end):
                continue
            before = start > span[0] and not _ends_with_element(text, start)
            after = end < span[1] and text[end].isdecimal()
            if (before or after) and any(char.isdecimal() for char in text[start:end]):
                return True
        return False

    def _is_apparatus(self, start: int, end: int) -> bool:
        """Return whether a stretch of the text lies in what the markup declares as apparatus."""
        ignorable = self._source.ignorable
        at = bisect_right(ignorable, (start, len(self._source.text) + 1)) - 1
        return at >= 0 and end <= ignorable[at][1]

    def _passage_url(self, span: Span) -> str | None:
        source = self._source
        kind = (source.content_type or "").partition(";")[0].strip().lower()
        if source.final_url is None or kind not in _PAGE_TYPES:
            return None
        return passage_url(source.final_url, source.text, *span)


def _ends_with_element(text: str, end: int) -> bool:
    symbol = _SYMBOL.search(text, max(0, end - 2), end)
    return symbol is not None and symbol[0] in _ELEMENTS


def _exact_difference(passage: ExactPassage) -> Difference:
    words = passage.form.folded.text[passage.start : passage.end]
    if passage.form is not passage.part.kept or words != passage.quote.folded.text:
        return Difference.LAYOUT
    return Difference.TYPOGRAPHY


def _in_order(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    present = set(flags)
    return tuple(flag for flag in Flag if flag in present)
