"""Quotations in an answer's own text that a mark in the same sentence attributes to a source.

A quotation counts from four words, or eight CJK characters: shorter ones are terms and irony. Short spans
still take part in pairing straight quotation marks, so that they never shift it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quotecheck.citations.markers import Marker
from quotecheck.citations.sentences import Sentence
from quotecheck.models import Span

_LEAST_WORDS = 4
_LEAST_WIDE = 8
_WORD = re.compile(r"\w[\w'’-]*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_PAIRS = dict(zip("“«»「『‘‹〝＂", "”»«」』’›〞＂", strict=True)) | {"„": "“”"}
_MARKS = re.compile('["' + "".join({*_PAIRS, *"".join(_PAIRS.values())}) + "]")


@dataclass(frozen=True, slots=True)
class InlineQuote:
    """A quotation in the text: the span of its words, and the numbers of the mark behind it."""

    start: int
    end: int
    numbers: tuple[int, ...]


def find_inline_quotes(
    text: str, sentences: Sequence[Sentence], markers: Sequence[Marker]
) -> Iterator[InlineQuote]:
    """Yield the quotations of every sentence that have a mark behind them in it."""
    starts = [marker.start for marker in markers]
    for sentence in sentences:
        marks = markers[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if not marks:
            continue
        for start, end in _quoted(text, sentence.start, sentence.end):
            group = _group_behind(text, marks, end)
            if group and _is_long_enough(text[start:end]):
                numbers = dict.fromkeys(number for marker in group for number in marker.numbers)
                yield InlineQuote(start, end, tuple(numbers))


def _group_behind(text: str, marks: Sequence[Marker], position: int) -> list[Marker]:
    """Return the first mark behind a position with those that follow it directly."""
    group: list[Marker] = []
    for marker in marks:
        if marker.start < position:
            continue
        if group and text[group[-1].end : marker.start].strip(" \t,;、，"):
            break
        group.append(marker)
    return group


def _is_long_enough(quote: str) -> bool:
    wide = len(_WIDE.findall(quote))
    return wide >= _LEAST_WIDE or len(_WORD.findall(quote)) - wide // 2 >= _LEAST_WORDS


def _quoted(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the spans between paired quotation marks, outermost ones only."""
    closer = ""
    opened = start
    for match in _MARKS.finditer(text, start, end):
        mark, place = match[0], match.start()
        if closer:
            if mark in closer and _may_close(text, place, mark):
                yield opened, place
                closer = ""
        elif mark == '"':
            if _may_open(text, place):
                closer, opened = '"', place + 1
        elif mark in _PAIRS:
            closer, opened = _PAIRS[mark], place + 1


def _may_open(text: str, place: int) -> bool:
    """Tell whether a straight mark can open: nothing of a word stands before it, and no space behind."""
    return not text[max(0, place - 1) : place].isalnum() and not text[place + 1 : place + 2].isspace()


def _may_close(text: str, place: int, mark: str) -> bool:
    if mark not in '"’':
        return True
    return not text[place + 1 : place + 2].isalnum() and not text[place - 1 : place].isspace()
