"""The single check: fetch a source under the guard, then match the quotation against its text.

`Client` is asynchronous; `check` and `fetch_source` are the same for synchronous callers. They run on one
private event loop in a thread of its own, so they also work where a loop is running already (notebooks,
servers).
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread

from quotecheck.errors import InvalidOption, SourceUnavailable
from quotecheck.models import CheckResult, Source, Status
from quotecheck.sources.client import Fetcher
from quotecheck.sources.read import read_source
from quotecheck.sources.reference import parse_reference
from quotecheck.text.match import PreparedText, check_text, validate_quote

T = TypeVar("T")


class Client:
    """Checks quotations asynchronously; use it with `async with`.

    Parameters
    ----------
    near_threshold : least similarity of NEAR, 0.5 to 1.0.
    contact : mail address or URL that is named to servers in the User-Agent.
    store : path of a store of fetched sources; without it every check fetches.
    files_root : folder below which `file:` sources may be read; without it none may.
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
        concurrency: int = 32,
        per_host: int = 4,
    ) -> None:
        self._near_threshold = _checked_threshold(near_threshold)
        self._fetcher = Fetcher(
            contact=contact,
            files_root=None if files_root is None else Path(files_root),
            concurrency=concurrency,
            per_host=per_host,
        )
        self._store = store

    async def __aenter__(self) -> Self:
        await self._fetcher.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._fetcher.__aexit__(kind, error, traceback)

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
        """Return the text of `source`. Raises InvalidSource, SourceUnavailable."""
        return await read_source(self._fetcher, parse_reference(source))


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
    """Run one coroutine with a fresh `Client(**options)` on the private event loop, and wait for it."""

    async def run() -> T:
        async with Client(**options) as client:
            return await call(client)

    return _background.run(run)


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
