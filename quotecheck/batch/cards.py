"""The rows that a report shows, with the words of the source around each passage.

Only the first rows of each verdict are read; their texts come from the stores that the audit matched against.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import polars as pl

from quotecheck.batch.columns import ROW
from quotecheck.batch.html import clip
from quotecheck.batch.intermediate import scan_plan, scan_results
from quotecheck.batch.records import QUOTE, SOURCE
from quotecheck.batch.report_page import ALARMS, Card, Mark, Passage
from quotecheck.batch.rundir import RunPaths
from quotecheck.models import Difference, Span, Status
from quotecheck.sources.store import Store

LISTED = {
    Status.NOT_FOUND: 500,
    Status.NEAR: 500,
    Status.SOURCE_UNAVAILABLE: 500,
    Status.INVALID: 500,
    Status.EXACT: 100,
}
_AROUND = 160  # characters of context on each side of a passage
_LONGEST = 4_000  # characters of a quotation or passage that a card shows
_TEXTS_HELD = 8


def read_cards(
    paths: RunPaths, stores: Sequence[Store], *, listed: Mapping[Status, int] = LISTED
) -> tuple[Card, ...]:
    """Return the first rows of each verdict that is listed, in row order within a verdict.

    Texts are looked for in the stores in turn; a text that is in none gives a passage without its context.
    """
    shown = pl.concat([_first(paths, status, count) for status, count in listed.items()])
    planned = scan_plan(paths).filter(pl.col("row").is_in(shown[ROW].implode()))
    cells = planned.select("row", "file", "line", QUOTE, SOURCE).collect(engine="streaming")
    joined = shown.join(cells, left_on=ROW, right_on="row", maintain_order="left")
    texts = _Texts(stores)
    # Rows of one source stand together while its text is at hand; the page wants them in row order.
    cards = {row[ROW]: _card(row, texts) for row in joined.sort("qc_text_sha256").iter_rows(named=True)}
    return tuple(cards[row] for row in shown[ROW])


def _first(paths: RunPaths, status: Status, count: int) -> pl.DataFrame:
    wanted = scan_results(paths).filter(pl.col("qc_status").cast(pl.String) == str(status))
    return wanted.bottom_k(count, by=ROW).sort(ROW).collect(engine="streaming")


class _Texts:
    """Texts by their digest, the last few held."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self._stores = stores
        self.of = lru_cache(_TEXTS_HELD)(self._find)

    def _find(self, digest: str) -> str | None:
        for store in self._stores:
            try:
                return store.text(digest)
            except KeyError:
                continue
        return None


def _card(row: Mapping[str, Any], texts: _Texts) -> Card:
    quote = row[QUOTE] or ""
    differences = row["qc_differences"]
    alarmed = not ALARMS.isdisjoint(row["qc_flags"])
    return Card(
        row=row[ROW],
        status=Status(row["qc_status"]),
        quote=quote[:_LONGEST] + ("…" if len(quote) > _LONGEST else ""),
        source=row[SOURCE] or "",
        place=None if row["file"] is None else f"{row['file']}:{row['line']}",
        similarity=row["qc_similarity"],
        difference=row["qc_difference"],
        flags=tuple(row["qc_flags"]),
        marks=tuple(_marks(differences, "quote", 0, alarmed=alarmed)),
        passage=_passage(row, texts, alarmed=alarmed),
        closest=_closest(row, texts),
        reason=row["qc_reason"],
        reason_code=row["qc_reason_code"],
        region=row["qc_region"],
        page=row["qc_page"],
        link=row["qc_passage_url"] or row["qc_final_url"],
        found_in=tuple(row["qc_found_in"]),
    )


def _passage(row: Mapping[str, Any], texts: _Texts, *, alarmed: bool) -> Passage | None:
    start, snippet = row["qc_char_start"], row["qc_snippet"]
    if start is None or snippet is None:
        return None
    before, after = _context(row, texts, (start, row["qc_char_end"]))
    marks = tuple(_marks(row["qc_differences"], "source", start, alarmed=alarmed))
    if len(snippet) > _LONGEST:
        snippet, after = snippet[:_LONGEST], "…"
    return Passage(before, snippet, after, marks)


def _closest(row: Mapping[str, Any], texts: _Texts) -> Passage | None:
    closest = row["qc_closest"]
    if closest is None or closest["char_start"] is None:
        return None
    before, after = _context(row, texts, (closest["char_start"], closest["char_end"]))
    return Passage(before, closest["text"][:_LONGEST], after)


def _context(row: Mapping[str, Any], texts: _Texts, span: Span) -> tuple[str, str]:
    digest = row["qc_text_sha256"]
    text = None if digest is None else texts.of(digest)
    return ("", "") if text is None else clip(text, span, _AROUND)


def _marks(
    differences: Iterable[Mapping[str, Any]], side: str, offset: int, *, alarmed: bool
) -> Iterator[Mark]:
    """Yield where one side differs, as offsets into what a card shows of it."""
    for difference in differences:
        meaning = alarmed and difference["kind"] == Difference.WORDS
        start, end = difference[f"{side}_start"] - offset, difference[f"{side}_end"] - offset
        if end <= _LONGEST:
            yield Mark(start, end, meaning)
