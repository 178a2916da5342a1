"""The server and its two tools: names, schemas, and the words that tell an agent when to call them.

Descriptions are part of every conversation of every client, so they are short; `tools/list` stays below
4,000 bytes. There is no tool that returns a page: that would be a proxy into networks and a way in for text.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from inspect import cleandoc
from typing import Annotated, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from quotecheck import __version__
from quotecheck.mcp_server.engine import Engine, running_engine
from quotecheck.mcp_server.records import QuoteRecord

_INSTRUCTIONS = (
    "Call check_quote before you present words as a direct quotation from a source, and check_answer before "
    "you present an answer that cites numbered sources."
)

_CHECK_QUOTE = """
Check that words stand verbatim in their source. Call it before you present words as a direct quotation.
EXACT: quote it. Only typography or line breaks differ. The words stand there; that does not make them true.
NEAR: not verbatim. Quote the snippet's wording instead, or paraphrase. number_changed, negation_changed,
modality_changed or unit_changed: the meaning may be reversed.
NOT_FOUND: the source was read and lacks these words. Do not quote them; find the right source or paraphrase.
SOURCE_UNAVAILABLE: nothing is known about the quotation, see reason. Say that it is unverified.
Flags to mention: outside_visible_text (readers do not see it), abstract_only (only the abstract was read),
needs_javascript (the page was mostly empty), cuts_word, cuts_number, negation_nearby (context may change the
meaning)."""


def serve() -> None:
    """Serve over stdin and stdout until stdin ends."""
    build_server().run("stdio")


def build_server() -> MCPServer[Engine]:
    """Return the server, not yet running."""
    check = _tool(check_quote, "Check a quotation", _CHECK_QUOTE, open_world=True)
    return MCPServer(
        "quotecheck",
        title="quotecheck",
        version=__version__,
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
        lifespan=_lifespan,
        subscriptions=False,
        tools=[check],
    )


async def check_quote(
    quote: Annotated[str, Field(description="The words to check, as you would quote them")],
    source: Annotated[str, Field(description="http(s) URL, doi:10.... or pmid:N")],
    context: Context[Engine, Any],
) -> QuoteRecord:
    """Return the verdict on one quotation."""
    return await _engine(context).check_quote(quote, source)


def _engine(context: Context[Engine, Any]) -> Engine:
    return context.request_context.lifespan_context


@contextlib.asynccontextmanager
async def _lifespan(_: MCPServer[Engine]) -> AsyncIterator[Engine]:
    # A stray print of any library would corrupt the protocol when Python flushes stdout at exit.
    with contextlib.redirect_stdout(sys.stderr):
        async with running_engine() as engine:
            yield engine


def _tool(function: Callable[..., Any], title: str, description: str, *, open_world: bool) -> Tool:
    tool = Tool.from_function(
        function,
        title=title,
        description=cleandoc(description),
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=open_world),
        structured_output=True,
    )
    tool.parameters = _without_titles(tool.parameters)
    tool.fn_metadata.output_schema = _without_titles(tool.fn_metadata.output_schema)
    return tool


def _without_titles(schema: Any) -> Any:
    """Drop the titles that pydantic derives from field names: a third of the bytes, and no information."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
