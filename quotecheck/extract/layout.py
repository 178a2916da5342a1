"""Turn a stream of text pieces and layout marks into settled text with spans.

The walks over HTML and XML trees push pieces of text and the marks below into one list; `settle` then
applies the white space rules of a browser once, over the whole string, and reads off where the marked
spans ended up. A mark is a character that no parser lets through as text (NUL, lone surrogates), so text
can never be mistaken for one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from quotecheck.models import Region, Source, Span

LINE = "\x00"  # a line break: runs of them are one newline
CELL = "\ud800"  # between table cells: a tab, nothing at the ends of a line
PRE_OPEN, PRE_CLOSE = "\ud801", "\ud802"  # white space in between stays as it is
IGNORABLE_OPEN, IGNORABLE_CLOSE = "\ud803", "\ud804"  # apparatus: footnote marks, ruby, edit links
RAISED_OPEN, RAISED_CLOSE = "\ud805", "\ud806"  # superscript and subscript
BOX_OPEN, BOX_CLOSE = "\ud80a", "\ud80b"  # a box within a line: no blanks at its inner edges
NOTE_OPEN, NOTE_CLOSE = "\ud80d", "\ud80e"  # a linked number: a note mark if brackets are around it
PICTURE = "\ud80c"  # content without text: blanks beside it are not at an edge

_KEPT = {" ": "\ud807", "\n": "\ud808", "\t": "\ud809"}
_KEEP = str.maketrans({**_KEPT, "\r": None})
_RELEASE = str.maketrans({kept: blank for blank, kept in _KEPT.items()})

_SPAN_MARK = re.compile("([\ud803-\ud806])")
_PRE_MARK = re.compile("([\ud801\ud802])")
# What Chinese and Japanese are written with, and punctuation that they share with other scripts.
WIDE = (
    "\u2e80-\u2fff\u3001-\u312f\u31a0-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uff9f\uffe0-\uffe6"
    "\U0001aff0-\U0001b16f\U0001f200-\U0001f2ff\U00020000-\U0003ffff"
)
_SHARED = "“”‘’…—·\ud803-\ud806"  # span marks have no width
# Behind an ignorable span the character that counts may stand before it.
_WIDE_LINES = re.compile(
    f"((?:[{WIDE}]|(?<![\ud803-\ud806])\ud804)[{_SHARED}]*)[ \t\r\f]*\n[ \t\r\f\n]*(?=[{_SHARED}]*[{WIDE}])"
)
_BESIDE_ZERO_WIDTH = re.compile("\u200b[ \t\r\f\n]+|(?<![ \t\r\f\n])[ \t\r\f\n]+(?=\u200b)")
_EDGES = " " + CELL
_BLANKS = re.compile("  +")
# Span marks have no width: a blank on either side of one is still a run of blanks, or the edge of a line.
_BLANK_BEHIND_MARK = re.compile("(?:(?<=[ \ud800])|\\A)([\ud803-\ud806]+) +")
_BLANK_BEFORE_MARK = re.compile(" +([\ud803-\ud806]+)(?=\ud800|\\Z)")
_ONLY_MARKS = re.compile("[ \ud800\ud803-\ud806]*")
_NEEDS_NO_BLANK = re.compile(r"[\s.,;:!?)\]]|\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_REGION_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Settled:
    """Text as a reader sees it, with the spans that its markup declared; offsets are code points."""

    text: str
    ignorable: tuple[Span, ...] = ()
    raised: tuple[Span, ...] = ()


def plain(text: str) -> str:
    """Return text that holds no mark: lone surrogates and NUL become U+FFFD."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def settle(raw: str) -> Settled:
    """Apply the white space rules to pieces joined with marks, and return text and spans.

    ASCII white space collapses to one blank and vanishes at the ends of a line (U+00A0 stays); empty lines
    vanish; inside `PRE_OPEN` .. `PRE_CLOSE` all white space stays. A line break between two wide characters
    stays one: browsers show it as a blank (Chrome) or as nothing (Firefox), and it can be read as either.
    One beside a zero-width space is nothing.
    """
    if NOTE_OPEN in raw:
        raw = bracketed_notes(raw, NOTE_OPEN, NOTE_CLOSE, brackets="[]")
        raw = raw.replace(NOTE_OPEN, "").replace(NOTE_CLOSE, "")
    preformatted = PRE_OPEN in raw
    if preformatted:
        raw = _keep_preformatted(raw)
    kept = preformatted
    if not raw.isascii():
        raw, lines = _join_unspaced_lines(raw)
        kept = kept or lines > 0
    for blank in "\t\n\r\f":
        raw = raw.replace(blank, " ")
    boxed = BOX_OPEN in raw
    if not boxed:
        raw = raw.replace(PICTURE, "")  # it matters in boxes alone
    marked = IGNORABLE_OPEN in raw or RAISED_OPEN in raw
    text = _join_lines(raw, boxed=boxed, marked=marked)
    if CELL in text:
        text = _part_cells(text)
    if kept:
        text = text.translate(_RELEASE)
    return read_spans(text) if marked else Settled(text)


def _join_unspaced_lines(raw: str) -> tuple[str, int]:
    """Join lines of scripts without spaces; return also how many line breaks were kept for that."""
    if "\u200b" in raw:
        raw = _BESIDE_ZERO_WIDTH.sub(
            lambda found: found[0].strip(" \t\r\f\n") if "\n" in found[0] else found[0], raw
        )
    return _WIDE_LINES.subn(r"\1" + _KEPT["\n"], raw)


def bracketed_notes(raw: str, opening: str, closing: str, *, brackets: str) -> str:
    """Make one ignorable span of brackets that hold nothing but notes, each between the two marks.

    `brackets` is one pair, or two: "[]" or "()[]". In "[1, 2]" with a link on each number, the brackets and
    the comma are part of the apparatus, too.
    """
    starts, ends = re.escape(brackets[::2]), re.escape(brackets[1::2])
    note = f"{opening}[^{opening}{closing}]*{closing}"
    pattern = rf"[{starts}]\s*(?:{note}(?:\s*[,;–—-])?\s*)+[{ends}]"
    marks = re.compile(f"[{opening}{closing}]")
    return re.sub(pattern, lambda found: f"{IGNORABLE_OPEN}{marks.sub('', found[0])}{IGNORABLE_CLOSE}", raw)


def _keep_preformatted(raw: str) -> str:
    """Replace white space inside preformatted parts by stand-ins that the later steps leave alone."""
    depth = 0
    parts: list[str] = []
    for part in _PRE_MARK.split(raw):
        if part == PRE_OPEN:
            depth += 1
        elif part == PRE_CLOSE:
            depth -= 1
            if parts and parts[-1].endswith(_KEPT["\n"]):  # the newline before </pre> is not shown
                parts[-1] = parts[-1][:-1]
        else:
            parts.append(part.translate(_KEEP) if depth else part)
    return "".join(parts)


def _join_lines(text: str, *, boxed: bool, marked: bool) -> str:
    """Tidy each line and join those with text: most blanks go with edges and empty lines."""
    lines: list[str] = []
    held = ""  # marks of a line without text move to the next one
    for line in text.split(LINE):
        line = line.strip(_EDGES)
        if "  " in line:
            line = _BLANKS.sub(" ", line)
        if boxed and (BOX_OPEN in line or BOX_CLOSE in line or PICTURE in line):
            line = _without_boxes(line)
        if not line:
            continue
        if marked and _SPAN_MARK.search(line):
            if _ONLY_MARKS.fullmatch(line):
                held += line.replace(" ", "").replace(CELL, "")
                continue
            line = _BLANK_BEFORE_MARK.sub(r"\1", _BLANK_BEHIND_MARK.sub(r"\1", line))
        lines.append(held + line)
        held = ""
    return "\n".join(lines) + held


def _without_boxes(line: str) -> str:
    line = line.replace(f"{BOX_OPEN} ", "").replace(f" {BOX_CLOSE}", "")
    for mark in (BOX_OPEN, BOX_CLOSE, PICTURE):
        line = line.replace(mark, "")
    return line.replace("  ", " ").strip(_EDGES)


def _part_cells(text: str) -> str:
    text = text.replace(f" {CELL}", CELL).replace(f"{CELL} ", CELL)
    while CELL + CELL in text:
        text = text.replace(CELL + CELL, CELL)
    return text.replace(CELL, "\t")


def read_spans(text: str) -> Settled:
    """Take the span marks out and note where they stood; nested spans of one kind count once."""
    pieces: list[str] = []
    position = 0
    spans: dict[str, list[Span]] = {IGNORABLE_OPEN: [], RAISED_OPEN: []}
    opened = {IGNORABLE_OPEN: [0, 0], RAISED_OPEN: [0, 0]}  # depth, start
    closes = {IGNORABLE_CLOSE: IGNORABLE_OPEN, RAISED_CLOSE: RAISED_OPEN}
    for piece in _SPAN_MARK.split(text):
        if piece in opened:
            state = opened[piece]
            if state[0] == 0:
                state[1] = position
            state[0] += 1
        elif piece in closes:
            kind = closes[piece]
            state = opened[kind]
            state[0] -= 1
            if state[0] == 0 and position > state[1]:
                spans[kind].append((state[1], position))
        else:
            pieces.append(piece)
            position += len(piece)
    settled = "".join(pieces)
    return Settled(settled, tuple(_with_blanks(settled, spans[IGNORABLE_OPEN])), tuple(spans[RAISED_OPEN]))


def _with_blanks(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Widen each span over the blank before it where its removal would leave a blank too many."""
    last = 0
    for start, end in spans:
        if start > last and text[start - 1] == " " and _NEEDS_NO_BLANK.match(text, end):
            start -= 1
        last = end
        yield start, end


def assemble(visible: Settled, regions: Iterable[tuple[str, Settled]]) -> Source:
    """Put regions behind the visible text, each behind a blank line, with all spans moved along."""
    pieces = [visible.text]
    position = len(visible.text)
    ignorable = list(visible.ignorable)
    raised = list(visible.raised)
    placed: list[Region] = []
    for name, part in regions:
        gap = _REGION_GAP if position else ""
        start = position + len(gap)
        pieces += (gap, part.text)
        position = start + len(part.text)
        placed.append(Region(name, start, position))
        ignorable += ((start + a, start + b) for a, b in part.ignorable)
        raised += ((start + a, start + b) for a, b in part.raised)
    return Source("".join(pieces), tuple(placed), tuple(ignorable), tuple(raised))
