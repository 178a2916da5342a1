"""Bringing sources in: each is taken from a store, extracted from its stored page, or fetched once.

Whatever a fetch brings is on disk before anything else happens with it, so that a process killed at any
moment fetches no stored source again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import anyio

from quotecheck.batch.hosts import HostWork, host_of_url
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.shards import Shard
from quotecheck.errors import SourceUnavailable
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import FetchRequest, Outcome
from quotecheck.sources.keeping import AbstractOf, Keeper, request_for
from quotecheck.sources.reasons import REFUSED
from quotecheck.sources.reference import FILE_KEY, parse_reference
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness, StoredPage


class Kept(NamedTuple):
    """A store, and the keeper that puts into it what comes."""

    store: Store
    keeper: Keeper


class PlannedSource(NamedTuple):
    """A source of the plan that the guard does not refuse, as its first row spells it."""

    key: str
    spelling: str
    bucket: int


@dataclass(frozen=True, slots=True)
class MissingSources:
    """What is not ready: sources to fetch, with the stale page of each, and stored pages to extract."""

    to_fetch: Sequence[tuple[PlannedSource, StoredPage | None]]
    to_extract: Sequence[tuple[PlannedSource, StoredPage]]

    def __len__(self) -> int:
        return len(self.to_fetch) + len(self.to_extract)

    def sources(self) -> list[PlannedSource]:
        """Return all of them."""
        return [source for source, _ in (*self.to_fetch, *self.to_extract)]


class Getter:
    """Brings sources into stores; `pages` is the store of all runs, `files` that of one run.

    `ready(source, reason)` is called for each source that is in, with the reason where it has no text.
    `fetched` counts what was asked for, `hosts` by host.
    """

    def __init__(
        self,
        pages: Kept,
        files: Kept,
        *,
        freshness: Freshness,
        options: FetchOptions,
        ready: Callable[[PlannedSource, ReasonCode | None], None],
    ) -> None:
        self.fetched = 0
        self.hosts: dict[str, HostWork] = {}
        self._pages = pages
        self._files = files
        self._freshness = freshness
        self._options = options
        self._ready = ready

    def missing(self, sources: Iterable[PlannedSource]) -> MissingSources:
        """Return those of the sources that are not ready."""
        to_fetch: list[tuple[PlannedSource, StoredPage | None]] = []
        to_extract: list[tuple[PlannedSource, StoredPage]] = []
        for source in sources:
            key = source.key
            if key.startswith(TEXT_KEY):
                continue
            store, is_file = self._kept(key).store, key.startswith(FILE_KEY)
            match store.outcome(key, self._freshness):
                case StoredPage() as page if self._is_unread(store, page):
                    to_extract.append((source, page))
                case None if is_file or not self._options.offline:
                    to_fetch.append((source, None if self._options.refresh else store.page(key)))
        return MissingSources(to_fetch, to_extract)

    def _is_unread(self, store: Store, page: StoredPage) -> bool:
        """Tell whether a stored page is to be extracted, or an abstract to be found in place of it."""
        if not store.is_extracted(page, EXTRACTOR_VERSION):
            return True
        return self._falls_back and store.lacks_abstract(page, EXTRACTOR_VERSION, run=self._freshness.run)

    @property
    def _falls_back(self) -> bool:
        return self._options.doi_fallback and not self._options.offline

    def _abstract_of(self, fetcher: Fetcher | None) -> AbstractOf | None:
        return partial(fetcher.fetch_abstract, patient=True) if fetcher and self._falls_back else None

    def _kept(self, key: str) -> Kept:
        """Return where a source is kept: never a file among the pages, where runs with other folders look."""
        return self._files if key.startswith(FILE_KEY) else self._pages

    async def extract(
        self,
        sources: Sequence[tuple[PlannedSource, StoredPage]],
        *,
        at_once: int,
        fetcher: Fetcher | None = None,
    ) -> None:
        """Extract the texts of stored pages; the fetcher is for abstracts in place of pages without text."""
        limit = anyio.Semaphore(at_once)
        abstract_of = self._abstract_of(fetcher)

        async def extract(source: PlannedSource, page: StoredPage) -> None:
            keeper = self._kept(source.key).keeper
            reference = parse_reference(source.spelling)
            self._ready(source, await keeper.read_again(page, reference, abstract_of))
            limit.release()

        async with anyio.create_task_group() as group:
            for source, page in sources:
                await limit.acquire()
                group.start_soon(extract, source, page)

    async def fetch(
        self, sources: Sequence[tuple[PlannedSource, StoredPage | None]], fetcher: Fetcher
    ) -> None:
        """Fetch sources and keep what comes."""
        by_key = {source.key: source for source, _ in sources}
        abstract_of = self._abstract_of(fetcher)

        async def handle(request: FetchRequest, outcome: Outcome) -> None:
            if not _is_refusal(outcome):
                self.fetched += 1
                self._count(request, outcome)
            keeper = self._kept(request.reference.key).keeper
            reason = await keeper.keep(outcome, request.reference, abstract_of)
            self._ready(by_key[request.reference.key], reason)

        requests = (request_for(parse_reference(source.spelling), page) for source, page in sources)
        await fetcher.fetch_many(requests, handle)

    def _count(self, request: FetchRequest, outcome: Outcome) -> None:
        host = host_of_url(outcome.final_url) or host_of_url(request.reference.url)
        if host is not None:
            self.hosts.setdefault(host, HostWork()).count(time.monotonic())


def open_fetcher(options: FetchOptions, shard: Shard | None = None) -> Fetcher:
    """Return the client for a run; other shards ask the same hosts at the same time."""
    shards = 1 if shard is None else shard.count
    return Fetcher(
        contact=options.contact,
        files_root=options.files_root,
        doi_fallback=options.doi_fallback,
        concurrency=options.concurrency,
        per_host=max(1, options.per_host // shards),
        rate_share=1 / shards,
    )


def _is_refusal(outcome: Outcome) -> bool:
    """Tell whether nothing was read or contacted: the guard refused it."""
    return isinstance(outcome, SourceUnavailable) and (
        outcome.reason_code in REFUSED or outcome.reason_code is ReasonCode.FILE_OUTSIDE_ROOT
    )
