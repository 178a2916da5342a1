"""The search for quotations in other sources, as jobs of worker processes.

A worker takes one part of the batch's sources, from the stores of a run or from a table of texts, and leaves
what it found in a file. A part whose worker dies twice is left out, and that is said.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import anyio
import polars as pl

from quotecheck.batch.elsewhere import (
    HIT_SCHEMA,
    FoundElsewhere,
    Hits,
    NamedSource,
    Searcher,
    absent_rows,
    collected,
    named,
    wanted_quotes,
)
from quotecheck.batch.found import FoundSource, StoredSources, write_text_rows
from quotecheck.batch.intermediate import NOTICES
from quotecheck.batch.interrupt import Interrupt, interruptible
from quotecheck.batch.match import peak_bytes, planned_sources
from quotecheck.batch.parquet_files import read_files, scan_files
from quotecheck.batch.records import QUOTE
from quotecheck.batch.rundir import RunPaths, publish
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness
from quotecheck.workers import WorkerDied, WorkerPool

_JOB = "search_part"


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketPart:
    """The sources of one bucket of a run, in its stores."""

    root: Path
    bucket: int
    store: Path
    freshness: Freshness
    extractor: str

    def sources(self) -> Iterator[FoundSource]:
        """Yield the sources in order of first appearance."""
        paths = RunPaths(self.root)
        # A source that was unavailable when its rows were matched stays out, also if it could be read now.
        found = read_files(paths.part_sources(self.bucket)).filter(pl.col("state") != "unavailable")
        keys = found.sort("first_row")["source_key"]
        with Store(self.store, read_only=True) as pages, Store(paths.texts, read_only=True) as texts:
            stored = StoredSources(
                pages,
                texts,
                planned_sources(paths, keys),
                freshness=self.freshness,
                extractor=self.extractor,
            )
            for key in keys:
                yield stored.find(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsPart:
    """Some rows of a table of texts."""

    path: Path
    start: int
    rows: int

    def sources(self) -> Iterator[FoundSource]:
        """Yield the sources in order of first appearance."""
        texts = scan_files(self.path).slice(self.start, self.rows).collect()
        for row in texts.sort("first_row").iter_rows(named=True):
            yield FoundSource.of_text_row(row)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTask:
    """What a worker needs to know: the file of quotations, the sources, and where to leave what it finds."""

    quotes: Path
    part: BucketPart | TextsPart
    hits: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedPart:
    """What a search left out (see `Hits`), and what it cost."""

    turned_down: tuple[int, ...]
    sources_cut: int
    unsearchable: int
    cpu_seconds: float
    peak_bytes: int


@dataclass(slots=True)
class SearchCost:
    """What the search cost all workers together: CPU seconds, and the memory of the largest."""

    cpu_seconds: float = 0.0
    peak_bytes: int = 0


def search_part(task: SearchTask) -> SearchedPart:
    """Look for the quotations in one part of the sources; leave the hits in a file."""
    started = time.process_time()
    searcher = searcher_of(task.quotes)
    hits = searcher.search(_named(task.part.sources()))
    hits.frame.write_parquet(task.hits)
    return SearchedPart(
        turned_down=hits.turned_down,
        sources_cut=hits.sources_cut,
        unsearchable=hits.unsearchable,
        cpu_seconds=time.process_time() - started,
        peak_bytes=peak_bytes(),
    )


@lru_cache(maxsize=1)
def searcher_of(quotes: Path) -> Searcher:
    """Return the index of a file of quotations; the process keeps the last one."""
    return Searcher(read_files(quotes)[QUOTE])


def _named(sources: Iterator[FoundSource]) -> Iterator[NamedSource]:
    for found in sources:
        source = named(found)
        if source is not None:
            yield source


def bucket_parts(paths: RunPaths, store: Path, freshness: Freshness) -> list[BucketPart]:
    """Return the sources of a run, bucket by bucket."""
    return [
        BucketPart(
            root=paths.root, bucket=bucket, store=store, freshness=freshness, extractor=EXTRACTOR_VERSION
        )
        for bucket in sorted(paths.finished_buckets())
    ]


async def look_elsewhere(
    paths: RunPaths, parts: Sequence[BucketPart], *, workers: int, interrupt: Interrupt
) -> SearchCost:
    """Look for the quotations that a matched run did not find in all of its sources, and keep what is found.

    Raises Interrupted; then nothing is kept.
    """
    found, cost = await search_everywhere(
        absent_rows(paths), parts, temporary=paths.temporary, workers=workers, interrupt=interrupt
    )
    keep_findings(paths, found)
    return cost


def keep_findings(paths: RunPaths, found: FoundElsewhere) -> None:
    """Put in place what a search in the sources of a run has found."""
    temporary = paths.temporary / paths.elsewhere.name
    found.rows.write_parquet(temporary, metadata={NOTICES: json.dumps(found.notices)})
    publish(temporary, paths.elsewhere)


async def search_everywhere(
    absent: pl.DataFrame,
    parts: Sequence[BucketPart | TextsPart],
    *,
    temporary: Path,
    workers: int,
    interrupt: Interrupt,
) -> tuple[FoundElsewhere, SearchCost]:
    """Look for the quotations of `absent` rows (`ABSENT_SCHEMA`) in all parts. Raises Interrupted.

    Files go into the folder `temporary`. The result is the same whatever the number of workers.
    """
    cost = SearchCost()
    if absent.is_empty():
        return collected(absent, absent[QUOTE], []), cost
    quotes = wanted_quotes(absent)
    # A worker keeps the index of the last file it was given, so every file has a name of its own.
    path = temporary / f"quotes-{secrets.token_hex(8)}.parquet"
    pl.DataFrame({QUOTE: quotes}).write_parquet(path)
    found: dict[int, Hits] = {}

    async def search(pool: WorkerPool, number: int) -> None:
        hits = path.with_name(f"{path.stem}-{number:05}.hits")
        try:
            searched = await pool.run(_JOB, SearchTask(quotes=path, part=parts[number], hits=hits), retries=1)
        except WorkerDied:
            found[number] = Hits(pl.DataFrame(schema=HIT_SCHEMA), failed=True)
            return
        assert isinstance(searched, SearchedPart)
        cost.cpu_seconds += searched.cpu_seconds
        cost.peak_bytes = max(cost.peak_bytes, searched.peak_bytes)
        found[number] = Hits(
            read_files(hits), searched.turned_down, searched.sources_cut, searched.unsearchable
        )
        hits.unlink()

    async def search_all() -> None:
        async with WorkerPool(workers) as pool, anyio.create_task_group() as group:
            for number in range(len(parts)):
                group.start_soon(search, pool, number)

    await interruptible(interrupt, search_all)
    path.unlink()
    return collected(absent, quotes, [found[number] for number in sorted(found)]), cost


def write_texts(parts: Sequence[BucketPart], paths: RunPaths) -> None:
    """Write the texts of all parts as one table (`TEXT_SCHEMA`), where they are not kept already."""
    if paths.kept_texts.exists():
        return
    temporary = paths.temporary / paths.kept_texts.name
    rows = (found.text_row() for part in parts for found in part.sources())
    write_text_rows(rows, temporary)
    publish(temporary, paths.kept_texts)
