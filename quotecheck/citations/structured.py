"""Answers that a model wrote as JSON: `{"answer": ..., "citations": [...]}`, bare, fenced or in prose.

Models name its fields as they like and give citations as objects, numbers, or a map; all of it is read into
one form. What is no valid JSON is left to `quotecheck.citations.salvage`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quotecheck.citations.jsontext import JsonObject, NotJson, as_text, is_object, objects, parse_json_at
from quotecheck.models import Span

NUMBER_KEYS = (
    "source",
    "source_number",
    "source_id",
    "number",
    "n",
    "index",
    "id",
    "doc",
    "document",
    "ref",
    "citation",
    "chunk_id",
    "doc_id",
    "document_id",
    "url",
    "title",
)
QUOTE_KEYS = (
    "quote",
    "cited_text",
    "text",
    "excerpt",
    "snippet",
    "passage",
    "span",
    "evidence",
    "substring_quote",
)
_TEXT_KEYS = ("answer", "response", "text", "content", "output")
_FACT_KEYS = ("fact", "statement", "sentence", "claim", "text")

FENCE = re.compile(r"(?:```|~~~)[^\n`{\[]*\n?\s*(?=[{\[])")
OBJECT_START = re.compile(r'\{\s*"')
# Where a JSON answer may begin in prose: each try costs a pass over the text at worst.
_MAX_STARTS = 20


@dataclass(frozen=True, slots=True)
class StructuredCitation:
    """One citation as the model wrote it: whatever it gave as a source, and the quoted words, or None.

    `span` is the stretch of the answer's text that the citation belongs to, or None.
    """

    source: object
    quote: str | None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class StructuredAnswer:
    """A JSON answer.

    Attributes
    ----------
    text : the answer in words; empty where the object has no field for it.
    citations : in order, one for each quoted passage.
    has_text_field : whether the object has such a field, so that an empty text is an empty answer.
    is_broken : whether it was no valid JSON, and parts of it may be lost.
    """

    text: str
    citations: tuple[StructuredCitation, ...]
    has_text_field: bool = True
    is_broken: bool = False


def read_structured(text: str) -> StructuredAnswer | None:
    """Return the JSON answer in a text, which may stand in a code fence or in prose; None without one.

    In prose an object counts only with a field `citations`. Broken JSON gives None here.

    >>> answer = read_structured('Sure! {"answer": "Soft.", "citations": [{"source": 1, "quote": "soft"}]}')
    >>> answer.text, answer.citations[0].quote
    ('Soft.', 'soft')
    """
    fence = FENCE.search(text)
    leading = [0] if text.startswith(("{", "[")) else []
    if fence and not text[: fence.start()].strip():
        leading = [fence.end()]
    for start in [*leading, *_starts(text)]:
        try:
            value, _ = parse_json_at(text, start)
        except NotJson:
            continue
        if start in leading and isinstance(value, list):
            value = list_of_citations(value)
        if is_object(value) and ("citations" in value or (start in leading and "answer" in value)):
            return structured_answer(value)
    return None


def _starts(text: str) -> list[int]:
    """Return offsets where a JSON answer may begin: in code fences first, then at any object in prose."""
    if '"citations"' not in text:
        return []
    places = [(match.end() for match in FENCE.finditer(text))]
    places.append(match.start() for match in OBJECT_START.finditer(text))
    return [start for group in places for _, start in zip(range(_MAX_STARTS), group, strict=False)]


def list_of_citations(value: list[object]) -> JsonObject | None:
    """Return a bare list of citations as an object that holds them, else None."""
    items = objects(value)
    is_list_of_citations = len(items) == len(value) and all(
        _first(item, NUMBER_KEYS) is not None and _first(item, QUOTE_KEYS) is not None for item in items
    )
    return {"citations": value} if items and is_list_of_citations else None


def structured_answer(value: JsonObject) -> StructuredAnswer:
    """Return a decoded JSON answer; the object has a field `answer` or `citations`."""
    key = next((key for key in _TEXT_KEYS if key in value), None)
    text, citations = _text_and_facts(value.get(key) if key else None)
    citations += citations_of(value.get("citations"))
    return StructuredAnswer(text, tuple(citations), has_text_field=key is not None)


def _text_and_facts(answer: object) -> tuple[str, list[StructuredCitation]]:
    """Return the words of an answer; a list of facts, each with its quotes, is one line for each."""
    if not isinstance(answer, list):
        return as_text(answer), []
    lines: list[str] = []
    citations: list[StructuredCitation] = []
    start = 0
    for item in answer:
        line = as_text(_first(item, _FACT_KEYS) if is_object(item) else item)
        if is_object(item):
            rest = {key: found for key, found in item.items() if key not in _FACT_KEYS}
            span = (start, start + len(line))
            found = [row for row in _citations_of_object(rest) if row.quote or row.source is not None]
            citations += [StructuredCitation(row.source, row.quote, span) for row in found]
        lines.append(line)
        start += len(line) + 1
    return "\n".join(lines), citations


def citations_of(value: object) -> list[StructuredCitation]:
    """Return the citations in the field `citations`: a list, a map of number to quote, or a single one.

    >>> citations_of({"1": "five arches"})
    [StructuredCitation(source='1', quote='five arches', span=None)]
    """
    if value is None:
        return []
    if is_object(value) and not any(key in value for key in (*NUMBER_KEYS, *QUOTE_KEYS)):
        return [row for key, item in value.items() for row in _citations_of_pair(key, item)]
    items = value if isinstance(value, list) else [value]
    return [row for item in items for row in _citations_of_item(item)]


def _citations_of_pair(key: str, item: object) -> Iterable[StructuredCitation]:
    if is_object(item):
        item = _first(item, QUOTE_KEYS)
    return [StructuredCitation(key, quote) for quote in _quotes(item)]


def _citations_of_item(item: object) -> Iterable[StructuredCitation]:
    return _citations_of_object(item) if is_object(item) else [StructuredCitation(item, None)]


def _citations_of_object(item: JsonObject) -> Iterator[StructuredCitation]:
    source = _first(item, NUMBER_KEYS)
    for quote in _quotes(_first(item, QUOTE_KEYS)):
        yield StructuredCitation(source, quote)


def _quotes(value: object) -> list[str | None]:
    """Return the quoted passages of a field, or one None where there is none."""
    values = value if isinstance(value, list) else [value]
    quotes = [text for item in values if (text := as_text(item)).strip()]
    return [*quotes] if quotes else [None]


def _first(item: JsonObject, keys: Iterable[str]) -> object:
    """Return the first value under the keys that is neither null nor blank, else None."""
    values = (item.get(key) for key in keys)
    return next((value for value in values if value is not None and value != "" and value != []), None)
