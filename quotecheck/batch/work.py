"""Fetching and matching at once: each source is fetched once, each bucket matched when its last source is in.

The event loop only fetches. Whatever a fetch brings is on disk before anything else happens with it, so that
a process killed at any moment fetches no stored source again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field

import anyio
import polars as pl
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from quotecheck.batch.getting import Getter, Kept, MissingSources, PlannedSource, open_fetcher
from quotecheck.batch.hosts import HostWork, first_host
from quotecheck.batch.interrupt import Interrupt, interruptible
from quotecheck.batch.match import BucketTask
from quotecheck.batch.matching import match_and_publish
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.parquet_files import scan_files
from quotecheck.batch.progress import Progress
from quotecheck.batch.rundir import RunPaths
from quotecheck.batch.shards import Shard
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode
from quotecheck.sources.keeping import Keeper
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness
from quotecheck.workers import WorkerPool


@dataclass(slots=True)
class WorkDone:
    """What this process did for a run."""

    fetched: int = 0
    worker_cpu_seconds: float = 0.0
    matching_seconds: float = 0.0  # of those
    searching_seconds: float = 0.0  # of those, for quotations in other sources
    worker_peak_bytes: int = 0
    hosts: dict[str, HostWork] = field(default_factory=dict)  # what each was asked for

    def add_search(self, cpu_seconds: float, peak_bytes: int) -> None:
        """Count what a search for quotations in other sources cost."""
        self.worker_cpu_seconds += cpu_seconds
        self.searching_seconds += cpu_seconds
        self.worker_peak_bytes = max(self.worker_peak_bytes, peak_bytes)

    def add_host(self, host: str, fetched: int, seconds: float) -> None:
        """Count what one of several processes fetched from a host at the same time."""
        known = self.hosts.get(host, HostWork())
        self.hosts[host] = HostWork(known.fetched + fetched, 0.0, max(known.seconds, seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSettings:
    """How the plan of a run is worked on."""

    freshness: Freshness
    fetch: FetchOptions
    near_threshold: float
    workers: int
    shard: Shard | None = None


async def fetch_and_match(
    paths: RunPaths, store: Store, settings: WorkSettings, *, interrupt: Interrupt, progress: Progress
) -> WorkDone:
    """Bring every bucket of the plan to its results. Raises Interrupted; what is done stays done."""
    # Workers that match are busy for long: those that extract are others, or fetching would wait.
    async with WorkerPool(settings.workers) as extracting, WorkerPool(settings.workers) as matching:
        with Store(paths.texts) as of_the_run:
            run = settings.freshness.run
            pages = Kept(store, Keeper(store, extracting, run=run))
            files = Kept(of_the_run, Keeper(of_the_run, extracting, run=run))
            work = _Work(paths, pages, files, settings, progress)
            await interruptible(interrupt, lambda: work.run(matching))
    return work.done


class _Work:
    """The work on one run; `pages` is the store of all runs, `files` that of this run."""

    def __init__(
        self, paths: RunPaths, pages: Kept, files: Kept, settings: WorkSettings, progress: Progress
    ) -> None:
        self.done = WorkDone()
        self._paths = paths
        self._store = pages.store.path
        self._settings = settings
        self._progress = progress
        self._getter = Getter(
            pages, files, freshness=settings.freshness, options=settings.fetch, ready=self._is_in
        )
        self._waiting_for: Counter[int] = Counter()  # how many sources each bucket waits for
        self._send: MemoryObjectSendStream[int]
        self._ready: MemoryObjectReceiveStream[int]
        self._send, self._ready = anyio.create_memory_object_stream[int](float("inf"))

    async def run(self, matching: WorkerPool) -> None:
        """Fetch and match until every bucket has its results."""
        finished = self._paths.finished_buckets()
        if set(self._paths.planned_buckets()) - finished:
            for path in (self._paths.elsewhere, self._paths.kept_texts):
                path.unlink(missing_ok=True)  # they rest on the results of all buckets
        missing = self._getter.missing(planned_sources(self._paths, without=finished))
        self._waiting_for.update(source.bucket for source in missing.sources())
        self._progress.expect_sources(Counter(map(_host, missing.sources())))
        for bucket in self._paths.planned_buckets():
            if bucket not in finished and not self._waiting_for[bucket]:
                self._send.send_nowait(bucket)
        with self._ready:
            async with anyio.create_task_group() as group:
                for _ in range(self._settings.workers):
                    group.start_soon(self._match_buckets, matching)
                async with self._send:
                    await self._bring_in(missing)
        self.done.fetched, self.done.hosts = self._getter.fetched, self._getter.hosts

    async def _bring_in(self, missing: MissingSources) -> None:
        if not missing:
            return
        async with open_fetcher(self._settings.fetch, self._settings.shard) as fetcher:
            workers = self._settings.workers
            await self._getter.extract(missing.to_extract, at_once=workers, fetcher=fetcher)
            await self._getter.fetch(missing.to_fetch, fetcher)

    def _is_in(self, source: PlannedSource, reason: ReasonCode | None) -> None:
        """Note that a source has been read, or cannot be."""
        self._progress.fetched(_host(source), reason)
        self._waiting_for[source.bucket] -= 1
        if not self._waiting_for[source.bucket]:
            self._send.send_nowait(source.bucket)

    async def _match_buckets(self, pool: WorkerPool) -> None:
        async for bucket in self._ready:
            task = BucketTask(
                root=self._paths.root,
                store=self._store,
                bucket=bucket,
                freshness=self._settings.freshness,
                extractor=EXTRACTOR_VERSION,
                near_threshold=self._settings.near_threshold,
            )
            matched = await match_and_publish(pool, task)
            self.done.worker_cpu_seconds += matched.cpu_seconds
            self.done.matching_seconds += matched.matching_seconds
            self.done.worker_peak_bytes = max(self.done.worker_peak_bytes, matched.peak_bytes)
            self._progress.matched(matched.statuses)


def _host(source: PlannedSource) -> str:
    return first_host(source.key, source.spelling) or ""


def planned_sources(paths: RunPaths, *, without: Container[int] = ()) -> Iterator[PlannedSource]:
    """Yield the sources that the guard does not refuse, of all buckets but those `without`."""
    sources = scan_files(paths.sources).filter(pl.col("refused_code").is_null())
    for row in sources.select("key", "source", "bucket").collect().iter_rows():
        source = PlannedSource(*row)
        if source.bucket not in without:
            yield source
