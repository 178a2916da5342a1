"""Matching one bucket: the job of a worker process.

A worker reads its rows and texts itself, so that nothing large crosses the pipe, and leaves the results in a
file that the parent puts in place: a worker that outlives its parent can then never touch a later run.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck.batch.columns import ROW, VERDICT_SCHEMA
from quotecheck.batch.intermediate import SOURCE_SCHEMA
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import QUOTE, SOURCE, WRONG, WRONG_CODE
from quotecheck.batch.rundir import RunPaths
from quotecheck.batch.verdicts import HELD, Verdicts
from quotecheck.errors import SourceUnavailable
from quotecheck.models import CheckResult, ReasonCode, Source, Status
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.store import Freshness, Store, StoredFailure, StoredPage
from quotecheck.text.match import PreparedText

# Results are read back in windows of rows: small groups of rows keep what is read beside a window small.
_ROW_GROUP = 4_096


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
    """Where a worker left a bucket's results, and what they cost: CPU seconds in all, and for matching."""

    bucket: int
    results: Path
    sources: Path
    rows: int
    statuses: dict[str, int]
    cpu_seconds: float
    matching_seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class _Found:
    """One source as a worker found it: its text, or why there is none."""

    key: str
    spelling: str
    source: Source | None = None
    page: StoredPage | None = None
    failure: SourceUnavailable | None = None


def match_bucket(task: BucketTask) -> MatchedBucket:
    """Match all rows of a bucket against their sources; leave results and sources in the run's folder."""
    started = time.process_time()
    paths = RunPaths(task.root)
    rows = pl.read_parquet(paths.bucket(task.bucket) / "*.parquet")
    if task.only is not None:
        rows = rows.filter(pl.col("key") == task.only)
    usable = rows.filter(pl.col(WRONG_CODE).is_null())
    sources = _sources_of(paths, usable)
    with Store(task.store, read_only=True) as store, Store(paths.texts, read_only=True) as texts:
        finder = _Finder(task, store, texts, sources)
        verdicts, found = _match_sources(usable, finder)
    results = pl.concat([_invalid_rows(rows.filter(pl.col(WRONG_CODE).is_not_null())), verdicts]).sort(ROW)
    name = f"{task.bucket:05}.{os.getpid()}"
    results_path = paths.temporary / f"{name}.parquet"
    sources_path = paths.temporary / f"{name}.sources.parquet"
    results.write_parquet(results_path, row_group_size=_ROW_GROUP)
    pl.DataFrame(found, schema=SOURCE_SCHEMA).write_parquet(sources_path)
    return MatchedBucket(
        bucket=task.bucket,
        results=results_path,
        sources=sources_path,
        rows=results.height,
        statuses=dict(results["qc_status"].cast(pl.String).value_counts().iter_rows()),
        cpu_seconds=time.process_time() - started,
        matching_seconds=finder.matching_seconds,
        peak_bytes=_peak_bytes(),
    )


def _peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _sources_of(paths: RunPaths, usable: pl.DataFrame) -> dict[str, dict[str, Any]]:
    """Return what the plan knows of the rows' sources, by key."""
    wanted = usable["key"].unique()
    planned = pl.scan_parquet(paths.sources).filter(pl.col("key").is_in(wanted.implode())).collect()
    return {row["key"]: row for row in planned.iter_rows(named=True)}


def _match_sources(usable: pl.DataFrame, finder: _Finder) -> tuple[pl.DataFrame, list[dict[str, object]]]:
    """Return the rows' results, and a row for each source; equal quotations of a source are matched once."""
    pairs = usable.select("key", QUOTE).unique().sort("key", QUOTE).with_row_index("pair")
    verdicts = Verdicts()
    found = []
    for key, quotes in pairs.group_by("key", maintain_order=True).agg(QUOTE).iter_rows():
        source = finder.find(key)
        fetched_at = source.page.fetched_at if source.page else None
        for results in finder.check(source, quotes):
            verdicts.add(results, source_key=key, fetched_at=fetched_at)
        found.append(finder.describe(source))
    numbered = usable.join(pairs, on=["key", QUOTE], how="left", maintain_order="left")
    rows = verdicts.frame()[numbered["pair"]]
    return rows.insert_column(0, usable["row"].alias(ROW)), found


class _Finder:
    """Finds the texts of a bucket's sources, and matches quotations against them."""

    def __init__(
        self, task: BucketTask, store: Store, texts: Store, sources: dict[str, dict[str, Any]]
    ) -> None:
        self.matching_seconds = 0.0
        self._task = task
        self._store = store
        self._texts = texts
        self._sources = sources

    def find(self, key: str) -> _Found:
        """Return the source with this key: its text, or why there is none."""
        planned = self._sources[key]
        spelling = planned[SOURCE] or ""
        if key in self._task.broken:
            detail = "matching it ends the process that does it"
            return _Found(key, spelling, failure=unavailable(ReasonCode.INTERNAL_ERROR, key, detail))
        if key.startswith(TEXT_KEY):
            return _Found(key, spelling, Source(self._texts.text(key.removeprefix(TEXT_KEY))))
        if planned["refused_code"] is not None:
            code = ReasonCode(planned["refused_code"])
            return _Found(key, spelling, failure=SourceUnavailable(code, planned["refused"]))
        match self._store.outcome(key, self._task.freshness):
            case StoredPage() as page:
                return self._read(page, spelling)
            case StoredFailure() as failure:
                return _Found(key, spelling, failure=failure.error())
            case None:
                return _Found(key, spelling, failure=unavailable(ReasonCode.NOT_IN_STORE, key))

    def _read(self, page: StoredPage, spelling: str) -> _Found:
        try:
            return _Found(page.key, spelling, self._store.source(page, self._task.extractor), page)
        except SourceUnavailable as error:
            return _Found(page.key, spelling, None, page, error)

    def check(self, found: _Found, quotes: Sequence[str]) -> Iterator[Sequence[CheckResult]]:
        """Yield the verdicts on quotations in a source, in order, some thousands at a time."""
        if found.source is None:
            yield [_unavailable(found.failure)] * len(quotes)
            return
        with self._matching():
            prepared = PreparedText(found.source)
        for start in range(0, len(quotes), HELD):
            with self._matching():
                results = self._checked(prepared, quotes[start : start + HELD])
            yield results

    def _checked(self, prepared: PreparedText, quotes: Sequence[str]) -> list[CheckResult]:
        try:
            return prepared.check_many(quotes, near_threshold=self._task.near_threshold)
        except Exception as error:  # a fault of ours costs one quotation, not the run
            if len(quotes) > 1:
                return [result for quote in quotes for result in self._checked(prepared, [quote])]
            detail = f"matching failed with {type(error).__name__}"
            return [_unavailable(unavailable(ReasonCode.INTERNAL_ERROR, None, detail))]

    @contextmanager
    def _matching(self) -> Iterator[None]:
        started = time.process_time()
        yield
        self.matching_seconds += time.process_time() - started

    def describe(self, found: _Found) -> dict[str, object]:
        """Return a source's row of the sources table."""
        source, page, failure = found.source, found.page, found.failure
        state = "unavailable" if source is None else "read" if page else "text"
        return {
            "source_key": found.key,
            "source": found.spelling,
            "state": state,
            "rows": self._sources[found.key]["rows"],
            "reason_code": failure and str(failure.reason_code),
            "reason": failure and failure.reason,
            "final_url": page.final_url if page else failure and failure.final_url,
            "hops": list(page.hops) if page else [],
            "http_status": page and page.status,
            "content_type": page and page.content_type,
            "charset": source and source.charset,
            "fetched_at": page and page.fetched_at,
            "bytes": page and self._store.size(page.body_sha256),
            "characters": source and len(source.text),
            "body_sha256": page and page.body_sha256,
            "text_sha256": source and source.text_sha256,
            "title": source and source.title,
        }


def _unavailable(failure: SourceUnavailable | None) -> CheckResult:
    assert failure is not None
    return CheckResult(
        status=Status.SOURCE_UNAVAILABLE,
        source_final_url=failure.final_url,
        reason=failure.reason,
        reason_code=failure.reason_code,
    )


def _invalid_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the results of rows that name no usable quotation or source."""
    known = {
        "qc_status": pl.lit(str(Status.INVALID)),
        "qc_occurrences": pl.lit(0),
        "qc_reason_code": pl.col(WRONG_CODE),
        "qc_reason": pl.col(WRONG),
        "qc_source_key": pl.col("key"),
        **{name: pl.lit([]) for name in ("qc_flags", "qc_differences", "qc_segments", "qc_found_in")},
    }
    return rows.select(
        pl.col("row").alias(ROW),
        *(known.get(name, pl.lit(None)).cast(dtype).alias(name) for name, dtype in VERDICT_SCHEMA.items()),
    )
