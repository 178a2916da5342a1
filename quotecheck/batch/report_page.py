"""The HTML report of an audit as a page; see `quotecheck.batch.html` for what keeps it safe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from quotecheck.batch.html import bdi, document, shown, spoken
from quotecheck.models import Flag, Status

# Flags that say the meaning may have turned: shown so that nobody reads past them.
ALARMS = frozenset(
    {
        Flag.NUMBER_CHANGED,
        Flag.NEGATION_CHANGED,
        Flag.MODALITY_CHANGED,
        Flag.UNIT_CHANGED,
        Flag.NEGATION_NEARBY,
        Flag.NEGATION_ELIDED,
    }
)

_ORDER = (Status.NOT_FOUND, Status.NEAR, Status.SOURCE_UNAVAILABLE, Status.INVALID, Status.EXACT)
_NAMES = {
    Status.NOT_FOUND: "Not found",
    Status.NEAR: "Near",
    Status.SOURCE_UNAVAILABLE: "Source unavailable",
    Status.INVALID: "Invalid row",
    Status.EXACT: "Exact",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of a shown text that differs; `meaning` where the difference may turn the meaning."""

    start: int
    end: int
    meaning: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a source with the words around it; marks are offsets into `text`."""

    before: str
    text: str
    after: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One row of the audit, as a person reads it; `marks` are offsets into `quote`."""

    row: int
    status: Status
    quote: str
    source: str
    place: str | None = None
    similarity: float | None = None
    difference: str | None = None
    flags: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    passage: Passage | None = None
    closest: Passage | None = None
    reason: str | None = None
    reason_code: str | None = None
    region: str | None = None
    page: int | None = None
    link: str | None = None
    found_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What the report shows: counts over all rows, and cards for the first of them."""

    title: str
    finished: str
    counts: dict[Status, int]
    rejected: int = 0
    flags: dict[str, int] = field(default_factory=dict)
    hosts: tuple[tuple[str, int, str], ...] = ()
    equal_pages: tuple[tuple[str, int, int, str], ...] = ()
    equal_pages_total: int = 0
    gates: tuple[tuple[str, bool], ...] = ()
    cards: tuple[Card, ...] = ()
    limit: int = 0


def render(page: Page) -> str:
    """Return the report as one HTML document."""
    return document(
        f"{page.title}: quotation audit", "\n".join(_body(page)), styles=("report.css",), script="report.js"
    )


def _body(page: Page) -> Iterator[str]:
    rows = sum(page.counts.values())
    yield '<div class="wrap">'
    yield f"<header><h1>{bdi(page.title)}</h1>"
    yield f'<p class="lead">{rows:,} rows audited, finished {shown(page.finished)}.{_rejected(page)}</p>'
    yield _bar(page.counts, rows)
    yield "</header>"
    yield _gates(page.gates)
    yield _tools(page)
    yield "<main>"
    yield from (_card(card) for card in page.cards)
    yield '<p class="none" id="none" hidden>No row matches. <kbd>Esc</kbd> clears the filters.</p>'
    yield "</main>"
    yield _hosts(page.hosts)
    yield _equal_pages(page.equal_pages, page.equal_pages_total)
    yield f"<footer>{_limits(page)} EXACT means that the words stand in the source, not that they are true."
    yield "</footer></div>"


def _rejected(page: Page) -> str:
    return f" {page.rejected:,} more records could not be read as rows." if page.rejected else ""


def _bar(counts: dict[Status, int], rows: int) -> str:
    parts, left = [], 0.0
    for status in Status:
        width = 1000 * counts.get(status, 0) / rows if rows else 0
        if width:
            parts.append(f'<rect class="{status}" x="{left:.2f}" y="0" width="{width:.2f}" height="12"/>')
        left += width
    label = ", ".join(f"{_NAMES[s]} {counts[s]:,}" for s in Status if counts.get(s))
    return (
        f'<svg class="bar" viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _gates(gates: Sequence[tuple[str, bool]]) -> str:
    return "\n".join(
        f'<p class="holds">{shown(name)}: holds</p>'
        if passed
        else f'<p class="fails">{shown(name)}: does not hold</p>'
        for name, passed in gates
    )


def _tools(page: Page) -> str:
    buttons = "".join(
        f'<button type="button" data-status="{status}" aria-pressed="true">'
        f'<span class="dot {status}"></span>{_NAMES[status]} {page.counts[status]:,}</button>'
        for status in _ORDER
        if page.counts.get(status)
    )
    options = "".join(
        f'<option value="{escape(name)}">{spoken(name)} ({count:,})</option>'
        for name, count in sorted(page.flags.items())
    )
    return (
        '<div class="tools" id="tools" hidden>'
        f'<div class="row" role="group" aria-label="Verdicts">{buttons}</div><div class="row">'
        '<input type="search" id="search" placeholder="Search quotations and sources" aria-label="Search">'
        f'<select id="flag" aria-label="Flag"><option value="">All flags</option>{options}</select>'
        '<span class="shown" id="shown" role="status"></span></div>'
        '<p class="keys"><kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> next and previous, '
        "<kbd>1</kbd> to <kbd>5</kbd> verdicts, <kbd>Esc</kbd> show all</p></div>"
    )


def _card(card: Card) -> str:
    parts = [
        f'<article class="card {card.status}" id="row-{card.row}" tabindex="-1" '
        f'data-status="{card.status}" data-flags="{escape(" ".join(card.flags))}">',
        _card_head(card),
        '<span class="label">Quotation</span>',
        f'<p class="words" dir="auto">{_marked(card.quote, card.marks, "del")}</p>',
    ]
    if card.passage is not None:
        parts.append(_passage(_passage_label(card), card.passage))
    if card.closest is not None:
        parts.append(_passage("Closest passage, not a match", card.closest))
    if card.reason is not None:
        code = f" <code>{shown(card.reason_code)}</code>" if card.reason_code else ""
        parts.append(f'<p class="reason">{bdi(card.reason)}{code}</p>')
    if card.found_in:
        parts.append(f'<p class="reason">Stands in another source of this audit: {_links(card.found_in)}</p>')
    parts.append(f'<p class="source">{_source(card)}</p></article>')
    return "".join(parts)


def _card_head(card: Card) -> str:
    score = "" if card.similarity is None else f"<span>{card.similarity:.3f}</span>"
    kind = f"<span>{spoken(card.difference)}</span>" if card.difference not in (None, "none") else ""
    flags = "".join(
        f'<span class="flag{" alarm" if flag in ALARMS else ""}">{spoken(flag)}</span>' for flag in card.flags
    )
    place = f"row {card.row}" + (f", {bdi(card.place)}" if card.place else "")
    return (
        f'<div class="head"><span class="verdict">{_NAMES[card.status]}</span>{score}{kind}{flags}'
        f'<span class="place">{place}</span></div>'
    )


def _passage_label(card: Card) -> str:
    where = f", page {card.page}" if card.page is not None else ""
    hidden = f", not in the visible text ({spoken(card.region)})" if card.region else ""
    return f"In the source{where}{hidden}"


def _passage(label: str, passage: Passage) -> str:
    return (
        f'<span class="label">{shown(label)}</span>'
        f'<p class="words context" dir="auto">{shown(passage.before)}'
        f'<span class="passage">{_marked(passage.text, passage.marks, "ins")}</span>'
        f"{shown(passage.after)}</p>"
    )


def _source(card: Card) -> str:
    named = bdi(card.source)
    if card.link is None or not card.link.startswith(("http://", "https://")):
        return named
    return f'<a href="{escape(card.link)}" rel="noopener noreferrer">{named}</a>'


def _links(sources: Iterable[str]) -> str:
    return ", ".join(bdi(source) for source in sources)


def _hosts(hosts: Sequence[tuple[str, int, str]]) -> str:
    if not hosts:
        return ""
    rows = "".join(
        f'<tr><td>{bdi(host)}</td><td class="number">{count:,}</td><td>{shown(why)}</td></tr>'
        for host, count, why in hosts
    )
    return (
        "<details><summary>Hosts with most problems</summary><table><thead><tr><th>Host</th>"
        f"<th>Rows</th><th>Mostly</th></tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _equal_pages(found: Sequence[tuple[str, int, int, str]], total: int) -> str:
    if not found:
        return ""
    cut = f" (first {len(found):,} of {total:,})" if total > len(found) else ""
    rows = "".join(
        f'<tr><td>{bdi(host)}</td><td class="number">{sources:,}</td><td class="number">{count:,}</td>'
        f"<td>{bdi(example)}</td></tr>"
        for host, sources, count, example in found
    )
    return (
        f"<details><summary>Same text at different addresses of a host: a wall or an error page?{cut}"
        "</summary><table><thead><tr><th>Host</th><th>Sources</th><th>Rows</th><th>For example</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></details>"
    )


def _limits(page: Page) -> str:
    listed: dict[Status, int] = {}
    for card in page.cards:
        listed[card.status] = listed.get(card.status, 0) + 1
    cut = [
        f"{_NAMES[status]}: first {listed.get(status, 0):,} of {total:,}"
        for status, total in page.counts.items()
        if total > listed.get(status, 0)
    ]
    return f"Listed here: {'; '.join(cut)}. The result table has every row." if cut else ""


def _marked(text: str, marks: Sequence[Mark], tag: str) -> str:
    """Return escaped text with each mark in a `del` or `ins` element; marks that overlap are skipped."""
    parts, done = [], 0
    for mark in marks:
        if mark.start < done or mark.end <= mark.start or mark.end > len(text):
            continue
        kind = ' class="meaning"' if mark.meaning else ""
        parts.append(shown(text[done : mark.start]))
        parts.append(f"<{tag}{kind}>{shown(text[mark.start : mark.end])}</{tag}>")
        done = mark.end
    parts.append(shown(text[done:]))
    return "".join(parts)
