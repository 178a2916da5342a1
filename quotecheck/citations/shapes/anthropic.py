"""Anthropic messages with their native citations, whole or as events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quotecheck.citations.jsontext import JsonObject, is_object, objects
from quotecheck.citations.shapes.response import (
    NativeCitation,
    Response,
    count,
    error_of,
    inner,
    last_value,
    optional_string,
    string,
    warnings_of,
)
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.citations.wire import Records
from quotecheck.models import Span

_EVENTS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    }
)


def matches(record: JsonObject) -> bool:
    """Tell whether a record is a message with content blocks, or an event of one."""
    kind = string(record.get("type"))
    if kind in _EVENTS:
        return True
    return isinstance(record.get("content"), list) and (
        kind == "message" or record.get("role") == "assistant"
    )


def read(records: Records) -> Response:
    """Return the text blocks joined, with the citations of each; thinking and tools are no text.

    Prompt tokens include those written to and read from the cache. A stream without `message_stop` and
    without a reason to stop was cut.
    """
    events = [record for record in records.objects if string(record.get("type")) in _EVENTS]
    messages = [record for record in records.objects if isinstance(record.get("content"), list)]
    if events:
        messages = [inner(event, "message") for event in events if event.get("type") == "message_start"]
    blocks = _blocks_of_events(events) if events else objects(messages[-1].get("content"))
    ends = [inner(event, "delta") for event in events if event.get("type") == "message_delta"]
    stop_reason = optional_string(last_value([*messages, *ends], "stop_reason"))
    is_stopped = stop_reason is not None or any(event.get("type") == "message_stop" for event in events)
    is_cut = records.broken or (bool(events) and not is_stopped)
    error = error_of(records.objects)
    text, citations = _read_blocks(blocks)
    return Response(
        text=text,
        finish_reason=stop_reason,
        prompt_tokens=_prompt_tokens([*messages, *events]),
        model=optional_string(last_value(messages, "model")),
        has_tool_calls=any(string(block.get("type")).endswith("tool_use") for block in blocks),
        error=error,
        warnings=warnings_of(
            stop_reason, error=error, extra=[AnswerWarning.STREAM_INCOMPLETE] if is_cut else []
        ),
        citations=tuple(citations),
    )


def _blocks_of_events(events: Iterable[JsonObject]) -> list[JsonObject]:
    """Return the content blocks that the events build up, in the order of their indices."""
    blocks: dict[int, JsonObject] = {}
    texts: dict[int, list[str]] = {}
    citations: dict[int, list[object]] = {}
    for event in events:
        index = count(event.get("index")) or 0
        if event.get("type") == "content_block_start":
            block = inner(event, "content_block")
            blocks[index] = block
            texts.setdefault(index, []).append(string(block.get("text")))
            citations.setdefault(index, []).extend(objects(block.get("citations")))
        delta = inner(event, "delta")
        if delta.get("type") == "text_delta":
            texts.setdefault(index, []).append(string(delta.get("text")))
            blocks.setdefault(index, {"type": "text"})
        elif delta.get("type") == "citations_delta":
            citations.setdefault(index, []).append(delta.get("citation"))
    return [
        {**block, "text": "".join(texts.get(index, [])), "citations": citations.get(index, [])}
        for index, block in sorted(blocks.items())
    ]


def _read_blocks(blocks: Iterable[JsonObject]) -> tuple[str, list[NativeCitation]]:
    parts: list[str] = []
    citations: list[NativeCitation] = []
    length = 0
    for block in blocks:
        if block.get("type") == "text":
            text = string(block.get("text"))
            citations += _citations(block, (length, length + len(text)))
            parts.append(text)
            length += len(text)
    return "".join(parts), citations


def _citations(block: JsonObject, span: Span) -> Iterator[NativeCitation]:
    for citation in objects(block.get("citations")):
        search_index = count(citation.get("search_result_index"))
        index = count(citation.get("document_index")) if search_index is None else search_index
        names = (citation.get(key) for key in ("url", "source", "document_title", "title", "file_id"))
        yield NativeCitation(
            span,
            index=index,
            among_search_results=search_index is not None,
            name=next((name for value in names if (name := optional_string(value))), None),
            quote=optional_string(citation.get("cited_text")),
            source_span=_span(citation, "start_char_index", "end_char_index"),
            block_span=_span(citation, "start_block_index", "end_block_index"),
        )


def _span(citation: JsonObject, first: str, last: str) -> Span | None:
    start, end = count(citation.get(first)), count(citation.get(last))
    return None if start is None or end is None else (start, end)


def _prompt_tokens(records: Iterable[JsonObject]) -> int | None:
    """Return the tokens of the prompt, cached ones included; later events repeat or correct earlier ones."""
    usages = [usage for record in records if is_object(usage := record.get("usage"))]
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    found = [tokens for key in keys if (tokens := count(last_value(usages, key))) is not None]
    return sum(found) if found else None
