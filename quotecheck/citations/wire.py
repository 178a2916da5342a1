"""What was saved of a model's response, as JSON objects: one whole response, or the records of a stream.

Recognises server-sent events, NDJSON, objects one after another and arrays of objects; anything else is the
answer's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quotecheck.citations.jsontext import JsonObject, NotJson, TooDeep, is_object, parse_json, read_objects
from quotecheck.errors import InvalidInput

# Possessive, for a carriage return before a line feed could be read in two ways.
_EVENT_STREAM = re.compile(
    r"(?:(?:(?:event|id|retry)?[ \t]*:[^\r\n]*)?(?:\r\n|\n|\r))*+data[ \t]*:[ \t]*[\[{]"
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Records:
    """The JSON objects of a saved response.

    `is_stream` tells a captured stream from one whole response, `closed` that the stream said `[DONE]`, and
    `broken` that part of it could not be read.
    """

    objects: tuple[JsonObject, ...]
    is_stream: bool = False
    closed: bool = False
    broken: bool = False


def read_records(text: str) -> Records:
    """Return the records of a saved response; without any, the text is the answer itself.

    Raises InvalidInput for a JSON value that nests too deeply to be read.

    >>> read_records('data: {"choices": []}\\n\\ndata: [DONE]\\n').closed
    True
    >>> read_records("[1] says so.").objects
    ()
    """
    if _EVENT_STREAM.match(text):
        return _read_events(text)
    if not text.startswith(("{", "[")):
        return Records(())
    try:
        value = parse_json(text)
    except TooDeep as error:
        if text.endswith(("}", "]")):
            raise InvalidInput(f"the answer cannot be read as JSON: {error}") from None
        return Records(())
    except NotJson:
        return _read_lines(text) if text.startswith("{") else Records(())
    if is_object(value):
        return Records((value,))
    items = value if isinstance(value, list) else []
    objects = tuple(item for item in items if is_object(item))
    return Records(objects, is_stream=True) if len(objects) == len(items) else Records(())


def _read_lines(text: str) -> Records:
    values = read_objects(text)
    return Records(values.objects, is_stream=len(values.objects) != 1, broken=values.broken)


def _read_events(text: str) -> Records:
    objects: list[JsonObject] = []
    broken = False
    for data in _event_data(text):
        if data == _DONE:
            return Records(tuple(objects), is_stream=True, closed=True, broken=broken)
        values = read_objects(data)
        objects += values.objects
        broken = broken or values.broken
    return Records(tuple(objects), is_stream=True, broken=broken)


def _event_data(text: str) -> Iterator[str]:
    """Yield the data of each event, its lines joined as the standard says; other fields carry nothing.

    `[DONE]` is yielded alone, also where a capture lost the blank lines between events.
    """
    lines: list[str] = []
    for line in (*_LINE_END.split(text), ""):
        field, _, value = line.partition(":")
        is_done = field == "data" and value.strip() == _DONE
        if lines and (is_done or not line):
            yield "\n".join(lines)
            lines = []
        if is_done:
            yield _DONE
        elif field == "data":
            lines.append(value.removeprefix(" "))
