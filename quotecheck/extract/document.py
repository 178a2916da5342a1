"""From a fetched body to a Source: tell what the bytes are, and hand them to the extractor for it.

`extract` is pure, and its cost is bounded only by its input. Callers with strangers' bytes go through
`quotecheck.workers.extract_bounded`, which runs what could be expensive in a process with limits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from selectolax.lexbor import SelectolaxError

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.decode import decode
from quotecheck.extract.html import expand_empty_elements, extract_html
from quotecheck.extract.jsontext import extract_json
from quotecheck.extract.kinds import Kind, binary_format, is_pdf, kind_of, media_type
from quotecheck.extract.layout import plain
from quotecheck.extract.pdf import extract_pdf
from quotecheck.extract.xml import extract_xml
from quotecheck.models import Flag, ReasonCode, Source

EXTRACTOR_VERSION: Final = (
    "4"  # part of the key of stored texts: raise it when a text can come out differently
)


def extract(body: bytes, content_type: str | None, *, url: str | None = None) -> Source:
    r"""Return the text of a body that was delivered as `content_type` (None where it was not said).

    Raises
    ------
    SourceUnavailable : with a reason code of the group "content", for a body that holds no text to quote:
        `empty_body`, `binary_content`, `content_type_unsupported`, `no_text`, `extraction_limit`, and for
        PDF `pdf_support_missing`, `pdf_encrypted`, `pdf_damaged`.

    >>> extract(b"<p>Caf\xe9</p>", "text/html; charset=latin1").text
    'Café'
    """
    try:
        source = _extract(body, content_type)
    except SourceUnavailable as error:
        raise SourceUnavailable(error.reason_code, error.reason, final_url=url) from error.__cause__
    except (MemoryError, RecursionError, SelectolaxError) as error:
        # The parser reports nothing but memory that it did not get.
        reason = "The content is too large or too deeply nested to be extracted; check it by hand."
        raise SourceUnavailable(ReasonCode.EXTRACTION_LIMIT, reason, final_url=url) from error
    return replace(source, final_url=url, content_type=content_type)


def _extract(body: bytes, content_type: str | None) -> Source:
    if not body.strip():
        raise SourceUnavailable(ReasonCode.EMPTY_BODY, "The server sent an empty body; check it by hand.")
    if is_pdf(body, content_type):
        return extract_pdf(body)
    binary = binary_format(body, content_type)
    if binary:
        reason = f"The content is binary ({binary}), not text; cite a web page, a PDF or a text file."
        raise SourceUnavailable(ReasonCode.BINARY_CONTENT, reason)
    decoded = decode(body, content_type)
    kind = kind_of(decoded.text, content_type)
    if kind is None:
        reason = f"There is no extractor for the type {media_type(content_type)!r}; cite a page, PDF or text."
        raise SourceUnavailable(ReasonCode.CONTENT_TYPE_UNSUPPORTED, reason)
    source = _extract_text(decoded.text, kind)
    _require_text(source)
    return replace(source, charset=decoded.charset)


def _extract_text(text: str, kind: Kind) -> Source:
    if kind is Kind.HTML:
        return extract_html(text)
    if kind is Kind.XHTML:
        return extract_html(expand_empty_elements(text))
    if kind is Kind.XML:
        return extract_xml(text)
    source = extract_json(text) if kind is Kind.JSON else None
    return source or Source(plain(text).replace("\r\n", "\n").replace("\r", "\n"))


def _require_text(source: Source) -> None:
    """Refuse a source without a word of its own: a title alone is no text in which a quotation can fail."""
    end_of_visible = source.regions[0].start if source.regions else len(source.text)
    only_title = all(region.name == "title" for region in source.regions)
    if source.text[:end_of_visible].strip() or not only_title:
        return
    reason = "The source holds no readable text; check it by hand."
    if Flag.NEEDS_JAVASCRIPT in source.flags:
        reason = "The page holds no readable text without JavaScript; check it by hand in a browser."
    raise SourceUnavailable(ReasonCode.NO_TEXT, reason)
