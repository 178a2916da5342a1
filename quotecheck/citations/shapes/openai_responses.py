"""OpenAI's Responses API: a whole response, or its events."""

from __future__ import annotations

from quotecheck.citations.jsontext import JsonObject, objects
from quotecheck.citations.shapes.openai_chat import url_citations
from quotecheck.citations.shapes.response import (
    NativeCitation,
    Response,
    count,
    error_of,
    inner,
    optional_string,
    string,
    warnings_of,
)
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.citations.wire import Records

_FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed")


def matches(record: JsonObject) -> bool:
    """Tell whether a record is a response, or an event of one."""
    return record.get("object") == "response" or string(record.get("type")).startswith("response.")


def read(records: Records) -> Response:
    """Return what the response says; the full response at the end of a stream wins over its deltas.

    Reasoning items are no text. A stream without its final event was cut.
    """
    events = records.objects
    finals = [inner(event, "response") for event in events if event.get("type") in _FINAL_EVENTS]
    wholes = [event for event in events if event.get("object") == "response"]
    whole = (wholes + finals or [{}])[-1]
    response = _read_whole(whole)
    text = response.text or _joined(events, "response.output_text.delta")
    refused = _joined(events, "response.refusal.delta")
    error = response.error or error_of(events)
    extra = set(response.warnings)
    if not (wholes or finals) or records.broken:
        extra.add(AnswerWarning.STREAM_INCOMPLETE)
    if refused:
        extra.add(AnswerWarning.REFUSAL)
    return Response(
        text=text or refused,
        finish_reason=response.finish_reason,
        prompt_tokens=response.prompt_tokens,
        model=response.model,
        has_tool_calls=response.has_tool_calls,
        error=error,
        warnings=warnings_of(response.finish_reason, error=error, extra=extra),
        citations=response.citations,
    )


def _read_whole(whole: JsonObject) -> Response:
    output = objects(whole.get("output"))
    text, refusal, citations = _read_messages([item for item in output if item.get("type") == "message"])
    status = optional_string(whole.get("status"))
    reason = optional_string(inner(whole, "incomplete_details").get("reason"))
    is_partial = status in ("in_progress", "queued", "cancelled") or (status == "incomplete" and not reason)
    extra = [
        *([AnswerWarning.REFUSAL] if refusal else []),
        *([AnswerWarning.STREAM_INCOMPLETE] if is_partial else []),
        *([AnswerWarning.RESPONSE_ERROR] if status == "failed" else []),
    ]
    return Response(
        text=text or refusal,
        finish_reason=reason or status,
        prompt_tokens=count(inner(whole, "usage").get("input_tokens")),
        model=optional_string(whole.get("model")),
        has_tool_calls=any(string(item.get("type")).endswith("_call") for item in output),
        error=error_of([whole]),
        warnings=warnings_of(reason, extra=extra),
        citations=tuple(citations),
    )


def _read_messages(messages: list[JsonObject]) -> tuple[str, str, list[NativeCitation]]:
    """Return text, refusal and citations of the message items, a blank line between two messages."""
    text, refusal = "", ""
    citations: list[NativeCitation] = []
    for message in messages:
        text += "\n\n" if text else ""
        for part in objects(message.get("content")):
            refusal += string(part.get("refusal"))
            if part.get("type") == "output_text":
                citations += url_citations([part], offset=len(text))
                text += string(part.get("text"))
    return text, refusal, citations


def _joined(events: tuple[JsonObject, ...], kind: str) -> str:
    """Return the deltas of one kind, a blank line between two output items."""
    parts: dict[object, list[str]] = {}
    for event in events:
        if event.get("type") == kind:
            parts.setdefault(str(event.get("output_index")), []).append(string(event.get("delta")))
    return "\n\n".join("".join(part) for part in parts.values())
