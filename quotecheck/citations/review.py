"""Check what an answer cites against the numbered sources it was given, mechanically and offline."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from quotecheck.citations.answer import Answer, AnswerKind, RawAnswer, read_answer
from quotecheck.citations.inline import InlineQuote, find_inline_quotes
from quotecheck.citations.judge import Judge
from quotecheck.citations.limits import MAX_CITATIONS, at_most
from quotecheck.citations.markers import Marker, Marks, find_marks
from quotecheck.citations.markup import read_markup
from quotecheck.citations.numbering import Numbering, Reference
from quotecheck.citations.quotes import HOLDS
from quotecheck.citations.report import AnswerMark, AnswerReport, AnswerSentence, Citation, Origin
from quotecheck.citations.sentences import Sentence, find_sentences
from quotecheck.citations.shapes.response import NativeCitation
from quotecheck.citations.sources import Sources, read_sources
from quotecheck.citations.structured import StructuredCitation
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.errors import InvalidOption

# Servers count at most about 4 characters a token; twice that leaves room for every tokenizer.
_CHARACTERS_PER_TOKEN = 8
_LEAST_SOURCE_CHARACTERS = 400
# An item of a JSON list of citations that no source is called: from here on it is quoted words, not a name.
_WORDS_OF_A_QUOTE = 4


def check_answer(
    sources: Sources,
    answer: RawAnswer,
    *,
    inline_quotes: bool = False,
    first_number: int = 1,
    near_threshold: float = 0.90,
) -> AnswerReport:
    """Check the citations of an answer against exactly the sources that the model was given.

    It does not judge whether the answer is right: see `AnswerReport`.

    Parameters
    ----------
    sources : a list of strings or objects, an object that holds such a list, or the text of a file with
        JSON, JSONL or plain text.
    answer : a model server's response (Ollama, OpenAI, Anthropic; whole, streamed, or its text), a JSON
        answer, or plain text.
    inline_quotes : also check quotations within the text that a mark in their sentence attributes.
    first_number : what the first source is called, 0 or more.
    near_threshold : least similarity of NEAR, 0.5 to 1.0.

    Raises
    ------
    InvalidInput : there are no sources, JSON is of no known shape or nested too deeply, or the input is
        larger than `quotecheck.citations.limits` allows (100,000,000 characters, 1,000,000 sentences).
    InvalidOption : an option is outside its range.

    Examples
    --------
    >>> report = check_answer(["Tin is soft."], "Tin is soft [1]. Gold is heavy [5].")
    >>> report.ok, report.unknown_numbers
    (False, (5,))
    """
    options = ReviewOptions(
        inline_quotes=inline_quotes, first_number=first_number, near_threshold=near_threshold
    )
    return Reviewer(sources, options).review(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """The options of `check_answer`. Raises InvalidOption where one is outside its range."""

    inline_quotes: bool = False
    first_number: int = 1
    near_threshold: float = 0.90

    def __post_init__(self) -> None:
        if self.first_number < 0:
            raise InvalidOption(f"first_number is {self.first_number}: it must be 0 or more")
        if not 0.5 <= self.near_threshold <= 1.0:
            raise InvalidOption(
                f"near_threshold is {self.near_threshold}: it must be a number from 0.5 to 1.0"
            )


class Reviewer:
    """Reviews answers to one set of sources, whose texts are prepared once. Raises InvalidInput.

    >>> reviewer = Reviewer(["Tin is soft."], ReviewOptions())
    >>> [reviewer.review(answer).ok for answer in ("Soft [1].", "Hard [2].")]
    [True, False]
    """

    def __init__(self, sources: Sources, options: ReviewOptions) -> None:
        self.sources = read_sources(sources, first_number=options.first_number)
        self._options = options
        self._numbering = Numbering(self.sources)
        self._judge = Judge(self.sources, near_threshold=options.near_threshold)

    def review(self, answer: RawAnswer) -> AnswerReport:
        """Return the report on one answer. Raises InvalidInput."""
        return self._report(read_answer(answer))

    def _report(self, answer: Answer) -> AnswerReport:
        markup = read_markup(answer.text)
        marks = find_marks(answer.text, markup, self._numbering)
        is_judged = answer.kind is not AnswerKind.JSON or bool(marks.markers)
        sentences = find_sentences(answer.text, markup, marks) if is_judged else []
        quotes = find_inline_quotes(answer.text, sentences, marks.markers)
        native = list(at_most(MAX_CITATIONS, "citations", self._native_rows(answer.native)))
        structured = at_most(MAX_CITATIONS, "citations", self._structured_rows(answer.structured))
        rows = [*structured, *native] or list(self._marker_rows(marks.markers))
        rows += self._inline_rows(answer.text, quotes) if self._options.inline_quotes else ()
        numbers = {number for marker in marks.markers for number in marker.numbers}
        numbers |= {row.source for row in rows if isinstance(row.source, int)}
        return AnswerReport(
            kind=answer.kind,
            answer_text=answer.text,
            citations=tuple(replace(row, ordinal=ordinal) for ordinal, row in enumerate(rows, 1)),
            unknown_numbers=tuple(sorted(number for number in numbers if not self._numbering.holds(number))),
            uncited_sources=tuple(source.number for source in self.sources if source.number not in numbers),
            marks=tuple(_report_marks(answer.text, marks.markers)),
            sentences=tuple(_report_sentences(answer.text, sentences, native)),
            warnings=tuple(sorted(self._warnings(answer, marks, rows, numbers))),
            n_sources=len(self.sources),
            finish_reason=answer.finish_reason,
            prompt_tokens=answer.prompt_tokens,
            model=answer.model,
            error=answer.error,
        )

    def _structured_rows(self, citations: Iterable[StructuredCitation]) -> Iterator[Citation]:
        for citation in citations:
            references: list[Reference | None] = [*self._numbering.of_value(citation.source)]
            quote = citation.quote
            if quote is None and _is_quote(citation.source, references):
                references, quote = [], str(citation.source)
            for reference in references or [None]:
                yield self._judge.citation(Origin.JSON, reference, quote, citation.span)

    def _native_rows(self, citations: Iterable[NativeCitation]) -> Iterator[Citation]:
        for citation in citations:
            reference = self._native_reference(citation)
            yield self._judge.citation(Origin.NATIVE, reference, citation.quote, citation.span)

    def _native_reference(self, citation: NativeCitation) -> Reference | None:
        """Return the source of a native citation; documents and search results are counted apart, from 0."""
        if citation.index is not None:
            wanted = citation.among_search_results
            family = [source.number for source in self.sources if source.is_search_result is wanted]
            numbers = family or [source.number for source in self.sources]
            if 0 <= citation.index < len(numbers):
                return Reference(numbers[citation.index], (numbers[citation.index],))
            return Reference(citation.index + self._numbering.first, ())
        references = self._numbering.of_value(citation.name)
        return references[0] if references else None

    def _marker_rows(self, markers: Iterable[Marker]) -> Iterator[Citation]:
        """Yield one citation for each distinct number, where it appears first."""
        seen: set[int] = set()
        for marker in markers:
            for number in marker.numbers:
                if number not in seen:
                    seen.add(number)
                    reference = self._reference(number)
                    yield self._judge.citation(Origin.MARKER, reference, None, (marker.start, marker.end))

    def _inline_rows(self, text: str, quotes: Iterable[InlineQuote]) -> Iterator[Citation]:
        for quote in quotes:
            known = tuple(number for number in quote.numbers if self._numbering.holds(number))
            reference = Reference(quote.numbers[0], known)
            span = (quote.start, quote.end)
            row = self._judge.citation(Origin.INLINE, reference, text[quote.start : quote.end], span)
            if row.result not in HOLDS and text[quote.end - 1] in ",.":
                # American style puts the sentence's own comma or full stop within the marks.
                span = (quote.start, quote.end - 1)
                bare = self._judge.citation(Origin.INLINE, reference, text[slice(*span)], span)
                row = bare if bare.found_in else row
            if quote.certain or not row.is_misattributed:
                yield row

    def _reference(self, number: int) -> Reference:
        return Reference(number, (number,) if self._numbering.holds(number) else ())

    def _warnings(
        self, answer: Answer, marks: Marks, rows: Sequence[Citation], numbers: set[int]
    ) -> Iterator[AnswerWarning]:
        yield from answer.warnings
        texts = Counter(" ".join(source.text.split()) for source in self.sources)
        characters = sum(len(text) * times for text, times in texts.items())
        tokens = answer.prompt_tokens
        has_zero = 0 in numbers and not self._numbering.holds(0)
        observed = {
            AnswerWarning.NO_CITATIONS: not rows,
            AnswerWarning.EMPTY_SOURCE: "" in texts,
            AnswerWarning.DUPLICATE_SOURCES: any(times > 1 for text, times in texts.items() if text),
            AnswerWarning.ZERO_BASED: has_zero and max(numbers) < len(self.sources),
            AnswerWarning.FOREIGN_MARKERS: bool(marks.foreign),
            AnswerWarning.OFFSET_MISMATCH: any(map(self._is_misplaced, answer.native)),
            AnswerWarning.PROMPT_SHORTER_THAN_SOURCES: (
                tokens is not None
                and characters >= _LEAST_SOURCE_CHARACTERS
                and tokens * _CHARACTERS_PER_TOKEN < characters
            ),
        }
        yield from (warning for warning, is_so in observed.items() if is_so)

    def _is_misplaced(self, citation: NativeCitation) -> bool:
        """Tell whether the server's offsets in a source that exists do not lead to the words it quotes."""
        reference = self._native_reference(citation)
        if reference is None or not reference.numbers or citation.quote is None:
            return False
        source = self.sources[reference.numbers[0] - self._numbering.first]
        if citation.source_span is not None:
            start, end = citation.source_span
            return start < 0 or source.text[start : max(start, end)] != citation.quote
        if citation.block_span is None or not source.blocks:
            return False
        start, end = (max(0, offset) for offset in citation.block_span)
        # Servers join the blocks that they cite, or quote a part of them.
        return " ".join(citation.quote.split()) not in " ".join("".join(source.blocks[start:end]).split())


def _is_quote(source: object, references: Sequence[Reference | None]) -> bool:
    """Tell whether an item of a JSON list of citations is quoted words instead of a source."""
    is_unknown = all(reference is not None and not reference.numbers for reference in references)
    return isinstance(source, str) and is_unknown and len(source.split()) >= _WORDS_OF_A_QUOTE


def _report_marks(text: str, markers: Iterable[Marker]) -> Iterator[AnswerMark]:
    for marker in markers:
        yield AnswerMark(marker.start, marker.end, text[marker.start : marker.end], marker.numbers)


def _report_sentences(
    text: str, sentences: Sequence[Sentence], native: Iterable[Citation]
) -> Iterator[AnswerSentence]:
    """Yield the sentences for the report; a native citation belongs to every sentence that it touches."""
    natively: dict[int, list[int | str | None]] = defaultdict(list)
    for row in native:
        for place in _touched(sentences, row.answer_start or 0, row.answer_end or 0):
            natively[place].append(row.source)
    is_cited = [bool(sentence.numbers) or place in natively for place, sentence in enumerate(sentences)]
    cited = Counter(sentence.paragraph for place, sentence in enumerate(sentences) if is_cited[place])
    for place, sentence in enumerate(sentences):
        added = [number for number in natively.get(place, ()) if isinstance(number, int)]
        yield AnswerSentence(
            start=sentence.start,
            end=sentence.end,
            text=text[sentence.start : sentence.end],
            numbers=tuple(dict.fromkeys([*sentence.numbers, *added])) if added else sentence.numbers,
            cited=is_cited[place],
            paragraph_cited=cited[sentence.paragraph] > is_cited[place],
        )


def _touched(sentences: Sequence[Sentence], start: int, end: int) -> Iterator[int]:
    """Yield the places of the sentences that share characters with a span."""
    place = max(0, bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1)
    while place < len(sentences) and sentences[place].start < end:
        if sentences[place].end > start:
            yield place
        place += 1
