"""What a model server's response says, whatever its shape: the text, why it ended, and native citations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from quotecheck.citations.jsontext import JsonObject, as_text, is_object
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.models import Span

_OF_FINISH = {
    "length": AnswerWarning.TRUNCATED,
    "max_tokens": AnswerWarning.TRUNCATED,
    "max_output_tokens": AnswerWarning.TRUNCATED,
    "max_completion_tokens": AnswerWarning.TRUNCATED,
    "model_length": AnswerWarning.TRUNCATED,
    "model_context_window_exceeded": AnswerWarning.TRUNCATED,
    "content_filter": AnswerWarning.CONTENT_FILTER,
    "refusal": AnswerWarning.REFUSAL,
    "error": AnswerWarning.RESPONSE_ERROR,
}


_BEYOND_COUNTING = 2**53


@dataclass(frozen=True, slots=True)
class NativeCitation:
    """A citation that the server attached to a stretch of the text.

    Attributes
    ----------
    span : the stretch of the response's text that it supports, in code points.
    index : 0-based position of the source, or None where the source is named otherwise.
    among_search_results : whether `index` counts search results only (else it counts documents).
    name : the source's URL, file name or id, or None.
    quote : the cited words, or None where the server gives none.
    source_span : where the server says the words stand in the source's text, or None.
    block_span : in which of the source's content blocks they stand, counted from 0, or None.
    """

    span: Span
    index: int | None = None
    among_search_results: bool = False
    name: str | None = None
    quote: str | None = None
    source_span: Span | None = None
    block_span: Span | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """What a response says; `text` is the answer as it was sent, thinking in its own field left out."""

    text: str = ""
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    model: str | None = None
    has_tool_calls: bool = False
    error: str | None = None
    warnings: frozenset[AnswerWarning] = frozenset()
    citations: tuple[NativeCitation, ...] = field(default=())


def warnings_of(
    finish_reason: str | None, *, error: str | None = None, extra: Iterable[AnswerWarning] = ()
) -> frozenset[AnswerWarning]:
    """Return the warnings that a reason to finish, an error and the shape's own observations stand for."""
    warnings = set(extra)
    warning = _OF_FINISH.get((finish_reason or "").lower())
    if warning:
        warnings.add(warning)
    if error is not None:
        warnings.add(AnswerWarning.RESPONSE_ERROR)
    return frozenset(warnings)


def error_of(records: Iterable[JsonObject]) -> str | None:
    """Return the message of the first record that carries an error, or None."""
    for record in records:
        error = record.get("error")
        if is_object(error):
            message = error.get("message")
            return message if isinstance(message, str) and message else "an error without a message"
        if error:
            return as_text(error)
    return None


def string(value: object) -> str:
    """Return a string as it is, and anything else as an empty one."""
    return value if isinstance(value, str) else ""


def optional_string(value: object) -> str | None:
    """Return a string that is not empty, else None."""
    return value if isinstance(value, str) and value else None


def count(value: object) -> int | None:
    """Return a whole number, else None: true and false are no numbers, nor is what no server counts to."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _BEYOND_COUNTING
    return value if is_number and isinstance(value, int) else None


def inner(record: JsonObject, *keys: str) -> JsonObject:
    """Return the object under the keys, each one level down, or an empty one."""
    for key in keys:
        value = record.get(key)
        record = value if is_object(value) else {}
    return record


def last_value(records: Iterable[JsonObject], key: str) -> object:
    """Return the last value under a key that is not null, or None."""
    value: object = None
    for record in records:
        found = record.get(key)
        value = value if found is None else found
    return value
