"""What can still be read of a JSON answer that is no valid JSON: its text, and every complete citation.

A generation limit cuts the object anywhere; models leave out commas and closing marks, and quote without
escaping. Nothing is guessed: a citation counts only when its own object, string or number is complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quotecheck.citations.jsontext import JsonObject, NotJson, parse_json, parse_json_at
from quotecheck.citations.structured import (
    FENCE,
    NUMBER_KEYS,
    OBJECT_START,
    QUOTE_KEYS,
    StructuredAnswer,
    StructuredCitation,
    citations_of,
)

_CITATIONS = re.compile(r'"citations"\s*:\s*(?=[\[{"\d])')
_ANSWER = re.compile(r'"answer"\s*:\s*"')
_VALUE_END = re.compile(r'"(?=\s*(?:,\s*"\w+"\s*:|\}))')
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?=\s*[,\]])")
_BETWEEN_ITEMS = re.compile(r"[\s,]*")
_PAIR = re.compile(r'[\s,]*("(?:[^"\\]|\\.){0,200}")\s*:')
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
# Each failure costs a pass over the text (the decoder's error counts lines): a hundred stay within seconds.
_MAX_FAILURES = 100


def salvage(text: str) -> StructuredAnswer | None:
    """Return what is left of a broken JSON answer, or None where the text does not look like one.

    >>> salvage('{"answer": "Soft.", "citations": [{"source": 1, "quote": "Tin"}, {"sour').citations
    (StructuredCitation(source=1, quote='Tin', span=None),)
    """
    start = _start(text)
    if start is None:
        return None
    citations = _CITATIONS.search(text, start)
    answer = _ANSWER.search(text, start)
    if citations is None and answer is None:
        return None
    return StructuredAnswer(
        text=_string(text, answer.end()) if answer else "",
        citations=tuple(_complete_citations(text, citations.end())) if citations else (),
        has_text_field=answer is not None,
        is_broken=True,
    )


def _start(text: str) -> int | None:
    """Return where the broken object begins: the whole text, a fenced block, or before `"citations"`."""
    fence = FENCE.match(text)
    if fence:
        return fence.end()
    if OBJECT_START.match(text):
        return 0
    citations = _CITATIONS.search(text)
    first = OBJECT_START.search(text, 0, citations.start() + 1) if citations else None
    return first.start() if first else None


def _string(text: str, start: int) -> str:
    """Return the string that begins at `start`, also cut off or with bare quotation marks in it."""
    ends = (match.start() for match in _VALUE_END.finditer(text, start))
    end = next((end for end in ends if not _is_escaped(text, end)), len(text))
    raw = text[start:end] if end < len(text) else _CUT_ESCAPE.sub("", text[start:])
    bare = re.sub(r'(?<!\\)((?:\\\\)*)"', r'\1\\"', raw)
    try:
        value = parse_json(f'"{bare}"', lenient=True)
    except NotJson:
        return raw
    return str(value)


def _is_escaped(text: str, position: int) -> bool:
    before = position
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (position - before) % 2 == 1


def _complete_citations(text: str, start: int) -> Iterator[StructuredCitation]:
    """Yield the complete citations of the value that begins at `start`."""
    try:
        value, _ = parse_json_at(text, start, lenient=True)
    except NotJson:
        opener = text[start]
        values = _complete_items(text, start + 1) if opener == "[" else _complete_pairs(text, start + 1)
        for item in values if opener in "[{" else ():
            yield from citations_of([item] if opener == "[" else item)
    else:
        yield from citations_of(value)


def _complete_items(text: str, position: int) -> Iterator[object]:
    """Yield the complete items of a broken list; after one that breaks, go on at the next object."""
    for _ in range(_MAX_FAILURES):
        for item, end in _items_in_a_row(text, position):
            yield item
            position = end
        broken = _skip(text, position)
        following = _next_item_object(text, broken + 1)
        if following is None or text.startswith("]", broken):
            return
        position = following


def _items_in_a_row(text: str, position: int) -> Iterator[tuple[object, int]]:
    """Yield complete items with their ends, until something else stands where one should begin."""
    while True:
        start = _skip(text, position)
        number = _NUMBER.match(text, start)
        if not number and not text.startswith(("{", '"'), start):
            return
        try:
            item, position = parse_json_at(text, start, lenient=True)
        except NotJson:
            return
        yield item, position


def _skip(text: str, position: int) -> int:
    between = _BETWEEN_ITEMS.match(text, position)
    return between.end() if between else position


def _next_item_object(text: str, position: int) -> int | None:
    """Return the next object that is an item: not the value of a field within a broken one."""
    for match in OBJECT_START.finditer(text, position):
        if not text[max(0, match.start() - 50) : match.start()].rstrip().endswith(":"):
            return match.start()
    return None


def _complete_pairs(text: str, position: int) -> Iterator[JsonObject]:
    """Yield the complete members of a broken map of number to quote, each as a map of its own."""
    while key := _PAIR.match(text, position):
        try:
            name = parse_json(key[1], lenient=True)
            value, position = parse_json_at(text, key.end(), lenient=True)
        except NotJson:
            return
        if name in NUMBER_KEYS or name in QUOTE_KEYS:
            return  # a single citation that broke off
        yield {str(name): value}
