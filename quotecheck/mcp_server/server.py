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
from quotecheck.mcp_server.answer_record import AnswerRecord
from quotecheck.mcp_server.engine import Engine, running_engine
from quotecheck.mcp_server.incoming import take_stdin
from quotecheck.mcp_server.quote_record import QuoteRecord

_INSTRUCTIONS = (
    "Call check_quote before you present words as a direct quotation from a source, and check_answer before "
    "you present an answer that cites numbered sources."
)

_CHECK_QUOTE = """
Check that words stand verbatim in their source. Call it before you present words as a direct quotation.
EXACT: quote it. The wording is proven, not the claim.
NEAR: not verbatim. Quote the snippet instead, or paraphrase. A flag *_changed: the meaning may be reversed.
NOT_FOUND: the source was read and lacks these words. Do not present them as its quotation.
SOURCE_UNAVAILABLE: nothing is known, see reason. Say that the quotation is unverified.
Mention these flags: outside_visible_text (readers do not see it), abstract_only, needs_javascript (page
mostly empty), best_not_proven and near_not_searched (absence not proven), cuts_word, cuts_number,
negation_nearby."""

_CHECK_ANSWER = """
Check an answer that cites numbered sources, as [1] or in JSON, against exactly these sources, offline.
Call it before you present such an answer. It does not judge whether the answer is right.
ok: all cited numbers exist and all quotations hold. Otherwise do what findings say and check again.
EXACT, NORMALIZED: holds. NO_QUOTE: only the number was checked. NEAR: not verbatim, snippet has the wording.
uncited_sentences, uncited_sources: for you to judge."""


def serve() -> None:
    """Serve over stdin and stdout until stdin ends."""
    take_stdin()
    build_server().run("stdio")


def build_server() -> MCPServer[Engine]:
    """Return the server, not yet running."""
    tools = [
        _tool(check_quote, "Check a quotation", _CHECK_QUOTE, open_world=True),
        _tool(check_answer, "Check an answer's citations", _CHECK_ANSWER, open_world=False),
    ]
    return MCPServer(
        "quotecheck",
        title="quotecheck",
        version=__version__,
        instructions=_INSTRUCTIONS,
        log_level="WARNING",
        lifespan=_lifespan,
        subscriptions=False,
        tools=tools,
    )


async def check_quote(
    quote: Annotated[str, Field(description="The quoted words")],
    source: Annotated[str, Field(description="http(s) URL, doi:10.... or pmid:N")],
    context: Context[Engine, Any],
) -> QuoteRecord:
    """Return the verdict on one quotation."""
    return await _engine(context).check_quote(quote, source)


async def check_answer(
    sources: Annotated[list[str], Field(description="The text of each source; the first is number 1")],
    answer: Annotated[str, Field(description="The answer, as text or JSON")],
    context: Context[Engine, Any],
) -> AnswerRecord:
    """Return what of an answer's citations holds."""
    return await _engine(context).check_answer(sources, answer)


def _engine(context: Context[Engine, Any]) -> Engine:
    return context.request_context.lifespan_context


@contextlib.asynccontextmanager
async def _lifespan(_: MCPServer[Engine]) -> AsyncIterator[Engine]:
    # Entered when the SDK has taken stdout. What a library prints would else reach the client at exit, when
    # Python flushes it to a stdout that the SDK has given back.
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
    tool.parameters = _lean(tool.parameters)
    tool.fn_metadata.output_schema = _lean(tool.fn_metadata.output_schema)
    return tool


def _lean(schema: Any) -> Any:
    """Return a JSON schema without what pydantic adds of its own: a third of the bytes, and no information.

    Titles repeat the names of fields, descriptions of records are their docstrings.
    """
    if isinstance(schema, list):
        return [_lean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    is_record = schema.get("type") == "object"
    lean = {
        key: _lean(value)
        for key, value in schema.items()
        if not isinstance(value, str) or not (key == "title" or (is_record and key == "description"))
    }
    match lean:
        case {"anyOf": [{"type": str(kind), **rest}, {"type": "null"}]} if not rest:
            return {"type": [kind, "null"]}
    return lean
