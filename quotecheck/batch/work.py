"""Fetching and matching at once: each source is fetched once, each bucket matched when its last source is in.

The event loop only fetches. Whatever a fetch brings is on disk before anything else happens with it, so that
a process killed at any moment fetches no stored source again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

import anyio
import polars as pl
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from quotecheck.batch.interrupt import Interrupt, interruptible
from quotecheck.batch.match import BucketTask
from quotecheck.batch.matching import match_and_publish
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.progress import Progress
from quotecheck.batch.rundir import RunPaths
from quotecheck.batch.shards import Shard
from quotecheck.errors import SourceUnavailable
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import FetchRequest, Outcome
from quotecheck.sources.keeping import Keeper, request_for
from quotecheck.sources.reasons import REFUSED
from quotecheck.sources.reference import FILE_KEY, parse_reference
from quotecheck.sources.store import Freshness, Store, StoredPage
from quotecheck.workers import WorkerPool


@dataclass(slots=True)
class WorkDone:
    """What this process did for a run."""

    fetched: int = 0
    worker_cpu_seconds: float = 0.0
    matching_seconds: float = 0.0  # of those
    searching_seconds: float = 0.0  # of those, for quotations in other sources
    worker_peak_bytes: int = 0

    def add_search(self, cpu_seconds: float, peak_bytes: int) -> None:
        """Count what a search for quotations in other sources cost."""
        self.worker_cpu_seconds += cpu_seconds
        self.searching_seconds += cpu_seconds
        self.worker_peak_bytes = max(self.worker_peak_bytes, peak_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkSettings:
    """How the plan of a run is worked on."""

    freshness: Freshness
    fetch: FetchOptions
    near_threshold: float
    workers: int
    shard: Shard | None = None


@dataclass(frozen=True, slots=True)
class _Source:
    """A source of the plan that is not ready for matching."""

    key: str
    spelling: str
    bucket: int
    page: StoredPage | None  # stale where the source is to be fetched


async def fetch_and_match(
    paths: RunPaths, store: Store, settings: WorkSettings, *, interrupt: Interrupt, progress: Progress
) -> WorkDone:
    """Bring every bucket of the plan to its results. Raises Interrupted; what is done stays done."""
    # Workers that match are busy for long: those that extract are others, or fetching would wait.
    async with WorkerPool(settings.workers) as extracting, WorkerPool(settings.workers) as matching:
        with Store(paths.texts) as of_the_run:
            run = settings.freshness.run
            pages = _Kept(store, Keeper(store, extracting, run=run))
            files = _Kept(of_the_run, Keeper(of_the_run, extracting, run=run))
            work = _Work(paths, pages, files, settings, progress)
            await interruptible(interrupt, lambda: work.run(matching))
    return work.done


class _Kept(NamedTuple):
    """A store, and the keeper that puts into it what comes."""

    store: Store
    keeper: Keeper


class _Work:
    """The work on one run; `pages` is the store of all runs, `files` that of this run."""

    def __init__(
        self, paths: RunPaths, pages: _Kept, files: _Kept, settings: WorkSettings, progress: Progress
    ) -> None:
        self.done = WorkDone()
        self._paths = paths
        self._pages = pages
        self._files = files
        self._settings = settings
        self._progress = progress
        self._waiting_for: Counter[int] = Counter()  # how many sources each bucket waits for
        self._send: MemoryObjectSendStream[int]
        self._ready: MemoryObjectReceiveStream[int]
        self._send, self._ready = anyio.create_memory_object_stream[int](float("inf"))

    async def run(self, matching: WorkerPool) -> None:
        """Fetch and match until every bucket has its results."""
        finished = self._paths.finished_buckets()
        if set(self._paths.planned_buckets()) - finished:
            self._paths.elsewhere.unlink(missing_ok=True)  # it rests on the results of all buckets
        to_fetch, to_extract = self._split_sources(finished)
        self._progress.expect_sources(len(to_fetch) + len(to_extract))
        for bucket in self._paths.planned_buckets():
            if bucket not in finished and not self._waiting_for[bucket]:
                self._send.send_nowait(bucket)
        with self._ready:
            async with anyio.create_task_group() as group:
                for _ in range(self._settings.workers):
                    group.start_soon(self._match_buckets, matching)
                async with self._send:
                    await self._extract_stored(to_extract)
                    await self._fetch(to_fetch)

    def _split_sources(self, finished: set[int]) -> tuple[list[_Source], list[_Source]]:
        """Return the sources to fetch, and those whose stored page this version has not read yet."""
        sources = pl.scan_parquet(self._paths.sources).filter(pl.col("refused_code").is_null())
        to_fetch: list[_Source] = []
        to_extract: list[_Source] = []
        for key, spelling, bucket in sources.select("key", "source", "bucket").collect().iter_rows():
            if bucket in finished or key.startswith(TEXT_KEY):
                continue
            store, is_file = self._kept(key).store, key.startswith(FILE_KEY)
            match store.outcome(key, self._settings.freshness):
                case StoredPage() as page if not store.is_extracted(page, EXTRACTOR_VERSION):
                    to_extract.append(_Source(key, spelling, bucket, page))
                case None if is_file or not self._settings.fetch.offline:
                    stale = None if self._settings.fetch.refresh else store.page(key)
                    to_fetch.append(_Source(key, spelling, bucket, stale))
                case _:
                    continue
            self._waiting_for[bucket] += 1
        return to_fetch, to_extract

    def _kept(self, key: str) -> _Kept:
        """Return where a source is kept: never a file among the pages, where runs with other folders look."""
        return self._files if key.startswith(FILE_KEY) else self._pages

    async def _extract_stored(self, sources: list[_Source]) -> None:
        limit = anyio.Semaphore(self._settings.workers)

        async def extract(source: _Source) -> None:
            assert source.page is not None
            reference = parse_reference(source.spelling)
            keeper = self._kept(source.key).keeper
            self._progress.fetched(await keeper.read_again(source.page, reference))
            self._is_in(source.bucket)
            limit.release()

        async with anyio.create_task_group() as group:
            for source in sources:
                await limit.acquire()
                group.start_soon(extract, source)

    async def _fetch(self, sources: list[_Source]) -> None:
        if not sources:
            return
        buckets = {source.key: source.bucket for source in sources}

        async def handle(request: FetchRequest, outcome: Outcome) -> None:
            self.done.fetched += not _is_refusal(outcome)
            keeper = self._kept(request.reference.key).keeper
            self._progress.fetched(await keeper.keep(outcome, request.reference))
            self._is_in(buckets[request.reference.key])

        options = self._settings.fetch
        # Other shards ask the same hosts at the same time.
        shards = 1 if self._settings.shard is None else self._settings.shard.count
        async with Fetcher(
            contact=options.contact,
            files_root=options.files_root,
            doi_fallback=options.doi_fallback,
            concurrency=options.concurrency,
            per_host=max(1, options.per_host // shards),
            rate_share=1 / shards,
        ) as fetcher:
            requests = (request_for(parse_reference(source.spelling), source.page) for source in sources)
            await fetcher.fetch_many(requests, handle)

    def _is_in(self, bucket: int) -> None:
        """Note that a source of the bucket has been read, or cannot be."""
        self._waiting_for[bucket] -= 1
        if not self._waiting_for[bucket]:
            self._send.send_nowait(bucket)

    async def _match_buckets(self, pool: WorkerPool) -> None:
        async for bucket in self._ready:
            task = BucketTask(
                root=self._paths.root,
                store=self._pages.store.path,
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


def _is_refusal(outcome: Outcome) -> bool:
    """Tell whether nothing was read or contacted: the guard refused it."""
    return isinstance(outcome, SourceUnavailable) and (
        outcome.reason_code in REFUSED or outcome.reason_code is ReasonCode.FILE_OUTSIDE_ROOT
    )
