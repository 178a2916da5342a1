"""What a body is: evidence of the bytes first, then its type."""

from __future__ import annotations

import pytest

from quotecheck.extract.kinds import Kind, binary_format, is_pdf, kind_of, media_type


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (b"%PDF-1.5\n%\xe2\xe3\n1 0 obj", "text/html", True),
        (b"\r\n%PDF-1.4\n1 0 obj", None, True),
        (b"\xef\xbb\xbf%PDF-1.7\n1 0 obj", "application/octet-stream", True),
        (b"HTTP junk\n%PDF-1.4\n1 0 obj", "application/pdf", True),
        (b"HTTP junk\n%PDF-1.4\n1 0 obj", "text/html", False),
        (b"\x00\x01\x02\x03 damaged beyond its header", "application/pdf", True),
        (b"<html>Not found</html>", "application/pdf", False),
        (b"This note mentions %PDF-1.4 only in passing.", "text/plain", False),
        (b"%PDF-1.4 is how such a file begins.", "text/plain", False),
        (b"x" * 2000 + b"%PDF-1.4\n1 0 obj", "application/pdf", False),
    ],
)
def test_is_pdf(body: bytes, content_type: str | None, *, expected: bool) -> None:
    """A PDF is one under any label; prose about PDF is none."""
    assert is_pdf(body, content_type) is expected


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        (
            b"PK\x03\x04\x14\x00\x00\x00[Content_Types].xml",
            "text/html",
            "a ZIP archive or an office document",
        ),
        (b"\x89PNG\r\n\x1a\n", "text/html", "an image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", None, "an image"),
        (b"\x1f\x8b\x08\x00", "text/html", "an archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", None, "an office document"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", None, "binary data"),
        (bytes(range(256)) * 4, "text/plain", "binary data"),
        ("a page".encode("utf-16-le"), "text/html", None),
        ("水車小屋".encode("utf-16-le"), "text/html; charset=utf-16le", None),
        ("방앗간은 밤사이에".encode("iso2022_kr"), None, None),
        (b"PK is short for a name; GIF89a is a format; BM, MZ and ID3 too.", "text/plain", None),
        (b"One stray \x00 NUL in a long page of text" + b" and more words" * 20, "text/html", None),
        ("Ünïcödé 漢字".encode(), "text/html", None),
        (bytes(range(0xA0, 0x100)), "text/html; charset=koi8-r", None),
    ],
)
def test_binary_format(body: bytes, content_type: str | None, expected: str | None) -> None:
    """Binary data is named; text in any charset is none."""
    assert binary_format(body, content_type) == expected


@pytest.mark.parametrize(
    ("text", "content_type", "expected"),
    [
        ("<p>a", "text/html; charset=utf-8", Kind.HTML),
        ("plain words", "TEXT/HTML", Kind.HTML),
        ("<html>", "application/xhtml+xml", Kind.XHTML),
        ("<?xml version='1.0'?><rss>", "text/html", Kind.XML),
        ("<?xml version='1.0'?><!DOCTYPE html><html>", "text/html", Kind.HTML),
        ("<?xml version='1.0'?>\n<!-- a <b> --><html xmlns='x'>", "text/xml", Kind.XHTML),
        ("<article>", "application/xml", Kind.XML),
        ("<feed>", "application/atom+xml", Kind.XML),
        ("<svg>", "image/svg+xml", Kind.XML),
        ("{}", "application/json", Kind.JSON),
        ("{}", "application/ld+json; charset=utf-8", Kind.JSON),
        ("<p>literal", "text/plain", Kind.TEXT),
        ("# Title", "text/markdown", Kind.TEXT),
        ("a,b", "text/csv", Kind.TEXT),
        ("\ufeff <!DOCTYPE HTML><p>", None, Kind.HTML),
        ("<div class=x>", "application/octet-stream", Kind.HTML),
        ("<?xml version='1.0'?><x:note xmlns:x='y'>", None, Kind.XML),
        ("<note>without a declaration", None, Kind.TEXT),
        ('{"a": 1}', None, Kind.JSON),
        ("words", None, Kind.TEXT),
        ("words", "application/x-tex", Kind.TEXT),
        ("<html>an error page", "image/png", Kind.HTML),
        ("words", "image/png", None),
        ("words", "multipart/related", None),
        (r"{\rtf1 words}", "application/rtf", None),
        ("%!PS-Adobe-3.0", "text/plain", None),
    ],
)
def test_kind_of(text: str, content_type: str | None, expected: Kind | None) -> None:
    """The type decides, corrected by the root of the document; without a type the text does."""
    assert kind_of(text, content_type) is expected


def test_media_type_without_parameters() -> None:
    """Case, blanks and parameters do not count."""
    assert media_type(" Text/HTML ;charset=x") == "text/html"
    assert media_type(None) == ""


def test_kind_of_unclosed_prolog() -> None:
    """A prolog that never ends has no root, and ends the search."""
    assert kind_of("<!-- " * 1000, "text/html") is Kind.HTML
