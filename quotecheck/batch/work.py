"""Fetching and matching at once: each source is fetched once, each bucket matched when its last source is in.

The event loop only fetches. Whatever a fetch brings is on disk before anything else happens with it, so that
a process killed at any moment fetches no stored source again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.to_thread
import polars as pl
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from quotecheck.batch.interrupt import Interrupt, Interrupted
from quotecheck.batch.match import BucketTask, MatchedBucket, match_bucket
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.progress import Progress
from quotecheck.batch.rundir import RunPaths, publish
from quotecheck.errors import SourceUnavailable
from quotecheck.extract.document import EXTRACTOR_VERSION, extract
from quotecheck.models import ReasonCode, Source
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched, FetchRequest, NotModified, Outcome
from quotecheck.sources.read import completed, located
from quotecheck.sources.reference import Reference, parse_reference
from quotecheck.sources.store import Freshness, Store, StoredFailure, StoredPage

T = TypeVar("T")


@dataclass(slots=True)
class WorkDone:
    """What this process did for a run."""

    fetched: int = 0
    worker_cpu_seconds: float = 0.0
    worker_peak_bytes: int = 0


@dataclass(frozen=True, slots=True)
class _Source:
    """A source of the plan that is not ready for matching."""

    key: str
    spelling: str
    bucket: int


async def fetch_and_match(
    paths: RunPaths,
    store: Store,
    *,
    freshness: Freshness,
    options: FetchOptions,
    near_threshold: float,
    workers: int,
    interrupt: Interrupt,
    progress: Progress,
) -> WorkDone:
    """Bring every bucket of the plan to its results. Raises Interrupted; what is done stays done."""
    work = _Work(paths, store, freshness, options, near_threshold, progress)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_watch, interrupt)
            await work.run(workers)
            group.cancel_scope.cancel()
    except* Interrupted:
        raise Interrupted from None
    return work.done


async def _watch(interrupt: Interrupt) -> None:
    while not interrupt.is_asked:
        await anyio.sleep(0.1)
    raise Interrupted


class _Work:
    def __init__(
        self,
        paths: RunPaths,
        store: Store,
        freshness: Freshness,
        options: FetchOptions,
        near_threshold: float,
        progress: Progress,
    ) -> None:
        self.done = WorkDone()
        self._paths = paths
        self._store = store
        self._freshness = freshness
        self._options = options
        self._near_threshold = near_threshold
        self._progress = progress
        self._store_thread = anyio.CapacityLimiter(1)
        self._waiting_sources: Counter[int] = Counter()  # of each bucket
        self._ready_send: MemoryObjectSendStream[int]
        self._ready: MemoryObjectReceiveStream[int]
        self._ready_send, self._ready = anyio.create_memory_object_stream[int](float("inf"))

    async def run(self, workers: int) -> None:
        """Fetch and match until every bucket has its results."""
        finished = self._paths.finished_buckets()
        to_fetch, to_extract = self._split_sources(finished)
        self._progress.expect_sources(len(to_fetch) + len(to_extract))
        for bucket in self._paths.planned_buckets():
            if bucket not in finished and not self._waiting_sources[bucket]:
                self._ready_send.send_nowait(bucket)
        async with anyio.create_task_group() as group:
            for _ in range(workers):
                group.start_soon(self._match_buckets)
            async with self._ready_send:
                await self._extract_stored(to_extract)
                await self._fetch(to_fetch)

    def _split_sources(self, finished: set[int]) -> tuple[list[_Source], list[_Source]]:
        """Return the sources to fetch, and those whose stored page this version has not read yet."""
        sources = pl.read_parquet(self._paths.sources, columns=["key", "source", "bucket"])
        to_fetch: list[_Source] = []
        to_extract: list[_Source] = []
        for row in sources.iter_rows():
            source = _Source(*row)
            if source.bucket in finished or source.key.startswith(TEXT_KEY):
                continue
            match self._store.outcome(source.key, self._freshness):
                case StoredFailure():
                    continue
                case StoredPage() as page:
                    if self._store.is_extracted(page, EXTRACTOR_VERSION):
                        continue
                    to_extract.append(source)
                case None:
                    if self._options.offline or parse_reference(source.spelling).refusal is not None:
                        continue
                    to_fetch.append(source)
            self._waiting_sources[source.bucket] += 1
        return to_fetch, to_extract

    async def _extract_stored(self, sources: list[_Source]) -> None:
        for source in sources:
            page = self._store.page(source.key)
            assert page is not None
            body = await self._in_store(self._store.blob, page.body_sha256)
            await self._extract(as_fetched(parse_reference(source.spelling), page, body), page)
            self._is_ready(source.bucket)

    async def _fetch(self, sources: list[_Source]) -> None:
        if not sources:
            return
        buckets = {source.key: source.bucket for source in sources}

        async def handle(request: FetchRequest, outcome: Outcome) -> None:
            self.done.fetched += 1
            code = await self._keep(request.reference, outcome)
            self._progress.fetched(code)
            self._is_ready(buckets[request.reference.key])

        async with Fetcher(
            contact=self._options.contact,
            concurrency=self._options.concurrency,
            per_host=self._options.per_host,
        ) as fetcher:
            await fetcher.fetch_many(self._requests(sources), handle)

    def _requests(self, sources: list[_Source]) -> Iterator[FetchRequest]:
        for source in sources:
            stale = self._store.page(source.key)
            reference = parse_reference(source.spelling)
            if stale is None or self._options.refresh:
                yield FetchRequest(reference)
            else:
                yield FetchRequest(reference, stale.etag, stale.last_modified)

    async def _keep(self, reference: Reference, outcome: Outcome) -> ReasonCode | None:
        """Store what a fetch brought, and the text in it; return the reason where there is none."""
        match outcome:
            case SourceUnavailable():
                await self._in_store(self._put_failure, reference.key, outcome)
                return outcome.reason_code
            case NotModified():
                page = await self._in_store(self._renew, outcome)
                if await self._in_store(self._store.is_extracted, page, EXTRACTOR_VERSION):
                    return None
                body = await self._in_store(self._store.blob, page.body_sha256)
                return await self._extract(as_fetched(reference, page, body), page)
            case Fetched():
                page = await self._in_store(put_fetched, self._store, outcome)
                return await self._extract(outcome, page)

    def _put_failure(self, key: str, error: SourceUnavailable) -> None:
        self._store.put_failure(key, error, run=self._freshness.run)

    def _renew(self, outcome: NotModified) -> StoredPage:
        return self._store.renew(outcome.reference.key, fetched_at=outcome.checked_at)

    async def _extract(self, fetched: Fetched, page: StoredPage) -> ReasonCode | None:
        """Store the text of a page, or why there is none."""
        try:
            source = await self._extracted(fetched)
        except SourceUnavailable as error:
            await self._in_store(self._put_unreadable, page, error)
            return error.reason_code
        await self._in_store(self._store.put_source, page, EXTRACTOR_VERSION, source)
        return None

    async def _extracted(self, fetched: Fetched) -> Source:
        try:
            source = await anyio.to_thread.run_sync(
                extract_fetched, fetched.body, fetched.content_type, fetched.final_url
            )
        except SourceUnavailable as error:
            raise located(error, fetched) from None
        return completed(source, fetched)

    def _put_unreadable(self, page: StoredPage, error: SourceUnavailable) -> None:
        if error.reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION:
            # What came was no page: it must not count as one for days.
            self._store.drop_page(page.key)
            self._put_failure(page.key, error)
        else:
            self._store.put_unreadable(page, EXTRACTOR_VERSION, error)

    def _is_ready(self, bucket: int) -> None:
        self._waiting_sources[bucket] -= 1
        if not self._waiting_sources[bucket]:
            self._ready_send.send_nowait(bucket)

    async def _in_store(self, call: Callable[..., T], *arguments: object) -> T:
        """Run a call on the store in its own thread: SQLite and zlib would hold up other fetches."""
        return await anyio.to_thread.run_sync(call, *arguments, limiter=self._store_thread)

    async def _match_buckets(self) -> None:
        async for bucket in self._ready:
            task = BucketTask(
                root=self._paths.root,
                store=self._store.path,
                bucket=bucket,
                freshness=self._freshness,
                extractor=EXTRACTOR_VERSION,
                near_threshold=self._near_threshold,
            )
            self._publish(await anyio.to_thread.run_sync(match_bucket, task))

    def _publish(self, matched: MatchedBucket) -> None:
        publish(matched.sources, self._paths.part_sources(matched.bucket))
        publish(matched.results, self._paths.part(matched.bucket))
        self.done.worker_cpu_seconds += matched.cpu_seconds
        self.done.worker_peak_bytes = max(self.done.worker_peak_bytes, matched.peak_bytes)
        self._progress.matched(matched.statuses)


def extract_fetched(body: bytes, content_type: str | None, url: str) -> Source:
    """Extract a body, as a call with positional arguments."""
    return extract(body, content_type, url=url)


def put_fetched(store: Store, fetched: Fetched) -> StoredPage:
    """Store what a fetch brought."""
    return store.put_page(
        fetched.reference.key,
        fetched.body,
        content_type=fetched.content_type,
        final_url=fetched.final_url,
        status=fetched.status,
        hops=fetched.hops,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
        abstract_only=fetched.abstract_only,
        fetched_at=fetched.fetched_at,
    )


def as_fetched(reference: Reference, page: StoredPage, body: bytes) -> Fetched:
    """Return a stored page as if it had just been fetched."""
    return Fetched(
        reference=reference,
        final_url=page.final_url or reference.url or "",
        status=page.status or 200,
        content_type=page.content_type,
        body=body,
        wire_bytes=len(body),
        hops=page.hops,
        fetched_at=page.fetched_at,
        etag=page.etag,
        last_modified=page.last_modified,
        abstract_only=page.abstract_only,
    )
