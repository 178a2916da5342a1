"""Sources as an audit found them: the text of each, or why there is none.

A run finds its sources in stores. Where a run is split, over shards or over the tasks of a cluster, they
travel as rows of a table of texts, which holds all that matching needs.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck.batch.intermediate import SOURCE_SCHEMA
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import SOURCE
from quotecheck.batch.writers import streamed
from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode, Source
from quotecheck.sources.details import details_of, restored_source
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import FILE_KEY
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness, StoredFailure, StoredPage

_TEXTS_AT_ONCE = 128  # rows of a table of texts that are read at once: 5 MB is the largest page
_CHARACTERS_HELD = 16_000_000

# A table of texts: the row of the sources table, then the text and what its markup says about parts of it.
TEXT_SCHEMA: dict[str, pl.DataType] = {**SOURCE_SCHEMA, "details": pl.String(), "text": pl.String()}


@dataclass(frozen=True, slots=True)
class FoundSource:
    """One source: its text, or why there is none, and its row of the sources table."""

    key: str
    source: Source | None
    failure: SourceUnavailable | None
    row: Mapping[str, Any]

    def text_row(self) -> dict[str, Any]:
        """Return the row of a table of texts that stands for this source."""
        if self.source is None:
            return {**self.row, "details": None, "text": None}
        details = json.dumps(details_of(self.source), separators=(",", ":"))
        return {**self.row, "details": details, "text": self.source.text}

    @classmethod
    def of_text_row(cls, text_row: Mapping[str, Any]) -> FoundSource:
        """Return the source that a row of a table of texts stands for."""
        row = {name: text_row[name] for name in SOURCE_SCHEMA}
        key, text = row["source_key"], text_row["text"]
        if text is None:
            code = ReasonCode(row["reason_code"])
            return cls(key, None, SourceUnavailable(code, row["reason"], final_url=row["final_url"]), row)
        source = restored_source(
            text,
            json.loads(text_row["details"]),
            final_url=row["final_url"],
            content_type=row["content_type"],
            fetched_at=row["fetched_at"],
        )
        return cls(key, source, None, row)


class StoredSources:
    """The sources of a run, found in the store of pages and in the run's own.

    That one holds texts which came with the rows, and files: only this run knows that it may read them.
    `planned` are rows of the plan's table of sources by key; those in `broken` are not to be matched.
    """

    def __init__(
        self,
        pages: Store,
        texts: Store,
        planned: Mapping[str, Mapping[str, Any]],
        *,
        freshness: Freshness,
        extractor: str,
        broken: Collection[str] = (),
    ) -> None:
        self._pages = pages
        self._texts = texts
        self._planned = planned
        self._freshness = freshness
        self._extractor = extractor
        self._broken = broken

    def find(self, key: str) -> FoundSource:
        """Return the source with this key: its text, or why there is none."""
        planned = self._planned[key]
        if key in self._broken:
            detail = "matching it ends the process that does it"
            return self._failed(key, unavailable(ReasonCode.INTERNAL_ERROR, key, detail))
        if key.startswith(TEXT_KEY):
            source = Source(self._texts.text(key.removeprefix(TEXT_KEY)))
            return FoundSource(key, source, None, self._row(key, source))
        if planned["refused_code"] is not None:
            code = ReasonCode(planned["refused_code"])
            return self._failed(key, SourceUnavailable(code, planned["refused"]))
        store = self._texts if key.startswith(FILE_KEY) else self._pages
        match store.outcome(key, self._freshness):
            case StoredPage() as page:
                return self._read(key, page, store)
            case StoredFailure() as failure:
                return self._failed(key, failure.error())
            case None:
                return self._failed(key, unavailable(ReasonCode.NOT_IN_STORE, key))

    def _read(self, key: str, page: StoredPage, store: Store) -> FoundSource:
        try:
            source = store.source(page, self._extractor)
        except SourceUnavailable as error:
            return self._failed(key, error, page)
        return FoundSource(key, source, None, self._row(key, source, page))

    def _failed(self, key: str, failure: SourceUnavailable, page: StoredPage | None = None) -> FoundSource:
        return FoundSource(key, None, failure, self._row(key, None, page, failure))

    def _row(
        self,
        key: str,
        source: Source | None,
        page: StoredPage | None = None,
        failure: SourceUnavailable | None = None,
    ) -> dict[str, Any]:
        """Return a source's row of the sources table."""
        planned = self._planned[key]
        return {
            "source_key": key,
            "source": planned[SOURCE] or "",
            "state": "unavailable" if source is None else "read" if page else "text",
            "rows": planned["rows"],
            "first_row": planned["first_row"],
            "reason_code": failure and str(failure.reason_code),
            "reason": failure and failure.reason,
            "final_url": page.final_url if page else failure and failure.final_url,
            "hops": list(page.hops) if page else [],
            "http_status": page and page.status,
            "content_type": page and page.content_type,
            "charset": source and source.charset,
            "fetched_at": page and page.fetched_at,
            "bytes": page and page.body_bytes,
            "characters": source and len(source.text),
            "body_sha256": page and page.body_sha256,
            "text_sha256": source and source.text_sha256,
            "title": source and source.title,
        }


def write_text_rows(
    rows: Iterable[Mapping[str, Any]], path: Path, *, schema: Mapping[str, pl.DataType] = TEXT_SCHEMA
) -> None:
    """Write rows of a table of texts to a file, a few at a time; `schema` may have columns beside its own."""
    frames = streamed(lambda: _text_frames(rows, schema), dict(schema))
    frames.sink_parquet(path, row_group_size=_TEXTS_AT_ONCE, compression="zstd", compression_level=1)


def _text_frames(
    rows: Iterable[Mapping[str, Any]], schema: Mapping[str, pl.DataType]
) -> Iterator[pl.DataFrame]:
    held: list[Mapping[str, Any]] = []
    characters = 0
    for row in rows:
        held.append(row)
        characters += len(row["text"] or "")
        if len(held) == _TEXTS_AT_ONCE or characters > _CHARACTERS_HELD:
            yield pl.DataFrame(held, schema=schema)
            held, characters = [], 0
    yield pl.DataFrame(held, schema=schema)
