"""What the tools do: load the core once, fetch each source once, match in threads, and end in time.

The core (network, extraction, matching) is imported in a thread after the server has started, because clients
give up on a server that answers late. A call ends within 20 seconds, before any known client gives up on it.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from mcp.server.mcpserver.exceptions import ToolError

from quotecheck.console import ExitCode, say
from quotecheck.errors import InvalidQuote, InvalidSource, SourceUnavailable
from quotecheck.mcp_server.records import QuoteRecord, overdue_record, quote_record, unavailable_record
from quotecheck.mcp_server.shared_sources import SharedSources
from quotecheck.models import CheckResult, Source

T = TypeVar("T")

CALL_SECONDS = 20.0
_MATCHING_THREADS = 4

_NO_QUOTE = (
    "quote has no words to look for: pass the quoted words themselves, without the sentence around them"
)
_NO_SOURCE = (
    "source names no source: pass the one address that the quotation is from, as an http(s) URL, doi:10.... "
    "or pmid:N"
)
_TOO_SLOW = "no result within 20 seconds: check a shorter part of the quotation, or fewer sources at once"


class Engine:
    """The state of one running server; see `running_engine`."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._loaded = anyio.Event()
        self._sources: SharedSources | None = None
        # Of its own: the default one also serves the threads that read stdin and write stdout.
        self._threads = anyio.CapacityLimiter(_MATCHING_THREADS)

    async def run(self) -> None:
        """Load the core, then keep its client open until cancelled."""
        try:
            await anyio.to_thread.run_sync(_import_core)
        except ImportError as error:
            say(f"quotecheck-mcp: cannot start, the installation is incomplete: {error}")
            # As for an interrupt: the thread that reads stdin would hold up any other way out.
            os._exit(ExitCode.USAGE)
        from quotecheck.single import Client

        async with Client() as client:
            self._sources = SharedSources(client.fetch_source, self._tasks)
            self._loaded.set()
            await anyio.sleep_forever()

    async def check_quote(self, quote: str, source: str) -> QuoteRecord:
        """Return the verdict on `quote` in `source`. Raises ToolError for a quote or source that is none."""
        document: Source | None = None
        with anyio.move_on_after(CALL_SECONDS):
            try:
                document = await self._document(quote, source)
            except InvalidQuote as error:
                raise ToolError(_NO_QUOTE) from error
            except InvalidSource as error:
                raise ToolError(_NO_SOURCE) from error
            except SourceUnavailable as error:
                return unavailable_record(error, source=source)
            result = await self._in_thread(lambda: _match(document, quote))
            return quote_record(result, quote=quote)
        if document is None:
            return overdue_record(source=source)
        raise ToolError(_TOO_SLOW)

    async def _document(self, quote: str, source: str) -> Source:
        await self._loaded.wait()
        from quotecheck.sources.reference import parse_reference
        from quotecheck.text.match import validate_quote

        assert self._sources is not None
        validate_quote(quote)
        return await self._sources.get(parse_reference(source).key, source)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run `work` beside the event loop; a call that ends early leaves the thread to finish by itself."""
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)


@asynccontextmanager
async def running_engine() -> AsyncIterator[Engine]:
    """Yield an engine whose core is being loaded; leaving stops its fetches."""
    async with anyio.create_task_group() as tasks:
        engine = Engine(tasks)
        tasks.start_soon(engine.run)
        yield engine
        tasks.cancel_scope.cancel()


def _import_core() -> None:
    import quotecheck.citations
    import quotecheck.extract.document
    import quotecheck.single  # noqa: F401


def _match(document: Source, quote: str) -> CheckResult:
    from quotecheck.text.match import PreparedText

    return PreparedText(document).check(quote)
