"""Inputs for the extractors: pages, documents and files made of the pieces that matter to them."""

from __future__ import annotations

import codecs
import html
import json
import re
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
from quotecheck.extract.metatags import base_address
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


# One character ten thousand times shows a pattern that is quadratic in it.
_runs = st.tuples(
    st.sampled_from([*" \n\ta0;:=,!/.#%[({-*", "a ", "a:", "/*"]), st.sampled_from([3, 10_000])
).map(lambda pair: pair[0] * pair[1])
_long_attributes = st.tuples(
    st.sampled_from(
        [
            " style='display:{}none'",
            " style='{}display:none;{}'",
            " class='sr-only{}'",
            " href='#{}'",
            " http-equiv=refresh content='0{};url={}'",
            " http-equiv=content-type content='text/html;charset={};'",
        ]
    ),
    _runs,
).map(lambda pair: pair[0].replace("{}", pair[1]))
_tags = st.tuples(
    st.sampled_from(["", "", "/"]),
    st.sampled_from(_TAGS.split()),
    st.sampled_from(["", *_ATTRIBUTES]),
)
_long_tags = st.tuples(st.just(""), st.sampled_from(["a", "p", "meta", "sup"]), _long_attributes).map(_tag)
_piece = st.one_of(_tags.map(_tag), st.sampled_from(_TEXTS), st.text(max_size=8))
# Many times the same piece shows what is quadratic.
_repeated = st.tuples(_piece, st.sampled_from([1, 1, 1, 2, 50, 2000])).map(lambda pair: pair[0] * pair[1])
_soup = st.lists(_repeated | _long_tags, max_size=25).map("".join)

_DATA = Path(__file__).resolve().parents[1] / "data"
_CONSTRUCTS = [
    json.loads(line)["html"] for line in (_DATA / "html_constructs.jsonl").read_text("utf-8").splitlines()
]
_places = st.floats(0, 1)
_mutations = st.lists(st.tuples(_places, st.integers(0, 30), st.just("") | _piece), max_size=8)


def _mutated(drawn: tuple[list[str], list[tuple[float, int, str]]]) -> str:
    """Return documents in a row, with parts cut out, put in and put in twice."""
    documents, mutations = drawn
    markup = "".join(documents)
    for place, length, piece in mutations:
        start = int(place * len(markup))
        kept = start if length % 2 else start + length
        markup = markup[:start] + piece + markup[kept:]
    return markup


_documents = st.tuples(st.lists(st.sampled_from(_CONSTRUCTS), min_size=1, max_size=5), _mutations)
_markup = _soup | _documents.map(_mutated)


def _check_source(source: Source) -> None:
    regions = [(region.start, region.end) for region in source.regions]
    for spans in (source.ignorable, source.raised, regions):
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges), spans
        assert all(0 <= start < end <= len(source.text) for start, end in spans), spans
    for start, _ in regions:
        assert start == 0 or source.text[:start].endswith("\n\n"), regions
    assert "\x00" not in source.text
    source.text.encode("utf-8")


def _check_html(markup: str) -> None:
    started = time.process_time()
    source = extract_html(markup)
    seconds = time.process_time() - started
    _check_source(source)
    if is_light(markup.encode("utf-8", "replace"), "text/html"):
        assert seconds < 3, f"a light page took {seconds:.1f} s"
    meta_refresh(markup)
    base_address(markup)
    visible = source.text[: source.regions[0].start - 2] if source.regions else source.text
    # What stands there as text, written as markup again, must come out as it went in.
    again = extract_html(f"<pre>\n{html.escape(visible)}\n</pre>")
    assert again.text == visible.replace("\r", ""), "the text does not survive being written as markup"


# Well-formed trees have one reading, which a few lines can work out.
_Tree = str | tuple[str, list[Any]]
_BLOCKS = ("div", "section", "article", "blockquote", "main", "figure", "center")
_INLINES = ("span", "b", "em", "cite", "abbr", "q", "x-y", "bdi")
# No wide characters and no zero-width spaces, beside which a line break is no blank.
_words = st.text(
    st.characters(max_codepoint=0x2E7F, exclude_categories=["Cs", "Cc"], exclude_characters="\u200b"),
    max_size=5,
)
_leaves: SearchStrategy[_Tree] = st.sampled_from([" ", "\n", " \n\t", "&", "<b>"]) | _words
_trees: SearchStrategy[_Tree] = st.recursive(
    _leaves | st.just(("br", [])),
    lambda inner: st.tuples(st.sampled_from([*_BLOCKS, *_INLINES]), st.lists(inner, max_size=5)),
    max_leaves=25,
)


def _written(tree: _Tree) -> str:
    if isinstance(tree, str):
        return html.escape(tree)
    name, children = tree
    return "<br>" if name == "br" else f"<{name}>{''.join(map(_written, children))}</{name}>"


def _read(tree: _Tree) -> str:
    """Return the text of a tree with NUL for line breaks."""
    if isinstance(tree, str):
        return tree
    name, children = tree
    edge = "\x00" if name in (*_BLOCKS, "br") else ""
    return edge + "".join(map(_read, children)) + edge


def _check_tree(tree: _Tree) -> None:
    lines = [re.sub(r"[ \t\n]+", " ", line).strip(" ") for line in _read(tree).split("\x00")]
    assert extract_html(_written(tree)) == Source("\n".join(filter(None, lines)))


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
_content_type = st.one_of(
    st.none(), _labels.map("text/html; charset={}".format), _runs.map("text/html; charset={};".format)
)


def _check_charset(value: tuple[bytes, str | None]) -> None:
    body, content_type = value
    decoded = decode(body, content_type)
    decoded.text.encode("utf-8")
    assert decoded.charset
    if b"\x1b" in body or b"\x00" in body or body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return
    try:
        expected = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    assert decoded.text == expected, "valid UTF-8 was read as something else"


# Words in the scripts of these charsets, enough of them to be evidence, with a label that is right.
_LABELLED = {
    "windows-1251": "абвгдежзийклмнопрстуфхцчшщыьэюя",
    "koi8-r": "абвгдежзийклмнопрстуфхцчшщыьэюя",
    "iso-8859-7": "αβγδεζηθικλμνξοπρστυφχψω",
    "windows-1255": "אבגדהוזחטיכלמנסעפצקרשת",
    "shift_jis": "水車小屋は川のそばにある",
    "euc-jp": "水車小屋は川のそばにある",
    "gb18030": "磨坊在河边没有人知道",
    "big5": "磨坊在河邊沒有人知道",
    "euc-kr": "방앗간은강가에있었다",
}
_labelled = st.sampled_from(sorted(_LABELLED)).flatmap(
    lambda label: st.tuples(
        st.just(label),
        st.lists(st.text(_LABELLED[label], min_size=3, max_size=12), min_size=12, max_size=20).map(" ".join),
        st.sampled_from(["header", "meta"]),
    )
)


def _check_labelled(value: tuple[str, str, str]) -> None:
    label, text, place = value
    markup = text if place == "header" else f'<meta charset="{label}">{text}'
    body = markup.encode(label)
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # in browsers, too, a mark beats a label
        return
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        content_type = f"text/html; charset={label}" if place == "header" else None
        assert decode(body, content_type).text == markup


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
_records = st.lists(st.one_of(_blocks, _runs, st.text(max_size=20)), max_size=20)
_efetch = st.tuples(_records, st.sampled_from(["\n\n", "\n\n\n", "\n", "\r\n\r\n"])).map(
    lambda pair: pair[1].join(pair[0])
)


def _check_pubmed(text: str) -> None:
    for pmid, record in parse_records(text).items():
        assert pmid.isdigit()
        assert record.pmid == pmid
        assert record.text in text.replace("\r\n", "\n").replace("\x00", "\ufffd") or "\ud800" in text
        _check_source(record.as_source())


_WORDS = ["Flour", "burns", "in", "3", "mills", "(of 5);", "see", "[2]:", "no", "fire."]
_line = st.lists(st.sampled_from(_WORDS), min_size=4).map(" ".join)
_paragraph = st.lists(_line, min_size=1, max_size=4).map("\n".join)
_record = st.tuples(_line, _paragraph | st.none(), st.integers(1, 10**8))
_known_records = st.lists(_record, min_size=1, max_size=5, unique_by=lambda parts: parts[2])


def _check_known_records(records: list[tuple[str, str | None, int]]) -> None:
    """Records that were written as NCBI writes them are read back, each with its own abstract."""
    written = [
        "\n\n".join(
            filter(None, (f"{number}. J Mill. 1830.", title, "Oak A(1), Elm B.", abstract, f"PMID: {pmid}"))
        )
        for number, (title, abstract, pmid) in enumerate(records, 1)
    ]
    found = parse_records("\n\n\n".join(written))
    assert [int(pmid) for pmid in found] == [pmid for _, _, pmid in records]
    for record, (title, abstract, _) in zip(found.values(), records, strict=True):
        assert record.title == title
        assert record.has_abstract == (abstract is not None)
        assert abstract is None or abstract in record.text


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
_PDF_PIECES = b"""
    obj endobj stream endstream << >> [ ] ( ) /F /Kids /Count /Contents /Length /Parent /MediaBox Tj Tf Tm TJ
    BT ET xref trailer %%EOF %PDF-1.4 null 0 -1 99999999999 1e9 2 3 4 5 R /FlateDecode /ASCIIHexDecode
""".split()
_edits = st.lists(
    st.tuples(_places, st.integers(0, 40), st.binary(max_size=4) | st.sampled_from(_PDF_PIECES)), max_size=8
)
_glyph_texts = st.sampled_from(
    [
        "The mill hap-",
        "pened",
        "1",
        "2",
        "- 3 -",
        "co-op",
        "fire",
        "é\u00ad",
        " ",
        "(2)",
        "\\",
    ]
) | st.text(st.characters(codec="cp1252", exclude_categories=["Cc"]), max_size=12)
_glyphs = st.tuples(
    st.floats(-50, 700) | st.just(72.0),
    st.floats(-50, 800) | st.sampled_from([740.0, 722.0, 704.0, 20.0]),
    st.floats(0.1, 60) | st.sampled_from([12.0, 7.0]),
    _glyph_texts,
)
_made = st.lists(st.lists(_glyphs, max_size=8), min_size=1, max_size=4)


def _edit(value: tuple[bytes, list[tuple[float, int, bytes]]]) -> bytes:
    """Return a file with parts written over, cut out and put in."""
    body = value[0]
    for place, length, replacement in value[1]:
        start = int(place * len(body))
        body = body[:start] + replacement + body[start + length :]
    return body


def _check_pdf(body: bytes) -> None:
    started = time.process_time()
    try:
        source = extract(body, "application/pdf")
    except SourceUnavailable:
        return
    _check_source(source)
    assert list(source.page_starts) == sorted(source.page_starts)
    assert not source.page_starts or source.page_starts[-1] <= len(source.text)
    seconds = time.process_time() - started
    assert seconds < 5, f"a file of {len(body)} bytes took {seconds:.1f} s"


TARGETS: dict[str, tuple[SearchStrategy[Any], Any]] = {
    "html": (_markup, _check_html),
    "html-trees": (_trees, _check_tree),
    "charset": (st.tuples(_body, _content_type), _check_charset),
    "charset-labels": (_labelled, _check_labelled),
    "document": (st.tuples(_any_body, _types), _check_document),
    "pubmed": (_efetch, _check_pubmed),
    "pubmed-records": (_known_records, _check_known_records),
    "pdf": (st.tuples(st.sampled_from(_SEEDS) | _made.map(make_pdf), _edits).map(_edit), _check_pdf),
}
