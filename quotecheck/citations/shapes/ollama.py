"""Ollama's own responses, `/api/chat` and `/api/generate`, whole or as a stream of records."""

from __future__ import annotations

from quotecheck.citations.jsontext import JsonObject, is_object
from quotecheck.citations.shapes.response import (
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


def matches(record: JsonObject) -> bool:
    """Tell whether a record is Ollama's: a message, a response string, or the counts of a last record."""
    if is_object(record.get("message")):
        return True
    has_response = isinstance(record.get("response"), str)
    return ("model" in record and (has_response or "done" in record)) or (has_response and "done" in record)


def read(records: Records) -> Response:
    """Return what the records say; the last one (`done: true`) carries reason and counts.

    `thinking`, tool calls and images are no text. Without a last record the stream was cut.
    """
    finish_reason = optional_string(last_value(records.objects, "done_reason"))
    error = error_of(records.objects)
    is_done = any(record.get("done") is True for record in records.objects)
    says_undone = any(record.get("done") is False for record in records.objects)
    is_cut = records.broken or (not is_done and (says_undone or records.is_stream))
    return Response(
        text="".join(_text(record) for record in records.objects),
        finish_reason=finish_reason,
        prompt_tokens=count(last_value(records.objects, "prompt_eval_count")),
        model=optional_string(last_value(records.objects, "model")),
        has_tool_calls=any(inner(record, "message").get("tool_calls") for record in records.objects),
        error=error,
        warnings=warnings_of(
            finish_reason,
            error=error,
            extra=[AnswerWarning.STREAM_INCOMPLETE] if is_cut else [],
        ),
    )


def _text(record: JsonObject) -> str:
    return string(inner(record, "message").get("content")) + string(record.get("response"))
