"""From bytes and a Content-Type to a Source, or to the reason why there is none."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import SelectolaxError
from shared_data import shared_path, shared_rows

from quotecheck.errors import SourceUnavailable
from quotecheck.extract import document
from quotecheck.extract.document import extract
from quotecheck.models import Flag, ReasonCode


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset"),
    [
        (b"<p>One.<p>Two.", "text/html", "One.\nTwo.", "utf-8"),
        (b"<p>caf\xe9", "text/html; charset=iso-8859-1", "café", "windows-1252"),
        (b"<html><script src='x'/><p>seen</p></html>", "application/xhtml+xml", "seen", "utf-8"),
        (b"<a><p>One.</p><p>Two.</p></a>", "application/xml", "One.\nTwo.", "utf-8"),
        (b'<?xml version="1.0" encoding="koi8-r"?><p>\xd5\xd6\xc5</p>', "text/xml", "уже", "koi8-r"),
        (b'{"a": "One."}', "application/json", "One.", "utf-8"),
        (b"{broken", "application/json", "{broken", "utf-8"),
        (b"a\r\nb\rc  d", "text/plain", "a\nb\nc  d", "utf-8"),
        (b"# Title\n*not* touched", "text/markdown", "# Title\n*not* touched", "utf-8"),
        (b"\xef\xbb\xbfwords", None, "words", "utf-8"),
        (b"It mentions %PDF in passing.", "text/plain", "It mentions %PDF in passing.", "utf-8"),
    ],
)  # fmt: skip
def test_extract(body: bytes, content_type: str | None, text: str, charset: str) -> None:
    """Each format goes to its extractor, decoded by its own charset."""
    source = extract(body, content_type)
    assert (source.text, source.charset, source.content_type) == (text, charset, content_type)


@pytest.mark.parametrize(
    ("body", "content_type", "code", "mention"),
    [
        (b"", "text/html", ReasonCode.EMPTY_BODY, "empty"),
        (b" \n\t", "text/html", ReasonCode.EMPTY_BODY, "empty"),
        (b"PK\x03\x04\x14\x00", "text/html", ReasonCode.BINARY_CONTENT, "binary (a ZIP archive"),
        (bytes(range(256)), "text/plain", ReasonCode.BINARY_CONTENT, "binary"),
        (b"words", "image/png", ReasonCode.CONTENT_TYPE_UNSUPPORTED, "'image/png'"),
        (rb"{\rtf1 words}", "application/rtf", ReasonCode.CONTENT_TYPE_UNSUPPORTED, "'application/rtf'"),
        (b"<img src=x>", "text/html", ReasonCode.NO_TEXT, "no readable text"),
        (b"<title>Mill</title><p> </p>", "text/html", ReasonCode.NO_TEXT, "no readable text"),
        (b"<div id=app></div><script src=a.js></script>", "text/html", ReasonCode.NO_TEXT, "JavaScript"),
        (b"<!-- only a comment -->", "text/html", ReasonCode.NO_TEXT, "no readable text"),
        (b"[1, 2]", "application/json", ReasonCode.NO_TEXT, "no readable text"),
        (b"%PDF-1.5\n%\xe2\xe3\n1 0 obj<</F>>stream\n\x00", "text/html", ReasonCode.PDF_DAMAGED, "PDF"),
        (b"[" * 200_000, "application/json", ReasonCode.EXTRACTION_LIMIT, "nested"),
    ],
)  # fmt: skip
def test_extract_refuses(body: bytes, content_type: str, code: ReasonCode, mention: str) -> None:
    """What holds no text to quote is refused with its reason, and with the address it came from."""
    with pytest.raises(SourceUnavailable) as refusal:
        extract(body, content_type, url="https://example.org/x")
    assert refusal.value.reason_code is code
    assert mention in refusal.value.reason
    assert refusal.value.final_url == "https://example.org/x"


def test_extract_keeps_pages_with_hidden_text_alone() -> None:
    """Hidden text and a description are text: a quotation may be found there, with its region."""
    assert extract(b"<p hidden>Panel.", "text/html").regions[0].name == "hidden"
    assert extract(b"<meta name=description content='On locks.'>", "text/html").text == "On locks."


def test_extract_flags_a_shell() -> None:
    """A page with next to no text that needs scripts says so."""
    assert extract(b"<nav>Home</nav><script src=a.js></script>", "text/html").flags == (
        Flag.NEEDS_JAVASCRIPT,
    )


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), SelectolaxError("no memory")])
def test_extract_out_of_memory_is_a_limit(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that a parser did not get is `extraction_limit`, never a shorter text."""

    def fail(markup: str) -> None:
        raise error

    monkeypatch.setattr(document, "extract_html", fail)
    with pytest.raises(SourceUnavailable) as refusal:
        extract(b"<p>a", "text/html")
    assert refusal.value.reason_code is ReasonCode.EXTRACTION_LIMIT


def test_extract_long_text_without_copies() -> None:
    """A long text takes memory in proportion to its size."""
    body = b"<p>" + b"The mill stands by the river. " * 30_000
    tracemalloc.start()
    text = extract(body, "text/html").text
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(text) == 30_000 * 30 - 1
    assert peak < 12 * len(body)


_TYPES = st.sampled_from(
    [
        None,
        "text/html",
        "application/xhtml+xml",
        "text/xml",
        "application/json",
        "text/plain",
        "application/pdf",
    ]
)
_STARTS = st.sampled_from(
    [b"", b"<p>", b"<?xml version='1.0'?><p>", b'{"a": "', b"%PDF-1.4\n1 0 obj", b"\xff\xfe"]
)


@settings(deadline=None)
@given(_STARTS, st.binary(max_size=200), _TYPES)
def test_extract_any_bytes(start: bytes, rest: bytes, content_type: str | None) -> None:
    """Any bytes under any type give a text in UTF-8 or a SourceUnavailable, nothing else."""
    try:
        text = extract(start + rest, content_type).text
    except SourceUnavailable:
        return
    assert text.encode("utf-8").decode("utf-8") == text


def test_extract_shared_pages_hold_their_sentences() -> None:
    """Sentences of real pages that stand in one piece of the source are in the extracted text."""
    pages = shared_path("data/pages")
    rows = [row for row in shared_rows("data/pages.jsonl") if row["label"] == "present"]
    rows = [row for row in rows if row["kind"] == "in_block" and row["source_form"] == "source_contiguous"]
    texts = {
        name: extract((pages / name).read_bytes(), "text/html").text for name in {row["page"] for row in rows}
    }
    missing = [
        row["quote"]
        for row in rows
        if " ".join(row["quote"].split()) not in " ".join(texts[row["page"]].split())
    ]
    assert len(missing) <= len(rows) // 50, json.dumps(missing, ensure_ascii=False)
