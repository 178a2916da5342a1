"""What parent and worker say to each other: frames of bytes, and values that carry no code.

A request is a pickle: the worker trusts its parent. An answer comes from a process that has parsed
strangers' bytes with C libraries, so it is JSON, read into the type that the parent expects and into no
other; whatever a hostile page might make of its worker, it cannot make the parent run anything.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from pathlib import PurePath
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

HEADER: Final = struct.Struct(">Q")  # length of the frame that follows
LARGEST_ANSWER: Final = 1 << 28
# An answer begins with two bytes: what it is, and whether the worker can take another request.
RESULT, UNAVAILABLE, FAILURE = b"R", b"U", b"F"
REUSABLE, SPENT = b"+", b"-"


class MalformedAnswer(ValueError):
    """A worker sent something else than the value that was asked for."""


def frame(content: bytes) -> bytes:
    """Return content behind its length, ready to be sent."""
    return HEADER.pack(len(content)) + content


def dump(value: object) -> bytes:
    """Write a value as JSON: dataclasses by field, paths and times as strings, tuples as arrays."""
    text = json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a worker cannot answer with a {type(value).__name__}")


def load(content: bytes, hint: object) -> Any:
    """Read what `dump` wrote into the type that `hint` describes.

    Raises
    ------
    MalformedAnswer : for JSON that is broken or of another shape.

    >>> load(dump({"start": 3}), dict[str, int])
    {'start': 3}
    """
    try:
        return _build(json.loads(content.decode("utf-8", "surrogatepass")), hint)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise MalformedAnswer(f"a worker sent an answer that is no {hint}: {error}") from error


def _build(value: Any, hint: Any) -> Any:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _build_union(value, get_args(hint))
    if origin is tuple:
        return _build_tuple(_require(value, list), get_args(hint))
    if origin is list:
        return [_build(item, get_args(hint)[0]) for item in _require(value, list)]
    if origin in (dict, Mapping):
        inner = get_args(hint)[1]
        return {key: _build(item, inner) for key, item in _require(value, dict).items()}
    if is_dataclass(hint) and isinstance(hint, type):
        return _build_dataclass(_require(value, dict), hint)
    if isinstance(hint, type) and issubclass(hint, Enum | PurePath):
        return hint(_require(value, str))
    if hint is datetime:
        return datetime.fromisoformat(_require(value, str))
    if hint is float and type(value) is int:
        return float(value)
    return value if hint is object else _require(value, NoneType if hint is None else hint)


def _require(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{kind.__name__} expected, not {type(value).__name__}")
    return value


def _build_union(value: Any, hints: tuple[Any, ...]) -> Any:
    if value is None and NoneType in hints:
        return None
    inner = [hint for hint in hints if hint is not NoneType]
    if len(inner) != 1:
        raise TypeError(f"unions of more than one type are not supported: {hints}")
    return _build(value, inner[0])


def _build_tuple(values: list[Any], hints: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(hints) == 2 and hints[1] is Ellipsis:
        return tuple(_build(value, hints[0]) for value in values)
    return tuple(_build(value, hint) for value, hint in zip(values, hints, strict=True))


def _build_dataclass(values: dict[str, Any], kind: type) -> Any:
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]
    if set(values) != set(names):
        raise TypeError(f"{kind.__name__} expected, with the fields {names}")
    return kind(**{name: _build(values[name], hints[name]) for name in names})
