"""What a reference means: the numbers in a marker's brackets, and the sources that a name stands for.

A reference is a number, a list or a range of numbers, with or without a label ("Source 2") and a locator
("2, p. 3"), or a source's own id. The number is the source's position; a name that several sources share
stands for all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quotecheck.citations.jsontext import as_text, is_object
from quotecheck.citations.sources import NumberedSource

MAX_RANGE = 200
_LARGEST_NUMBER = 10**9

_LABELS = (
    "sources?|src|documents?|docs?|references?|refs?|passages?|contexts?|chunks?|citations?|cite|snippets?"
    "|excerpts?|quellen?|dokumente?|fuentes?|documentos?|fontes?|fonti|fonte|bron|bronnen|källa|źródło|kaynak"
    "|nguồn|источник|документ|来源|來源|资料|資料|文献|文獻|出典|出处|出處|参考|參考|参照|引用|文档|文檔|文書|文件"
    "|段落|片段|ソース|출처|자료|문서|참고|المصدر|مصدر|מקור|स्रोत"
)
LABEL = rf"(?i:{_LABELS})[\s.:：#№_-]{{0,3}}"
# `S2` is a source too, but only as a capital glued to its number.
_LABEL_OR_S = rf"(?:{LABEL}|S(?=\d))"
_NUMBER = re.compile(
    rf"(?i:see\s+|cf\.?\s+)?{_LABEL_OR_S}?[\^#]?(\d{{1,9}})"
    rf"(?:\s*(?:[-‐‑–—−~～〜]|to\b|bis\b|至|到)\s*{_LABEL_OR_S}?\^?(\d{{1,9}}))?(?:#\S*)?"
)
_SEPARATOR = re.compile(
    r"\s*(?:([;；])|[,，、،&＆](?:\s*(?:and|&)\s)?|\s(?:and|und|et|y|e|и)\s|和|及|与|與)\s*"
)
_LOCATOR = re.compile(
    r"(?i:pp?|pgs?|pages?|seiten?|sections?|secs?|chapters?|ch|chap|paragraphs?|paras?|lines?|ll?|figures?|figs?"
    r"|tables?|tab|columns?|cols?|appendix|app|articles?|arts?|vol|slides?|eqs?|at|l|s)\.?\s*\d.*"
    r"|(?i:abstract|introduction|conclusion|footnote|note|table|figure|appendix|chapter|section)\b.*"
    r"|(?i:emphasis|translation|italics)\b.*"
    r"|[§¶].*|第\s*\d.*|\d+\s*[页頁ページ쪽章節节].*"
)
_LABELLED_NAME = re.compile(rf"(?:{LABEL})?(.+)", re.DOTALL)
_BRACKETS = ("[]", "［］", "【】", "〔〕", "()", "（）")


@dataclass(frozen=True, slots=True)
class Reference:
    """What one reference stands for.

    `numbers` are the sources it may mean, more than one only for a name that they share; `given` is what the
    answer said: a number, or the name that no source has.
    """

    given: int | str
    numbers: tuple[int, ...]


class Numbering:
    """The numbers and names of the given sources.

    >>> sources = [NumberedSource(1, "Tin is soft.", id="tin"), NumberedSource(2, "Iron rusts.", id="iron")]
    >>> Numbering(sources).of_marker("1, p. 3")
    (1,)
    >>> [reference.numbers for reference in Numbering(sources).of_value("iron")]
    [(2,)]
    """

    def __init__(self, sources: Sequence[NumberedSource]) -> None:
        self.first = sources[0].number
        self.last = sources[-1].number
        self._digits = max(3, len(str(self.last)))
        self._ids = _by_name((source.id, source.number) for source in sources)
        self._names = _by_name(
            (name, source.number) for source in sources for name in (source.id, source.url, source.title)
        )

    def holds(self, number: int) -> bool:
        """Tell whether a source has the number."""
        return self.first <= number <= self.last

    def of_marker(self, content: str) -> tuple[int, ...] | None:
        """Return the numbers that the text between a marker's brackets cites, or None where it is no marker.

        Years, intervals from 0 and slices are none. Numbers that no source has are returned too.
        """
        named = self._ids.get(content.strip())
        numbers = _parse(content, max_range=max(MAX_RANGE, self.last))
        if numbers is None:
            return self._of_labelled_id(content) if named is None else named[:1]
        if len(numbers) == 1 and named is not None and not self.holds(numbers[0]):
            return named[:1]
        is_too_long = any(len(str(number)) > self._digits for number in numbers)
        is_interval = len(numbers) > 1 and min(numbers) < min(self.first, 1)
        return None if is_too_long or is_interval else numbers

    def _of_labelled_id(self, content: str) -> tuple[int, ...] | None:
        match = _LABELLED_NAME.fullmatch(content.strip())
        named = self._ids.get(match[1].strip()) if match else None
        return None if named is None else named[:1]

    def of_value(self, value: object) -> list[Reference]:
        """Return what the source of a JSON citation stands for, one reference for each number in it."""
        if isinstance(value, list):
            return [reference for item in value for reference in self._of_item(item)]
        return self._of_item(value)

    def _of_item(self, value: object) -> list[Reference]:
        if is_object(value):
            inner = (value.get(key) for key in ("number", "id", "url", "title", "name"))
            value = next((found for found in inner if found is not None), None)
        if value is None or isinstance(value, bool):
            return []
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and abs(value) < _LARGEST_NUMBER:
            return [self._of_number(value)]
        return self._of_string(as_text(value))

    def _of_number(self, number: int) -> Reference:
        if self.holds(number):
            return Reference(number, (number,))
        return Reference(number, self._ids.get(str(number), ()))

    def _of_string(self, value: str) -> list[Reference]:
        """Return what a string stands for: a plain number, else a name, else numbers as in a mark."""
        name = _without_brackets(value)
        if not name.isdecimal() and (numbers := self._names.get(value.strip()) or self._names.get(name)):
            return [Reference(value, numbers)]
        numbers = _parse(name, max_range=max(MAX_RANGE, self.last))
        if numbers is not None:
            return [self._of_number(number) for number in numbers]
        return [Reference(value, ())]


def _by_name(names: Iterable[tuple[str | None, int]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = defaultdict(list)
    for name, number in names:
        if name and number not in found[name]:
            found[name].append(number)
    return {name: tuple(numbers) for name, numbers in found.items()}


def _without_brackets(value: str) -> str:
    value = value.strip()
    while len(value) > 1 and f"{value[0]}{value[-1]}" in _BRACKETS:
        value = value[1:-1].strip()
    return value.removeprefix("^").strip()


def _parse(content: str, *, max_range: int) -> tuple[int, ...] | None:
    """Return the numbers of a list such as "Sources 1, 3-5; p. 2", or None where something else stands in it.

    After a locator ("1, pp. 3, 7") numbers behind a comma belong to it; a semicolon ends it.
    """
    numbers: list[int] = []
    after_locator = False
    for piece, follows_semicolon in _pieces(content):
        after_locator = after_locator and not follows_semicolon
        match = _NUMBER.match(piece)
        if match and not after_locator:
            numbers += _expand(match, max_range=max_range)
            piece = piece[match.end() :]
            if not piece.strip():
                continue
            piece = piece.lstrip(" :：")
        elif match and match.end() == len(piece):
            continue
        if not numbers or not _LOCATOR.fullmatch(piece):
            return None
        after_locator = True
    return tuple(dict.fromkeys(numbers)) or None


def _pieces(content: str) -> Iterable[tuple[str, bool]]:
    """Yield the parts between separators, and whether a semicolon stands before each."""
    position, follows_semicolon = 0, False
    content = content.strip()
    for match in _SEPARATOR.finditer(content):
        yield content[position : match.start()], follows_semicolon
        position, follows_semicolon = match.end(), match[1] is not None
    yield content[position:], follows_semicolon


def _expand(match: re.Match[str], *, max_range: int) -> Iterable[int]:
    """Return the numbers of one number or range; one that runs backwards or too far is its two ends."""
    start = int(match[1])
    end = start if match[2] is None else int(match[2])
    return range(start, end + 1) if start <= end < start + max_range else (start, end)
