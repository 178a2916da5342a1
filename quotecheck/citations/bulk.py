"""One row of a set of answers: read from the fields that data sets use, reviewed, made records for tables.

Everything here is values in, values out; reading and writing tables is `quotecheck.batch`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from quotecheck.citations.answer import RawAnswer
from quotecheck.citations.quotes import CitationResult
from quotecheck.citations.report import AnswerReport, Citation
from quotecheck.citations.sources import LIST_KEYS, NumberedSource, Sources
from quotecheck.errors import InvalidInput

# RAGAS has `response`, DeepEval `actual_output`, ALCE `output`, LangChain `answer`.
ANSWER_KEYS = ("answer", "response", "actual_output", "output")
_ID_KEYS = ("id", "sample_id", "example_id", "question_id")
_GROUP_KEYS = ("group", "model")


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What one row asks for; `group` parts rows in the summary."""

    id: str | None
    group: str | None
    sources: Sources
    answer: RawAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """One row of the table `answers`; counts are of citations unless their name says otherwise.

    Attributes
    ----------
    row : place of the row in the input, from 0, rejected rows counted.
    coverage : share of the sentences that cite something, or None without sentences.
    n_quotes : citations with quoted words; `n_exact` to `n_no_number` are among them, but that
        `n_unknown_source` also counts those without.
    answer_text : what offsets in `citations` and `sentences` refer to.
    error : the message of an error that the response reports, or None.
    """

    row: int
    id: str | None
    group: str | None
    kind: str
    model: str | None
    finish_reason: str | None
    truncated: bool
    prompt_tokens: int | None
    n_sources: int
    n_sentences: int
    n_cited_sentences: int
    coverage: float | None
    n_citations: int
    n_quotes: int
    n_exact: int
    n_normalized: int
    n_near: int
    n_not_found: int
    n_no_number: int
    n_misattributed: int
    n_unknown_source: int
    unknown_numbers: tuple[int, ...]
    uncited_sources: tuple[int, ...]
    warnings: tuple[str, ...]
    ok: bool
    error: str | None
    answer_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRecord:
    """One row of the table `citations`; `source` is a number, or the name that no source has."""

    row: int
    id: str | None
    ordinal: int
    origin: str
    source: str | None
    source_title: str | None
    quote: str | None
    result: str
    similarity: float | None
    char_start: int | None
    char_end: int | None
    snippet: str | None
    found_in: tuple[int, ...]
    flags: tuple[str, ...]
    answer_start: int | None
    answer_end: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceRecord:
    """One row of the table `sentences`; offsets are in the answer's `answer_text`."""

    row: int
    id: str | None
    ordinal: int
    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    cited: bool
    paragraph_cited: bool


@dataclass(frozen=True, slots=True)
class RowRecords:
    """What the review of one row gives to the three tables."""

    answer: AnswerRecord
    citations: tuple[CitationRecord, ...]
    sentences: tuple[SentenceRecord, ...]


def read_row(row: Mapping[str, object], *, sources: Sources | None = None) -> AnswerRow:
    """Return what a row asks for; its own sources go before those for all rows.

    Sources stand under `sources` or a name of `LIST_KEYS`, the answer under a name of `ANSWER_KEYS`. Raises
    InvalidInput where one of them is missing, naming the fields that were looked for.

    >>> read_row({"retrieved_contexts": ["Tin is soft."], "response": "Soft [1].", "model": "m"}).group
    'm'
    """
    found = _first(row, LIST_KEYS)
    given = sources if found is None else found
    if not isinstance(given, str | Sequence | Mapping):
        raise InvalidInput(f"the row has no sources (looked for: {', '.join(LIST_KEYS)})")
    answer = _first(row, ANSWER_KEYS)
    if not isinstance(answer, str | Sequence | Mapping):
        raise InvalidInput(f"the row has no answer (looked for: {', '.join(ANSWER_KEYS)})")
    return AnswerRow(_name(row, _ID_KEYS), _name(row, _GROUP_KEYS), given, answer)


def records_of(
    row: AnswerRow, place: int, report: AnswerReport, sources: Iterable[NumberedSource]
) -> RowRecords:
    """Return the records of a row and the report on it; `place` is the row's number in the input."""
    titles: dict[object, str | None] = {source.number: source.title for source in sources}
    return RowRecords(
        _answer_record(row, place, report),
        tuple(_citation_record(row, place, citation, titles) for citation in report.citations),
        tuple(
            SentenceRecord(
                row=place,
                id=row.id,
                ordinal=ordinal,
                start=sentence.start,
                end=sentence.end,
                text=sentence.text,
                numbers=sentence.numbers,
                cited=sentence.cited,
                paragraph_cited=sentence.paragraph_cited,
            )
            for ordinal, sentence in enumerate(report.sentences, 1)
        ),
    )


def _answer_record(row: AnswerRow, place: int, report: AnswerReport) -> AnswerRecord:
    citations = report.citations
    quoted = [row for row in citations if row.quote and row.result is not CitationResult.NO_QUOTE]
    n_cited = sum(sentence.cited for sentence in report.sentences)
    n_sentences = len(report.sentences)
    return AnswerRecord(
        row=place,
        id=row.id,
        group=row.group if row.group is not None else report.model,
        kind=str(report.kind),
        model=report.model,
        finish_reason=report.finish_reason,
        truncated=report.truncated,
        prompt_tokens=report.prompt_tokens,
        n_sources=report.n_sources,
        n_sentences=n_sentences,
        n_cited_sentences=n_cited,
        coverage=n_cited / n_sentences if n_sentences else None,
        n_citations=len(citations),
        n_quotes=len(quoted),
        n_exact=_count(quoted, CitationResult.EXACT),
        n_normalized=_count(quoted, CitationResult.NORMALIZED),
        n_near=_count(quoted, CitationResult.NEAR),
        n_not_found=_count(quoted, CitationResult.NOT_FOUND),
        n_no_number=_count(quoted, CitationResult.NO_NUMBER),
        n_misattributed=sum(citation.is_misattributed for citation in citations),
        n_unknown_source=_count(citations, CitationResult.UNKNOWN_SOURCE),
        unknown_numbers=report.unknown_numbers,
        uncited_sources=report.uncited_sources,
        warnings=tuple(str(warning) for warning in report.warnings),
        ok=report.ok,
        error=report.error,
        answer_text=report.answer_text,
    )


def _citation_record(
    row: AnswerRow, place: int, citation: Citation, titles: Mapping[object, str | None]
) -> CitationRecord:
    return CitationRecord(
        row=place,
        id=row.id,
        ordinal=citation.ordinal,
        origin=str(citation.origin),
        source=None if citation.source is None else str(citation.source),
        source_title=titles.get(citation.source),
        quote=citation.quote,
        result=str(citation.result),
        similarity=citation.similarity,
        char_start=citation.char_start,
        char_end=citation.char_end,
        snippet=citation.snippet,
        found_in=citation.found_in,
        flags=tuple(str(flag) for flag in citation.flags),
        answer_start=citation.answer_start,
        answer_end=citation.answer_end,
    )


def _count(citations: Iterable[Citation], result: CitationResult) -> int:
    return sum(citation.result is result for citation in citations)


def _first(row: Mapping[str, object], keys: Sequence[str]) -> object:
    return next((row[key] for key in keys if row.get(key) is not None), None)


def _name(row: Mapping[str, object], keys: Sequence[str]) -> str | None:
    value = _first(row, keys)
    return str(value) if isinstance(value, str | int | float) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSummary:
    """How the answers of one group did: the figures by which prompts and models are compared.

    Each rate is a share of what stands beside it, None where that is 0. Numbers are distinct cited numbers
    of one answer; a quote holds when it is EXACT or NORMALIZED in the source it is ascribed to.
    """

    group: str | None
    answers: int = 0
    answers_ok: int = 0
    quotes: int = 0
    quotes_held: int = 0
    numbers: int = 0
    numbers_valid: int = 0
    sentences: int = 0
    sentences_cited: int = 0

    def plus(self, other: GroupSummary) -> GroupSummary:
        """Return the figures of both together."""
        return GroupSummary(
            group=self.group,
            answers=self.answers + other.answers,
            answers_ok=self.answers_ok + other.answers_ok,
            quotes=self.quotes + other.quotes,
            quotes_held=self.quotes_held + other.quotes_held,
            numbers=self.numbers + other.numbers,
            numbers_valid=self.numbers_valid + other.numbers_valid,
            sentences=self.sentences + other.sentences,
            sentences_cited=self.sentences_cited + other.sentences_cited,
        )

    def to_dict(self) -> dict[str, object]:
        """Return figures and rates as plain JSON values."""
        return {
            "group": self.group,
            "answers": self.answers,
            "answers_ok": self.answers_ok,
            "ok_rate": _rate(self.answers_ok, self.answers),
            "quotes": self.quotes,
            "quotes_held": self.quotes_held,
            "quote_hold_rate": _rate(self.quotes_held, self.quotes),
            "numbers": self.numbers,
            "numbers_valid": self.numbers_valid,
            "number_valid_rate": _rate(self.numbers_valid, self.numbers),
            "sentences": self.sentences,
            "sentences_cited": self.sentences_cited,
            "sentence_coverage": _rate(self.sentences_cited, self.sentences),
        }


def summarize(records: Iterable[AnswerRecord]) -> dict[str | None, GroupSummary]:
    """Return the figures of each group, in order of first appearance."""
    groups: dict[str | None, GroupSummary] = {}
    for record in records:
        valid = record.n_sources - len(record.uncited_sources)
        one = GroupSummary(
            group=record.group,
            answers=1,
            answers_ok=int(record.ok),
            quotes=record.n_quotes,
            quotes_held=record.n_exact + record.n_normalized,
            numbers=valid + len(record.unknown_numbers),
            numbers_valid=valid,
            sentences=record.n_sentences,
            sentences_cited=record.n_cited_sentences,
        )
        groups[record.group] = groups[record.group].plus(one) if record.group in groups else one
    return groups


def total_of(groups: Iterable[GroupSummary]) -> GroupSummary:
    """Return the figures of all groups together; its own `group` is None.

    >>> one, two = GroupSummary(group="a", answers=2), GroupSummary(group=None, answers=3)
    >>> total_of([one, two]).answers
    5
    """
    return reduce(GroupSummary.plus, groups, GroupSummary(group=None))


def _rate(part: int, whole: int) -> float | None:
    return part / whole if whole else None
