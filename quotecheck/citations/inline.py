"""Quotations in an answer's own text that stand in a sentence with marks, which attribute them to sources.

A quotation counts from four words, or eight CJK characters: shorter ones are terms and irony. Short spans
still take part in pairing straight quotation marks, so that they never shift it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quotecheck.citations.attribution import attribute
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
    """A quotation in the text: the span of its words, and the numbers of the marks that may attribute it.

    Where that is not `certain`, the marks only stand nearest: see `Attribution`.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    certain: bool


def find_inline_quotes(
    text: str, sentences: Sequence[Sentence], markers: Sequence[Marker]
) -> Iterator[InlineQuote]:
    """Yield the quotations of every sentence with marks outside its quotations."""
    starts = [marker.start for marker in markers]
    for sentence in sentences:
        marks = markers[bisect_left(starts, sentence.start) : bisect_left(starts, sentence.end)]
        if not marks:
            continue
        quotes = [span for span in _quoted(text, sentence.start, sentence.end) if span[0] < span[1]]
        outside = list(_outside(marks, quotes))
        if not outside:
            continue
        found = attribute(text, (sentence.start, sentence.end), quotes, outside)
        for (start, end), attribution in zip(quotes, found, strict=True):
            if _is_long_enough(text[start:end]):
                yield InlineQuote(start, end, attribution.numbers, attribution.certain)


def _outside(markers: Sequence[Marker], quotes: Sequence[Span]) -> Iterator[Marker]:
    """Yield the marks that stand in none of the quotations: those within are quoted with the words."""
    for marker in markers:
        place = bisect_left(quotes, (marker.start, marker.end)) - 1
        if place < 0 or quotes[place][1] <= marker.start:
            yield marker


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
