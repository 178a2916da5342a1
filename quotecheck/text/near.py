"""Near passages: found in pieces, or the most similar one, with its ends moved to whole words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rapidfuzz.distance import LCSseq

from quotecheck.models import Span
from quotecheck.text.boundaries import inside_number, inside_word
from quotecheck.text.forms import Edge, Form, Part
from quotecheck.text.grams import BestWindow
from quotecheck.text.pieces import Part as Piece
from quotecheck.text.quotation import Quotation
from quotecheck.text.readings import Readings


@dataclass(frozen=True, slots=True)
class NearPassage:
    """A passage that is not the quotation, in the joined reading of one form of a text.

    Attributes
    ----------
    quote : the variant of the quotation that was compared.
    pieces : one, or several in order where the quotation marks elisions.
    found : whether it qualifies as NEAR.
    proven : whether no better passage exists (found), or none qualifies (not found).
    """

    part: Part
    form: Form
    quote: Readings
    pieces: tuple[Piece, ...]
    elided: bool
    similarity: float
    found: bool
    proven: bool

    @property
    def start(self) -> int:
        """Offset of the first character in the joined reading."""
        return self.pieces[0].start

    @property
    def end(self) -> int:
        """Offset behind the last character in the joined reading."""
        return self.pieces[-1].end


def in_pieces(part: Part, quotation: Quotation) -> NearPassage | None:
    """Return where a quotation stands but for elisions, brackets, marks, case, accents or spaces."""
    for variant in quotation.variants:
        for form in part.forms:
            found = form.pieces.find(variant.joined.text)
            if found is not None and not _cuts_cluster(form, found.parts):
                return NearPassage(
                    part, form, variant, found.parts, found.elided, found.similarity, found=True, proven=True
                )
    return None


def _cuts_cluster(form: Form, pieces: Sequence[Piece]) -> bool:
    return any(
        form.joined_edge(place) is Edge.CLOSED for piece in pieces for place in (piece.start, piece.end)
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    form: Form
    quote: Readings
    window: BestWindow

    @property
    def similarity(self) -> Fraction:
        size = len(self.quote.joined.text) + self.window.end - self.window.start
        return Fraction(2 * self.window.lcs, size)


def best_near(part: Part, quotations: Sequence[Quotation], threshold: Fraction) -> list[NearPassage]:
    """Return for each quotation the most similar passage of a region; the text as it stands wins ties."""
    candidates: list[list[_Candidate]] = [[] for _ in quotations]
    asked = [(number, variant) for number, item in enumerate(quotations) for variant in item.variants]
    for form in part.forms:
        quotes = [variant.joined.text for _, variant in asked]
        for (number, variant), window in zip(
            asked, form.index.best_windows(quotes, threshold=threshold), strict=True
        ):
            candidates[number].append(_Candidate(form, variant, window))
    return [_passage(part, found, threshold) for found in candidates]


def _passage(part: Part, candidates: list[_Candidate], threshold: Fraction) -> NearPassage:
    best = max(candidates, key=lambda candidate: candidate.similarity)
    quote, window = best.quote.joined.text, best.window
    span, similarity = (window.start, window.end), best.similarity
    found, proven = window.found, all(candidate.window.proven for candidate in candidates)
    if found:
        ends = _Ends(best.form, quote, threshold)
        span = ends.out_of_clusters(ends.to_whole_words(span))
        similarity = _similarity(quote, best.form.readings.joined.text[slice(*span)])
        if similarity < threshold:  # it was near by cutting a character only; another window may still be
            found = proven = False
    piece = Piece(0, len(quote), *span)
    return NearPassage(
        part, best.form, best.quote, (piece,), False, float(similarity), found=found, proven=proven
    )


def _similarity(quote: str, passage: str) -> Fraction:
    return Fraction(2 * LCSseq.similarity(quote, passage), len(quote) + len(passage))


class _Ends:
    """Moves the ends of a near passage out of words, numbers and clusters, as far as the threshold allows."""

    def __init__(self, form: Form, quote: str, threshold: Fraction) -> None:
        self._form = form
        self._text = form.readings.joined.text
        self._quote = quote
        self._threshold = threshold
        # A longer window cannot reach the threshold, whatever it holds.
        self._longest = int(len(quote) * (2 - threshold) / threshold)

    def to_whole_words(self, span: Span) -> Span:
        """Move each end out to the end of its word if the similarity allows it, else in, else leave it.

        Spaces at the ends go as well.
        """
        start, end = span
        if self._inside(start):
            outer, inner = self._next(start, -1, end), self._next(start, 1, end)
            start = next((place for place in (outer, inner) if self._reaches(place, end)), start)
        if self._inside(end):
            outer, inner = self._next(end, 1, start), self._next(end, -1, start)
            end = next((place for place in (outer, inner) if self._reaches(start, place)), end)
        if self._text[start] == " " and self._reaches(start + 1, end):
            start += 1
        if self._text[end - 1] == " " and self._reaches(start, end - 1):
            end -= 1
        return start, end

    def out_of_clusters(self, span: Span) -> Span:
        """Move ends that are left between a character and its marks out, even below the threshold."""
        start, end = span
        while self._form.joined_edge(start) is Edge.CLOSED:
            start -= 1
        while self._form.joined_edge(end) is Edge.CLOSED:
            end += 1
        return start, end

    def _next(self, place: int, step: int, other_end: int) -> int:
        """Return the nearest place that is not inside anything, in one direction."""
        place += step
        while self._inside(place) and place != other_end and abs(other_end - place) <= self._longest:
            place += step
        return place

    def _reaches(self, start: int, end: int) -> bool:
        if not start < end or end - start > self._longest:
            return False
        return _similarity(self._quote, self._text[start:end]) >= self._threshold

    def _inside(self, place: int) -> bool:
        if not 0 < place < len(self._text):
            return False
        return (
            inside_word(self._text, place)
            or inside_number(self._text, place)
            or self._form.joined_edge(place) is not Edge.FREE
        )
