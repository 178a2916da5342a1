"""The meta tags of a head, without a parser."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from quotecheck.extract.metatags import base_address, charset_in_content_type, declared_charsets, meta_tags


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<meta name=a content='b c'>", [{"name": "a", "content": "b c"}]),
        ('<META Name="A" name=b content="x > y">', [{"name": "A", "content": "x > y"}]),
        ("<meta charset = utf-8 />", [{"charset": "utf-8"}]),
        ("<meta/charset=utf-8><metal charset=x>", [{"charset": "utf-8"}]),
        ("<meta content='a &amp; b'", [{"content": "a & b"}]),
        ("<!-- <meta charset=x> --><style><meta charset=y></style>", []),
        ("<noscript><meta charset=x>", []),
        ("<p title='<meta charset=x>' data-x=\"<meta charset=y>\">", []),
        ("<p title='a>b<meta charset=x>", []),
        ("<p don't><meta name=it's>", [{"name": "it's"}]),
        ("<a href=/x?a='b><meta charset=x>", [{"charset": "x"}]),
        ("<!--><meta charset=x><!-- --!><meta charset=y>", [{"charset": "x"}, {"charset": "y"}]),
        ("<script src='</script>'></script x='<meta charset=x>'><meta charset=y>", [{"charset": "y"}]),
        ("<title></titles><meta charset=x></title\n><meta charset=y>", [{"charset": "y"}]),
        ("<template><template></template><meta charset=x></template><meta charset=y>", [{"charset": "y"}]),
        ("<?php '<meta charset=x>' ?><![CDATA[<meta charset=y>]]></ <meta charset=z>", []),
    ],
)
def test_meta_tags(head: str, expected: list[dict[str, str]]) -> None:
    """Attributes come in lower case with their values as written; other content holds no tags."""
    assert list(meta_tags(head)) == expected


@pytest.mark.parametrize(
    ("head", "labels"),
    [
        ('<?xml version="1.0" encoding="koi8-r"?><meta charset=utf-8>', ["koi8-r", "utf-8"]),
        ("<meta http-equiv=Content-Type content='text/html; charset=big5'>", ["big5"]),
        ("<meta http-equiv=refresh content='0; charset=big5'>", []),
        ("<meta name=description content='charset=big5'>", []),
    ],
)
def test_declared_charsets(head: str, labels: list[str]) -> None:
    """An XML declaration, `charset` and the http-equiv form declare; other tags do not."""
    assert list(declared_charsets(head)) == labels


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ("text/html;charset='Big5'; x=y", "Big5"),
        ("text/html; charset=", None),
        ("text/html", None),
        (None, None),
    ],
)
def test_charset_in_content_type(value: str | None, label: str | None) -> None:
    """The label stands behind `charset=`, bare or quoted."""
    assert charset_in_content_type(value) == label


def test_meta_tags_in_hostile_head() -> None:
    """Unclosed quotes and comments end the search, not the process."""
    assert list(meta_tags("<!--" * 20_000 + "<meta charset=x>")) == []
    assert list(meta_tags('<meta a="' * 10_000)) != []


_PIECES = """
    <meta\tcontent=1> <meta\tcontent="2>"\tb> <meta/content='3'> <div\tdata-t=" " ' > = < </3 don't <p\tdon't>
    <p> </p> <!-- --> --!> <!--> <style> </style> <title> </title\tx="<meta\tcontent=7>"> <title/> <noscript>
    </noscript> <textarea> </textarea> <template> </template> <xmp> </xmp> <iframe> </iframe> <![CDATA[ ]]>
    <?php
    <a\thref=x?y="z> <a\ttitle='<meta\tcontent=9>'> <meta\tcontent=x'y"z> <metal\tcontent=q> <!DOCTYPE>
"""


@settings(deadline=None)
@given(st.lists(st.sampled_from(_PIECES.split(" ")), max_size=10).map("".join))
def test_meta_tags_are_those_of_the_parser(head: str) -> None:
    """A look without a parser finds what a browser's parser finds, whatever encloses the tags."""
    parsed = LexborHTMLParser(head, scripting=True).css("meta")
    expected = sorted(str(tag.attributes.get("content")) for tag in parsed)
    assert sorted(str(tag.get("content")) for tag in meta_tags(head)) == expected


def test_charset_in_content_type_of_long_runs() -> None:
    """A header of blanks is read in one pass."""
    assert charset_in_content_type("text/html; charset=" + " " * 400_000 + ";") is None


@pytest.mark.parametrize(
    ("head", "address"),
    [
        ("<base href=/a/><base href=/b/>", "/a/"),
        ("<base target=_top><BASE HREF='/b/'>", "/b/"),
        ("<template><base href=/a/></template><!-- <base href=/b/> --><title><base href=/c/></title>", None),
        ("<basefont href=/a/>", None),
    ],
)
def test_base_address(head: str, address: str | None) -> None:
    """The first base with an address counts, where a browser sees one."""
    assert base_address(head) == address
