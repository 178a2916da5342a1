"""Tell what a body is: by its bytes where they leave no doubt, else by its Content-Type.

A PDF is a PDF under any label and a ZIP archive is no web page, whatever the server says; but a text that
mentions `%PDF` is a text. Matching inside raw bytes could only give false verdicts, so what cannot be read
is refused with the reason.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from quotecheck.extract.decode import has_wide_characters


class Kind(StrEnum):
    """The text formats that have an extractor."""

    HTML = "html"
    XHTML = "xhtml"
    XML = "xml"
    JSON = "json"
    TEXT = "text"


_BY_TYPE: Final = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.XHTML,
    "text/xml": Kind.XML,
    "application/xml": Kind.XML,
    "application/json": Kind.JSON,
    "text/json": Kind.JSON,
    "application/x-ndjson": Kind.JSON,
    "application/jsonl": Kind.JSON,
}
# Types that say nothing, or nothing true: the bytes decide.
_SILENT: Final = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "application/unknown", "*/*")
)
_NO_TEXT: Final = ("image/", "audio/", "video/", "font/", "model/", "multipart/")

_PDF_HEADER: Final = re.compile(rb"%PDF-\d\.\d")
_PDF_LABELS: Final = ("application/pdf", "application/x-pdf")
_UNMISTAKABLE: Final = (
    (re.compile(rb"PK(?:\x03\x04|\x05\x06)"), "a ZIP archive or an office document"),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an office document"),
    (re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|RIFF....WEBP", re.DOTALL), "an image"),
    (
        re.compile(rb"\x1f\x8b\x08|\xfd7zXZ\x00|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|\x28\xb5\x2f\xfd"),
        "an archive",
    ),
)
_CONTROLS: Final = bytes(set(range(0x20)) - set(b"\t\n\f\r\x1b")) + b"\x7f"
_SHIFTS: Final = b"\x0e\x0f"  # ISO-2022-KR switches with them
_SAMPLE: Final = 8192

_MARKUP_STARTS: Final = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|table|div|p|h1|a|br|iframe|font)[\s>/]",
    re.IGNORECASE,
)
_ROOT: Final = re.compile(r"<([A-Za-z_][\w:.-]*)")
_FEEDS: Final = frozenset(("rss", "feed", "rdf"))


def media_type(content_type: str | None) -> str:
    """Return the bare type of a Content-Type value, in lower case; empty where there is none."""
    return (content_type or "").split(";", 1)[0].strip().lower()


def is_pdf(body: bytes, content_type: str | None) -> bool:
    """Tell whether a body is a PDF, under any label; a text that mentions `%PDF` is none.

    The header may follow up to 1,024 bytes of junk, which only a label or the objects of a PDF can excuse.
    """
    header = _PDF_HEADER.search(body, 0, 1024)
    if header is None:
        return media_type(content_type) in _PDF_LABELS and not _looks_like_text(body, content_type)
    at_start = not body[: header.start()].strip(b"\xef\xbb\xbf \t\r\n\x00")
    has_objects = b" obj" in body or not _looks_like_text(body, content_type)
    return has_objects and (at_start or media_type(content_type) in (*_PDF_LABELS, *_SILENT))


def binary_format(body: bytes, content_type: str | None) -> str | None:
    """Return what kind of binary data a body is, in words, or None for a text."""
    for magic, name in _UNMISTAKABLE:
        if magic.match(body):
            return name
    return None if _looks_like_text(body, content_type) else "binary data"


def _looks_like_text(body: bytes, content_type: str | None) -> bool:
    """Tell text from binary data by the share of control characters: stray ones occur in real pages."""
    if has_wide_characters(body, content_type):
        return True
    sample = body[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if b"\x1b$)C" in sample:
        controls -= sum(sample.count(shift) for shift in _SHIFTS)
    return controls <= 0.02 * len(sample)


def kind_of(text: str, content_type: str | None) -> Kind | None:
    """Return the kind of a decoded body, or None for a type that has no extractor."""
    label = media_type(content_type)
    head = text[:_SAMPLE].lstrip("\ufeff \t\r\n\f")
    if head.startswith((r"{\rtf", "%!PS")):
        return None
    kind = _BY_TYPE.get(label)
    if kind is None and label.endswith("+xml"):
        kind = Kind.XML
    if kind is None and label.endswith("+json"):
        kind = Kind.JSON
    if kind in (Kind.HTML, Kind.XML) or (kind is None and not label.startswith("text/")):
        kind = _by_markup(head, kind)
    if kind is not None:
        return kind
    if label.startswith(_NO_TEXT):
        return None
    return Kind.JSON if label in _SILENT and head[:1] in ("{", "[") else Kind.TEXT


def _by_markup(head: str, kind: Kind | None) -> Kind | None:
    """Correct a label by the root of the document: feeds are sent as HTML, XHTML pages as XML."""
    if not head.startswith("<"):
        return kind
    declared_xml = head.startswith("<?xml")
    root = _root_name(head)
    if kind is Kind.HTML:
        return Kind.XML if root in _FEEDS else kind
    if root == "html":
        return Kind.XHTML if declared_xml or kind is Kind.XML else Kind.HTML
    if kind is None and not declared_xml and _MARKUP_STARTS.match(head):
        return Kind.HTML
    return Kind.XML if declared_xml or root in _FEEDS else kind


def _root_name(head: str) -> str:
    """Return the local name of the first element, in lower case, past prolog, comments and doctype."""
    position = 0
    while head.startswith("<", position):
        if head.startswith("<!--", position):
            end = head.find("-->", position)
        elif head.startswith(("<?", "<!"), position):
            end = head.find(">", position)
        else:
            root = _ROOT.match(head, position)
            return root[1].rpartition(":")[2].lower() if root else ""
        if end < 0:
            return ""
        position = end + (3 if head.startswith("<!--", position) else 1)
        position += len(head[position:]) - len(head[position:].lstrip())
    return ""
