"""JSON out of strangers' files: whole values, values one after another, and what is left of a cut file.

Nesting of more than 500 brackets is an error like any other (`TooDeep`), and nothing is read by recursion of
our own. The standard decoder gives up somewhere between 900 and 100,000 brackets, depending on the version of
Python and on how deep its caller stands.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

JsonObject: TypeAlias = dict[str, object]

_DECODER = json.JSONDecoder()
# Accepts raw line breaks in strings, which models write and the standard forbids.
_LENIENT_DECODER = json.JSONDecoder(strict=False)
_NOT_SPACE = re.compile(r"\S")
_MAX_DEPTH = 500
# Each failure costs a pass over the text: the decoder's error counts the lines before it.
_MAX_UNREADABLE = 100


class NotJson(ValueError):
    """The text is no JSON value; `position` is where reading stopped, in code points."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position


class TooDeep(NotJson):
    """The text nests more than 500 brackets."""


def parse_json(text: str, *, lenient: bool = False) -> object:
    """Return the one JSON value that the text holds; raises NotJson or TooDeep.

    >>> parse_json('{"answer": "Soft.", "citations": [1]}')
    {'answer': 'Soft.', 'citations': [1]}
    """
    value, end = parse_json_at(text, 0, lenient=lenient)
    rest = _NOT_SPACE.search(text, end)
    if rest:
        raise NotJson("more text follows the value", rest.start())
    return value


def parse_json_at(text: str, start: int, *, lenient: bool = False) -> tuple[object, int]:
    """Return the JSON value that begins at `start` (after white space) and the offset of its end."""
    first = _NOT_SPACE.search(text, start)
    if first is None:
        raise NotJson("no value", len(text))
    decoder = _LENIENT_DECODER if lenient else _DECODER
    try:
        value, end = decoder.raw_decode(text, first.start())
    except json.JSONDecodeError as error:
        raise NotJson(error.msg, error.pos) from None
    except RecursionError:
        raise TooDeep("the brackets nest too deeply", first.start()) from None
    except ValueError as error:  # a number of more digits than Python converts
        raise NotJson(str(error), first.start()) from None
    brackets = text.count("[", start, end) + text.count("{", start, end)
    if brackets > _MAX_DEPTH and _is_too_deep(value):
        raise TooDeep("the brackets nest too deeply", first.start())
    return value, end


def _is_too_deep(value: object) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


@dataclass(frozen=True, slots=True)
class Values:
    """JSON objects found one after another in a text.

    `broken` is true where something between or after them could not be read: the file was cut, or lines of
    another kind stand in it. Reading stops at the 100th such place.
    """

    objects: tuple[JsonObject, ...]
    broken: bool


def read_objects(text: str) -> Values:
    """Return the JSON objects of a text of lines (NDJSON) or of objects one after another, pretty or not.

    >>> read_objects('{"a": 1}\\n{"a": 2}\\n{"a": ')
    Values(objects=({'a': 1}, {'a': 2}), broken=True)
    """
    objects: list[JsonObject] = []
    broken = False
    for value in _values(text):
        if is_object(value):
            objects.append(value)
        else:
            broken = True
    return Values(tuple(objects), broken)


def _values(text: str) -> Iterator[object]:
    """Yield values one after another, and None for each stretch that is none."""
    position = unreadable = 0
    while unreadable < _MAX_UNREADABLE and (first := _NOT_SPACE.search(text, position)):
        try:
            value, position = parse_json_at(text, first.start())
        except NotJson as error:
            unreadable += 1
            value, position = None, _next_line(text, first.start(), error.position)
        yield value


def _next_line(text: str, start: int, failed: int) -> int:
    """Return where to go on after a value that begins at `start` broke off at `failed`.

    That is the line it broke off in, unless it also began there: so a line that lost its end does not take
    the next one with it, and no stretch is read more than twice.
    """
    line = text.rfind("\n", start, failed) + 1
    if line > start:
        return line
    following = text.find("\n", failed)
    return len(text) if following < 0 else following


def as_text(value: object) -> str:
    """Return a value as the words it stands for: a string as it is, null as nothing, else its JSON.

    Of a value that nests too deeply to be written only the kind is told.
    """
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return f"({type(value).__name__})"


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Tell whether a value is a JSON object (keys of a decoded object are always strings)."""
    return isinstance(value, dict)


def objects(value: object) -> list[JsonObject]:
    """Return the objects of a list, else none."""
    return [item for item in value if is_object(item)] if isinstance(value, list) else []


def line_and_column(text: str, position: int) -> str:
    """Return "line L, column C" (both from 1) of an offset, for error messages."""
    line = text.count("\n", 0, position) + 1
    column = position - (text.rfind("\n", 0, position) + 1) + 1
    return f"line {line}, column {column}"
