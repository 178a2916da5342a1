"""What the tools do: fetch each source once, match in threads, and end in time.

A call ends within 20 seconds, before any known client gives up on it. What it cannot do is said in a verdict
or in an error that names the remedy, and never in words that came from a source.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol, TypeVar

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from mcp.server.mcpserver.exceptions import ToolError

from quotecheck.errors import InvalidInput, InvalidQuote, InvalidSource, SourceUnavailable
from quotecheck.mcp_server.answer_record import AnswerRecord, answer_record
from quotecheck.mcp_server.core import Core
from quotecheck.mcp_server.quote_record import (
    QuoteRecord,
    overdue_record,
    quote_record,
    unavailable_record,
)
from quotecheck.mcp_server.shared_sources import SharedSources
from quotecheck.models import CheckResult, Source

T = TypeVar("T")

CALL_SECONDS = 20.0
# A hundred invented quotations against as much text keep a core busy for ten seconds.
MAX_CHARACTERS = 2_000_000
_MATCHING_THREADS = 4

_NO_QUOTE = "quote has no words to look for: pass the quoted words themselves"
_NO_SOURCE = (
    "source names no source: pass the one address that the quotation is from, as an http(s) URL, doi:10.... "
    "or pmid:N"
)
_NO_SOURCES = "sources is empty: pass the text of each source the answer was given, the first as number 1"
_TOO_LONG = "sources and answer have more than 2,000,000 characters: pass only the passages that were used"
_NOT_READ = "answer looks like JSON but cannot be read: pass the text of the answer itself"
_ANSWER_TOO_SLOW = "the comparison took longer than 20 seconds: pass fewer sources, or a part of the answer"
_QUOTE_TOO_SLOW = "the comparison took longer than 20 seconds: check a shorter part of the quotation"


class Reader(Protocol):
    """What the engine needs of `Core`."""

    async def ready(self) -> None:
        """Return when calls can be served."""

    async def fetch_source(self, source: str) -> Source:
        """Return the text of `source`."""


class Engine:
    """Serves calls until its task group ends."""

    def __init__(self, core: Reader, tasks: TaskGroup) -> None:
        self._core = core
        self._sources = SharedSources(core.fetch_source, tasks)
        # Of its own: the default one also serves the threads that read stdin and write stdout.
        self._threads = anyio.CapacityLimiter(_MATCHING_THREADS)

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
        raise ToolError(_QUOTE_TOO_SLOW)

    async def check_answer(self, sources: list[str], answer: str) -> AnswerRecord:
        """Return what of an answer's citations holds. Raises ToolError for arguments that cannot be read."""
        if not sources:
            raise ToolError(_NO_SOURCES)
        if len(answer) + sum(map(len, sources)) > MAX_CHARACTERS:
            raise ToolError(_TOO_LONG)
        with anyio.move_on_after(CALL_SECONDS):
            await self._core.ready()
            try:
                return await self._in_thread(lambda: _review(sources, answer))
            except InvalidInput as error:
                raise ToolError(_NOT_READ) from error
        raise ToolError(_ANSWER_TOO_SLOW)

    async def _document(self, quote: str, source: str) -> Source:
        await self._core.ready()
        from quotecheck.sources.reference import parse_reference
        from quotecheck.text.match import validate_quote

        validate_quote(quote)
        return await self._sources.get(parse_reference(source).key, source)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """Run `work` beside the event loop; a call that ends early leaves the thread to finish by itself."""
        return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._threads)


@asynccontextmanager
async def running_engine() -> AsyncIterator[Engine]:
    """Yield an engine whose core is being loaded; leaving stops its fetches."""
    async with anyio.create_task_group() as tasks:
        core = Core()
        tasks.start_soon(core.run)
        yield Engine(core, tasks)
        tasks.cancel_scope.cancel()


def _match(document: Source, quote: str) -> CheckResult:
    from quotecheck.text.match import PreparedText

    return PreparedText(document).check(quote)


def _review(sources: list[str], answer: str) -> AnswerRecord:
    from quotecheck.citations.review import check_answer

    return answer_record(check_answer(sources, answer, inline_quotes=True))
