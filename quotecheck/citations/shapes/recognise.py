"""Tell which shape saved records have, and read them by it."""

from __future__ import annotations

from collections.abc import Callable

from quotecheck.citations.jsontext import JsonObject
from quotecheck.citations.shapes import anthropic, ollama, openai_chat, openai_responses
from quotecheck.citations.shapes.response import Response, error_of, string, warnings_of
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.citations.wire import Records

# The order matters only for records that carry the marks of two servers: `choices` beside a `message`.
_SHAPES: tuple[tuple[Callable[[JsonObject], bool], Callable[[Records], Response]], ...] = (
    (openai_chat.matches, openai_chat.read),
    (openai_responses.matches, openai_responses.read),
    (anthropic.matches, anthropic.read),
    (ollama.matches, ollama.read),
)


def read_response(records: Records) -> Response | None:
    """Return what the records say, or None where no record has a known shape.

    >>> read_response(Records(({"message": {"content": "Soft [1]."}, "done": True},))).text
    'Soft [1].'
    """
    for record in records.objects:
        for matches, read in _SHAPES:
            if matches(record):
                return read(records)
    return _read_bare_message(records)


def read_failure(records: Records) -> Response | None:
    """Return the error that stands in place of a response, or None."""
    error = error_of(records.objects)
    return None if error is None else Response(error=error, warnings=warnings_of(None, error=error))


def _read_bare_message(records: Records) -> Response | None:
    """Read one message as it stands in a history: `{"role": "assistant", "content": ...}`."""
    if records.is_stream or not records.objects:
        return None
    message = records.objects[0]
    if message.get("role") != "assistant" or not isinstance(message.get("content"), str):
        return None
    cut = [AnswerWarning.STREAM_INCOMPLETE] if records.broken else []
    return Response(text=string(message.get("content")), warnings=warnings_of(None, extra=cut))
