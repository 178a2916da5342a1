"""One run over many machines: what a task of a cluster does with a block of sources, or of rows and texts.

Tables in, tables out, and no engine imported: fetching, matching and searching are those of a local run. All
state lies in the run's folder and in a folder of stores, on storage that every machine sees. Sources are
fetched by slots of hosts, so that a host's limits hold in one process; the texts of a slot and the results of
a bucket appear by rename when they are complete, so that any task may be killed and tried again.
"""

from __future__ import annotations

import json
import uuid
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import polars as pl

from quotecheck.batch.elsewhere import HIT_SCHEMA, Hits, Searcher, named
from quotecheck.batch.found import TEXT_SCHEMA, FoundSource, StoredSources, write_text_rows
from quotecheck.batch.getting import Getter, Kept, PlannedSource, open_fetcher
from quotecheck.batch.intermediate import PLAN_SCHEMA
from quotecheck.batch.match import match_rows, write_part
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import SOURCE
from quotecheck.batch.rundir import RunPaths, publish
from quotecheck.batch.searching import searcher_of
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode
from quotecheck.sources.client import Fetcher
from quotecheck.sources.keeping import Keeper
from quotecheck.sources.reference import parse_reference
from quotecheck.sources.store import Freshness, Store
from quotecheck.sources.url import parse_url
from quotecheck.workers import WorkerPool

SLOTS = 256  # of hosts: fixed, so that runs with other numbers of blocks find what was fetched
BUCKETED_TEXT_SCHEMA: dict[str, pl.DataType] = {"bucket": pl.UInt32(), **TEXT_SCHEMA}

# Rows and texts in one table, to be brought together by bucket: a row has no text, a text no row number.
# A join would copy each text once for each of its rows.
_TEXT = "text_"
MIXED_SCHEMA: dict[str, pl.DataType] = {
    "bucket": pl.UInt32(),
    **PLAN_SCHEMA,
    **{
        f"{_TEXT}{name}": pl.String() if isinstance(dtype, pl.Enum) else dtype
        for name, dtype in TEXT_SCHEMA.items()
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchTask:
    """What a task needs to know to bring sources in; `stores` is the folder of stores, one for each slot."""

    root: Path
    stores: Path
    freshness: Freshness
    fetch: FetchOptions
    workers: int = 1

    @property
    def texts(self) -> Path:
        """The folder with the texts of each slot."""
        return self.root / "texts"

    def texts_of(self, slot: int) -> Path:
        """Return the texts of a slot; they exist only when complete."""
        return self.texts / f"{slot:03}.parquet"


def slot_of(spelling: str) -> int:
    """Return the slot of the host at which reading a source begins."""
    url = parse_reference(spelling).url
    host = "" if url is None or not url.startswith("http") else parse_url(url).host
    return zlib.crc32(host.encode()) % SLOTS


def with_slots(sources: pl.DataFrame) -> pl.DataFrame:
    """Return planned sources with the slot of their host; texts that came with their rows are left out."""
    fetched = sources.filter(~pl.col("key").str.starts_with(TEXT_KEY))
    slots = [slot_of(spelling) for spelling in fetched[SOURCE]]
    return fetched.with_columns(slot=pl.Series(slots, dtype=pl.UInt32))


def fetch_slots(task: FetchTask, sources: pl.DataFrame) -> pl.DataFrame:
    """Bring in all sources of some slots (`with_slots`), and write the texts of each slot.

    Slots whose texts are there are left alone. Returns a row for each slot: how many sources it has, and how
    many were fetched.
    """
    slots = {
        int(number): frame
        for (number,), frame in sources.partition_by("slot", as_dict=True).items()
        if not task.texts_of(int(number)).exists()
    }
    fetched = anyio.run(lambda: _fetch_slots(task, slots)) if slots else {}
    return pl.DataFrame(
        [(number, frame.height, fetched[number]) for number, frame in slots.items()],
        schema={"slot": pl.UInt32, "sources": pl.UInt64, "fetched": pl.UInt64},
        orient="row",
    )


async def _fetch_slots(task: FetchTask, slots: Mapping[int, pl.DataFrame]) -> dict[int, int]:
    fetched: dict[int, int] = {}

    async def fetch(slot: int, pool: WorkerPool, fetcher: Fetcher) -> None:
        fetched[slot] = await _fetch_slot(task, slot, slots[slot], pool, fetcher)

    async with (
        WorkerPool(task.workers) as pool,
        open_fetcher(task.fetch) as fetcher,
        anyio.create_task_group() as group,
    ):
        for slot in slots:
            group.start_soon(fetch, slot, pool, fetcher)
    return fetched


async def _fetch_slot(
    task: FetchTask, slot: int, sources: pl.DataFrame, pool: WorkerPool, fetcher: Fetcher
) -> int:
    name = f"{slot:03}.sqlite"
    # Files belong to this run alone: whether it may read them is no other run's business.
    with Store(task.stores / name) as pages, Store(task.root / "files" / name) as files:
        run = task.freshness.run
        getter = Getter(
            Kept(pages, Keeper(pages, pool, run=run)),
            Kept(files, Keeper(files, pool, run=run)),
            freshness=task.freshness,
            options=task.fetch,
            ready=_ignore,
        )
        allowed = sources.filter(pl.col("refused_code").is_null()).select("key", SOURCE, "bucket")
        missing = getter.missing(PlannedSource(*row) for row in allowed.iter_rows())
        await getter.extract(missing.to_extract, at_once=task.workers)
        await getter.fetch(missing.to_fetch, fetcher)
        planned = {row["key"]: row for row in sources.iter_rows(named=True)}
        found = StoredSources(pages, files, planned, freshness=task.freshness, extractor=EXTRACTOR_VERSION)
        rows = ({"bucket": planned[key]["bucket"], **found.find(key).text_row()} for key in planned)
        write_texts_of(task, task.texts_of(slot), rows)
    return getter.fetched


def _ignore(source: PlannedSource, reason: ReasonCode | None) -> None: ...


def write_texts_of(task: FetchTask, path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write rows of `BUCKETED_TEXT_SCHEMA` and put them in place."""
    temporary = RunPaths(task.root).temporary / f"{path.name}.{uuid.uuid4().hex}"
    write_text_rows(rows, temporary, schema=BUCKETED_TEXT_SCHEMA)
    publish(temporary, path)


def write_texts_of_rows(task: FetchTask) -> None:
    """Write the texts that came with the rows, for which nothing is fetched, beside those of the slots."""
    path = task.texts / "rows.parquet"
    if path.exists():
        return
    paths = RunPaths(task.root)
    came = pl.read_parquet(paths.sources).filter(pl.col("key").str.starts_with(TEXT_KEY))
    planned = {row["key"]: row for row in came.iter_rows(named=True)}
    with Store(paths.texts) as texts:
        found = StoredSources(texts, texts, planned, freshness=task.freshness, extractor=EXTRACTOR_VERSION)
        rows = ({"bucket": planned[key]["bucket"], **found.find(key).text_row()} for key in planned)
        write_texts_of(task, path, rows)


def mixed_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return planned rows with their bucket as part of a table of rows and texts."""
    return rows.select(
        pl.col(name) if name in rows.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in MIXED_SCHEMA.items()
    )


def mixed_texts(texts: pl.DataFrame) -> pl.DataFrame:
    """Return texts (`BUCKETED_TEXT_SCHEMA`) as part of a table of rows and texts."""
    named = texts.rename({name: f"{_TEXT}{name}" for name in TEXT_SCHEMA})
    return named.select(
        pl.col(name).cast(dtype) if name in named.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in MIXED_SCHEMA.items()
    )


def match_buckets(root: Path, near_threshold: float, mixed: pl.DataFrame) -> pl.DataFrame:
    """Match all buckets of a table of rows and texts, and put the results of each in place.

    Returns a row for each bucket: how many rows have which verdict (as JSON), and CPU seconds of matching.
    """
    done = []
    for (bucket,), frame in mixed.partition_by("bucket", as_dict=True).items():
        statuses, seconds = _match_bucket(RunPaths(root), int(bucket), near_threshold, frame)
        done.append((int(bucket), json.dumps(statuses), seconds))
    schema = {"bucket": pl.UInt32, "statuses": pl.String, "matching_seconds": pl.Float64}
    return pl.DataFrame(done, schema=schema, orient="row")


def _match_bucket(
    paths: RunPaths, bucket: int, near_threshold: float, mixed: pl.DataFrame
) -> tuple[dict[str, int], float]:
    rows = mixed.filter(pl.col("row").is_not_null()).select(list(PLAN_SCHEMA)).sort("row")
    planned = pl.scan_parquet(paths.bucket(bucket) / "*.parquet").select(pl.len()).collect().item()
    if rows.height != planned:
        raise RuntimeError(f"bucket {bucket} came with {rows.height} of its {planned} rows")
    texts = mixed.filter(pl.col("row").is_null())
    places = {key: place for place, key in enumerate(texts[f"{_TEXT}source_key"])}

    def find(key: str) -> FoundSource:
        row = texts.row(places[key], named=True)
        return FoundSource.of_text_row({name: row[f"{_TEXT}{name}"] for name in TEXT_SCHEMA})

    matched = match_rows(rows, find, near_threshold=near_threshold)
    name = f"{bucket:05}.{uuid.uuid4().hex}"
    results, sources = paths.temporary / f"{name}.parquet", paths.temporary / f"{name}.sources.parquet"
    write_part(matched, results, sources)
    publish(sources, paths.part_sources(bucket))
    publish(results, paths.part(bucket))
    statuses = matched.results["qc_status"].cast(pl.String).value_counts()
    return dict(statuses.iter_rows()), matched.matching_seconds


# What a search found in a block: a row for each hit, and one without a quotation for what was left out.
BLOCK_HIT_SCHEMA: dict[str, pl.DataType] = {**HIT_SCHEMA, "left_out": pl.String()}


def search_texts(quotes: Path, texts: pl.DataFrame) -> pl.DataFrame:
    """Look for quotations (a file with a column `quote`) in a block of texts; return `BLOCK_HIT_SCHEMA`."""
    searcher: Searcher = searcher_of(quotes)
    found = map(FoundSource.of_text_row, texts.sort("first_row").iter_rows(named=True))
    hits = searcher.search(source for source in map(named, found) if source is not None)
    left_out = json.dumps([hits.turned_down, hits.sources_cut, hits.unsearchable])
    rows = hits.frame.with_columns(left_out=pl.lit(None, pl.String))
    return pl.concat([rows, pl.DataFrame({"left_out": [left_out]})], how="diagonal").select(
        pl.col(name).cast(dtype) for name, dtype in BLOCK_HIT_SCHEMA.items()
    )


def hits_of(block: pl.DataFrame) -> Iterator[Hits]:
    """Yield what `search_texts` returned, in one table or several put together."""
    frame = block.filter(pl.col("quote").is_not_null()).select(list(HIT_SCHEMA))
    for number, left_out in enumerate(block["left_out"].drop_nulls()):
        turned_down, sources_cut, unsearchable = json.loads(left_out)
        yield Hits(frame if number == 0 else frame.clear(), tuple(turned_down), sources_cut, unsearchable)
