"""Whether the words of a citation stand in a source: raw, normalized, nearly, or not.

EXACT here means the raw characters; NORMALIZED is equal after folding, and also ignores letter case and
spaces beside CJK characters, because models change both when they copy. NEAR is never a pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice

import numpy as np
from rapidfuzz.distance import Indel

from quotecheck.models import Difference, Flag, Source, Span, Status
from quotecheck.text.boundaries import cuts_number, cuts_word
from quotecheck.text.flags import passage_flags
from quotecheck.text.fold import Folded, Offsets, fold
from quotecheck.text.match import PreparedText
from quotecheck.text.pieces import Part
from quotecheck.text.quotation import Quotation


class CitationResult(StrEnum):
    """The verdict on one citation; only EXACT and NORMALIZED mean that the quoted words hold."""

    EXACT = "EXACT"
    NORMALIZED = "NORMALIZED"
    NEAR = "NEAR"
    NOT_FOUND = "NOT_FOUND"
    UNKNOWN_SOURCE = "UNKNOWN_SOURCE"
    NO_QUOTE = "NO_QUOTE"
    NO_NUMBER = "NO_NUMBER"


HOLDS = frozenset({CitationResult.EXACT, CitationResult.NORMALIZED})
# What may turn the meaning of words that hold or nearly hold; other flags matter less in an answer.
MEANING_FLAGS = frozenset(
    {
        Flag.CUTS_WORD,
        Flag.CUTS_NUMBER,
        Flag.NUMBER_CHANGED,
        Flag.NEGATION_CHANGED,
        Flag.NEGATION_NEARBY,
        Flag.NEGATION_ELIDED,
        Flag.MODALITY_CHANGED,
        Flag.UNIT_CHANGED,
    }
)
_BEST_FIRST = tuple(CitationResult)

# Scripts written without spaces between words, and their punctuation; Korean puts spaces between words.
# Folded characters are looked at, so that source and quote are judged alike: full-width Latin is Latin there.
_WIDE = "\u2e80-\u2fdf\u3000-\u312f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SPACE_BESIDE_WIDE = re.compile(f" (?=[{_WIDE}])|(?<=[{_WIDE}]) ")
_NO_LETTER = re.compile(r"[\W_]+")
_AROUND = 300  # characters on both sides of a passage that tell its language and what negates it
_TRIES = 100  # places among which one that cuts no word or number is looked for


@dataclass(frozen=True, slots=True)
class Found:
    """Where the words of a quote stand in a source, if they do.

    `similarity` is the formula of `quotecheck.CheckResult`; 1.0 also where only typography differs. `flags`
    are those of `MEANING_FLAGS`.
    """

    result: CitationResult
    span: Span | None = None
    similarity: float | None = None
    flags: tuple[Flag, ...] = ()

    def is_better_than(self, other: Found) -> bool:
        """Tell whether this result ranks before another, or equals it with a higher similarity."""
        mine, theirs = _BEST_FIRST.index(self.result), _BEST_FIRST.index(other.result)
        return mine < theirs or (mine == theirs and (self.similarity or 0) > (other.similarity or 0))


class CitedWords:
    """The quoted words of a citation, made ready for the search.

    Raises InvalidQuote where there is no letter or digit in them.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._quotation = Quotation(raw)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """The words without case and without spaces beside CJK, with and without outer quotation marks."""
        return tuple(_Plain(variant.folded).text for variant in self._quotation.variants)

    @cached_property
    def letters(self) -> str:
        """The letters and digits alone: a source that lacks them lacks the quote."""
        return _letters(self.plain[0])


class SourceText:
    """The text of one source, ready for many citations; nothing is worked out before it is needed.

    >>> found = SourceText("Tin is soft. Iron rusts.").find(CitedWords("iron RUSTS"), near_threshold=0.90)
    >>> found.result, found.span
    (<CitationResult.NORMALIZED: 'NORMALIZED'>, (13, 23))
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _prepared(self) -> PreparedText:
        return PreparedText(Source(self.text))

    @cached_property
    def _plain(self) -> _Plain:
        return _Plain(fold(self.text))

    @cached_property
    def _letters(self) -> str:
        # Folding changes no letter or digit of ASCII, and most sources never need more than this.
        return _letters(self.text.lower() if self.text.isascii() else self._plain.text)

    def holds(self, words: CitedWords) -> bool:
        """Tell whether the words stand here, raw or normalized."""
        return words.raw in self.text or self._find_held(words) is not None

    def find(self, words: CitedWords, *, near_threshold: float) -> Found:
        """Return where the words stand and how well; NOT_FOUND carries the best similarity found."""
        held = self._find_held(words)
        if held is not None:
            return held
        result = self._prepared.check(words.raw, near_threshold=near_threshold)
        if result.status is not Status.NEAR or result.char_start is None or result.char_end is None:
            return Found(CitationResult.NOT_FOUND, None, result.similarity)
        span = (result.char_start, result.char_end)
        return Found(CitationResult.NEAR, span, result.similarity, _of_meaning(result.flags))

    def _find_held(self, words: CitedWords) -> Found | None:
        if words.raw not in self.text and words.letters not in self._letters:
            return None
        start = self.text.find(words.raw)
        end = start + len(words.raw)
        if start >= 0 and self.text.isascii() and not self._cuts((start, end)):
            return Found(CitationResult.EXACT, (start, end), 1.0, self._flags((start, end)))
        exact = self._prepared.find_exact(words.raw)
        if exact is not None and exact.char_start is not None and exact.char_end is not None:
            is_raw = exact.difference is Difference.NONE
            result = CitationResult.EXACT if is_raw else CitationResult.NORMALIZED
            span = (exact.char_start, exact.char_end)
            return Found(result, span, exact.similarity, _of_meaning(exact.flags))
        if start >= 0:
            return Found(CitationResult.EXACT, (start, end), 1.0, self._flags((start, end)))
        spans = [span for plain in words.plain for span in islice(self._plain.spans(plain), _TRIES)]
        if not spans:
            return None
        span = next((span for span in spans if not self._cuts(span)), spans[0])
        passage = fold(self.text[span[0] : span[1]]).text
        similarity = Indel.normalized_similarity(fold(words.raw).text, passage)
        return Found(CitationResult.NORMALIZED, span, similarity, self._flags(span))

    def _cuts(self, span: Span) -> bool:
        return cuts_word(self.text, *span) or cuts_number(self.text, *span)

    def _flags(self, span: Span) -> tuple[Flag, ...]:
        """Return the flags of words that hold at a span: what stands around them there."""
        first = max(0, span[0] - _AROUND)
        around = fold(self.text[first : span[1] + _AROUND])
        start, end = (int(place) for place in np.searchsorted(around.start, np.subtract(span, first)))
        return _of_meaning(
            passage_flags(around.text[start:end], around.text, [Part(0, end - start, start, end)])
        )


class _Plain:
    """A folded text in one letter case, without spaces beside CJK characters, and the way back."""

    def __init__(self, folded: Folded) -> None:
        self._folded = folded
        kept = np.arange(len(folded.text), dtype=np.int32)
        spaces = [match.start() for match in _SPACE_BESIDE_WIDE.finditer(folded.text)]
        kept = np.delete(kept, spaces)
        text = _SPACE_BESIDE_WIDE.sub("", folded.text)
        self.text = text.casefold()
        if len(self.text) != len(text):
            kept = np.repeat(kept, [len(char.casefold()) for char in text])
        self._origin: Offsets = kept

    def spans(self, words: str) -> Iterator[Span]:
        """Yield the spans in the original text of the places where the words stand as whole characters."""
        start = self.text.find(words)
        while start >= 0:
            end = start + len(words)
            if words and self._is_between_characters(start) and self._is_between_characters(end):
                yield self._folded.span(int(self._origin[start]), int(self._origin[end - 1]) + 1)
            start = self.text.find(words, start + 1)

    def _is_between_characters(self, place: int) -> bool:
        if place in (0, len(self.text)):
            return True
        before, after = int(self._origin[place - 1]), int(self._origin[place])
        return before != after and not self._folded.divides_cluster(after)


def _of_meaning(flags: Iterable[Flag]) -> tuple[Flag, ...]:
    return tuple(flag for flag in flags if flag in MEANING_FLAGS)


def _letters(plain: str) -> str:
    return _NO_LETTER.sub("", plain)
