"""Near passages: found in pieces, or the most similar one, with its ends moved to whole words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rapidfuzz.distance import LCSseq

from quotecheck.models import Difference, Span
from quotecheck.text.boundaries import inside_number, inside_word
from quotecheck.text.differences import edits_between
from quotecheck.text.forms import Form, Part
from quotecheck.text.grams import BestWindow
from quotecheck.text.pieces import Part as Piece
from quotecheck.text.pieces import Pieces
from quotecheck.text.quotation import Quotation
from quotecheck.text.readings import Readings

# Differences that make a passage near whatever its similarity.
_EXEMPT = frozenset(
    {
        Difference.REFERENCE_MARK,
        Difference.ELISION,
        Difference.EDITORIAL,
        Difference.SPACING,
        Difference.CASE,
        Difference.DIACRITICS,
    }
)


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


def in_pieces(part: Part, quotation: Quotation, threshold: Fraction) -> NearPassage | None:
    """Return where a quotation stands but for elisions, brackets, marks, case, accents or spaces.

    A passage that differs in anything else, as by spaces around a dash, must reach the threshold.
    """
    for variant in quotation.variants:
        for form in part.forms:
            found = form.pieces.find(variant.joined.text)
            variant.gave_up |= form.pieces.gave_up
            if found is not None and _qualifies(form, variant, found, threshold):
                return NearPassage(
                    part, form, variant, found.parts, found.elided, found.similarity, found=True, proven=True
                )
    return None


def _qualifies(form: Form, quote: Readings, found: Pieces, threshold: Fraction) -> bool:
    words, text = quote.joined.text, form.readings.joined.text
    passage = " ".join(text[piece.start : piece.end] for piece in found.parts)
    if _similarity(words, passage) >= threshold:
        return True
    return all(edit.kind in _EXEMPT for edit in edits_between(words, text, found.parts))


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
    if window.found:
        span = _Ends(best.form, quote, threshold).to_whole_words(span)
        similarity = _similarity(quote, best.form.readings.joined.text[slice(*span)])
    return NearPassage(
        part,
        best.form,
        best.quote,
        (Piece(0, len(quote), *span),),
        elided=False,
        similarity=float(similarity),
        found=window.found,
        proven=all(candidate.window.proven for candidate in candidates),
    )


def _similarity(quote: str, passage: str) -> Fraction:
    return Fraction(2 * LCSseq.similarity(quote, passage), len(quote) + len(passage))


class _Ends:
    """Moves the ends of a near passage out of words and numbers, as far as the threshold allows.

    No end comes to stand inside a cluster or an expanded character.
    """

    def __init__(self, form: Form, quote: str, threshold: Fraction) -> None:
        self._text = form.readings.joined.text
        self._closed = form.inside_characters
        self._quote = quote
        self._threshold = threshold
        # A longer window cannot reach the threshold, whatever it holds.
        self._longest = int(len(quote) * (2 - threshold) / threshold)

    def to_whole_words(self, span: Span) -> Span:
        """Move each end out to the end of its word if the similarity allows it, else in, else leave it.

        An end beside a space moves in, off it, else out.
        """
        start = self._moved(*span, outward=-1)
        return start, self._moved(span[1], start, outward=1)

    def _moved(self, place: int, other_end: int, *, outward: int) -> int:
        if not self._is_ragged(place, outward):
            return place
        inside = self._inside(place)
        for step in (outward, -outward) if inside else (-outward, outward):
            moved = self._next(place, step, other_end, outward)
            if self._reaches(*sorted((moved, other_end))):
                return moved
        return place

    def _next(self, place: int, step: int, other_end: int, outward: int) -> int:
        """Return the nearest place where a passage can end cleanly, in one direction."""
        place += step
        while (
            self._is_ragged(place, outward) and place != other_end and abs(other_end - place) <= self._longest
        ):
            place += step
        return place

    def _is_ragged(self, place: int, outward: int) -> bool:
        """Tell whether a start (outward -1) or an end (1) lies inside something, or has a space within it."""
        edge = place if outward < 0 else place - 1
        return self._inside(place) or self._text[max(0, edge) : edge + 1] == " "

    def _reaches(self, start: int, end: int) -> bool:
        if not start < end or end - start > self._longest or self._cuts_character(start, end):
            return False
        return _similarity(self._quote, self._text[start:end]) >= self._threshold

    def _inside(self, place: int) -> bool:
        if not 0 < place < len(self._text):
            return False
        return (
            inside_word(self._text, place)
            or inside_number(self._text, place)
            or self._cuts_character(place, place)
        )

    def _cuts_character(self, start: int, end: int) -> bool:
        return bool(self._closed) and bool(self._closed[start] or self._closed[end])
