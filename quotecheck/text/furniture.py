"""Numbers that belong to the page and not to its sentences: of pages, lines and notes in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from quotecheck.models import Span
from quotecheck.text.fold import Folded
from quotecheck.text.pieces import Part

_LINE_NUMBER = re.compile(r"^[ \t]*(\d{1,4})(?![\w.,:%/])", re.MULTILINE)
_ALONE = re.compile(r"[ \t\f]*$", re.MULTILINE)


_NOTE = re.compile(r"\d{1,3}(?:[,-]\d{1,3}){0,5}")
# Behind the stop of a sentence whose last word is no abbreviation; "vol.3" and "fig.12" are no notes.
_BEFORE_NOTE = re.compile(r"[^\W\d_]{4}[.!?][\"')\]]?$")
_BEHIND_NOTE = re.compile(r"[ ]+[\"'(]?[^\W\d_]|[ ]*$")
_RAISED = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹,⁻-–")
_BEFORE_RAISED = re.compile(r"(?:[^\W\d_]{3}|[.,;:!?\"')\]])$")
_NOTE_REACH = 8


def furniture(folded: Folded, parts: Sequence[Part], original: str) -> list[Span]:
    """Return the page and line numbers inside near passages, as offsets in the folded text.

    A number alone on its line is a page number. Numbers at the starts of the lines are line numbers where
    the passage has two or more, each one more than the last.
    """
    found: list[Span] = []
    for part in parts:
        start, end = folded.span(part.start, part.end)
        numbers = _LINE_NUMBER.finditer(original, start, end)
        lines = [match for match in numbers if _starts_line(original, match)]
        values = [int(match[1]) for match in lines]
        counted = len(lines) > 1 and values == list(range(values[0], values[0] + len(values)))
        for match in lines:
            if counted or _ALONE.match(original, match.end(1)) is not None:
                found.append(_folded_span(folded, part, match.span(1)))
    return found


def _starts_line(original: str, match: re.Match[str]) -> bool:
    return match.start() == 0 or original[match.start() - 1] in "\n\r\f"


def _folded_span(folded: Folded, part: Part, span: Span) -> Span:
    starts = folded.start[part.start : part.end]
    first, last = starts.searchsorted(span[0]), starts.searchsorted(span[1])
    return part.start + int(first), part.start + int(last)


def note_numbers(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield those of some spans of a folded text that are numbers of notes on the line: "was safe.12 It".

    They are told from other numbers by their place, so only spans that the other side leaves out are asked.
    """
    for start, end in spans:
        behind = _BEHIND_NOTE.match(text, end)
        if (
            _NOTE.fullmatch(text, start, end)
            and _BEFORE_NOTE.search(text[max(0, start - _NOTE_REACH) : start])
            and behind is not None
            and not behind[0][-1:].islower()
        ):
            yield start, end


def raised_notes(folded: Folded, spans: Iterable[Span], original: str) -> Iterator[Span]:
    """Yield those of some spans that are raised digits behind a word or a mark: "was safe¹² in adults"."""
    for start, end in spans:
        before = folded.text[max(0, start - _NOTE_REACH) : start]
        if start < end and _BEFORE_RAISED.search(before):
            first, last = folded.span(start, end)
            if _RAISED.issuperset(original[first:last]):
                yield start, end


_LIST_NUMBER = re.compile(r"\W*(\d{1,3})\W*")
_LIST_BEHIND = re.compile(r"[.)][ \t]+\S")
_LIST_BEFORE = re.compile(r"(?:^|[.,;:!?)\"'”’]|\n)[ \t]*[\n\r\f]+[ \t(]*$|^[ \t(]*$")


def list_numbers(folded: Folded, spans: Iterable[Span], original: str) -> Iterator[Span]:
    """Yield those of some spans that are the number of an item of a list: "2." at the start of a line.

    The line before ends in a mark, or else the sentence may end with that number.
    """
    for start, end in spans:
        number = _LIST_NUMBER.fullmatch(folded.text, start, end)
        if number is not None:
            first, last = folded.span(*number.span(1))
            before = original[max(0, first - _LINE_REACH) : first]
            if _LIST_BEHIND.match(original, last) and _LIST_BEFORE.search(before):
                yield start, end


_LINE_REACH = 20  # characters before a number in which its line begins
