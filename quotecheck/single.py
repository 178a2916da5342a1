"""The single check: fetch a source under the guard, then match the quotation against its text.

`Client` is asynchronous; `check` and `fetch_source` are the same for synchronous callers. They run on one
private event loop in a thread of its own, so they also work where a loop is running already (notebooks,
servers).
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

import anyio
import anyio.from_thread
import anyio.to_thread

from quotecheck.errors import InvalidInput, InvalidOption, SourceUnavailable
from quotecheck.models import CheckResult, Source, Status
from quotecheck.sources.client import Fetcher
from quotecheck.sources.keeping import Keeper
from quotecheck.sources.read import read_source
from quotecheck.sources.reference import parse_reference
from quotecheck.sources.store import Store
from quotecheck.sources.stored import FAILURE_MAX_AGE, PAGE_MAX_AGE, Freshness
from quotecheck.text.match import PreparedText, check_text, validate_quote
from quotecheck.workers import WorkerPool

T = TypeVar("T")


class Client:
    """Checks quotations asynchronously; use it with `async with`.

    Parameters
    ----------
    near_threshold : least similarity of NEAR, 0.5 to 1.0.
    contact : mail address or URL that is named to servers in the User-Agent.
    store : file of fetched sources, created where it is missing: pages of the last seven days are taken
        from it, others are fetched into it. Without it every check fetches.
    files_root : folder below which `file:` sources may be read; without it none may. Files are read anew each
        time and never stored.
    doi_fallback : where the page of a DOI cannot be read, read its open abstract (Crossref, DataCite, Europe
        PMC) in place of it.
    concurrency, per_host : how many fetches run at once, in all and on one host.

    Raises InvalidOption where a value is out of range.

    >>> import asyncio
    >>> async def verdict() -> str:
    ...     async with Client() as client:
    ...         result = await client.check_text("The fog was grey.", "fog was grey")
    ...     return result.status
    >>> asyncio.run(verdict())
    <Status.EXACT: 'EXACT'>
    """

    def __init__(
        self,
        *,
        near_threshold: float = 0.90,
        contact: str | None = None,
        store: str | os.PathLike[str] | None = None,
        files_root: str | os.PathLike[str] | None = None,
        doi_fallback: bool = False,
        concurrency: int = 32,
        per_host: int = 4,
    ) -> None:
        self._near_threshold = _checked_threshold(near_threshold)
        self._fetcher = Fetcher(
            contact=contact,
            files_root=None if files_root is None else Path(files_root),
            doi_fallback=doi_fallback,
            concurrency=concurrency,
            per_host=per_host,
        )
        self._doi_fallback = doi_fallback
        self._store_path = None if store is None else Path(store)
        self._keeper: Keeper | None = None
        self._run = uuid4().hex  # transient failures count for this client only
        self._resources = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._resources.enter_async_context(self._fetcher)
        if self._store_path is not None:
            store = self._resources.enter_context(Store(self._store_path))
            pool = await self._resources.enter_async_context(WorkerPool(1))
            self._keeper = Keeper(store, pool, run=self._run)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._resources.aclose()

    async def check(self, source: str, quote: str, *, near_threshold: float | None = None) -> CheckResult:
        """Return the verdict on `quote` in `source`.

        A source that cannot be read is the verdict SOURCE_UNAVAILABLE. Raises InvalidQuote, InvalidSource.
        """
        validate_quote(quote)
        threshold = self._near_threshold if near_threshold is None else _checked_threshold(near_threshold)
        try:
            document = await self.fetch_source(source)
        except SourceUnavailable as error:
            return unavailable_result(error)
        # Matching is CPU work: on the event loop it would hold up every other fetch.
        return await anyio.to_thread.run_sync(
            lambda: PreparedText(document).check(quote, near_threshold=threshold)
        )

    async def check_text(self, text: str, quote: str, *, near_threshold: float | None = None) -> CheckResult:
        """Return the verdict on `quote` in `text`, computed in a thread. Raises InvalidQuote."""
        threshold = self._near_threshold if near_threshold is None else _checked_threshold(near_threshold)
        return await anyio.to_thread.run_sync(lambda: check_text(text, quote, near_threshold=threshold))

    async def fetch_source(self, source: str) -> Source:
        """Return the text of `source`, from the store where a fresh page of it is there.

        Raises InvalidSource, SourceUnavailable.
        """
        reference = parse_reference(source)
        if self._keeper is None or reference.refusal is not None:
            return await read_source(self._fetcher, reference)
        now = datetime.now(UTC)
        freshness = Freshness(
            self._run, now - PAGE_MAX_AGE, now - FAILURE_MAX_AGE, doi_fallback=self._doi_fallback
        )
        return await self._keeper.read_through(self._fetcher, reference, freshness)


def unavailable_result(error: SourceUnavailable) -> CheckResult:
    """Return the verdict for a source that could not be read."""
    return CheckResult(
        status=Status.SOURCE_UNAVAILABLE,
        source_final_url=error.final_url,
        reason=error.reason,
        reason_code=error.reason_code,
    )


def check(source: str, quote: str, *, near_threshold: float = 0.90) -> CheckResult:
    """Return the verdict on `quote` in `source`: an http(s) URL, `doi:10....` or `pmid:N`.

    Works with or without a running event loop, and blocks the caller. A source that cannot be read is the
    verdict SOURCE_UNAVAILABLE. Raises InvalidQuote, InvalidSource, InvalidOption.

    >>> check("http://127.0.0.1/", "any words").reason_code
    <ReasonCode.ADDRESS_NOT_PUBLIC: 'address_not_public'>
    """
    return run_with_client(lambda client: client.check(source, quote), near_threshold=near_threshold)


def fetch_source(source: str) -> Source:
    """Return the text of `source` and what its markup says about parts of it.

    Works with or without a running event loop, and blocks the caller. Raises InvalidSource, and
    SourceUnavailable where the source cannot be read.
    """
    return run_with_client(lambda client: client.fetch_source(source))


def run_with_client(call: Callable[[Client], Awaitable[T]], **options: Any) -> T:
    """Run one coroutine with a fresh `Client(**options)` on the private event loop, and wait for it.

    Raises InvalidInput where the store cannot be written: on a full disk, say.
    """

    async def run() -> T:
        async with Client(**options) as client:
            return await call(client)

    try:
        return _background.run(run)
    except sqlite3.Error as error:
        raise InvalidInput(
            f"the store {options.get('store')} cannot be used ({error}): make room, or name another file "
            "with --store"
        ) from error


def _checked_threshold(value: float) -> float:
    if not 0.5 <= value <= 1.0:
        raise InvalidOption(f"near_threshold is {value!r}: it must be a number from 0.5 to 1.0")
    return value


class _Background:
    """One private event loop in a daemon thread, started by the first call and closed at exit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._portal: anyio.from_thread.BlockingPortal | None = None
        self._manager: AbstractContextManager[anyio.from_thread.BlockingPortal] | None = None

    def run(self, function: Callable[[], Awaitable[T]]) -> T:
        future = self._running_portal().start_task_soon(function)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # Ctrl-C in the waiting thread stops the fetch too
            raise

    def _running_portal(self) -> anyio.from_thread.BlockingPortal:
        with self._lock:
            if self._portal is None:
                self._manager = anyio.from_thread.start_blocking_portal()
                self._portal = self._manager.__enter__()
                atexit.register(self.close)
            return self._portal

    def close(self) -> None:
        with self._lock:
            manager, self._manager, self._portal = self._manager, None, None
        if manager is not None:
            manager.__exit__(None, None, None)


_background = _Background()


def _forget_after_fork() -> None:
    """A forked child has no loop thread: let it start one of its own."""
    global _background
    _background = _Background()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
