"""XML documents: articles, records, feeds, and documents that are not well formed."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import shared_path

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.xml import extract_xml
from quotecheck.models import ReasonCode


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<a><p>One.</p><p>Two.</p></a>", "One.\nTwo."),
        ("<p>Eagles (<i>Aquila</i>) eat fish &lt;1 kg.</p>", "Eagles (Aquila) eat fish <1 kg."),
        ("<p><bold>All</bold><italic>of it</italic></p>", "Allof it"),
        ("<p>An <unknown>inline</unknown> word</p>", "An inline word"),
        ("<a><unknown>One.</unknown><unknown>Two.</unknown></a>", "One.\nTwo."),
        ("<p>Before <list><list-item>oak</list-item></list> after</p>", "Before\noak\nafter"),
        ("<table><tr><th>Port</th><td>Lisse</td></tr><tr><td>4</td></tr></table>", "Port\tLisse\n4"),
        ("<name><surname>Oak</surname><given-names>A</given-names></name>", "Oak\nA"),
        ("<mixed-citation><surname>Oak</surname> A, <year>1830</year>.</mixed-citation>", "Oak A, 1830."),
        ("<AbstractText Label='METHODS'>We looked.</AbstractText>", "METHODS: We looked."),
        ("<p>x<tex-math>\\x</tex-math><object-id>7</object-id>y</p>", "xy"),
        ("<t:p xmlns:t='urn:x'>in <t:em>a</t:em> namespace</t:p>", "in a namespace"),
        ("<p>a<!-- no --><?pi no?>b</p>", "ab"),
        ("<summary>It &lt;b&gt;burned&lt;/b&gt;.&lt;br&gt;All.</summary>", "It burned.\nAll."),
        ("<summary>a &lt; b</summary>", "a < b"),
        ("<description>It&amp;#8217;s a &amp;amp; b</description>", "It’s a & b"),
        ("<feed><title type='html'>It &lt;i>burned&lt;/i></title></feed>", "It burned"),
        ("<content><![CDATA[<p>One.</p><script>no</script><p>Two.</p>]]></content>", "One.\nTwo."),
        ("<?xml version='1.0' encoding='koi8-r'?><p>уже текст</p>", "уже текст"),
        ("<p>a <math><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math> b</p>", "a 3\n1\n2\nb"),
        ("<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable>", "1\t2\n3"),
        ("<p><math><mphantom><mn>4</mn></mphantom><mn>1</mn><mspace/><mn>2</mn></math></p>", "1 2"),
    ],
)  # fmt: skip
def test_extract_xml(document: str, text: str) -> None:
    """Names and neighbours decide what stands in a line; markup inside of feeds is read as a page."""
    assert extract_xml(document).text == text


@pytest.mark.parametrize(
    ("formula", "raised"),
    [
        ("<msup><mn>10</mn><mn>6</mn></msup>", ["6"]),
        ("<m:msup xmlns:m='urn:m'>\n<m:mn>10</m:mn>\n<m:mrow>−<m:mn>6</m:mn></m:mrow></m:msup>", ["−6"]),
        ("<munderover><mo>∑</mo><mn>1</mn><mn>9</mn></munderover>", ["1", "9"]),
        ("<mrow><mn>10</mn><mn>6</mn></mrow>", []),
    ],
)
def test_extract_xml_powers_and_limits_are_raised(formula: str, raised: list[str]) -> None:
    """What a formula draws small above or below goes on no number."""
    source = extract_xml(f"<p>so {formula}</p>")
    assert [source.text[start:end] for start, end in source.raised] == raised


@pytest.mark.parametrize(
    ("document", "ignorable"),
    [
        ("<p>So it was<xref ref-type='bibr'>4</xref>.</p>", ["4"]),
        ("<p>So<sup><xref ref-type='bibr'>4</xref>,<xref ref-type='bibr'>5</xref></sup>.</p>", ["4,5"]),
        ("<p>So [<xref ref-type='bibr'>4</xref>, <xref ref-type='bibr'>5</xref>].</p>", [" [4, 5]"]),
        ("<p>So (<xref ref-type='bibr'>Oak 1830</xref>).</p>", [" (Oak 1830)"]),
        ("<p>So (see <xref ref-type='bibr'>4</xref>).</p>", [" 4"]),
        ("<p>See <xref ref-type='fig'>Figure 1</xref>.</p>", []),
        ("<p>It was <xref ref-type='bibr'>not</xref> so.</p>", []),
        ("<p>It was [<xref ref-type='fn'>not</xref>] so.</p>", []),
        ("<p>It was <sup><xref ref-type='bibr'>no</xref></sup> so.</p>", []),
        ("<p>It was <sup><fn ref-type='fn'>not</fn></sup> so.</p>", []),
        ("<p>So<xref ref-type='bibr'><sup>4</sup></xref> and<xref ref-type='fn'>†</xref>.</p>", ["4", "†"]),
        ("<p>So (<xref ref-type='bibr'>Oak et al., 1830a</xref>).</p>", [" (Oak et al., 1830a)"]),
        ("<p>So <xref ref-type='bibr'>Oak did not write 1830</xref>.</p>", []),
        ("<p>m<sup>2</sup></p>", []),
    ],
)
def test_extract_xml_note_marks(document: str, ignorable: list[str]) -> None:
    """Citation and footnote marks are ignorable with their brackets; figures and powers are not."""
    source = extract_xml(document)
    assert [source.text[start:end] for start, end in source.ignorable] == ignorable


_DIV = "<div xmlns='http://www.w3.org/1999/xhtml'>"


@pytest.mark.parametrize(
    ("document", "text", "hidden"),
    [
        (f"<content>{_DIV}One<b style='DISPLAY : none'>no</b>s.</div></content>", "Ones.", ["no"]),
        (f"<a>{_DIV}One.<p hidden=''>a<i style='visibility:hidden'>b</i></p></div></a>", "One.", ["a", "b"]),
        (f"<a>{_DIV}One <b hidden='' style='display:inline'>is</b></div></a>", "One is", []),
        ("<content>One &lt;b hidden&gt;no&lt;/b&gt; &lt;i&gt;is&lt;/i&gt;</content>", "One is", ["no"]),
        ("<a><content>&lt;p hidden&gt;no&lt;/p&gt;One.</content><p>Two.</p></a>", "One.\nTwo.", ["no"]),
        ("<record hidden='false'><p hidden='x'>One.</p></record>", "One.", []),
    ],
)  # fmt: skip
def test_extract_xml_hidden_parts_are_regions(document: str, text: str, hidden: list[str]) -> None:
    """What a style, XHTML or markup in a feed hides from readers is no visible text."""
    source = extract_xml(document)
    assert source.text == "\n\n".join([text, *hidden])
    assert [source.text[region.start : region.end] for region in source.regions] == hidden


def test_extract_xml_raised_digits() -> None:
    """Raised and lowered digits are noted."""
    source = extract_xml("<p>10<sup>6</sup> CO<sub>2</sub> 4<sup>th</sup></p>")
    assert [source.text[start:end] for start, end in source.raised] == ["6", "2"]


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ("<p>5&nbsp;km &mdash; R&D</p>", "5\u00a0km — R&D"),
        ("<p>caf&eacute; &unknown; &#233; &lt;</p>", "café &unknown; é <"),
        ("<p>a\x0bb</p>", "ab"),
        ("<a><p>One.<br>Two.</p></a>", "One.\nTwo."),
        ("<p>never closed", "never closed"),
        ("<p>R&D</p><![CDATA[a & b]]>", "R&D\na & b"),
        ("<item><media:title>One.</media:title><media:text x:y='z'>Two.</media:text></item>", "One.\nTwo."),
        (
            "<feed><title>One &amp; two</title><x/><b>th</b>ree<script>no</script><p>four",
            "One & two\nthree\nfour",
        ),
    ],
)
def test_extract_xml_not_well_formed(document: str, text: str) -> None:
    """Entities, ampersands, controls and prefixes are mended; the rest is read as text between tags."""
    assert extract_xml(document).text == text


def test_extract_xml_refuses_an_entity_bomb() -> None:
    """Entities that expand without bound end as `extraction_limit`."""
    entities = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    document = f'<!DOCTYPE p [<!ENTITY e0 "bomb">{entities}]><p>&e11;</p>'
    with pytest.raises(SourceUnavailable) as refusal:
        extract_xml(document)
    assert refusal.value.reason_code is ReasonCode.EXTRACTION_LIMIT


def test_extract_xml_loads_nothing_from_outside() -> None:
    """An external entity is no text and no file is opened."""
    document = '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/hostname">]><p>a&x;b</p>'
    assert extract_xml(document).text in ("ab", "a&x;b")


def test_extract_xml_deep_nesting() -> None:
    """A document nested ten thousand deep is read without recursion."""
    assert extract_xml("<a>" * 10_000 + "deep" + "</a>" * 10_000).text == "deep"


@pytest.mark.parametrize("piece", ["<![CDATA[", "<!--", "<script>", "<sup>", "&", "<a x:y="])
def test_extract_xml_broken_off(piece: str) -> None:
    """Thousands of openings that are never closed end in time."""
    assert extract_xml("<p>text</p>" + piece * 20_000).text.startswith("text")


def test_extract_xml_unclosed_brackets_of_marks() -> None:
    """Long runs of marks in an open bracket end in time."""
    document = "<p>(" + "<xref ref-type='bibr'>1</xref>   " * 3000 + "</p>"
    assert extract_xml(document).text.startswith("(1 1")


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc",)), max_size=100))
def test_extract_xml_keeps_every_character(text: str) -> None:
    """Escaped text comes out as it went in, but for white space."""
    kept = "".join(extract_xml(f"<p>{escape(text)}</p>").text.split())
    assert kept == "".join(text.replace("\ufffe", "").replace("\uffff", "").split())


def test_extract_xml_shared_article() -> None:
    """A JATS article keeps its sentences whole, and the title stands apart."""
    text = shared_path("data/pubmed/other/efetch_pmc.xml").read_text("utf-8")
    lines = extract_xml(text).text.split("\n")
    assert "Author Correction" in lines
    assert any(line.endswith("has now been corrected to −15.1% in the published article.") for line in lines)
