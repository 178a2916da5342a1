"""Sentences of an answer, each with the citation marks that belong to it.

A mark right behind a sentence belongs to it ("here. [1]"), also alone on the next line; a text that puts the
mark first ("[1] A. [2] B.") credits each to the sentence before. Code, headings, table heads, lead-ins that
end in a colon, definitions and the source list are no sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quotecheck.citations.abbreviations import ends_no_sentence
from quotecheck.citations.limits import MAX_SENTENCES, at_most
from quotecheck.citations.markers import Marker, Marks
from quotecheck.citations.markup import Markup, merge
from quotecheck.citations.passages import Passage, read_passages
from quotecheck.models import Span

_CLOSERS = "\"'”’»)\\]*_」』）】》〉〕］"
_END = re.compile(rf"(?P<mark>[.!?…؟۔։።‼⁇⁈⁉．]+|(?P<hard>[。！？｡।॥]+[.!?…]*))(?P<closers>[{_CLOSERS}]*)")
_ELLIPSIS = re.compile(r"\.{2,}|…+")
_MORE_END = re.compile(rf"[.!?。！？｡]*[{_CLOSERS}]*")
_SPACE = re.compile(r"[^\S\n]*")
_BETWEEN_MARKS = re.compile(r"[^\S\n]*[,;、，]?[^\S\n]*")
_WORD_CHARACTER = re.compile(r"[^\W_]")
_QUOTES = frozenset("\"'”’»」』")
# How much of the text around a full stop decides what it is.
_CONTEXT = 40


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its span with the marks behind it, its paragraph (counted from 0), and what it cites."""

    start: int
    end: int
    paragraph: int
    numbers: tuple[int, ...]


def find_sentences(text: str, markup: Markup, marks: Marks) -> list[Sentence]:
    """Return the sentences of a text in order; a mark in none of them stands in a heading or a lead-in.

    `markup` and `marks` are those of the text. Raises InvalidInput beyond 1,000,000 sentences.
    """
    atoms = _Atoms(text, markup, marks)
    passages = read_passages(text, markup)
    return list(at_most(MAX_SENTENCES, "sentences", _with_marks_below(atoms, passages)))


def _with_marks_below(atoms: _Atoms, passages: Iterable[Passage]) -> Iterator[Sentence]:
    """Yield the sentences, marks that stand alone on the line below added to the sentence above."""
    last: Sentence | None = None
    # The end of the passage before, where a sentence ends with it.
    open_end: int | None = None
    for passage in passages:
        if atoms.has_words(passage.start, passage.end):
            for sentence in _sentences(atoms, passage):
                if last is not None:
                    yield last
                last = sentence
            open_end = passage.end if last is not None and last.end == passage.end else None
            continue
        below = atoms.within(passage.start, passage.end)
        if below and last is not None and open_end is not None and atoms.is_space(open_end, passage.start):
            numbers = (*last.numbers, *_numbers(below))
            last = Sentence(last.start, below[-1].end, last.paragraph, _distinct(numbers))
        open_end = None
    if last is not None:
        yield last


def _sentences(atoms: _Atoms, passage: Passage) -> Iterator[Sentence]:
    """Yield the sentences of a passage: those with words that are no lead-in."""
    start = passage.start
    while start < passage.end:
        end = passage.end if passage.is_row else atoms.sentence_end(start, passage.end)
        if atoms.has_words(start, end) and not (end == passage.end and atoms.is_lead_in(start, end)):
            marks = atoms.within(start, end)
            yield Sentence(start, end, passage.paragraph, _distinct(_numbers(marks)))
        start = atoms.next_word(end)


def _numbers(marks: list[Marker]) -> Iterator[int]:
    return (number for mark in marks for number in mark.numbers)


def _distinct(numbers: Iterator[int] | tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(numbers))


class _Spans:
    """Spans of a text that are stepped over as a whole."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = merge(spans)
        self._starts = [start for start, _ in self._spans]

    def past(self, position: int) -> int:
        """Return the end of the span around an offset, else the offset."""
        place = bisect_right(self._starts, position) - 1
        return max(position, self._spans[place][1]) if place >= 0 else position


class _Atoms:
    """A text with what is stepped over as a whole.

    Marks, code and URLs hold no words; these and links hold no sentence end.
    """

    def __init__(self, text: str, markup: Markup, marks: Marks) -> None:
        self.text = text
        foreign = [Marker(start, end, ()) for start, end in marks.foreign]
        self._marks = sorted([*marks.markers, *foreign], key=lambda mark: mark.start)
        self._starts = [mark.start for mark in self._marks]
        spans = [*markup.opaque, *((mark.start, mark.end) for mark in self._marks)]
        self._wordless = _Spans(spans)
        self._unbroken = _Spans([*spans, *markup.links])

    def within(self, start: int, end: int) -> list[Marker]:
        """Return the marks that begin between two offsets."""
        return self._marks[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def is_space(self, start: int, end: int) -> bool:
        """Tell whether nothing but white space stands between two offsets."""
        return not self.text[start:end].strip()

    def has_words(self, start: int, end: int) -> bool:
        """Tell whether a letter or digit stands between two offsets outside marks, code and URLs."""
        while match := _WORD_CHARACTER.search(self.text, start, end):
            start = self._wordless.past(match.start())
            if start == match.start():
                return True
        return False

    def next_word(self, position: int) -> int:
        """Return the offset after the white space at a position."""
        return self._match_end(_SPACE, position)

    def is_lead_in(self, start: int, end: int) -> bool:
        """Tell whether a stretch ends in a colon, marks and emphasis behind it left aside."""
        for mark in reversed(self.within(start, end)):
            if self.text[mark.end : end].strip(" \t.,;*_"):
                break
            end = mark.start
        return self.text[start:end].rstrip(" \t*_").endswith((":", "："))

    def sentence_end(self, start: int, limit: int) -> int:
        """Return the end of the sentence that begins at `start`, with the marks that belong to it."""
        position = start
        while match := _END.search(self.text, position, limit):
            position = self._unbroken.past(match.start())
            if position > match.start():
                continue
            position = match.end()
            end = self._end_of_marks(match.end(), limit)
            if self._is_end(match, end, start, limit):
                return end
        return limit

    def _is_end(self, match: re.Match[str], end: int, start: int, limit: int) -> bool:
        """Tell whether an end mark ends the sentence; `end` is where the citation marks behind it end."""
        text = self.text
        if match["hard"] or match.end() == limit:
            return True
        following = text[self.next_word(end) : min(limit, end + _CONTEXT)]
        if end == match.end() and not text[end].isspace():
            # No space: only after a citation mark, and before what looks like a new sentence.
            return self._ends_mark(match.start()) and following[:1].isupper()
        goes_on = following[:1].islower()
        if _ELLIPSIS.fullmatch(match["mark"]):
            return not goes_on
        if match["mark"] == ".":
            before = text[max(start, match.start() - _CONTEXT) : match.start()]
            return not ends_no_sentence(before, following)
        return not (goes_on and _QUOTES.intersection(match["closers"]))

    def _end_of_marks(self, position: int, limit: int) -> int:
        """Return the end of the citation marks that stand right behind a sentence, else `position`."""
        end = position
        while True:
            between = _SPACE if end == position else _BETWEEN_MARKS
            place = bisect_left(self._starts, self._match_end(between, end))
            is_next = place < len(self._marks) and self._starts[place] == self._match_end(between, end)
            if not is_next or self._marks[place].end > limit:
                break
            end = self._marks[place].end
        return end if end == position else min(limit, self._match_end(_MORE_END, end))

    def _ends_mark(self, position: int) -> bool:
        place = bisect_right(self._starts, position - 1) - 1
        return place >= 0 and self._marks[place].end == position

    def _match_end(self, pattern: re.Pattern[str], position: int) -> int:
        match = pattern.match(self.text, position)
        return match.end() if match else position
