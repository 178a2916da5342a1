"""One audit over many machines: what a task of a cluster does with a block of sources, or of rows and texts.

Tables in, tables out, and no engine imported: fetching, matching and searching are those of a local run. All
state lies in the run's folder and in a folder of stores, on storage that every machine sees. Sources are
fetched by slots of hosts, so that a host's limits hold in one process; a source is in its store as soon as it
came, the texts of a slot and the results of a bucket appear by rename when they are complete, so that any
task may be killed and tried again. `quotecheck.batch.cluster` has the order in which an engine runs this.
"""

from __future__ import annotations

import json
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import polars as pl

from quotecheck.batch.elsewhere import HIT_SCHEMA, Hits, named
from quotecheck.batch.found import TEXT_SCHEMA, FoundSource, StoredSources, write_text_rows
from quotecheck.batch.getting import Getter, Kept, PlannedSource, open_fetcher
from quotecheck.batch.hosts import HostWork, first_host
from quotecheck.batch.intermediate import PLAN_SCHEMA
from quotecheck.batch.match import match_rows, peak_bytes, write_part
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.parquet_files import read_files, scan_files
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import SOURCE
from quotecheck.batch.rundir import RunPaths, publish
from quotecheck.batch.searching import searcher_of
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode
from quotecheck.sources.client import Fetcher
from quotecheck.sources.keeping import Keeper
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness
from quotecheck.workers import WorkerPool

_TEXTS_IN_PIECE = 2_048
SLOTS = 256  # of hosts: fixed, so that runs with other numbers of tasks find what was fetched

# What tasks return, besides the files that they put in place.
FETCHED_SCHEMA: dict[str, pl.DataType] = {
    "slot": pl.UInt32(),
    "sources": pl.UInt64(),
    "fetched": pl.UInt64(),
    "came": pl.String(),  # how many sources came from each first host for each reason ("" for none), as JSON
    "hosts": pl.String(),  # [sources fetched, seconds] of each host that was asked, as JSON
    "cpu_seconds": pl.Float64(),
    "peak_bytes": pl.UInt64(),
}
MATCHED_SCHEMA: dict[str, pl.DataType] = {
    "bucket": pl.UInt32(),
    "statuses": pl.String(),  # how many rows have each verdict, as JSON
    "cpu_seconds": pl.Float64(),
    "matching_seconds": pl.Float64(),
    "peak_bytes": pl.UInt64(),
}
# A row for each hit of a search, and one without a quotation for what it left out and cost.
SEARCHED_SCHEMA: dict[str, pl.DataType] = {
    **HIT_SCHEMA,
    "left_out": pl.String(),
    "cpu_seconds": pl.Float64(),
    "peak_bytes": pl.UInt64(),
}
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
class ClusterTask:
    """What every task of an audit needs to know.

    Attributes
    ----------
    root : the run's folder.
    stores : the folder of stores, one for each slot, which outlives the run.
    freshness : which stored entries count.
    fetch, near_threshold : the options of the audit.
    """

    root: Path
    stores: Path
    freshness: Freshness
    fetch: FetchOptions
    near_threshold: float

    @property
    def paths(self) -> RunPaths:
        """The pieces of the run."""
        return RunPaths(self.root)

    @property
    def texts(self) -> Path:
        """The folder with the texts of each slot (`BUCKETED_TEXT_SCHEMA`)."""
        return self.root / "texts"

    def texts_of(self, slot: int) -> Path:
        """Return the texts of a slot; they exist only when complete."""
        return self.texts / f"{slot:03}.parquet"


def with_slots(sources: pl.DataFrame) -> pl.DataFrame:
    """Return planned sources with the `slot` of their host; texts that came with their rows are left out.

    The host is the one at which reading begins: where it redirects to another one, that one's limits hold
    for each task by itself.
    """
    fetched = sources.filter(~pl.col("key").str.starts_with(TEXT_KEY))
    hosts = [first_host(key, spelling) or "" for key, spelling in fetched.select("key", SOURCE).iter_rows()]
    slots = [zlib.crc32(host.encode("utf-8", "surrogatepass")) % SLOTS for host in hosts]
    return fetched.with_columns(slot=pl.Series(slots, dtype=pl.UInt32))


def slot_store(folder: Path, slot: int) -> Path:
    """Return the store of a slot in a folder of stores."""
    return folder / f"{slot:03}.sqlite"


def fetch_slots(sources: pl.DataFrame, *, task: ClusterTask) -> pl.DataFrame:
    """Bring in all sources of some slots (`with_slots`), and write the texts of each slot.

    Slots whose texts are there are left alone. Returns a row for each of the others (`FETCHED_SCHEMA`).
    """
    slots = {
        int(number): frame
        for (number,), frame in sources.partition_by("slot", as_dict=True).items()
        if not task.texts_of(int(number)).exists()
    }
    if not slots:
        return pl.DataFrame(schema=FETCHED_SCHEMA)
    return anyio.run(_fetch_all, task, slots)


@dataclass(slots=True)
class _Came:
    """What came for one slot."""

    fetched: int = 0
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    hosts: Mapping[str, HostWork] = field(default_factory=dict)

    def counted(self, row: dict[str, Any]) -> dict[str, Any]:
        """Count a row of a table of texts, and return it."""
        host = first_host(row["source_key"], row["source"]) or ""
        self.reasons.setdefault(host, Counter())[row["reason_code"] or ""] += 1
        return row

    def cells(self) -> tuple[int, str, str]:
        hosts = {host: (work.fetched, work.seconds) for host, work in self.hosts.items()}
        return self.fetched, json.dumps(self.reasons), json.dumps(hosts)


async def _fetch_all(task: ClusterTask, slots: Mapping[int, pl.DataFrame]) -> pl.DataFrame:
    came = {slot: _Came() for slot in slots}
    started = time.process_time()

    async def fetch(slot: int, pool: WorkerPool, fetcher: Fetcher) -> None:
        await _fetch_slot(task, slot, slots[slot], pool, fetcher, came[slot])

    async with (
        WorkerPool(1) as pool,
        open_fetcher(task.fetch) as fetcher,
        anyio.create_task_group() as group,
    ):
        for slot in slots:
            group.start_soon(fetch, slot, pool, fetcher)
    cpu_seconds = (time.process_time() - started) / len(slots)
    rows = [
        (slot, frame.height, *came[slot].cells(), cpu_seconds, peak_bytes()) for slot, frame in slots.items()
    ]
    return pl.DataFrame(rows, schema=FETCHED_SCHEMA, orient="row")


async def _fetch_slot(
    task: ClusterTask, slot: int, sources: pl.DataFrame, pool: WorkerPool, fetcher: Fetcher, came: _Came
) -> None:
    pages_path, files_path = slot_store(task.stores, slot), slot_store(task.root / "files", slot)
    # Files belong to this run alone: whether it may read them is no other run's business.
    with Store(pages_path) as pages, Store(files_path) as files:
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
        await getter.extract(missing.to_extract, at_once=1, fetcher=fetcher)
        await getter.fetch(missing.to_fetch, fetcher)
        came.fetched, came.hosts = getter.fetched, getter.hosts
        planned = {row["key"]: row for row in sources.iter_rows(named=True)}
        found = StoredSources(pages, files, planned, freshness=task.freshness, extractor=EXTRACTOR_VERSION)
        rows = (came.counted(found.find(key).text_row()) for key in planned)
        _write_texts(task, task.texts_of(slot), rows, planned)


def _ignore(source: PlannedSource, reason: ReasonCode | None) -> None:
    """All that came is counted when the slot is complete."""


def write_texts_of_rows(task: ClusterTask) -> None:
    """Write the texts that came with the rows, for which nothing is fetched, beside those of the slots."""
    path = task.texts / "rows.parquet"
    if path.exists():
        return
    came = read_files(task.paths.sources).filter(pl.col("key").str.starts_with(TEXT_KEY))
    planned = {row["key"]: row for row in came.iter_rows(named=True)}
    with Store(task.paths.texts) as texts:
        found = StoredSources(texts, texts, planned, freshness=task.freshness, extractor=EXTRACTOR_VERSION)
        _write_texts(task, path, (found.find(key).text_row() for key in planned), planned)


def _write_texts(
    task: ClusterTask,
    path: Path,
    texts: Iterator[dict[str, Any]],
    planned: Mapping[str, Mapping[str, Any]],
) -> None:
    rows = ({"bucket": planned[text["source_key"]]["bucket"], **text} for text in texts)
    temporary = task.paths.temporary / f"{path.name}.{uuid.uuid4().hex}"
    write_text_rows(rows, temporary, schema=BUCKETED_TEXT_SCHEMA)
    publish(temporary, path)


def row_files(task: ClusterTask, buckets: Sequence[int]) -> pl.DataFrame:
    """Return the files with the planned rows of some buckets: `bucket` and `path`."""
    files = [(bucket, str(path)) for bucket in buckets for path in task.paths.pieces(bucket)]
    return pl.DataFrame(files, schema={"bucket": pl.UInt32, "path": pl.String}, orient="row")


def text_pieces(task: ClusterTask) -> pl.DataFrame:
    """Return all texts in pieces that fit into memory: `path` of a file, `start` and number of `rows`."""
    pieces = [
        (str(path), start, min(_TEXTS_IN_PIECE, height - start))
        for path in sorted(task.texts.glob("*.parquet"))
        for height in [int(scan_files(path).select(pl.len()).collect().item())]
        for start in range(0, height, _TEXTS_IN_PIECE)
    ]
    schema = {"path": pl.String, "start": pl.Int64, "rows": pl.Int64}
    return pl.DataFrame(pieces, schema=schema, orient="row")


def mixed_rows(files: pl.DataFrame) -> pl.DataFrame:
    """Read planned rows (`row_files`) as part of a table of rows and texts (`MIXED_SCHEMA`)."""
    frames = [
        read_files(path).select(
            pl.lit(bucket, pl.UInt32).alias(name) if name == "bucket"
            else pl.col(name).cast(dtype) if name in PLAN_SCHEMA
            else pl.lit(None, dtype).alias(name)
            for name, dtype in MIXED_SCHEMA.items()
        )
        for bucket, path in files.select("bucket", "path").iter_rows()
    ]  # fmt: skip
    return pl.concat([pl.DataFrame(schema=MIXED_SCHEMA), *frames])


def mixed_texts(pieces: pl.DataFrame, *, buckets: Sequence[int]) -> pl.DataFrame:
    """Read texts (`text_pieces`) of some buckets as part of a table of rows and texts (`MIXED_SCHEMA`)."""
    frames = [
        texts.filter(pl.col("bucket").is_in(buckets)).select(
            pl.col("bucket") if name == "bucket"
            else pl.lit(None, dtype).alias(name) if name in PLAN_SCHEMA
            else pl.col(name.removeprefix(_TEXT)).cast(dtype).alias(name)
            for name, dtype in MIXED_SCHEMA.items()
        )
        for texts in _texts_of(pieces)
    ]  # fmt: skip
    return pl.concat([pl.DataFrame(schema=MIXED_SCHEMA), *frames])


def _texts_of(pieces: pl.DataFrame) -> Iterator[pl.DataFrame]:
    for path, start, rows in pieces.select("path", "start", "rows").iter_rows():
        yield scan_files(path).slice(start, rows).collect()


def match_buckets(mixed: pl.DataFrame, *, task: ClusterTask) -> pl.DataFrame:
    """Match all buckets of a table of rows and texts, and put the results of each in place.

    Returns a row for each bucket (`MATCHED_SCHEMA`).
    """
    done = [
        _match_bucket(task, int(bucket), frame)
        for (bucket,), frame in mixed.partition_by("bucket", as_dict=True).items()
    ]
    return pl.DataFrame(done, schema=MATCHED_SCHEMA, orient="row")


def _match_bucket(task: ClusterTask, bucket: int, mixed: pl.DataFrame) -> tuple[object, ...]:
    started = time.process_time()
    paths = task.paths
    rows = mixed.filter(pl.col("row").is_not_null()).select(list(PLAN_SCHEMA)).sort("row")
    texts = mixed.filter(pl.col("row").is_null())
    _require_whole(paths, bucket, rows, texts)
    places = {key: place for place, key in enumerate(texts[f"{_TEXT}source_key"])}

    def find(key: str) -> FoundSource:
        row = texts.row(places[key], named=True)
        return FoundSource.of_text_row({name: row[f"{_TEXT}{name}"] for name in TEXT_SCHEMA})

    matched = match_rows(rows, find, near_threshold=task.near_threshold)
    name = f"{bucket:05}.{uuid.uuid4().hex}"
    results, sources = paths.temporary / f"{name}.parquet", paths.temporary / f"{name}.sources.parquet"
    write_part(matched, results, sources)
    publish(sources, paths.part_sources(bucket))
    publish(results, paths.part(bucket))
    statuses = matched.results["qc_status"].cast(pl.String).value_counts()
    cpu_seconds = time.process_time() - started
    counted = json.dumps(dict(statuses.iter_rows()))
    return bucket, counted, cpu_seconds, matched.matching_seconds, peak_bytes()


def _require_whole(paths: RunPaths, bucket: int, rows: pl.DataFrame, texts: pl.DataFrame) -> None:
    """Raise RuntimeError unless an engine has brought all rows and texts of a bucket together."""
    planned = scan_files(*paths.pieces(bucket)).select(pl.len()).collect().item()
    wanted = scan_files(paths.sources).filter(pl.col("bucket") == bucket).select(pl.len())
    sources = wanted.collect().item()
    if (rows.height, texts.height) != (planned, sources):
        raise RuntimeError(
            f"bucket {bucket} came with {rows.height:,} of its {planned:,} rows "
            f"and {texts.height:,} of its {sources:,} texts"
        )


def search_texts(pieces: pl.DataFrame, *, quotes: Path) -> pl.DataFrame:
    """Look for quotations (a file with a column `quote`) in texts (`text_pieces`).

    Returns a row for each hit, and one for each piece (`SEARCHED_SCHEMA`).
    """
    return pl.concat(
        [pl.DataFrame(schema=SEARCHED_SCHEMA), *(_searched(texts, quotes) for texts in _texts_of(pieces))]
    )


def _searched(texts: pl.DataFrame, quotes: Path) -> pl.DataFrame:
    started = time.process_time()
    found = map(FoundSource.of_text_row, texts.sort("first_row").iter_rows(named=True))
    hits = searcher_of(quotes).search(source for source in map(named, found) if source is not None)
    left_out = json.dumps([hits.turned_down, hits.sources_cut, hits.unsearchable])
    cost = (left_out, time.process_time() - started, peak_bytes())
    told = pl.DataFrame([cost], schema=["left_out", "cpu_seconds", "peak_bytes"], orient="row")
    return pl.concat([hits.frame, told], how="diagonal").select(
        pl.col(name).cast(dtype) for name, dtype in SEARCHED_SCHEMA.items()
    )


def hits_of(searched: pl.DataFrame) -> Iterator[Hits]:
    """Yield what `search_texts` found and left out."""
    frame = searched.filter(pl.col("quote").is_not_null()).select(list(HIT_SCHEMA))
    for number, left_out in enumerate(searched["left_out"].drop_nulls()):
        turned_down, sources_cut, unsearchable = json.loads(left_out)
        yield Hits(frame if number == 0 else frame.clear(), tuple(turned_down), sources_cut, unsearchable)
