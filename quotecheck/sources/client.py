"""The guarded client: from references to the bytes of their pages.

    async with Fetcher() as fetcher:
        fetched = await fetcher.fetch(parse_reference("https://example.org/page"))

For many sources, each fetched once and handed over as soon as it is in:

    async def handle(request: FetchRequest, outcome: Outcome) -> None: ...
    await fetcher.fetch_many([FetchRequest(reference) for reference in references], handle)

Each hop of a chain of redirects passes the whole guard again. One deadline covers everything that is done for
a source (names, connections, redirects, body); waiting for a host's turn does not count. The event loop is
asyncio's.
"""

from __future__ import annotations

import dataclasses
import ssl
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self, overload

import anyio

from quotecheck.errors import SourceUnavailable
from quotecheck.sources import tls
from quotecheck.sources.chain import Manner
from quotecheck.sources.documents import Documents
from quotecheck.sources.fetched import Fetched, FetchRequest, NotModified, Outcome
from quotecheck.sources.lookups import Lookup
from quotecheck.sources.many import Handle, ManyFetches
from quotecheck.sources.reference import Reference
from quotecheck.sources.session import Limits, Session

DEADLINE_SECONDS = 15.0
MAX_BYTES = 5_000_000
HOST_INTERVAL_SECONDS = 0.1


class Fetcher:
    """Fetches sources under the guard; use it with `async with`, on one event loop.

    Parameters
    ----------
    deadline : seconds for everything that is done for one source.
    max_bytes : limit of a body, as declared, as streamed and as decompressed.
    contact : mail address or URL that servers get in the User-Agent.
    concurrency, per_host : how many requests run at once, in all and on one host.
    host_interval : seconds between the starts of two requests to one host; some hosts have presets.
    rate_share : this process's part of every host's rate, for a run that is split over machines.
    files_root : folder below which `file:` sources may be read; without it none are.
    doi_fallback : where the page of a DOI cannot be read, read its open abstract (Crossref, DataCite, Europe
        PMC) in place of it.
    lookup : resolves host names in place of the system; its addresses are checked like any other.
    tls_context : verifies servers in place of the default one.

    Raises InvalidOption where an option is out of range, and for a TLS context that does not verify.
    """

    def __init__(
        self,
        *,
        deadline: float = DEADLINE_SECONDS,
        max_bytes: int = MAX_BYTES,
        contact: str | None = None,
        concurrency: int = 32,
        per_host: int = 4,
        host_interval: float = HOST_INTERVAL_SECONDS,
        rate_share: float = 1.0,
        files_root: Path | None = None,
        doi_fallback: bool = False,
        lookup: Lookup | None = None,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        limits = Limits(deadline, max_bytes, concurrency, per_host, host_interval, rate_share)
        context = None if tls_context is None else tls.verifying(tls_context)
        self._session = Session(limits, contact=contact, lookup=lookup, tls_context=context)
        self._documents = Documents(self._session, files_root=files_root, doi_fallback=doi_fallback)
        self._alone = Manner(patient=False, max_bytes=max_bytes)
        self._flights: dict[_FlightKey, _Flight] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._session.aclose()

    @overload
    async def fetch(self, reference: Reference) -> Fetched: ...

    @overload
    async def fetch(
        self,
        reference: Reference,
        *,
        etag: str | None,
        last_modified: str | None,
        final_url: str | None = None,
    ) -> Fetched | NotModified: ...

    async def fetch(
        self,
        reference: Reference,
        *,
        etag: str | None = None,
        last_modified: str | None = None,
        final_url: str | None = None,
    ) -> Fetched | NotModified:
        """Return the bytes of the page that `reference` names, after redirects. Raises SourceUnavailable.

        With `etag` or `last_modified` of an earlier fetch, and its `final_url`: NotModified if the page is
        still the same.
        Transient failures are tried again as long as the one deadline allows. Calls for the same source at
        the same time share one fetch.
        """
        request = FetchRequest(reference, etag, last_modified, final_url)
        key = (reference.key, etag, last_modified, final_url)
        while (flight := self._flights.get(key)) is not None:
            await flight.over.wait()
            if flight.outcome is not None:
                return _shared(flight.outcome, reference)
            # The caller who was fetching has been cancelled: the next one takes over.
        flight = self._flights[key] = _Flight()
        try:
            flight.outcome = await self._documents.read(request, self._alone)
        except SourceUnavailable as error:
            flight.outcome = error
        finally:
            del self._flights[key]
            flight.over.set()
        return _shared(flight.outcome, reference)

    async def fetch_many(self, requests: Iterable[FetchRequest], handle: Handle) -> None:
        """Fetch every request's source, and call `handle(request, outcome)` for each as soon as it is in.

        Returns when all have been handled. `outcome` is Fetched, NotModified (for a request with `etag` or
        `last_modified`) or SourceUnavailable; nothing that is wrong with one source stops the others. Calls
        of `handle` overlap; while one is awaited its fetch still counts as running, so a slow handler slows
        the fetching down. An exception that `handle` raises ends the whole call. Sources should be distinct
        (by `reference.key`). Transient failures are tried up to three times, each with the full deadline.

        `requests` is read in steps, as there is room, so a generator of a million is fine.
        """
        async with anyio.create_task_group() as tasks:
            await ManyFetches(self._documents, handle, tasks).take_in(requests)

    async def fetch_abstract(self, reference: Reference, *, patient: bool = False) -> Fetched | None:
        """Return the open abstract of a DOI; None for other sources, where there is none, or if the option
        `doi_fallback` is off.

        For a page that could be fetched and turned out to hold no text: `fetch` and `fetch_many` themselves
        fall back only where the page cannot be fetched. With `patient` it waits and tries again as
        `fetch_many` does, in whose `handle` it may be called.
        """
        return await self._documents.abstract(reference, dataclasses.replace(self._alone, patient=patient))


_FlightKey = tuple[str, str | None, str | None, str | None]


class _Flight:
    """One fetch that several callers wait for; no outcome if it was cancelled."""

    def __init__(self) -> None:
        self.over = anyio.Event()
        self.outcome: Outcome | None = None


def _shared(outcome: Outcome, reference: Reference) -> Fetched | NotModified:
    """Return the outcome for one of the callers, or raise it."""
    if isinstance(outcome, SourceUnavailable):
        raise SourceUnavailable(outcome.reason_code, outcome.reason, final_url=outcome.final_url)
    return dataclasses.replace(outcome, reference=reference)
