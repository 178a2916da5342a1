"""A model's answer, read from whatever it was saved as: a response, a captured stream, or its own text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from quotecheck.citations.jsontext import JsonObject
from quotecheck.citations.limits import require_readable
from quotecheck.citations.salvage import salvage
from quotecheck.citations.shapes.recognise import read_failure, read_response
from quotecheck.citations.shapes.response import NativeCitation, Response
from quotecheck.citations.structured import (
    StructuredAnswer,
    StructuredCitation,
    list_of_citations,
    read_structured,
    structured_answer,
)
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.citations.wire import Records, read_records
from quotecheck.errors import InvalidInput

RawAnswer: TypeAlias = str | Mapping[str, object] | Sequence[object]

_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)
_THINKING_END = re.compile(r"</(?:think|thinking|reasoning)\s*>", re.IGNORECASE)
_CUT_RESPONSE = re.compile(
    r'\{\s*"(?:model|id|created_at|created|message|choices|object|response|output|type|role|done|content|usage)"\s*:'
)


class AnswerKind(StrEnum):
    """How an answer cites: as JSON, by marks in its text, or natively through the server."""

    JSON = "json"
    TEXT = "text"
    NATIVE = "native"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with all that was said about it.

    Attributes
    ----------
    kind : how it cites.
    text : the answer in words, without thinking and outer white space; every offset refers to it.
    structured : the citations of a JSON answer.
    native : the citations that the server attached, their spans in `text`.
    warnings : what the response and the form of the answer tell.
    finish_reason, prompt_tokens, model, error : as the server gave them, or None.
    """

    kind: AnswerKind
    text: str
    structured: tuple[StructuredCitation, ...] = ()
    native: tuple[NativeCitation, ...] = ()
    warnings: frozenset[AnswerWarning] = frozenset()
    finish_reason: str | None = None
    prompt_tokens: int | None = None
    model: str | None = None
    error: str | None = None


def read_answer(answer: RawAnswer) -> Answer:
    """Return the answer that a response, a captured stream or a text holds.

    Raises InvalidInput for JSON that is no response and no JSON answer, naming its keys, and for a text that
    is too long.

    >>> read_answer({"message": {"content": "Soft [1]."}, "done": True, "done_reason": "stop"}).text
    'Soft [1].'
    """
    require_readable("answer", answer)
    if isinstance(answer, str):
        text = answer.strip().removeprefix("\ufeff").strip()
        records = read_records(text)
    else:
        text = ""
        records = _records_of_objects(answer)
    response = read_response(records)
    if response is not None:
        return _answer_of_response(response)
    structured = _structured_records(records)
    if structured is not None:
        return _answer_of_structured(structured, Response())
    failure = read_failure(records)
    if failure is not None:
        return _answer_of_response(failure)
    if records.objects and not (records.broken and len(records.objects) == 1):
        raise InvalidInput(_unknown_shape(records.objects[0]))
    if not records.objects and _CUT_RESPONSE.match(text):
        return _answer_of_response(Response(warnings=frozenset({AnswerWarning.STREAM_INCOMPLETE})))
    return _answer_of_response(Response(text=text))


def _records_of_objects(answer: Mapping[str, object] | Sequence[object]) -> Records:
    if isinstance(answer, Mapping):
        return Records((dict(answer),))
    if isinstance(answer, Sequence) and not isinstance(answer, bytes | bytearray):
        objects = tuple(dict(item) for item in answer if isinstance(item, Mapping))
        if objects and len(objects) == len(answer):
            return Records(objects, is_stream=True)
    raise InvalidInput("an answer is text, a response object, or a list of the objects of a stream")


def _structured_records(records: Records) -> StructuredAnswer | None:
    """Return a JSON answer that was handed over bare: one object, or a list of citations."""
    if records.is_stream:
        citations = list_of_citations(list(records.objects))
        return None if citations is None else structured_answer(citations)
    if len(records.objects) != 1 or records.broken:
        return None
    value = records.objects[0]
    return structured_answer(value) if "citations" in value or "answer" in value else None


def _unknown_shape(value: JsonObject) -> str:
    keys = ", ".join(repr(key) for key in list(value)[:8]) or "none"
    return (
        f"the answer is JSON of no known shape (its keys: {keys}): expected a response of Ollama, OpenAI or "
        "Anthropic, an object with 'answer' and 'citations', or text"
    )


def _answer_of_response(response: Response) -> Answer:
    start = _thinking_end(response.text)
    text = response.text[start:].strip()
    structured = None if response.citations else read_structured(text) or salvage(text)
    if structured is not None:
        return _answer_of_structured(structured, response)
    warnings = set(response.warnings)
    if not text:
        is_call = response.has_tool_calls and response.error is None
        warnings.add(AnswerWarning.TOOL_CALLS_ONLY if is_call else AnswerWarning.EMPTY_ANSWER)
    start += len(response.text[start:]) - len(response.text[start:].lstrip())
    native = tuple(_moved(citation, -start, len(text)) for citation in response.citations)
    kind = AnswerKind.NATIVE if native else AnswerKind.TEXT
    return _answer(kind, text, response, warnings, native=native)


def _answer_of_structured(structured: StructuredAnswer, response: Response) -> Answer:
    text = structured.text.strip()
    warnings = set(response.warnings)
    if structured.is_broken:
        warnings.add(AnswerWarning.JSON_INVALID)
    if not text and (structured.has_text_field or not structured.citations):
        warnings.add(AnswerWarning.EMPTY_ANSWER)
    shift = len(structured.text.lstrip()) - len(structured.text)
    citations = tuple(
        row if row.span is None else replace(row, span=_shifted(row.span, shift, len(text)))
        for row in structured.citations
    )
    return _answer(AnswerKind.JSON, text, response, warnings, structured=citations)


def _answer(
    kind: AnswerKind,
    text: str,
    response: Response,
    warnings: set[AnswerWarning],
    *,
    structured: tuple[StructuredCitation, ...] = (),
    native: tuple[NativeCitation, ...] = (),
) -> Answer:
    return Answer(
        kind=kind,
        text=text,
        structured=structured,
        native=native,
        warnings=frozenset(warnings),
        finish_reason=response.finish_reason,
        prompt_tokens=response.prompt_tokens,
        model=response.model,
        error=response.error,
    )


def _moved(citation: NativeCitation, shift: int, length: int) -> NativeCitation:
    return replace(citation, span=_shifted(citation.span, shift, length))


def _shifted(span: tuple[int, int], shift: int, length: int) -> tuple[int, int]:
    start, end = (min(max(0, offset + shift), length) for offset in span)
    return start, max(start, end)


def _thinking_end(text: str) -> int:
    """Return where the answer begins behind the thinking that models leave before it.

    Without a closing tag all of it is thinking; with only a closing tag, what stands before that.
    """
    position = 0
    while opening := _THINKING.match(text, position):
        closing = _THINKING_END.search(text, opening.end())
        if closing is None:
            return len(text)
        position = closing.end()
    closing = _THINKING_END.search(text, position) if position == 0 else None
    if closing is None or _is_quoted_tag(text, closing) or _opens_before(text, closing.start()):
        return position
    return closing.end()


def _is_quoted_tag(text: str, tag: re.Match[str]) -> bool:
    """Tell whether a tag stands in code, so that the answer writes about it."""
    return text[tag.start() - 1 : tag.start()] == "`" or text.count("```", 0, tag.start()) % 2 == 1


def _opens_before(text: str, position: int) -> bool:
    return re.search(r"<(?:think|thinking|reasoning)>", text[:position], re.IGNORECASE) is not None
