"""OpenAI-compatible chat completions (OpenAI, Ollama's `/v1`, vLLM, OpenRouter, ...), whole or as chunks."""

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


def matches(record: JsonObject) -> bool:
    """Tell whether a record is a chat completion or a chunk of one."""
    return isinstance(record.get("choices"), list)


def read(records: Records) -> Response:
    """Return what the first choice says; reasoning fields, thinking parts and tool calls are no text.

    A stream is whole when a chunk gave the reason to finish, or the stream said `[DONE]`.
    """
    choices = list(_first_choices(records.objects))
    messages = [message for choice in choices for message in _messages(choice)]
    finish_reason = optional_string(last_value(choices, "finish_reason"))
    text = "".join(_text(message.get("content")) for message in messages)
    text += "".join(string(choice.get("text")) for choice in choices)
    refusal = "".join(_refusal(message) for message in messages)
    error = error_of((*records.objects, *choices))
    is_cut = records.broken or (records.is_stream and not records.closed and finish_reason is None)
    warnings = [
        *([AnswerWarning.REFUSAL] if refusal else []),
        *([AnswerWarning.STREAM_INCOMPLETE] if is_cut else []),
        *([AnswerWarning.MULTIPLE_CHOICES] if _has_other_choices(records.objects) else []),
    ]
    return Response(
        text=text or refusal,
        finish_reason=finish_reason,
        prompt_tokens=count(
            inner({"usage": last_value(records.objects, "usage")}, "usage").get("prompt_tokens")
        ),
        model=optional_string(last_value(records.objects, "model")),
        has_tool_calls=any(message.get("tool_calls") or message.get("function_call") for message in messages),
        error=error,
        warnings=warnings_of(finish_reason, error=error, extra=warnings),
        citations=tuple(url_citations(messages, offset=0)),
    )


def url_citations(messages: Iterable[JsonObject], *, offset: int) -> Iterator[NativeCitation]:
    """Yield the citations among the `annotations` of messages or parts; `offset` is where their text begins.

    They name a page or a file and where in the text it is cited, and quote nothing.
    """
    for annotation in (found for message in messages for found in objects(message.get("annotations"))):
        kind = annotation.get("type")
        body = inner(annotation, str(kind)) or annotation
        name = next((found for key in _NAME_KEYS if (found := optional_string(body.get(key)))), None)
        if kind in ("url_citation", "file_citation", "container_file_citation") and name is not None:
            # A file citation has a point instead of a stretch: the end of what it supports.
            end = count(body.get("end_index")) or count(body.get("index")) or 0
            start = count(body.get("start_index"))
            start = max(0, end - 1) if start is None else start
            yield NativeCitation((offset + start, offset + max(start, end)), name=name)


_NAME_KEYS = ("url", "filename", "file_id", "title")


def _first_choices(records: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """Yield the choice with index 0 of each record (a choice without an index is the first)."""
    for record in records:
        for position, choice in enumerate(objects(record.get("choices"))):
            if choice.get("index", position) == 0:
                yield choice


def _has_other_choices(records: Iterable[JsonObject]) -> bool:
    choices = [objects(record.get("choices")) for record in records]
    return any(len(found) > 1 or any(choice.get("index", 0) != 0 for choice in found) for found in choices)


def _messages(choice: JsonObject) -> list[JsonObject]:
    return [message for key in ("message", "delta") if is_object(message := choice.get(key))]


def _text(content: object) -> str:
    """Return the text of a string or of the parts that are text."""
    if isinstance(content, str):
        return content
    return "".join(
        string(part.get("text")) for part in objects(content) if part.get("type") in ("text", "output_text")
    )


def _refusal(message: JsonObject) -> str:
    parts = objects(message.get("content"))
    return string(message.get("refusal")) + "".join(string(part.get("refusal")) for part in parts)
