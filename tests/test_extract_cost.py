"""Bodies that are parsed in the process, and bodies that go to a worker."""

from __future__ import annotations

import pytest

from quotecheck.extract.cost import is_light

_PROSE = b"<p>The mill stands by the river, and <b>nobody</b> owns it.</p>\n"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<p>A page.", "text/html"),
        (_PROSE * 1000, "text/html"),
        (b"<p class='a'><i>x</i> <b>y</b> <font color='red'>z</font></p>" * 400, "text/html"),
        (b"words " * 500_000, "text/plain"),
        (b'{"a": "b"}' * 100, "application/json"),
    ],
)
def test_is_light_for_ordinary_body(body: bytes, content_type: str) -> None:
    """Ordinary pages, and plain text of any size, are cheap."""
    assert is_light(body, content_type)


_NUMBERED = [b"%d" % number for number in range(3000)]


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.5\n1 0 obj",
        b"<div>" * 20_000,
        b"<p " + b" ".join(b"a" + number for number in _NUMBERED * 17) + b">",
        b"<p " + b"/".join(b"a" + number for number in _NUMBERED * 17) + b">",
        b"<p " + b"".join(b"a=''" for number in _NUMBERED * 7) + b">",
        b"<p>" + b"".join(b"<b x=" + number + b">" for number in _NUMBERED) + b"<p>x" * 3000,
        b"<p>" + b"".join(b"<b x" + number + b">" for number in _NUMBERED) + b"<p>x" * 3000,
        b"<p>" + b"".join(b"<FONT x='>" + number + b"'>" for number in _NUMBERED) + b"<p>x" * 3000,
        b"<p>" + b"".join(b"<i\nx=\">'<" + number + b'">' for number in _NUMBERED) + b"<p>x" * 3000,
        b"<iframe srcdoc='" + b"&lt;b&gt;" * 1000 + b"'>",
        b"<iframe SRCDOC='" + b"&#60;b&#x3C;" * 1000 + b"'>",
        "<!DOCTYPE a [<!ENTITY b 'x'>]>".encode("utf-16"),
    ],
    ids=lambda body: repr(body[:24]),
)
def test_is_light_for_hostile_page(body: bytes) -> None:
    """Pages that could take long or grow in memory are never parsed in the process."""
    assert not is_light(body, "text/html")


def test_is_light_counts_escaped_markup_in_data() -> None:
    """Markup inside of XML and JSON strings is counted although it is escaped."""
    assert not is_light(b"<rss>" + b"&lt;b x&gt;" * 20_000, "application/rss+xml")
    assert not is_light(b"<!DOCTYPE a [<!ENTITY b '&#38;#60;b>'>]><content>&b;</content>", "text/xml")
    assert not is_light(b'["' + b"\\u003Cb x>" * 20_000 + b'"]', "application/json")
