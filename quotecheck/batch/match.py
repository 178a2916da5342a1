"""Matching one bucket: the job of a worker process.

A worker reads its rows and texts itself, so that nothing large crosses the pipe, and leaves the results in a
file that the parent puts in place: a worker that outlives its parent can then never touch a later run.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from quotecheck.batch.columns import ROW, VERDICT_SCHEMA
from quotecheck.batch.intermediate import SOURCE_SCHEMA
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import QUOTE, SOURCE, WRONG, WRONG_CODE
from quotecheck.batch.rundir import RunPaths
from quotecheck.errors import SourceUnavailable
from quotecheck.models import CheckResult, ReasonCode, Source, Status
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import parse_reference
from quotecheck.sources.store import Freshness, Store, StoredFailure, StoredPage
from quotecheck.text.match import PreparedText

# Quotations of one source that are matched before their results become columns.
_SLICE = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketTask:
    """What a worker needs to know to match one bucket.

    `only` restricts it to one source; the sources in `broken` are known to kill workers and are not matched.
    """

    root: Path
    store: Path
    bucket: int
    freshness: Freshness
    extractor: str
    near_threshold: float
    only: str | None = None
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedBucket:
    """Where a worker left a bucket's results, and what they cost."""

    bucket: int
    results: Path
    sources: Path
    rows: int
    statuses: dict[str, int]
    cpu_seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class _Text:
    """One source as a worker found it: its text or why there is none."""

    key: str
    spelling: str | None
    source: Source | None = None
    page: StoredPage | None = None
    failure: SourceUnavailable | None = None


def match_bucket(task: BucketTask) -> MatchedBucket:
    """Match all rows of a bucket against their sources; write results and sources beside the run."""
    started = time.process_time()
    paths = RunPaths(task.root)
    rows = pl.read_parquet(paths.bucket(task.bucket) / "*.parquet")
    if task.only is not None:
        rows = rows.filter(pl.col("key") == task.only)
    pieces = [invalid_rows(rows.filter(pl.col(WRONG_CODE).is_not_null()))]
    sources: list[dict[str, object]] = []
    with Store(task.store, read_only=True) as store, Store(paths.texts, read_only=True) as texts:
        for (key, spelling), group in _by_source(rows.filter(pl.col(WRONG_CODE).is_null())):
            text = _find_text(key, spelling, task, store, texts)
            pieces.extend(_match_source(text, group, task.near_threshold))
            sources.append(_source_row(text, group.height, store))
    results = pl.concat(pieces).sort(ROW)
    name = f"{task.bucket:05}.{os.getpid()}"
    results_path = paths.temporary / f"{name}.parquet"
    sources_path = paths.temporary / f"{name}.sources.parquet"
    results.write_parquet(results_path, row_group_size=4096)
    pl.DataFrame(sources, schema=SOURCE_SCHEMA).write_parquet(sources_path)
    return MatchedBucket(
        bucket=task.bucket,
        results=results_path,
        sources=sources_path,
        rows=results.height,
        statuses=dict(results["qc_status"].cast(pl.String).value_counts().iter_rows()),
        cpu_seconds=time.process_time() - started,
        peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )


def _by_source(rows: pl.DataFrame) -> Iterator[tuple[tuple[str, str | None], pl.DataFrame]]:
    """Yield each source's key and first spelling with its rows."""
    for frame in rows.sort("key", "row").partition_by("key", maintain_order=True):
        yield (frame["key"][0], frame[SOURCE][0]), frame


def _find_text(key: str, spelling: str | None, task: BucketTask, store: Store, texts: Store) -> _Text:
    if key in task.broken:
        detail = "matching it ends the process that does it"
        return _Text(key, spelling, failure=unavailable(ReasonCode.INTERNAL_ERROR, key, detail))
    if key.startswith(TEXT_KEY):
        return _Text(key, spelling, Source(texts.text(key.removeprefix(TEXT_KEY))))
    reference = parse_reference(spelling or "")
    if reference.refusal is not None:
        return _Text(key, spelling, failure=SourceUnavailable(*reference.refusal))
    match store.outcome(key, task.freshness):
        case StoredPage() as page:
            try:
                return _Text(key, spelling, store.source(page, task.extractor), page)
            except SourceUnavailable as error:
                return _Text(key, spelling, None, page, error)
        case StoredFailure() as failure:
            return _Text(key, spelling, failure=failure.error())
        case None:
            return _Text(key, spelling, failure=unavailable(ReasonCode.NOT_IN_STORE, key))


def _match_source(text: _Text, group: pl.DataFrame, near_threshold: float) -> Iterator[pl.DataFrame]:
    """Yield the results of one source's rows; equal quotations are matched once."""
    if text.source is None:
        yield _unavailable_rows(text, group)
        return
    prepared = PreparedText(text.source)
    quotes = group[QUOTE].unique(maintain_order=True)
    for start in range(0, len(quotes), _SLICE):
        part = quotes.slice(start, _SLICE)
        results = prepared.check_many(part.to_list(), near_threshold=near_threshold)
        verdicts = result_columns(results).with_columns(
            part.alias(QUOTE),
            qc_source_key=pl.lit(text.key),
            qc_fetched_at=pl.lit(text.source.fetched_at, pl.Datetime("us", "UTC")),
        )
        joined = group.select(pl.col("row").alias(ROW), QUOTE).join(verdicts, on=QUOTE)
        yield joined.select(ROW, *VERDICT_SCHEMA)


def result_columns(results: Sequence[CheckResult]) -> pl.DataFrame:
    """Return results as the verdict columns, those of the row's own source left null."""
    columns: dict[str, Iterable[object]] = {
        "qc_status": [str(result.status) for result in results],
        "qc_similarity": [result.similarity for result in results],
        "qc_char_start": [result.char_start for result in results],
        "qc_char_end": [result.char_end for result in results],
        "qc_snippet": [result.snippet for result in results],
        "qc_difference": [
            None if result.difference is None else str(result.difference) for result in results
        ],
        "qc_flags": [list(map(str, result.flags)) for result in results],
        "qc_differences": [
            result.to_dict()["differences"] if result.differences else [] for result in results
        ],
        "qc_segments": [list(map(list, result.segments)) for result in results],
        "qc_occurrences": [result.occurrences for result in results],
        "qc_region": [result.region for result in results],
        "qc_page": [result.page for result in results],
        "qc_closest": [result.to_dict()["closest"] if result.closest else None for result in results],
        "qc_reason_code": [
            None if result.reason_code is None else str(result.reason_code) for result in results
        ],
        "qc_reason": [result.reason for result in results],
        "qc_source_key": [None for _ in results],
        "qc_final_url": [result.source_final_url for result in results],
        "qc_passage_url": [result.passage_url for result in results],
        "qc_text_sha256": [result.text_sha256 for result in results],
        "qc_fetched_at": [None for _ in results],
        "qc_found_in": [[] for _ in results],
    }
    return pl.DataFrame([pl.Series(name, values, VERDICT_SCHEMA[name]) for name, values in columns.items()])


def invalid_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the results of rows that name no usable quotation or source."""
    known = {"qc_reason_code": pl.col(WRONG_CODE), "qc_reason": pl.col(WRONG), "qc_source_key": pl.col("key")}
    return _without_verdict(rows, Status.INVALID, known)


def _unavailable_rows(text: _Text, group: pl.DataFrame) -> pl.DataFrame:
    failure = text.failure
    assert failure is not None
    known = {
        "qc_reason_code": pl.lit(str(failure.reason_code)),
        "qc_reason": pl.lit(failure.reason),
        "qc_source_key": pl.lit(text.key),
        "qc_final_url": pl.lit(failure.final_url, pl.String),
        "qc_fetched_at": pl.lit(text.page and text.page.fetched_at, pl.Datetime("us", "UTC")),
    }
    return _without_verdict(group, Status.SOURCE_UNAVAILABLE, known)


def _without_verdict(rows: pl.DataFrame, status: Status, known: dict[str, pl.Expr]) -> pl.DataFrame:
    known = {
        "qc_status": pl.lit(str(status)),
        "qc_occurrences": pl.lit(0),
        **{name: pl.lit([]) for name in ("qc_flags", "qc_differences", "qc_segments", "qc_found_in")},
        **known,
    }
    return rows.select(
        pl.col("row").alias(ROW),
        *(known.get(name, pl.lit(None)).cast(dtype).alias(name) for name, dtype in VERDICT_SCHEMA.items()),
    )


def _source_row(text: _Text, rows: int, store: Store) -> dict[str, object]:
    source, page, failure = text.source, text.page, text.failure
    state = "unavailable" if source is None else "read" if page else "text"
    return {
        "source_key": text.key,
        "source": text.spelling,
        "state": state,
        "rows": rows,
        "reason_code": failure and str(failure.reason_code),
        "reason": failure and failure.reason,
        "final_url": page.final_url if page else failure and failure.final_url,
        "hops": list(page.hops) if page else [],
        "http_status": page and page.status,
        "content_type": page and page.content_type,
        "charset": source and source.charset,
        "fetched_at": page and page.fetched_at,
        "bytes": page and store.size(page.body_sha256),
        "characters": source and len(source.text),
        "body_sha256": page and page.body_sha256,
        "text_sha256": source and source.text_sha256,
        "title": source and source.title,
    }
