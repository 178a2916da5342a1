"""A call of the MCP server ends in time, whatever its source or its quotation does."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

from quotecheck.mcp_server import engine
from quotecheck.mcp_server.engine import Engine
from quotecheck.mcp_server.quote_record import QuoteRecord
from quotecheck.mcp_server.server import build_server
from quotecheck.models import Source

T = TypeVar("T")

URL = "https://example.org/fog"


class FakeCore:
    """A core that is ready, with one page that arrives after a moment."""

    def __init__(self, *, loading: float = 0.0, fetching: float = 0.0) -> None:
        self.loading = loading
        self.fetching = fetching

    async def run(self) -> None:
        await anyio.sleep_forever()

    async def ready(self) -> None:
        await anyio.sleep(self.loading)

    async def fetch_source(self, source: str) -> Source:
        await anyio.sleep(self.fetching)
        return Source("The fog was grey.", final_url=source)


def run(core: FakeCore, story: Callable[[Engine], Awaitable[T]]) -> T:
    """Run a story against an engine with this core."""

    async def scene() -> T:
        async with anyio.create_task_group() as tasks:
            result = await story(Engine(core, tasks))
            tasks.cancel_scope.cancel()
        return result

    return anyio.run(scene)


@pytest.fixture
def short_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may last a tenth of a second."""
    monkeypatch.setattr(engine, "CALL_SECONDS", 0.1)


def test_call_ends_within_20_seconds() -> None:
    """The limit is what the descriptions and errors say."""
    assert engine.CALL_SECONDS == 20.0


@pytest.mark.usefixtures("short_calls")
@pytest.mark.parametrize("core", [FakeCore(fetching=60), FakeCore(loading=60)], ids=["fetching", "loading"])
def test_source_that_is_late_is_unavailable(core: FakeCore) -> None:
    """A source that does not arrive in time is a verdict, not an error."""
    record = run(core, lambda engine: engine.check_quote("the fog", URL))
    assert (record.status, record.source_final_url) == ("SOURCE_UNAVAILABLE", None)
    assert record.reason == (
        "example.org did not deliver the page within the deadline. Run the check again later."
    )


@pytest.mark.usefixtures("short_calls")
def test_comparison_that_is_late_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that takes too long is left to its thread, and the error says what to do."""
    done = threading.Event()
    monkeypatch.setattr(engine, "_match", lambda document, quote: done.wait(30))

    async def story(engine: Engine) -> None:
        with pytest.raises(ToolError, match="check a shorter part of the quotation"):
            await engine.check_quote("the fog", URL)
        done.set()

    run(FakeCore(), story)


def test_comparisons_do_not_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two calls compare at the same time, so a slow one does not hold up the others."""
    both = threading.Barrier(2, timeout=10)
    match = engine._match
    monkeypatch.setattr(engine, "_match", lambda document, quote: (both.wait(), match(document, quote))[1])

    async def story(engine: Engine) -> QuoteRecord:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(engine.check_quote, "The fog", URL)
            return await engine.check_quote("was grey", URL)

    assert run(FakeCore(), story).status == "EXACT"


def test_fault_is_not_described_to_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an unexpected exception says stays on the server: it may hold words of a page."""
    monkeypatch.setattr(engine, "Core", FakeCore)
    monkeypatch.setattr(engine, "_match", lambda document, quote: int(document.text))

    async def scene() -> CallToolResult:
        async with Client(build_server()) as client:
            return await client.call_tool("check_quote", {"quote": "the fog", "source": URL})

    (block,) = anyio.run(scene).content
    assert block == TextContent(type="text", text="Error executing tool check_quote")
