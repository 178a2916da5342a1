"""The report on one answer: what it cites, what of it holds, and what cannot be told mechanically."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum

from quotecheck.citations.answer import AnswerKind
from quotecheck.citations.quotes import HOLDS, CitationResult
from quotecheck.citations.warnings import EXPLANATIONS, FATAL, AnswerWarning
from quotecheck.models import Flag

NOT_JUDGED = (
    "Checked mechanically, against the given sources only. A citation that holds means that the cited words "
    "stand in that source, or, without quoted words, that the source exists. Whether the answer is right, "
    "complete, or follows from what it cites is not judged."
)
_FAILING = frozenset(
    {
        CitationResult.UNKNOWN_SOURCE,
        CitationResult.NEAR,
        CitationResult.NOT_FOUND,
        CitationResult.NO_NUMBER,
    }
)
_MAX_LISTED = 20
_MAX_SHOWN = 100


class Origin(StrEnum):
    """Where a citation stands: in JSON, as a mark in the text, as a quotation in the text, or natively."""

    JSON = "json"
    MARKER = "marker"
    INLINE = "inline"
    NATIVE = "native"


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation and its verdict.

    Attributes
    ----------
    ordinal : its place in the report, from 1.
    source : number of the cited source; the name that no source has; or None where none was given.
    quote : the quoted words, or None.
    similarity : between quote and passage, 0 to 1; the best one found for NOT_FOUND; None without a quote.
    char_start, char_end, snippet : the passage in the source's text, offsets in code points; of the source
        `found_in` names first where no number was given.
    found_in : numbers of all sources that hold the quoted words, raw or normalized.
    flags : what may turn the meaning: an end of the passage cuts a word or number; a negation stands beside
        it, or was left out of it; a number, negation, modal or unit differs.
    answer_start, answer_end : where it stands in the answer's text, or None.
    """

    ordinal: int
    origin: Origin
    source: int | str | None
    quote: str | None
    result: CitationResult
    similarity: float | None = None
    char_start: int | None = None
    char_end: int | None = None
    snippet: str | None = None
    found_in: tuple[int, ...] = ()
    flags: tuple[Flag, ...] = ()
    answer_start: int | None = None
    answer_end: int | None = None

    @property
    def is_misattributed(self) -> bool:
        """Whether the quoted words stand in another source than the one cited."""
        return bool(self.found_in) and self.result not in HOLDS and self.source is not None

    @property
    def cuts(self) -> bool:
        """Whether an end of the passage falls inside a word or number of the source."""
        return Flag.CUTS_WORD in self.flags or Flag.CUTS_NUMBER in self.flags


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """One citation mark in the answer: its span and text, and the numbers it cites."""

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence of the answer: its span and text, and the numbers of the sources it cites."""

    start: int
    end: int
    text: str
    numbers: tuple[int, ...]
    cited: bool
    paragraph_cited: bool


@dataclass(frozen=True, slots=True)
class AnswerReport:
    """The report of `check_answer`.

    Attributes
    ----------
    kind : json, text or native.
    answer_text : the text that offsets in the answer refer to.
    citations : in text mode one for each distinct number, in order of appearance.
    unknown_numbers : cited numbers that no source has, ascending.
    uncited_sources : numbers of the sources that nothing cites, ascending.
    marks : every citation mark in the text, in order.
    sentences : the sentences that were judged; none for a JSON answer without marks in its text.
    warnings : see `AnswerWarning`, by name.
    finish_reason, prompt_tokens, model, error : as the server gave them, or None.
    n_sources : how many sources there are.
    """

    kind: AnswerKind
    answer_text: str
    citations: tuple[Citation, ...]
    unknown_numbers: tuple[int, ...]
    uncited_sources: tuple[int, ...]
    marks: tuple[AnswerMark, ...]
    sentences: tuple[AnswerSentence, ...]
    warnings: tuple[AnswerWarning, ...]
    n_sources: int
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    model: str | None = None
    error: str | None = None

    @property
    def ok(self) -> bool:
        """Whether something is cited, every citation holds, and the answer is whole.

        Sentences and sources without a citation do not count against it.
        """
        holds = not any(citation.result in _FAILING for citation in self.citations)
        return bool(self.citations) and holds and not self.unknown_numbers and FATAL.isdisjoint(self.warnings)

    @property
    def truncated(self) -> bool:
        """Whether the generation limit ended the answer."""
        return AnswerWarning.TRUNCATED in self.warnings

    @property
    def uncited_sentences(self) -> tuple[AnswerSentence, ...]:
        """The sentences without a number."""
        return tuple(sentence for sentence in self.sentences if not sentence.cited)

    @property
    def findings(self) -> tuple[str, ...]:
        """What a person should look at, in sentences; long lists say how many they leave out."""
        return tuple(_findings(self))

    def to_dict(self) -> dict[str, object]:
        """Return the report as plain JSON values, with `findings` and what the report does not judge."""
        return {
            "kind": str(self.kind),
            "answer_text": self.answer_text,
            "citations": [_plain(citation) for citation in self.citations],
            "unknown_numbers": list(self.unknown_numbers),
            "uncited_sentences": [
                {
                    "start": sentence.start,
                    "end": sentence.end,
                    "text": sentence.text,
                    "paragraph_cited": sentence.paragraph_cited,
                }
                for sentence in self.uncited_sentences
            ],
            "uncited_sources": list(self.uncited_sources),
            "marks": [_plain(mark) for mark in self.marks],
            "sentences": [_plain(sentence) for sentence in self.sentences],
            "warnings": [str(warning) for warning in self.warnings],
            "finish_reason": self.finish_reason,
            "truncated": self.truncated,
            "prompt_tokens": self.prompt_tokens,
            "model": self.model,
            "error": self.error,
            "findings": list(self.findings),
            "ok": self.ok,
            "not_judged": NOT_JUDGED,
        }


def _plain(row: Citation | AnswerMark | AnswerSentence) -> dict[str, object]:
    return {field.name: _plain_value(getattr(row, field.name)) for field in fields(row)}


def _plain_value(value: object) -> object:
    if isinstance(value, tuple):
        return [_plain_value(item) for item in value]
    return str(value) if isinstance(value, StrEnum) else value


def _findings(report: AnswerReport) -> Iterator[str]:
    for warning in report.warnings:
        detail = f": {report.error}" if warning is AnswerWarning.RESPONSE_ERROR and report.error else ""
        yield f"{EXPLANATIONS[warning]}{detail}"
    yield from _limited(
        [_citation_finding(citation) for citation in report.citations if citation.result in _FAILING],
        "citations that do not hold",
    )
    held = [citation for citation in report.citations if citation.result in HOLDS]
    yield from _limited(
        [_cut_finding(citation) for citation in held if citation.cuts], "quotes that cut a word or number"
    )
    yield from _limited(
        [_negated_finding(citation) for citation in held if Flag.NEGATION_NEARBY in citation.flags],
        "quotes beside a negation",
    )
    rows = {citation.source for citation in report.citations}
    numbers = [str(number) for number in report.unknown_numbers if number not in rows]
    if numbers:
        yield f"no source has the number {', '.join(numbers[:_MAX_LISTED])}{_more(len(numbers))}"
    if report.citations:
        yield from _limited(
            [f"a sentence has no number: {_shown(sentence.text)}" for sentence in report.uncited_sentences],
            "sentences without a number",
        )
    if report.uncited_sources:
        numbers = [f"[{number}]" for number in report.uncited_sources]
        yield f"never cited: source {', '.join(numbers[:_MAX_LISTED])}{_more(len(numbers))}"


def _citation_finding(citation: Citation) -> str:
    place = f"source [{citation.source}]"
    quote = f": {_shown(citation.quote)}" if citation.quote else ""
    others = [f"[{number}]" for number in citation.found_in]
    elsewhere = f" (it stands in {', '.join(others[:_MAX_LISTED])}{_more(len(others))})" if others else ""
    if citation.result is CitationResult.UNKNOWN_SOURCE:
        what = "names no source" if citation.source is None else f"cites {place}, which does not exist"
        return f"citation {citation.ordinal} {what}{elsewhere}{quote}"
    if citation.result is CitationResult.NO_NUMBER:
        return f"citation {citation.ordinal} gives no number{elsewhere}{quote}"
    if citation.source is None:
        place = "any source"
    if citation.result is CitationResult.NEAR:
        passage = "" if citation.snippet is None else f"; the source says {_shown(citation.snippet)}"
        flags = f" ({', '.join(citation.flags)})" if citation.flags else ""
        words = f"the quote of citation {citation.ordinal} is not verbatim in {place}"
        return f"{words}{flags}{elsewhere}{quote}{passage}"
    return f"the quote of citation {citation.ordinal} is not in {place}{elsewhere}{quote}"


def _cut_finding(citation: Citation) -> str:
    what = "number" if Flag.CUTS_NUMBER in citation.flags else "word"
    return (
        f"the quote of citation {citation.ordinal} begins or ends inside a {what} of source "
        f"[{citation.source}]: {_shown(citation.quote or '')}"
    )


def _negated_finding(citation: Citation) -> str:
    return (
        f"a negation of source [{citation.source}] stands beside the quote of citation {citation.ordinal}, "
        f"which may turn its meaning: {_shown(citation.quote or '')}"
    )


def _limited(findings: list[str], what: str) -> Iterator[str]:
    yield from findings[:_MAX_LISTED]
    if len(findings) > _MAX_LISTED:
        yield f"first {_MAX_LISTED} of {len(findings)} {what}"


def _more(count: int) -> str:
    return f" and {count - _MAX_LISTED} more" if count > _MAX_LISTED else ""


def _shown(text: str) -> str:
    """Return a text as one short line in quotation marks, control characters escaped."""
    line = " ".join(text.split())
    cut = line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 3] + "..."
    return '"' + "".join(char if char.isprintable() else ascii(char)[1:-1] for char in cut) + '"'
