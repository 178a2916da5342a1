"""The HTML report of reviewed answers: each answer with its marks linked to their sources, and every verdict.

See `quotecheck.batch.html` for what keeps a page safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from quotecheck.batch.html import bdi, clip, document, shown, spoken
from quotecheck.citations.bulk import AnswerRecord, GroupSummary, total_of
from quotecheck.citations.quotes import HOLDS
from quotecheck.citations.report import NOT_JUDGED, AnswerReport, Citation, Origin
from quotecheck.citations.sources import NumberedSource

_MAX_ANSWER = 20_000
_MAX_CITATIONS = 100
_SOURCE_CHARACTERS = 500
_AROUND = 60
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """A mark in an answer, or a stretch that a citation belongs to, and the numbers it cites."""

    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One citation: the result, the quoted words, and the passage with what stands around it."""

    result: str
    holds: bool
    source: str | None
    number: int | None
    quote: str | None
    before: str
    passage: str | None
    after: str
    found_in: tuple[int, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source by number and title, with the beginning of its text."""

    number: int
    title: str | None
    text: str
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCard:
    """One answer as a person reads it; `uncited` are spans of sentences without a number."""

    row: int
    id: str | None
    group: str | None
    ok: bool
    text: str
    characters: int
    marks: tuple[MarkedSpan, ...]
    uncited: tuple[tuple[int, int], ...]
    verdicts: tuple[Verdict, ...]
    n_citations: int
    sources: tuple[ShownSource, ...]
    warnings: tuple[str, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersPage:
    """What the report shows: counts and group figures over all answers, and cards for the first of them."""

    title: str
    finished: str
    answers: int
    answers_ok: int
    rejected: int
    warnings: dict[str, int]
    groups: tuple[GroupSummary, ...]
    gates: tuple[tuple[str, bool], ...]
    cards: tuple[AnswerCard, ...]


def card_of(record: AnswerRecord, report: AnswerReport, sources: Sequence[NumberedSource]) -> AnswerCard:
    """Return the card of one answer, long texts cut."""
    text = report.answer_text[:_MAX_ANSWER]
    texts = {source.number: source.text for source in sources}
    marks = [MarkedSpan(mark.start, mark.end, mark.numbers) for mark in report.marks]
    marks += [span for citation in report.citations if (span := _span_of(citation)) is not None]
    return AnswerCard(
        row=record.row,
        id=record.id,
        group=record.group,
        ok=report.ok,
        text=text,
        characters=len(report.answer_text),
        marks=tuple(sorted((mark for mark in marks if mark.end <= len(text)), key=lambda mark: mark.start)),
        uncited=tuple((row.start, row.end) for row in report.uncited_sentences if row.end <= len(text)),
        verdicts=tuple(_verdict(citation, texts) for citation in report.citations[:_MAX_CITATIONS]),
        n_citations=len(report.citations),
        sources=tuple(_shown_source(source) for source in sources),
        warnings=tuple(str(warning) for warning in report.warnings),
        findings=report.findings,
    )


def _span_of(citation: Citation) -> MarkedSpan | None:
    """Return the stretch of the answer that a citation other than a mark belongs to."""
    if citation.origin is Origin.MARKER or citation.answer_start is None or citation.answer_end is None:
        return None
    numbers = (citation.source,) if isinstance(citation.source, int) else ()
    return MarkedSpan(citation.answer_start, citation.answer_end, numbers)


def _verdict(citation: Citation, texts: dict[int, str]) -> Verdict:
    number = citation.source if isinstance(citation.source, int) and citation.source in texts else None
    before = after = ""
    if citation.char_start is not None and citation.char_end is not None:
        place = number if number is not None else citation.found_in[0]
        before, after = clip(texts[place], (citation.char_start, citation.char_end), _AROUND)
    return Verdict(
        result=str(citation.result),
        holds=citation.result in HOLDS,
        source=None if citation.source is None else str(citation.source),
        number=number,
        quote=citation.quote,
        before=before,
        passage=citation.snippet,
        after=after,
        found_in=citation.found_in,
        flags=tuple(str(flag) for flag in citation.flags),
    )


def _shown_source(source: NumberedSource) -> ShownSource:
    text = source.text.strip()
    is_cut = len(text) > _SOURCE_CHARACTERS
    return ShownSource(source.number, source.title, text[:_SOURCE_CHARACTERS], is_cut)


def render(page: AnswersPage) -> str:
    """Return the report as one HTML document."""
    return document(
        f"{page.title}: citations of answers",
        "\n".join(_body(page)),
        styles=("report.css", "answers.css"),
        script="report.js",
    )


def _body(page: AnswersPage) -> Iterator[str]:
    rejected = f" {page.rejected:,} more rows could not be read." if page.rejected else ""
    yield '<div class="wrap">'
    yield f"<header><h1>{bdi(page.title)}</h1>"
    yield f'<p class="lead">{page.answers:,} answers, finished {shown(page.finished)}.{rejected}</p></header>'
    for name, passed in page.gates:
        kind, words = ("holds", "holds") if passed else ("fails", "does not hold")
        yield f'<p class="{kind}">{shown(name)}: {words}</p>'
    yield _groups(page.groups)
    yield _tools(page)
    yield "<main>"
    yield from (_card(card) for card in page.cards)
    yield '<p class="none" id="none" hidden>No answer matches. <kbd>Esc</kbd> clears the filters.</p>'
    yield "</main>"
    yield f"<footer>{_limits(page)} {shown(NOT_JUDGED)}</footer></div>"


def _groups(groups: Sequence[GroupSummary]) -> str:
    named = [(bdi(group.group) if group.group is not None else "without a group", group) for group in groups]
    # Answers of which none names a group are their own total.
    if [group.group for group in groups] == [None]:
        named = []
    rows = "".join(
        f"<tr><td>{name}</td>"
        f'<td class="number">{group.answers:,}</td>'
        + "".join(
            f'<td class="number">{_percent(group.to_dict()[name])}</td>'
            for name in ("ok_rate", "quote_hold_rate", "number_valid_rate", "sentence_coverage")
        )
        + "</tr>"
        for name, group in [("all answers", total_of(groups)), *named]
    )
    return (
        "<table><thead><tr><th>Group</th><th>Answers</th><th>Ok</th><th>Quotes that hold</th>"
        f"<th>Valid numbers</th><th>Sentences cited</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _percent(rate: object) -> str:
    return f"{rate:.1%}" if isinstance(rate, float) else "–"


def _tools(page: AnswersPage) -> str:
    counts = {"PROBLEM": page.answers - page.answers_ok, "OK": page.answers_ok}
    buttons = "".join(
        f'<button type="button" data-status="{status}" aria-pressed="true">'
        f'<span class="dot {status}"></span>{status.capitalize()} {count:,}</button>'
        for status, count in counts.items()
        if count
    )
    options = "".join(
        f'<option value="{escape(name)}">{spoken(name)} ({count:,})</option>'
        for name, count in sorted(page.warnings.items())
    )
    return (
        '<div class="tools" id="tools" hidden>'
        f'<div class="row" role="group" aria-label="Verdicts">{buttons}</div><div class="row">'
        '<input type="search" id="search" placeholder="Search answers and sources" aria-label="Search">'
        f'<select id="flag" aria-label="Warning"><option value="">All warnings</option>{options}</select>'
        '<span class="shown" id="shown" role="status"></span></div>'
        '<p class="keys"><kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous, '
        "<kbd>1</kbd> <kbd>2</kbd> verdicts, <kbd>Esc</kbd> show all</p></div>"
    )


def _card(card: AnswerCard) -> str:
    status = "OK" if card.ok else "PROBLEM"
    warnings = "".join(f'<span class="flag">{spoken(warning)}</span>' for warning in card.warnings)
    names = [f"row {card.row}", *(bdi(name) for name in (card.id, card.group) if name is not None)]
    cut = f" (first {len(card.text):,} of {card.characters:,} characters)" * (
        len(card.text) < card.characters
    )
    return "".join(
        (
            f'<article class="card {status}" id="row-{card.row}" tabindex="-1" data-status="{status}" '
            f'data-flags="{escape(" ".join(card.warnings))}">',
            f'<div class="head"><span class="verdict">{status.capitalize()}</span>{warnings}'
            f'<span class="place">{", ".join(names)}</span></div>',
            f'<span class="label">Answer{cut}</span>',
            f'<p class="words" dir="auto">{"".join(_marked_text(card))}</p>',
            _verdicts(card),
            _findings(card.findings),
            _sources(card),
            "</article>",
        )
    )


def _marked_text(card: AnswerCard) -> Iterator[str]:
    """Yield the answer's text, marks as links to their sources, sentences without a number set apart."""
    uncited = [
        span for span in card.uncited if not any(span[0] < m.end and m.start < span[1] for m in card.marks)
    ]
    pieces: list[tuple[int, int, MarkedSpan | None]] = [(start, end, None) for start, end in uncited]
    pieces += [(mark.start, mark.end, mark) for mark in card.marks]
    done = 0
    for start, end, mark in sorted(pieces, key=lambda piece: (piece[0], -piece[1])):
        if start < done:
            continue
        yield shown(card.text[done:start])
        piece = card.text[start:end]
        yield f'<span class="uncited">{shown(piece)}</span>' if mark is None else _mark(card, piece, mark)
        done = end
    yield shown(card.text[done:])


def _mark(card: AnswerCard, text: str, mark: MarkedSpan) -> str:
    """Return a mark, each number in it a link to its source; without a number in it, one link."""
    if not any(int(digits) in mark.numbers for digits in _DIGITS.findall(text)):
        number = mark.numbers[0] if mark.numbers else None
        return _link(card, number, shown(text))
    parts, done = [], 0
    for match in _DIGITS.finditer(text):
        number = int(match[0])
        parts.append(shown(text[done : match.start()]))
        parts.append(_link(card, number, shown(match[0])) if number in mark.numbers else shown(match[0]))
        done = match.end()
    return f'<span class="mark">{"".join(parts)}{shown(text[done:])}</span>'


def _link(card: AnswerCard, number: int | None, html: str) -> str:
    """Return a link to a source of the card, or what shows that there is none."""
    if any(source.number == number for source in card.sources):
        return f'<a class="mark" href="#row-{card.row}-source-{number}">{html}</a>'
    return f'<span class="mark unknown">{html}</span>'


def _verdicts(card: AnswerCard) -> str:
    if not card.verdicts:
        return ""
    cut = f" (first {len(card.verdicts):,} of {card.n_citations:,})" * (len(card.verdicts) < card.n_citations)
    items = "".join(f"<li>{_verdict_line(card, verdict)}</li>" for verdict in card.verdicts)
    return f'<span class="label">Citations{cut}</span><ol class="citations">{items}</ol>'


def _verdict_line(card: AnswerCard, verdict: Verdict) -> str:
    source = "" if verdict.source is None else f" [{_link(card, verdict.number, bdi(verdict.source))}]"
    parts = [f'<span class="result {verdict.result}">{spoken(verdict.result)}</span>{source}']
    parts += [f' <span class="flag alarm">{spoken(flag)}</span>' for flag in verdict.flags]
    if verdict.quote:
        parts.append(f' <q class="words" dir="auto">{shown(verdict.quote)}</q>')
    if verdict.passage is not None and verdict.passage != verdict.quote:
        parts.append(
            f'<p class="words context" dir="auto">{shown(verdict.before)}'
            f'<span class="passage">{shown(verdict.passage)}</span>{shown(verdict.after)}</p>'
        )
    if verdict.found_in and not verdict.holds:
        places = ", ".join(f"[{_link(card, number, str(number))}]" for number in verdict.found_in)
        parts.append(f'<p class="reason">The quoted words stand in {places}.</p>')
    return "".join(parts)


def _findings(findings: Iterable[str]) -> str:
    items = "".join(f"<li>{bdi(finding)}</li>" for finding in findings)
    return f'<span class="label">Findings</span><ul class="findings">{items}</ul>' if items else ""


def _sources(card: AnswerCard) -> str:
    items = "".join(
        f'<div class="given" id="row-{card.row}-source-{source.number}">[{source.number}] '
        f"{'' if source.title is None else f'<b>{bdi(source.title)}</b> '}"
        f'<span class="words" dir="auto">{shown(source.text)}{"…" if source.is_cut else ""}</span></div>'
        for source in card.sources
    )
    return f"<details open><summary>{len(card.sources):,} sources</summary>{items}</details>"


def _limits(page: AnswersPage) -> str:
    totals = {True: page.answers_ok, False: page.answers - page.answers_ok}
    cut = []
    for is_ok, total in totals.items():
        listed = sum(card.ok is is_ok for card in page.cards)
        if listed < total:
            cut.append(f"{'ok' if is_ok else 'problem'}: first {listed:,} of {total:,}")
    return f"Listed here: {'; '.join(cut)}. The tables have every answer." if cut else ""
