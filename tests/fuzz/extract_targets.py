"""Inputs for the extractors: pages, documents and files made of the pieces that matter to them."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.cost import is_light
from quotecheck.extract.decode import decode
from quotecheck.extract.document import extract
from quotecheck.extract.html import extract_html, meta_refresh
from quotecheck.extract.pubmed import parse_records
from quotecheck.models import Source

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pdf_files import lines, make_pdf

_TAGS = """
    a b i sup sub p div span table tr td th ul li pre xmp ruby rt rp script style title textarea noscript
    template svg math mi msup select option button details summary dialog iframe object frameset body html
    head br hr img font nobr form h1 plaintext meta x-y annotation-xml foreignObject caption colgroup
"""
_ATTRIBUTES = (
    " hidden",
    " open",
    " popover",
    " class='reference'",
    " class=sr-only",
    " style='display:none'",
    " style='display:flex'",
    " style='white-space:pre'",
    " style='vertical-align:super'",
    " href='#n1'",
    " role=doc-noteref",
    " srcdoc='<p>in'",
    " shadowrootmode=open",
    " x='",
    ' y="',
    " z=>",
    " http-equiv=refresh content='0;url=x'",
    " name=description content='d e'",
)
_TEXTS = (
    *("word", " ", "\n", "\t", "2", "[4]", "漢字", "é", "\u00a0", "\u200b", "\x00", "\ud800", "\x0c"),
    *(
        "&amp;",
        "&lt;",
        "&#0;",
        "&#xd800;",
        "&nbsp",
        "&",
        "<",
        ">",
        "</",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?x",
    ),
    *(".a{display:none}", "{", "}", "/*", "@media x{"),
)


def _tag(parts: tuple[str, str, str]) -> str:
    opening, name, attributes = parts
    return f"<{opening}{name}{attributes}>"


_tag_strategy = st.tuples(
    st.sampled_from(["", "", "/"]), st.sampled_from(_TAGS.split()), st.sampled_from(["", *_ATTRIBUTES])
)
_piece = st.one_of(_tag_strategy.map(_tag), st.sampled_from(_TEXTS), st.text(max_size=8))
# Many times the same piece shows what is quadratic.
_repeated = st.tuples(_piece, st.sampled_from([1, 1, 1, 2, 50, 2000])).map(lambda pair: pair[0] * pair[1])
_markup = st.lists(_repeated, max_size=25).map("".join)


def _check_source(source: Source) -> None:
    regions = [(region.start, region.end) for region in source.regions]
    for spans in (source.ignorable, source.raised, regions):
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges), spans
        assert all(0 <= start < end <= len(source.text) for start, end in spans), spans
    source.text.encode("utf-8")


def _check_html(markup: str) -> None:
    started = time.process_time()
    _check_source(extract_html(markup))
    seconds = time.process_time() - started
    if is_light(markup.encode("utf-8", "replace"), "text/html"):
        assert seconds < 3, f"a light page took {seconds:.1f} s"
    meta_refresh(markup)


_charsets = [
    "utf-8",
    "utf-16",
    "utf-16-be",
    "utf-32-le",
    "cp1251",
    "cp1252",
    "shift_jis",
    "gb18030",
    "big5",
    "euc_kr",
]
_encoded = st.tuples(st.text(), st.sampled_from(_charsets)).map(
    lambda pair: pair[0].encode(pair[1], "ignore")
)
_declared = st.sampled_from([b"<meta charset=%s>", b"<?xml encoding='%s'?>", b"<!-- %s", b"%s"])
_labels = st.sampled_from(
    ["utf-8", "utf-16", "latin1", "gbk", "iso-2022-jp", "x-user-defined", "no-such", ""]
)
_head = st.tuples(_declared, _labels).map(lambda pair: pair[0] % pair[1].encode())
_body = st.lists(st.one_of(_encoded, _head, st.binary(max_size=40)), max_size=8).map(b"".join)
_content_type = st.one_of(st.none(), _labels.map("text/html; charset={}".format))


def _check_charset(value: tuple[bytes, str | None]) -> None:
    decoded = decode(*value)
    decoded.text.encode("utf-8")
    assert decoded.charset
    if value[0].isascii() and b"\x1b" not in value[0] and b"\x00" not in value[0]:
        assert decoded.text == value[0].decode("ascii")


_types = st.sampled_from(
    ["text/xml", "application/json", "application/xhtml+xml", "text/html", "text/plain", None]
)
_xml_pieces = st.sampled_from(
    [
        *(
            "<sec>",
            "</sec>",
            "<p>",
            "</p>",
            "<xref ref-type='bibr'>",
            "</xref>",
            "<sup>",
            "</sup>",
            "<td>",
            "</td>",
        ),
        *(
            "<?xml version='1.0'?>",
            "<!DOCTYPE a [",
            "]>",
            "<!ENTITY a 'b'>",
            "<!ENTITY c '&a;&a;'>",
            "&c;",
            "&nbsp;",
        ),
        *(
            "<![CDATA[",
            "]]>",
            "<content>",
            "</content>",
            "&lt;b&gt;",
            "(",
            ")",
            "[",
            "]",
            ", ",
            "word",
            "<x/>",
        ),
        *('{"a": ', "[", "]", "}", '"<p>x"', '"\\ud800"', ",", "1e999", "null", "\n"),
    ]
)
_document = st.lists(st.one_of(_xml_pieces, st.text(max_size=6)), max_size=40).map("".join)
_any_body = st.one_of(
    _document.map(lambda text: text.encode("utf-8", "replace")), _body, st.binary(max_size=300)
)


def _check_document(value: tuple[bytes, str | None]) -> None:
    try:
        _check_source(extract(*value))
    except SourceUnavailable:
        return


_blocks = st.sampled_from(
    [
        "1. J Mill. 1930.",
        "Title.",
        "Oak A(1).",
        "Author information:\n(1)x",
        "PMID: 5",
        "PMID: 6 [x]",
        "DOI: x",
        "[x]",
        "Words.",
    ]
)
_records = st.lists(st.one_of(_blocks, st.text(max_size=20)), max_size=20)
_efetch = st.tuples(_records, st.sampled_from(["\n\n", "\n\n\n", "\n", "\r\n\r\n"])).map(
    lambda pair: pair[1].join(pair[0])
)


def _check_pubmed(text: str) -> None:
    for pmid, record in parse_records(text).items():
        assert pmid.isdigit()
        assert record.pmid == pmid
        _check_source(record.as_source())


_SEEDS = [
    make_pdf([lines("The mill hap-", "pened to burn.", "COVID-", "19")]),
    make_pdf(
        [
            [(72, 700, 12, "ten10"), (110, 705, 7, "6 seeds")],
            lines("Head 1", "Text."),
            lines("Head 2", "More."),
        ]
    ),
    make_pdf([lines("secret")], encrypted=True),
]
_edits = st.lists(
    st.tuples(
        st.floats(0, 1), st.one_of(st.binary(max_size=4), st.sampled_from([b"obj", b"<<", b"%PDF-1.4"]))
    ),
    max_size=6,
)


def _edit(value: tuple[bytes, list[tuple[float, bytes]]]) -> bytes:
    body = bytearray(value[0])
    for place, replacement in value[1]:
        start = int(place * len(body))
        body[start : start + len(replacement) or 1] = replacement
    return bytes(body)


def _check_pdf(body: bytes) -> None:
    _check_document((body, "application/pdf"))


TARGETS: dict[str, tuple[SearchStrategy[Any], Any]] = {
    "html": (_markup, _check_html),
    "charset": (st.tuples(_body, _content_type), _check_charset),
    "document": (st.tuples(_any_body, _types), _check_document),
    "pubmed": (_efetch, _check_pubmed),
    "pdf": (st.tuples(st.sampled_from(_SEEDS), _edits).map(_edit), _check_pdf),
}
