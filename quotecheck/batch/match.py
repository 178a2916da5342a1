"""Matching one bucket: the job of a worker process.

A worker reads its rows and texts itself, so that nothing large crosses the pipe, and leaves the results in a
file that the parent puts in place: a worker that outlives its parent can then never touch a later run.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck.batch.columns import ROW, VERDICT_SCHEMA
from quotecheck.batch.found import FoundSource, StoredSources
from quotecheck.batch.intermediate import SOURCE_SCHEMA
from quotecheck.batch.parquet_files import read_files, scan_files
from quotecheck.batch.records import QUOTE, WRONG, WRONG_CODE
from quotecheck.batch.rundir import RunPaths
from quotecheck.batch.verdicts import HELD, Verdicts
from quotecheck.errors import SourceUnavailable
from quotecheck.models import CheckResult, ReasonCode, Status
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness
from quotecheck.text.match import PreparedText

# Sources found before the first of them is matched: so many, or with so much text.
_SOURCES_AHEAD = 64
_CHARACTERS_AHEAD = 4_000_000
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedRows:
    """Results by row number, a row for each source, and the CPU seconds that matching took."""

    results: pl.DataFrame
    sources: pl.DataFrame
    matching_seconds: float


def match_bucket(task: BucketTask) -> MatchedBucket:
    """Match all rows of a bucket against their sources; leave results and sources in the run's folder."""
    started = time.process_time()
    paths = RunPaths(task.root)
    rows = read_files(*paths.pieces(task.bucket))
    if task.only is not None:
        rows = rows.filter(pl.col("key") == task.only)
    with Store(task.store, read_only=True) as store, Store(paths.texts, read_only=True) as texts:
        sources = StoredSources(
            store,
            texts,
            planned_sources(paths, rows["key"]),
            freshness=task.freshness,
            extractor=task.extractor,
            broken=task.broken,
        )
        matched = match_rows(rows, sources.find, near_threshold=task.near_threshold)
    name = f"{task.bucket:05}.{os.getpid()}"
    results_path = paths.temporary / f"{name}.parquet"
    sources_path = paths.temporary / f"{name}.sources.parquet"
    write_part(matched, results_path, sources_path)
    return MatchedBucket(
        bucket=task.bucket,
        results=results_path,
        sources=sources_path,
        rows=matched.results.height,
        statuses=dict(matched.results["qc_status"].cast(pl.String).value_counts().iter_rows()),
        cpu_seconds=time.process_time() - started,
        matching_seconds=matched.matching_seconds,
        peak_bytes=peak_bytes(),
    )


def match_rows(
    rows: pl.DataFrame, find: Callable[[str], FoundSource], *, near_threshold: float
) -> MatchedRows:
    """Match planned rows (columns of `PLAN_SCHEMA`) against their sources, which `find` gives by key.

    Wherever rows are matched, in a local run or on a cluster, this does it.
    """
    usable = rows.filter(pl.col(WRONG_CODE).is_null())
    matcher = _Matcher(near_threshold)
    verdicts, sources = _match_sources(usable, find, matcher)
    invalid = _invalid_rows(rows.filter(pl.col(WRONG_CODE).is_not_null()))
    return MatchedRows(
        results=pl.concat([invalid, verdicts]).sort(ROW) if invalid.height else verdicts,
        sources=pl.DataFrame(sources, schema=SOURCE_SCHEMA),
        matching_seconds=matcher.seconds,
    )


def write_part(matched: MatchedRows, results: Path, sources: Path) -> None:
    """Write the two files of a bucket."""
    matched.results.write_parquet(results, compression="lz4", row_group_size=_ROW_GROUP)
    matched.sources.write_parquet(sources)


def peak_bytes() -> int:
    """Return the most memory that this process has used."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def planned_sources(paths: RunPaths, keys: pl.Series) -> dict[str, dict[str, Any]]:
    """Return what the plan knows of sources, by key."""
    wanted = pl.col("key").is_in(keys.unique().implode())
    planned = scan_files(paths.sources).filter(wanted).collect()
    return {row["key"]: row for row in planned.iter_rows(named=True)}


def _match_sources(
    usable: pl.DataFrame, find: Callable[[str], FoundSource], matcher: _Matcher
) -> tuple[pl.DataFrame, list[Mapping[str, Any]]]:
    """Return the rows' results, and a row for each source; equal quotations of a source are matched once."""
    is_other = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in ("key", QUOTE))
    paired = (
        usable.select("row", "key", QUOTE)
        .sort("key", QUOTE)
        .with_columns(is_other=is_other)
        .with_columns(pair=pl.col("is_other").cum_sum() - 1)
    )
    pairs = paired.filter("is_other")
    verdicts = Verdicts()
    sources = []
    grouped = pairs.group_by("key", maintain_order=True).agg(QUOTE).iter_rows()
    for held in _found_ahead(grouped, find):
        for found, results in matcher.check(held):
            verdicts.add(results, source_key=found.key, fetched_at=found.row["fetched_at"])
        sources += [found.row for found, _ in held]
    in_order = paired.select("row", "pair").sort("row")
    rows = verdicts.frame()[in_order["pair"]]
    return rows.insert_column(0, in_order["row"].alias(ROW)), sources


def _found_ahead(
    grouped: Iterable[tuple[str, list[str]]], find: Callable[[str], FoundSource]
) -> Iterator[list[tuple[FoundSource, list[str]]]]:
    """Yield sources with their quotations, some at once: they are found before the first is matched.

    In turn with matching, which sweeps the processor's caches, finding one costs three times the CPU.
    """
    held: list[tuple[FoundSource, list[str]]] = []
    characters = 0
    for key, quotes in grouped:
        found = find(key)
        held.append((found, quotes))
        characters += 0 if found.source is None else len(found.source.text)
        if len(held) >= _SOURCES_AHEAD or characters >= _CHARACTERS_AHEAD:
            yield held
            held, characters = [], 0
    yield held


class _Matcher:
    """Matches quotations against sources and measures the CPU it takes."""

    def __init__(self, near_threshold: float) -> None:
        self.seconds = 0.0
        self._near_threshold = near_threshold

    def check(
        self, held: Iterable[tuple[FoundSource, Sequence[str]]]
    ) -> Iterator[tuple[FoundSource, Sequence[CheckResult]]]:
        """Yield the verdicts on the quotations in each source, in order; of one source perhaps in parts.

        Some thousands are made before the first of them is yielded: to look at the clock for each source
        costs as much as to find one exact quotation.
        """
        done: list[tuple[FoundSource, Sequence[CheckResult]]] = []
        number = 0
        started = time.process_time()
        for found, quotes in held:
            for results in self._results(found, quotes):
                done.append((found, results))
                number += len(results)
                if number >= HELD:
                    self.seconds += time.process_time() - started
                    yield from done
                    done, number = [], 0
                    started = time.process_time()
        self.seconds += time.process_time() - started
        yield from done

    def _results(self, found: FoundSource, quotes: Sequence[str]) -> Iterator[Sequence[CheckResult]]:
        if found.source is None:
            yield [_unavailable(found.failure)] * len(quotes)
            return
        prepared = PreparedText(found.source)
        for start in range(0, len(quotes), HELD):
            yield self._checked(prepared, quotes[start : start + HELD])

    def _checked(self, prepared: PreparedText, quotes: Sequence[str]) -> list[CheckResult]:
        try:
            return prepared.check_many(quotes, near_threshold=self._near_threshold)
        except Exception as error:  # a fault of ours costs one quotation, not the run
            if len(quotes) > 1:
                return [result for quote in quotes for result in self._checked(prepared, [quote])]
            detail = f"matching failed with {type(error).__name__}"
            return [_unavailable(unavailable(ReasonCode.INTERNAL_ERROR, None, detail))]


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
