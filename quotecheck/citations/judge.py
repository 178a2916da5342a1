"""The verdict on one citation: is there such a source, do the words stand in it, and who else has them."""

from __future__ import annotations

from collections.abc import Sequence

from quotecheck.citations.numbering import Reference
from quotecheck.citations.quotes import HOLDS, CitationResult, CitedWords, Found, SourceText
from quotecheck.citations.report import Citation, Origin
from quotecheck.citations.sources import NumberedSource
from quotecheck.errors import InvalidQuote
from quotecheck.models import Span


class Judge:
    """Judges citations of one set of sources, whose texts are prepared once.

    >>> sources = [NumberedSource(1, "Tin is soft."), NumberedSource(2, "Iron rusts.")]
    >>> judge = Judge(sources, near_threshold=0.90)
    >>> citation = judge.citation(Origin.JSON, Reference(1, (1,)), "Iron rusts")
    >>> citation.result, citation.found_in
    (<CitationResult.NOT_FOUND: 'NOT_FOUND'>, (2,))
    """

    def __init__(self, sources: Sequence[NumberedSource], *, near_threshold: float) -> None:
        self._texts = {source.number: SourceText(source.text) for source in sources}
        self._near_threshold = near_threshold
        self._words: dict[str, CitedWords | None] = {}
        self._holders: dict[str, tuple[int, ...]] = {}
        self._found: dict[tuple[str, int], Found] = {}

    def citation(
        self, origin: Origin, reference: Reference | None, quote: str | None, span: Span | None = None
    ) -> Citation:
        """Return the verdict on quoted words and the source they are ascribed to, either possibly missing.

        The citation's ordinal is 0; `span` is where it stands in the answer.
        """
        words = None if quote is None else self._ready(quote)
        start, end = (None, None) if span is None else span
        given = None if reference is None else reference.given
        numbers = () if reference is None else reference.numbers
        if words is None:
            result = CitationResult.NO_QUOTE if numbers else CitationResult.UNKNOWN_SOURCE
            source = numbers[0] if numbers else given
            return Citation(0, origin, source, quote, result, answer_start=start, answer_end=end)
        holders = self._holders_of(words)
        number, found = self._best(words, numbers or self._elsewhere(reference, holders))
        snippet = None if found.span is None else self._texts[number].text[slice(*found.span)]
        is_placed = found.span is not None and (bool(numbers) or number in holders)
        return Citation(
            ordinal=0,
            origin=origin,
            source=number if numbers else given,
            quote=quote,
            result=_result(reference, found),
            similarity=found.similarity,
            char_start=found.span[0] if found.span and is_placed else None,
            char_end=found.span[1] if found.span and is_placed else None,
            snippet=snippet,
            found_in=holders,
            flags=found.flags,
            answer_start=start,
            answer_end=end,
        )

    def _elsewhere(self, reference: Reference | None, holders: tuple[int, ...]) -> tuple[int, ...]:
        """Return the sources to look in for words that are ascribed to no source there is."""
        return holders[:1] or (tuple(self._texts) if reference is None else ())

    def _ready(self, quote: str) -> CitedWords | None:
        """Return the quoted words, or None where there is no letter or digit in them."""
        if quote not in self._words:
            try:
                self._words[quote] = CitedWords(quote)
            except InvalidQuote:
                self._words[quote] = None
        return self._words[quote]

    def _holders_of(self, words: CitedWords) -> tuple[int, ...]:
        if words.raw not in self._holders:
            holders = (number for number, text in self._texts.items() if text.holds(words))
            self._holders[words.raw] = tuple(holders)
        return self._holders[words.raw]

    def _best(self, words: CitedWords, numbers: Sequence[int]) -> tuple[int, Found]:
        """Return the best result among some sources, with the first source that gives it (-1 for none)."""
        best_number, best = next(iter(numbers), -1), Found(CitationResult.NOT_FOUND)
        for number in numbers:
            found = self._find(words, number)
            if found.is_better_than(best):
                best_number, best = number, found
        return best_number, best

    def _find(self, words: CitedWords, number: int) -> Found:
        key = (words.raw, number)
        if key not in self._found:
            self._found[key] = self._texts[number].find(words, near_threshold=self._near_threshold)
        return self._found[key]


def _result(reference: Reference | None, found: Found) -> CitationResult:
    if reference is None:
        return CitationResult.NO_NUMBER if found.result in HOLDS else found.result
    return found.result if reference.numbers else CitationResult.UNKNOWN_SOURCE
