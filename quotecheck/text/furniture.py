"""Numbers that belong to the page and not to its sentences: page numbers and line numbers in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quotecheck.models import Span
from quotecheck.text.fold import Folded
from quotecheck.text.pieces import Part

_LINE_NUMBER = re.compile(r"^[ \t]*(\d{1,4})(?![\w.,:%/])", re.MULTILINE)
_ALONE = re.compile(r"[ \t\f]*$", re.MULTILINE)


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
