"""Citation marks in an answer's text: `[2]`, `[1, 3-5]`, `【1】`, `(Source 2)`, `[^1]`, superscripts, ids.

Every bracket is looked at for at most 120 characters, so that no text makes the scan slow. What only looks
like a mark is left out: subscripts of code, years, intervals, links, and the marks of providers that number
sources in their own way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quotecheck.citations.limits import MAX_MARKS, at_most
from quotecheck.citations.markup import Markup, destination_end, is_inside
from quotecheck.citations.numbering import LABEL, MAX_RANGE, Numbering
from quotecheck.models import Span

# Possessive: a bracket without its partner costs 120 steps and is never tried again in another way.
_CANDIDATE = re.compile(
    r"\[\[(?P<double>[^\[\]\n]{1,120}+)\]\]|\[(?P<square>[^\[\]\n]{1,120}+)\]"
    r"|［(?P<wide>[^［］\n]{1,120}+)］|【(?P<lens>[^【】\n]{1,120}+)】|〔(?P<shell>[^〔〕\n]{1,120}+)〕"
    rf"|[(（](?P<label>(?i:see\s|cf\.?\s)?{LABEL}[^()（）\n]{{1,120}}+)[)）]"
    r"|(?<=[.,;:!?…。，、；：！？\"”’»])(?:(?P<raised>[⁰¹²³⁴-⁹](?:[⁰¹²³⁴-⁹,˒⁻– -]{0,20}[⁰¹²³⁴-⁹])?)"
    r"|<sup>(?P<sup>\d{1,3}(?:[,-] ?\d{1,3}){0,20})</sup>)"
)
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻˒ ", "0123456789-,,")
_FOREIGN = re.compile(
    r"[【\[]\d{1,6}(?::\d{1,6})?†[^】\]\n]{0,120}[】\]]"
    r"|\ue200(?:cite|filecite)|cite(?:turn\d{1,6}[a-z]{1,12}\d{1,6})+"
    r"|contentReference\[oaicite:\d{1,6}\]"
)
_RANGE_DASH = re.compile(r"[-‐‑–—~～]")

# Read backwards from a bracket: the name that it may be a subscript of.
_NAME_BACKWARDS = re.compile(r"\w{0,60}\\?")
_CODE_NAME = re.compile(r"\\.*|.*[^_]_+[^_].*|[a-z]{2,}[A-Z][a-z].*")
_VARIABLE = re.compile(r"[a-z]\d*")
_BEFORE_VARIABLE = frozenset(" \t\n([{=+*/,<>&|")
_CODE_FOLLOWS = re.compile(r"\s?=(?!=*>)|\(|\.[a-z_]|\{|\[[a-z\"']")
_PLURAL_ENDINGS = frozenset({"s", "es", "n", "en", "e"})


@dataclass(frozen=True, slots=True)
class Marker:
    """One mark: its span in the text, with brackets and link destination, and the numbers it cites."""

    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a text in order, and the spans of those in a provider's own numbering."""

    markers: tuple[Marker, ...]
    foreign: tuple[Span, ...]


def find_marks(text: str, markup: Markup, numbering: Numbering) -> Marks:
    """Return the citation marks outside code, links, URLs, definitions and the source list.

    `markup` is that of the text. Raises InvalidInput beyond 1,000,000 marks.
    """
    foreign = (match.span() for match in _FOREIGN.finditer(text))
    markers = _joined_ranges(text, _single_marks(text, markup, numbering))
    return Marks(
        tuple(at_most(MAX_MARKS, "citation marks", markers)),
        tuple(span for span in foreign if not is_inside(span[0], markup.opaque)),
    )


def _single_marks(text: str, markup: Markup, numbering: Numbering) -> Iterator[Marker]:
    position = 0
    refused: Span | None = None
    while match := _CANDIDATE.search(text, position):
        position = match.start() + 1
        if is_inside(match.start(), markup.opaque):
            continue
        numbers = numbering.of_marker(_content(match))
        follows_refused = refused is not None and refused[1] == match.start()
        if (
            numbers is None
            or (match["square"] and _is_subscript(text, match))
            or (match["square"] and follows_refused and _is_second_bracket(text, refused, match, markup))
        ):
            refused = match.span()
            continue
        marker = Marker(*_span(text, match), numbers)
        position = marker.end
        yield marker


def _content(match: re.Match[str]) -> str:
    content = match[match.lastgroup or 0]
    if match.lastgroup in ("raised", "sup"):
        return content.translate(_PLAIN_DIGITS)
    return content.removesuffix("\\")


def _span(text: str, match: re.Match[str]) -> Span:
    """Return the span of a mark with what belongs to it: an escape, a link destination, raising tags."""
    start, end = match.span()
    if match["square"] or match["double"]:
        start -= text[start - 1 : start] == "\\"
        end = destination_end(text, end) or end
    if text[max(0, start - 5) : start] == "<sup>":
        start -= 5
    if text.startswith("</sup>", end):
        end += 6
    return start, end


def _is_subscript(text: str, match: re.Match[str]) -> bool:
    """Tell whether a bracket belongs to code: `x[2]`, `my_arr[3]`, `f(x)[1]`, `name[1] = 5`, `name[1].a`."""
    start, end = match.span()
    if text[start - 1 : start] == ")":
        return _is_after_call(text, start)
    name = _name_before(text, start)
    if not name or not name.isascii():
        return False
    if _CODE_NAME.fullmatch(name.strip("_")):
        return True
    before = text[start - len(name) - 1 : start - len(name)] or " "
    if _VARIABLE.fullmatch(name) and before in _BEFORE_VARIABLE:
        return True
    return destination_end(text, end) is None and _CODE_FOLLOWS.match(text, end) is not None


def _name_before(text: str, position: int) -> str:
    backwards = text[max(0, position - 61) : position][::-1]
    match = _NAME_BACKWARDS.match(backwards)
    return match[0][::-1] if match and match[0] != "\\" else ""


def _is_after_call(text: str, position: int) -> bool:
    """Tell whether the parenthesis that closes before `position` holds the arguments of a call in code."""
    opening = text.rfind("(", max(0, position - 120), position)
    arguments = text[opening + 1 : position - 1]
    name = _name_before(text, opening) if opening > 0 else ""
    is_call = name.isascii() and (name[:1].islower() or "_" in name)
    return is_call and arguments.isascii() and ")" not in arguments and arguments not in _PLURAL_ENDINGS


def _is_second_bracket(text: str, first: Span | None, match: re.Match[str], markup: Markup) -> bool:
    """Tell whether a bracket only completes the one before: `a[1][2]`, or the label of `[text][1]`."""
    if first is None:
        return False
    is_index = text[first[0]] == "[" and _name_before(text, first[0]) != ""
    return is_index or match["square"] in markup.labels


def _joined_ranges(text: str, markers: Iterable[Marker]) -> Iterator[Marker]:
    """Yield the marks, those like `[1]–[3]` as one that cites everything between."""
    pending: Marker | None = None
    for marker in markers:
        if pending is not None and _is_range(text, pending, marker):
            numbers = tuple(range(pending.numbers[0], marker.numbers[0] + 1))
            marker = Marker(pending.start, marker.end, numbers)
        elif pending is not None:
            yield pending
        pending = marker
    if pending is not None:
        yield pending


def _is_range(text: str, first: Marker, second: Marker) -> bool:
    if len(first.numbers) != 1 or len(second.numbers) != 1:
        return False
    is_dash = _RANGE_DASH.fullmatch(text, first.end, second.start) is not None
    return is_dash and first.numbers[0] < second.numbers[0] < first.numbers[0] + MAX_RANGE
