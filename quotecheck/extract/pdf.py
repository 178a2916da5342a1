"""Extract the text of PDF files with pypdfium2 (the extra `pdf`).

A PDF knows glyphs and places, not words and lines: the library gives lines in content order, and marks a
hyphen at the end of a line without saying whether it belongs to the word. It stays in the text as a hyphen
before a line break, so that the matcher can read it both ways; running heads and page numbers stay too, as
ignorable spans, so that a sentence across two pages is found. Not thread-safe: one document at a time, in a
worker process.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.layout import plain
from quotecheck.models import ReasonCode, Source, Span

if TYPE_CHECKING:
    import pypdfium2

_LINE_END_HYPHEN: Final = "\ufffe"
_BROKEN_WORD: Final = re.compile(rf"(?<=[^\W\d_]){_LINE_END_HYPHEN}(?=[^\W\d_])")
_DIGITS: Final = re.compile(r"\d+|\b[ivxlc]+\b")
_EDGE_LINES: Final = 3  # lines at the top and the bottom of a page that can be running heads
_FEWEST_PAGES: Final = 3
_PAGE_GAP: Final = "\n\n"
_PASSWORD_ERRORS: Final = (4, 5)  # FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY


def extract_pdf(body: bytes) -> Source:
    """Return the text of a PDF, with the offsets of its pages and its running heads as ignorable spans.

    Raises
    ------
    SourceUnavailable : `pdf_support_missing`, `pdf_encrypted`, `pdf_damaged`, or `no_text` (scanned pages).
    """
    pages = _page_texts(body)
    heads = _running_heads(pages)
    starts: list[int] = []
    ignorable: list[Span] = []
    position = 0
    for number, page in enumerate(pages):
        starts.append(position)
        line_start = position
        for index, line in enumerate(page):
            if (number, index) in heads and line:
                ignorable.append((line_start, line_start + len(line)))
            line_start += len(line) + 1
        position += len("\n".join(page)) + len(_PAGE_GAP)
    text = _PAGE_GAP.join("\n".join(page) for page in pages)
    if not text.strip():
        raise SourceUnavailable(
            ReasonCode.NO_TEXT,
            f"The PDF has {len(pages)} pages and no text (scanned?); check it by hand.",
        )
    return Source(text, ignorable=tuple(ignorable), page_starts=tuple(starts))


def _page_texts(body: bytes) -> list[list[str]]:
    """Return the lines of each page."""
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
        return [_lines(document, number) for number in range(len(document))]
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


def _lines(document: pypdfium2.PdfDocument, number: int) -> list[str]:
    page = document[number]
    text_page = page.get_textpage()
    try:
        text = plain(text_page.get_text_range())
    finally:
        text_page.close()
        page.close()
    text = _BROKEN_WORD.sub("-\n", text).replace(_LINE_END_HYPHEN, "-")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _running_heads(pages: list[list[str]]) -> set[tuple[int, int]]:
    """Return (page, line) of the edge lines that, digits masked, stand on at least half of the pages."""
    if len(pages) < _FEWEST_PAGES:
        return set()
    at: dict[str, list[tuple[int, int]]] = {}
    on_pages: Counter[str] = Counter()
    for number, page in enumerate(pages):
        filled = [index for index, line in enumerate(page) if line.strip()]
        edges = {*filled[:_EDGE_LINES], *filled[-_EDGE_LINES:]}
        masked = {index: _DIGITS.sub("0", page[index].strip()) for index in edges}
        on_pages.update(set(masked.values()))
        for index, line in masked.items():
            at.setdefault(line, []).append((number, index))
    return {place for line, places in at.items() if 2 * on_pages[line] >= len(pages) for place in places}
