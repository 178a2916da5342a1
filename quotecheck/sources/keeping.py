"""Keeping what fetches bring: the page first, then the text in it, each in the store before anything else.

A `Keeper` stands between a fetcher, a store and the workers that extract. Killed between two steps, a later
run finds the page and only extracts it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode, Source
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched, FetchRequest, NotModified, Outcome
from quotecheck.sources.read import completed, located, read_source
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import Reference, SourceKind
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness, StoredFailure, StoredPage
from quotecheck.sources.url import parse_url
from quotecheck.workers import WorkerFailed, WorkerPool, extract_bounded

T = TypeVar("T")
AbstractOf = Callable[[Reference], Awaitable[Fetched | None]]


class Keeper:
    """Stores the outcome of fetches, with the text of each page; use it within one event loop.

    `run` names the run whose transient failures these are.
    """

    def __init__(self, store: Store, pool: WorkerPool, *, run: str = "") -> None:
        self._store = store
        self._pool = pool
        self._run = run
        # SQLite and zlib would hold up other fetches, and a connection serves one thread at a time.
        self._thread = anyio.CapacityLimiter(1)

    async def keep(
        self, outcome: Outcome, reference: Reference, abstract_of: AbstractOf | None = None
    ) -> ReasonCode | None:
        """Store what a fetch brought, and the text in it; return the reason where there is none.

        Where the page of a DOI holds no text, what `abstract_of` finds is stored in place of it.
        """
        match outcome:
            case SourceUnavailable():
                await self._call(self._put_failure, reference.key, outcome)
                return outcome.reason_code
            case NotModified():
                page = await self._call(self._renew, outcome)
                return await self.read_again(page, reference, abstract_of)
            case Fetched():
                page = await self._call(put_fetched, self._store, outcome)
                return await self._extract(outcome, page, abstract_of)

    async def read_again(
        self, page: StoredPage, reference: Reference, abstract_of: AbstractOf | None = None
    ) -> ReasonCode | None:
        """Extract a stored page unless this version has; return the reason where it holds no text.

        `abstract_of` is as in `keep`.
        """
        if not await self._call(self._store.is_extracted, page, EXTRACTOR_VERSION):
            body = await self._call(self._store.blob, page.body_sha256)
            return await self._extract(as_fetched(reference, page, body), page, abstract_of)
        error = await self._call(self._store.why_unreadable, page, EXTRACTOR_VERSION)
        if error is None:
            return None
        lacks_abstract = await self._call(self._lacks_abstract, page)
        if lacks_abstract and await self._keep_abstract(reference, page, abstract_of, error):
            return None
        return error.reason_code

    async def read_through(self, fetcher: Fetcher, reference: Reference, freshness: Freshness) -> Source:
        """Return a source's text from the store, else fetch and keep it. Raises SourceUnavailable.

        A file is read anew each time and never stored: whether it may be read is up to the folder that this
        fetcher's caller named, and another caller's store must not answer in its place.
        """
        if reference.kind is SourceKind.FILE:
            return await read_source(fetcher, reference)
        abstract_of = fetcher.fetch_abstract if freshness.doi_fallback else None
        match await self._call(self._store.outcome, reference.key, freshness):
            case StoredFailure() as failure:
                raise failure.error()
            case StoredPage() as page:
                await self.read_again(page, reference, abstract_of)
            case _:
                stale = await self._call(self._store.page, reference.key)
                await self._fetch(fetcher, request_for(reference, stale), abstract_of)
        return await self._call(self._stored_source, reference.key)

    async def _fetch(self, fetcher: Fetcher, request: FetchRequest, abstract_of: AbstractOf | None) -> None:
        try:
            outcome: Outcome = await fetcher.fetch(
                request.reference,
                etag=request.etag,
                last_modified=request.last_modified,
                final_url=request.final_url,
            )
        except SourceUnavailable as error:
            await self.keep(error, request.reference)
            raise
        await self.keep(outcome, request.reference, abstract_of)

    def _stored_source(self, key: str) -> Source:
        page = self._store.page(key)
        if page is not None:
            return self._store.source(page, EXTRACTOR_VERSION)
        failure = self._store.failure(key)  # what came was no page
        assert failure is not None
        raise failure.error()

    async def _extract(
        self, fetched: Fetched, page: StoredPage, abstract_of: AbstractOf | None
    ) -> ReasonCode | None:
        try:
            source = await self._text_of(fetched)
        except SourceUnavailable as error:
            if await self._keep_abstract(fetched.reference, page, abstract_of, error):
                return None
            await self._call(self._put_unreadable, page, error)
            return error.reason_code
        await self._call(self._store.put_source, page, EXTRACTOR_VERSION, source)
        return None

    async def _keep_abstract(
        self, reference: Reference, page: StoredPage, abstract_of: AbstractOf | None, error: SourceUnavailable
    ) -> bool:
        """Put the open abstract of a DOI in place of its page; tell whether there is one."""
        if abstract_of is None or page.abstract_only or reference.kind is not SourceKind.DOI:
            return False
        abstract = await abstract_of(reference)
        try:
            source = await self._text_of(abstract) if abstract else None
        except SourceUnavailable:
            source = None
        if abstract is None or source is None:
            await self._call(self._put_failure, page.key, error)  # this run need not ask again
            return False
        kept = await self._call(put_fetched, self._store, abstract)
        await self._call(self._store.put_source, kept, EXTRACTOR_VERSION, source)
        return True

    def _lacks_abstract(self, page: StoredPage) -> bool:
        return self._store.lacks_abstract(page, EXTRACTOR_VERSION, run=self._run)

    async def _text_of(self, fetched: Fetched) -> Source:
        try:
            source = await extract_bounded(
                self._pool,
                fetched.body,
                fetched.content_type,
                url=fetched.final_url,
                cheap_in_thread=False,
            )
        except SourceUnavailable as error:
            raise located(error, fetched) from None
        except WorkerFailed as error:  # a fault of ours costs one source, not the run
            last_line = str(error).strip().rpartition("\n")[2]
            host = parse_url(fetched.final_url).host
            raise unavailable(
                ReasonCode.INTERNAL_ERROR, host, last_line, final_url=fetched.final_url
            ) from error
        return completed(source, fetched)

    def _put_failure(self, key: str, error: SourceUnavailable) -> None:
        self._store.put_failure(key, error, run=self._run)

    def _put_unreadable(self, page: StoredPage, error: SourceUnavailable) -> None:
        if error.reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION:
            # What came was no page: it must not stand for one as long as a page does.
            self._store.drop_page(page.key)
            self._put_failure(page.key, error)
        else:
            self._store.put_unreadable(page, EXTRACTOR_VERSION, error)

    def _renew(self, outcome: NotModified) -> StoredPage:
        return self._store.renew(outcome.reference.key, fetched_at=outcome.checked_at)

    async def _call(self, call: Callable[..., T], *arguments: object) -> T:
        return await anyio.to_thread.run_sync(call, *arguments, limiter=self._thread)


def request_for(reference: Reference, stale: StoredPage | None) -> FetchRequest:
    """Return the request for a source: conditional where a stale page of it is stored."""
    if stale is None:
        return FetchRequest(reference)
    return FetchRequest(reference, stale.etag, stale.last_modified, stale.final_url)


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
