"""The numbered sources that a model was given, read from what people keep them in.

A JSON array or object, JSONL, or plain text. The number of a source is its position, so an empty item keeps
its place: dropping it would shift every number behind it. What looks like JSON and is broken is refused, for
as plain text it would be one wrong source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from quotecheck.citations.jsontext import NotJson, TooDeep, line_and_column, parse_json
from quotecheck.citations.limits import require_readable
from quotecheck.errors import InvalidInput

Sources: TypeAlias = str | Sequence[object] | Mapping[str, object]

LIST_KEYS = (
    "sources",
    "documents",
    "docs",
    "contexts",
    "retrieved_contexts",
    "retrieval_context",
    "chunks",
    "passages",
    "results",
    "context",
)
_TEXT_KEYS = (
    "text",
    "content",
    "page_content",
    "passage",
    "snippet",
    "chunk",
    "document",
    "body",
    "context",
    "data",
)
# Where Anthropic, LlamaIndex and LangChain put the text one level down.
_INNER_KEYS = ("source", "node", "document", "kwargs")
_METADATA_KEYS = ("metadata", "meta")
_ID_KEYS = ("id", "doc_id", "document_id", "source_id", "chunk_id", "id_", "_id")
_TITLE_KEYS = ("title", "name")
_URL_KEYS = ("url", "link", "uri", "source")

_RULE = re.compile(r"^[ \t]*-{3,}[ \t]*\r?$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_JSON_START = re.compile(r'\{\s*"|\[[\s\[]*(?:\{\s*)?"')


@dataclass(frozen=True, slots=True)
class NumberedSource:
    """One source as the model was given it.

    Attributes
    ----------
    number : what the answer calls it: the position, from `first_number`.
    text : its text, unchanged; offsets of citations refer to it. Blank where the item held none.
    blocks : the texts of its content blocks, where it came in blocks; the text is all of them joined.
    id, title, url : other names that an answer may use for it, or None.
    is_search_result : an Anthropic `search_result` block, whose indices count apart from documents.
    """

    number: int
    text: str
    id: str | None = None
    title: str | None = None
    url: str | None = None
    is_search_result: bool = False
    blocks: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that could be quoted."""
        return not self.text.strip()


def read_sources(sources: Sources, *, first_number: int = 1) -> tuple[NumberedSource, ...]:
    """Return the sources in order, numbered from `first_number`.

    Takes a list of strings or objects, an object that holds such a list, or the text of a file. Raises
    InvalidInput where there are none, and where the text looks like JSON and is none, or is too long.

    >>> [(source.number, source.text) for source in read_sources("Tin is soft.\\n---\\nIron rusts.")]
    [(1, 'Tin is soft.'), (2, 'Iron rusts.')]
    """
    require_readable("text of the sources", sources)
    items = _items_of_text(sources) if isinstance(sources, str) else _items(sources)
    if not items:
        raise InvalidInput(
            "there are no sources: give a JSON array, JSONL, or text with the sources parted by lines of ---"
        )
    return tuple(_numbered(number, item) for number, item in enumerate(items, first_number))


def _items(value: object) -> list[object]:
    """Return the items of a list, of the first list in an object, or the object itself as the only item."""
    if isinstance(value, Mapping):
        for key in LIST_KEYS:
            if isinstance(value.get(key), list | tuple):
                return list(value[key])
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return list(value)
    raise InvalidInput(f"sources are a list, an object or text, not {type(value).__name__}")


def _items_of_text(text: str) -> list[object]:
    text = text.strip().removeprefix("\ufeff").strip()
    if text.startswith(("[", "{")):
        try:
            return _items(parse_json(text))
        except TooDeep as error:
            raise InvalidInput(f"the sources cannot be read: {error}") from None
        except NotJson as error:
            whole_error = error
    else:
        whole_error = None
    lines = _json_lines(text)
    if lines is not None:
        return lines
    if whole_error is not None and _JSON_START.match(text):
        place = line_and_column(text, whole_error.position)
        raise InvalidInput(
            f"the sources begin like JSON but are neither JSON nor JSONL ({place}: {whole_error})"
        )
    return list(_items_of_plain_text(text))


def _json_lines(text: str) -> list[object] | None:
    """Return one item for each line, or None unless every line is a JSON object, string, list or null."""
    items: list[object] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        if not line.lstrip().startswith(("{", '"', "[", "null")):
            return None
        try:
            items.append(parse_json(line))
        except NotJson:
            return None
    return items


def _items_of_plain_text(text: str) -> Iterable[str]:
    pieces = _RULE.split(text) if _RULE.search(text) else _BLANK_LINES.split(text)
    return [piece.strip() for piece in pieces if piece.strip()]


def _numbered(number: int, item: object) -> NumberedSource:
    if not isinstance(item, Mapping):
        if not isinstance(item, str | list | tuple | int | float | None):
            kind = type(item).__name__
            raise InvalidInput(f"source {number} is of type {kind}: give its text, or a dict that holds it")
        return NumberedSource(number, _text_of_value(item))
    levels = [item, *_inner_objects([item], _INNER_KEYS)]
    named = [*levels, *_inner_objects(levels, _METADATA_KEYS)]
    return NumberedSource(
        number,
        next((text for level in levels if (text := _text_of_object(level)).strip()), ""),
        id=_name(named, _ID_KEYS),
        title=_name(named, _TITLE_KEYS),
        url=_name(named, _URL_KEYS),
        is_search_result=item.get("type") == "search_result",
        blocks=next((blocks for level in levels if (blocks := _blocks(level))), ()),
    )


def _blocks(item: Mapping[str, object]) -> tuple[str, ...]:
    parts = item.get("content")
    return tuple(_text_of_part(part) for part in parts) if isinstance(parts, list | tuple) else ()


def _inner_objects(levels: Iterable[Mapping[str, object]], keys: Iterable[str]) -> list[Mapping[str, object]]:
    values = [level.get(key) for level in levels for key in keys]
    return [value for value in values if isinstance(value, Mapping)]


def _text_of_object(item: Mapping[str, object]) -> str:
    """Return the first text of an object that is not blank, else an empty string."""
    values = (item.get(key) for key in _TEXT_KEYS)
    return next((text for value in values if (text := _text_of_value(value)).strip()), "")


def _text_of_value(value: object) -> str:
    """Return the text of a string, or of a list of parts joined without a separator."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return "".join(_text_of_part(part) for part in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return ""


def _text_of_part(part: object) -> str:
    if isinstance(part, Mapping):
        part = part.get("text")
    return part if isinstance(part, str) else ""


def _name(levels: Iterable[Mapping[str, object]], keys: Sequence[str]) -> str | None:
    """Return the first name under the keys, looked for in the object first, then in its parts."""
    for level in levels:
        for key in keys:
            value = level.get(key)
            if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
                return str(value).strip()
    return None
