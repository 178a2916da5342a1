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

_MOST_SPANNED = 8  # sentences that a quotation may go on for
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
    for first, last in _stretches(text, sentences, starts):
        marks = markers[bisect_left(starts, first) : bisect_left(starts, last)]
        if not marks:
            continue
        quotes = [span for span in _quoted(text, first, last) if span[0] < span[1]]
        outside = list(_outside(marks, quotes))
        if not outside:
            continue
        found = attribute(text, (first, last), quotes, outside)
        for (start, end), attribution in zip(quotes, found, strict=True):
            if _is_long_enough(text[start:end]):
                yield InlineQuote(start, end, attribution.numbers, attribution.certain)


def _stretches(text: str, sentences: Sequence[Sentence], starts: Sequence[int]) -> Iterator[Span]:
    """Yield the spans of sentences, as one those that a quotation spans; `starts` are those of the marks."""
    place = 0
    while place < len(sentences):
        last = _last_spanned(text, sentences, place, starts)
        yield sentences[place].start, sentences[last].end
        place = last + 1


def _last_spanned(text: str, sentences: Sequence[Sentence], place: int, starts: Sequence[int]) -> int:
    """Return the place of the sentence of the same line in which a quotation of a sentence ends.

    A citation mark within, or a mark that opens another quotation, says that it was never closed.
    """
    opened = _left_open(text, sentences[place].start, sentences[place].end)
    if opened is None:
        return place
    closer, start = opened
    for behind in range(place + 1, min(place + _MOST_SPANNED, len(sentences))):
        if text.find("\n", start, sentences[behind].start) >= 0:
            break
        for match in _MARKS.finditer(text, sentences[behind].start, sentences[behind].end):
            if match[0] in closer and _may_close(text, match.start(), match[0]):
                has_marks = bisect_left(starts, start) < bisect_left(starts, match.start())
                return place if has_marks else behind
            if _closer(text, match):
                return place
    return place


def _left_open(text: str, start: int, end: int) -> tuple[str, int] | None:
    """Return what closes the quotation that a stretch leaves open, and where its words begin."""
    quotes = list(_quoted(text, start, end))
    for match in _MARKS.finditer(text, quotes[-1][1] + 1 if quotes else start, end):
        if closer := _closer(text, match):
            return closer, match.end()
    return None


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
        else:
            closer, opened = _closer(text, match), place + 1


def _closer(text: str, match: re.Match[str]) -> str:
    """Return the marks that close what a mark opens, none where it opens nothing."""
    if match[0] == '"':
        return '"' if _may_open(text, match.start()) else ""
    return _PAIRS.get(match[0], "")


def _may_open(text: str, place: int) -> bool:
    """Tell whether a straight mark can open: nothing of a word stands before it, and no space behind."""
    return not text[max(0, place - 1) : place].isalnum() and not text[place + 1 : place + 2].isspace()


def _may_close(text: str, place: int, mark: str) -> bool:
    if mark not in '"’':
        return True
    return not text[place + 1 : place + 2].isalnum() and not text[place - 1 : place].isspace()
