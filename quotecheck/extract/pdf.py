"""Extract the text of PDF files with pypdfium2 (the extra `pdf`).

The text of a page comes from `glyphs`; here pages become a source. A page ends like a line, since sentences
and words go on behind it; running heads and page numbers stay in the text as ignorable spans, so that both
those sentences and they themselves are found. The library is not thread-safe: one document at a time, in a
worker process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.glyphs import Glyphs
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

_DIGITS: Final = re.compile(r"\d+|\b[ivxlc]+\b")
_MARKS: Final = re.compile(f"[{IGNORABLE_OPEN}{IGNORABLE_CLOSE}{RAISED_OPEN}{RAISED_CLOSE}]")
_EDGE_LINES: Final = 3  # lines at the top and at the bottom of a page that can be running heads
_PAGE_GAP: Final = "\n"
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
    whole_lines = tuple(_with_line_breaks(text, ignorable))
    return Source(text, ignorable=whole_lines, raised=tuple(raised), page_starts=tuple(starts))


def _with_line_breaks(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield the spans, those of whole lines with one of the line breaks around them, each break once."""
    taken = 0
    for start, end in spans:
        if text[end : end + 1] in ("", "\n"):
            if start > taken and text[start - 1] == "\n":
                start -= 1
            elif start == 0 or text[start - 1] == "\n":
                end = min(end + 1, len(text))
        taken = end
        yield start, end


def _moved(spans: tuple[Span, ...], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in spans]


def _read_pages(body: bytes) -> list[str]:
    """Return the text of each page, with layout marks."""
    try:
        import pypdfium2
    except ImportError:
        raise SourceUnavailable(
            ReasonCode.PDF_SUPPORT_MISSING,
            "The source is a PDF, and support for PDF is not installed: install quotecheck-audit[pdf].",
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
        return Glyphs(text_page).text()
    finally:
        text_page.close()
        page.close()


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
