"""Extract the text of PDF files with pypdfium2 (the extra `pdf`).

A PDF knows glyphs and places, not words and lines. What the library cannot know is decided here by geometry:
a line break in the middle of a line is none, digits set smaller and higher are raised, and behind a word
they are a note mark. A hyphen at the end of a line stays, before a line break, for the matcher to read both
ways; running heads and page numbers stay as ignorable spans, so that a sentence across two pages is found.
The library is not thread-safe: one document at a time, in a worker process.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.layout import (
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    RAISED_CLOSE,
    RAISED_OPEN,
    read_spans,
)
from quotecheck.models import ReasonCode, Source, Span

if TYPE_CHECKING:
    import pypdfium2

_HYPHEN: Final = "\x02"  # the library's sign for a hyphen at the end of a line
_PLACES: Final = re.compile(r"\r\n|\x02|\d+|[*∗†‡§¶]{1,3}")  # where geometry decides
_COMBINING: Final = dict(
    zip(
        "´`¨ˆ˜¯˘˙˝ˇ¸˛˚",
        "\u0301\u0300\u0308\u0302\u0303\u0304\u0306\u0307\u030b\u030c\u0327\u0328\u030a",
        strict=True,
    )
)
_ACCENT: Final = re.compile(f"[{''.join(_COMBINING)}]")
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}
_BEFORE_ACCENT: Final = 30  # glyphs between a letter and its accent
_NOT_TEXT: Final = re.compile("[\x00\x01\x03-\x08\x0b-\x0c\x0e-\x1f\ufffe\ufeff]")
# What stands before a note mark. A short word with a raised digit is a power ("km2"), one letter with a
# star a symbol.
_BEFORE_NUMBER: Final = re.compile(r"[^\W\d_]{4}[.,;:!?)\]”’\"']{0,2}\Z")
_BEFORE_SYMBOL: Final = re.compile(r"[^\W\d_]{2}[.,;:!?)\]”’\"']{0,2}\Z")
_SMALLER: Final = 0.85  # of the size of the letters beside it
_HIGHER: Final = 0.15  # of that size
_SAME_LINE: Final = 0.6
_GAP: Final = 0.2

_DIGITS: Final = re.compile(r"\d+|\b[ivxlc]+\b")
_MARKS: Final = re.compile(f"[{IGNORABLE_OPEN}{IGNORABLE_CLOSE}{RAISED_OPEN}{RAISED_CLOSE}]")
_EDGE_LINES: Final = 3  # lines at the top and at the bottom of a page that can be running heads
_PAGE_GAP: Final = "\n\n"
_PASSWORD_ERRORS: Final = (4, 5)  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY


def extract_pdf(body: bytes) -> Source:
    """Return the text of a PDF, with the offsets of its pages, note marks and running heads as spans.

    Raises
    ------
    SourceUnavailable : `pdf_support_missing`, `pdf_encrypted`, `pdf_damaged`, or `no_text` (scanned pages).
    """
    pages = [page.split("\n") for page in _read_pages(body)]
    _mark_running_heads(pages)
    texts: list[str] = []
    starts: list[int] = []
    ignorable: list[Span] = []
    raised: list[Span] = []
    position = 0
    for lines in pages:
        page = read_spans("\n".join(lines))
        starts.append(position)
        texts.append(page.text)
        ignorable += _moved(page.ignorable, position)
        raised += _moved(page.raised, position)
        position += len(page.text) + len(_PAGE_GAP)
    text = _PAGE_GAP.join(texts)
    if not text.strip():
        reason = f"The PDF has {len(pages)} pages and no text (scanned?); check it by hand."
        raise SourceUnavailable(ReasonCode.NO_TEXT, reason)
    return Source(text, ignorable=tuple(ignorable), raised=tuple(raised), page_starts=tuple(starts))


def _moved(spans: tuple[Span, ...], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _read_pages(body: bytes) -> list[str]:
    """Return the text of each page, with layout marks."""
    try:
        import pypdfium2
    except ImportError:
        raise SourceUnavailable(
            ReasonCode.PDF_SUPPORT_MISSING,
            "The source is a PDF, and support for PDF is not installed: pip install 'quotecheck-audit[pdf]'.",
        ) from None
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        raise _unreadable(error) from error
    try:
        return [_read_page(document, number) for number in range(len(document))]
    except pypdfium2.PdfiumError as error:
        raise _unreadable(error) from error
    finally:
        document.close()


def _unreadable(error: pypdfium2.PdfiumError) -> SourceUnavailable:
    if getattr(error, "err_code", None) in _PASSWORD_ERRORS:
        return SourceUnavailable(
            ReasonCode.PDF_ENCRYPTED, "The PDF is protected by a password; check it by hand."
        )
    return SourceUnavailable(
        ReasonCode.PDF_DAMAGED, "The PDF is damaged and cannot be read; cite another copy of it."
    )


def _read_page(document: pypdfium2.PdfDocument, number: int) -> str:
    page = document[number]
    text_page = page.get_textpage()
    try:
        return _Glyphs(text_page).text()
    finally:
        text_page.close()
        page.close()


class _Glyphs:
    """The characters of one page in reading order, and where each one stands."""

    def __init__(self, text_page: pypdfium2.PdfTextPage) -> None:
        import pypdfium2.raw as library

        self._library = library
        self._page = text_page.raw
        read = library.FPDFText_GetUnicode
        codes = (read(self._page, index) for index in range(text_page.count_chars()))
        # One character for each glyph, so that an index into the text is one into the page.
        self._text = "".join(["\x00" if 0xD800 <= c < 0xE000 or c > 0x10FFFF else chr(c) for c in codes])

    def text(self) -> str:
        """Return the page's text with layout marks for raised digits and note marks."""
        edits = {place.start(): (place.end(), self._decide(place)) for place in _PLACES.finditer(self._text)}
        for accent in _ACCENT.finditer(self._text):
            edits.update(self._place_accent(accent.start(), accent[0]))
        pieces: list[str] = []
        position = 0
        for start, (end, replacement) in sorted(edits.items()):
            if start >= position:  # the space around an accent takes the line break in it along
                pieces += (self._text[position:start], replacement)
                position = end
        text = "".join((*pieces, self._text[position:]))
        return _NOT_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))

    def _decide(self, place: re.Match[str]) -> str:
        found = place[0]
        if found == "\r\n":
            return self._line_break(place.start() - 1, place.end())
        if found == _HYPHEN:
            around = self._text[place.start() - 1 : place.start()] + self._text[place.end() : place.end() + 1]
            return "-\n" if len(around) == 2 and around.isalpha() else "-"
        return self._raised(place)

    def _place_accent(self, index: int, accent: str) -> dict[int, tuple[int, str]]:
        """Return the edits that put an accent, drawn by itself, on the letter that stands under it.

        TeX draws accents as glyphs of their own, before or after the letter or at the end of the word, and
        the library takes the gaps that they leave in the line for spaces.
        """
        left, right = self._edges(index)
        letter = self._letter_at((left + right) / 2, index)
        if letter is None:
            return {}
        plain_letter = _DOTLESS.get(self._text[letter], self._text[letter])
        composed = unicodedata.normalize("NFC", plain_letter + _COMBINING[accent])
        start, end = index, index + 1
        while start > 0 and self._text[start - 1].isspace():
            start -= 1
        while end < len(self._text) and self._text[end].isspace():
            end += 1
        is_apart = start + 1 < end < len(self._text)
        gap = self._line_break(start - 1, end) if is_apart else ""
        return {letter: (letter + 1, composed), start: (end, gap)}

    def _letter_at(self, x: float, accent: int) -> int | None:
        """Return the letter of the accent's line, near it in the text, that stands at `x`."""
        y, reach = self._origin(accent)[1], self._size(accent)
        for index in sorted(range(accent - _BEFORE_ACCENT, accent + 4), key=lambda near: abs(near - accent)):
            char = self._text[index : index + 1] if index >= 0 else ""
            if char.isalpha() and char not in _COMBINING:
                left, right = self._edges(index)
                if left <= x <= right and abs(self._origin(index)[1] - y) < reach:
                    return index
        return None

    def _line_break(self, before: int, after: int) -> str:
        """Return what a line break stands for: the library breaks lines at raised and lowered glyphs."""
        if before < 0 or after >= len(self._text) or self._text[after] in "\r\n":
            return "\n"
        x, y = self._origin(after)
        size = max(self._size(before), self._size(after))
        end = self._edges(before)[1]
        if abs(y - self._origin(before)[1]) > _SAME_LINE * size or not -size < x - end < 2 * size:
            return "\n"
        return " " if x - end > _GAP * size else ""

    def _raised(self, place: re.Match[str]) -> str:
        """Mark what of a run of digits or symbols is set smaller and higher (or lower) than beside it."""
        start, end = place.span()
        beside = [index for index in (start - 1, end) if self._is_glyph(index)]
        base = max((*beside, *range(start, end)), key=self._size)
        raised = [self._is_raised(index, base) for index in range(start, end)]
        if not any(raised):
            return place[0]
        first = raised.index(True)
        last = len(raised) - raised[::-1].index(True)
        found = place[0]
        is_note = all(raised) and self._is_note_mark(start, found, base)
        marked = found[first:last]
        if found.isdigit():
            marked = f"{RAISED_OPEN}{marked}{RAISED_CLOSE}"
        if is_note:
            marked = f"{IGNORABLE_OPEN}{marked}{IGNORABLE_CLOSE}"
        return found[:first] + marked + found[last:]

    def _is_glyph(self, index: int) -> bool:
        return 0 <= index < len(self._text) and not self._text[index].isspace()

    def _is_raised(self, index: int, base: int) -> bool:
        size = self._size(base)
        rise = self._origin(index)[1] - self._origin(base)[1]
        return self._size(index) <= _SMALLER * size and _HIGHER * size <= abs(rise) < size

    def _is_note_mark(self, index: int, found: str, base: int) -> bool:
        before = _BEFORE_NUMBER if found.isdigit() else _BEFORE_SYMBOL
        higher = self._origin(index)[1] > self._origin(base)[1]
        return higher and before.search(self._text, max(0, index - 8), index) is not None

    def _size(self, index: int) -> float:
        return float(self._library.FPDFText_GetFontSize(self._page, index))

    def _origin(self, index: int) -> tuple[float, float]:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._library.FPDFText_GetCharOrigin(self._page, index, x, y)
        return x.value, y.value

    def _edges(self, index: int) -> tuple[float, float]:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        self._library.FPDFText_GetCharBox(self._page, index, left, right, bottom, top)
        return left.value, right.value


def _mark_running_heads(pages: list[list[str]]) -> None:
    """Mark lines that stand, digits aside, at the same place of the page before or the one before that.

    Heads often alternate between left and right pages, and change with the chapter.
    """
    places = [_edge_lines(lines) for lines in pages]
    heads: set[tuple[int, int]] = set()
    for number, here in enumerate(places):
        for earlier in range(max(0, number - 2), number):
            for place, (index, line) in here.items():
                there = places[earlier].get(place)
                if there is not None and there[1] == line:
                    heads |= {(number, index), (earlier, there[0])}
    for number, index in heads:
        pages[number][index] = f"{IGNORABLE_OPEN}{pages[number][index]}{IGNORABLE_CLOSE}"


def _edge_lines(lines: list[str]) -> dict[int, tuple[int, str]]:
    """Return {place: (index, line with digits masked)}; places count from the top (0..) and bottom (-1..)."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    masked = {index: _DIGITS.sub("0", _MARKS.sub("", lines[index]).strip()) for index in filled}
    count = min(_EDGE_LINES, len(filled))
    return {place: (filled[place], masked[filled[place]]) for place in (*range(count), *range(-count, 0))}
