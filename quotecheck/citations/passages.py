"""Lines of an answer that may hold sentences, without what stands before them: bullets, quote marks, boxes.

A line end always ends a passage, for models write one thought a line. Headings, lines in bold only, table
heads and rules are left out; so are code, definitions and the source list.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from quotecheck.citations.markup import Markup, is_inside

_INDENT = re.compile(r"[ \t]*(?:>[ \t]*)*+")
_BULLET = re.compile(r"(?:[-*+•·‣◦▪●○–][ \t]+|\d{1,3}[.)、．](?=\D)[ \t]*)(?:\[[ xX✓✔]\][ \t]+)?")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_BOLD_ONLY = re.compile(r"(\*\*|__)(?:(?!\1).)+\1[ \t]*[:：]?[ \t]*")
_ENDS_LIKE_A_SENTENCE = re.compile(r".*[.!?。！？\]］】〕][\"'”’»)]*[*_\s]*", re.DOTALL)
_TABLE_RULE = re.compile(r"^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*+\|?[ \t]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"^[ \t]*(?:=+|-{2,})[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Passage:
    """A line, or a table row, that may hold sentences: its span, and its paragraph counted from 0."""

    start: int
    end: int
    paragraph: int
    is_row: bool = False


def read_passages(text: str, markup: Markup) -> Iterator[Passage]:
    """Yield the passages of a text in order; list items and table rows are paragraphs of their own.

    >>> from quotecheck.citations.markup import read_markup
    >>> text = "# Tea\\n\\n- Green tea is steamed"
    >>> [text[passage.start : passage.end] for passage in read_passages(text, read_markup(text))]
    ['Green tea is steamed']
    """
    reader = _Reader(text, markup)
    for start, end in _stretches(markup):
        yield from reader.read(start, end)


def _stretches(markup: Markup) -> Iterator[tuple[int, int]]:
    """Yield what lies between code blocks, up to the source list."""
    start, limit = 0, markup.source_list[0]
    for block_start, block_end in markup.code_blocks:
        if block_start >= limit:
            break
        yield start, block_start
        start = block_end
    yield start, max(start, limit)


class _Reader:
    """Reads lines one by one and knows the paragraph and the table they belong to."""

    def __init__(self, text: str, markup: Markup) -> None:
        self._text = text
        self._markup = markup
        self._paragraph = 0
        self._in_table = False
        # Offsets of the lines that make a table or a heading of the line before them.
        rules = (match.start() for match in _TABLE_RULE.finditer(text) if "|" in match[0])
        self._table_rules = array("q", rules)
        self._underlines = array("q", (match.start() for match in _UNDERLINE.finditer(text)))

    def read(self, start: int, limit: int) -> Iterator[Passage]:
        """Yield the passages of the lines between two offsets; a new stretch begins a new paragraph."""
        self._paragraph += 1
        self._in_table = False
        while start < limit:
            line_end = self._text.find("\n", start, limit)
            end = limit if line_end < 0 else line_end
            passage = self._line(start, end)
            if passage is not None and passage.start < passage.end:
                yield passage
            start = end + 1

    def _line(self, line_start: int, end: int) -> Passage | None:
        text = self._text
        start = _match_end(_INDENT, text, line_start, end)
        line = text[start:end]
        if not line or line.isspace():
            self._paragraph += 1
            self._in_table = False
            return None
        if is_inside(start, self._markup.definitions):
            return None
        if _holds(self._table_rules, line_start) or _holds(self._table_rules, end + 1):
            self._paragraph += 1
            self._in_table = True
            return None
        if "|" in line and (self._in_table or line[0] == "|"):
            self._paragraph += 1
            return replace(self._passage(start, end), is_row=True)
        self._in_table = False
        content = _match_end(_BULLET, text, start, end)
        is_heading = self._is_heading(text[content:end], end)
        if content > start or is_heading:
            self._paragraph += 1
        return None if is_heading else self._passage(content, end)

    def _is_heading(self, line: str, end: int) -> bool:
        """Tell a heading: marked as one, underlined, or in bold from end to end without a full stop."""
        if _HEADING.match(line):
            return True
        is_underlined = _holds(self._underlines, end + 1)
        if not (is_underlined or line.startswith(("**", "__"))) or _ENDS_LIKE_A_SENTENCE.fullmatch(line):
            return False
        return is_underlined or _BOLD_ONLY.fullmatch(line) is not None

    def _passage(self, start: int, end: int) -> Passage:
        line = self._text[start:end]
        left = len(line) - len(line.lstrip())
        return Passage(start + left, start + len(line.rstrip()), self._paragraph)


def _holds(offsets: array[int], offset: int) -> bool:
    place = bisect_left(offsets, offset)
    return place < len(offsets) and offsets[place] == offset


def _match_end(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    match = pattern.match(text, start, end)
    return match.end() if match else start
