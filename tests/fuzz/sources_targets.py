"""Inputs for what reads strangers' addresses, headers and compressed bodies."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import brotli
import httpx
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from quotecheck.errors import InvalidSource, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.abstracts import registries
from quotecheck.sources.addresses import why_not_public
from quotecheck.sources.content import STEP, ContentDecoder, ContentError, zstd
from quotecheck.sources.cookies import CookieJar
from quotecheck.sources.reasons import REFUSED
from quotecheck.sources.reference import doi_hint, parse_reference
from quotecheck.sources.retries import retry_after_seconds
from quotecheck.sources.url import WebUrl, parse_url, resolve_url, trimmed

_BASE = parse_url("https://mill.org/a/b?c")
_WORDS = """
    http https ftp file javascript : / // \\ @ # ? % %2e %2f %00 %41 . .. www mill.org localhost 127.0.0.1
    10.0.0.1 8.8.8.8 2130706433 0x7f 017 [ ] [::1] [2606:4700::1] :: ::ffff: fe80 %eth0 :80 :443 :22 :8080 :x
    user pw @mill.org xn-- xn--mhle-0ra.de mühle 水車 。 ． ① ⓛ ／ ＠ é a-b a_b -a doi doi: 10.1000/
    abc pmid 123 arxiv 2101.00001 PMC .internal .arpa .onion .example .org ' "
"""
_INVISIBLE = " \t\n\r\x00\u00ad\u200b\u2028\ufeff\ud800"
_PIECES = st.sampled_from([*_WORDS.split(), *_INVISIBLE])
_SOUP = st.lists(_PIECES | st.text(max_size=3), max_size=12).map("".join) | st.text(max_size=60)
_HOSTS = """
    mill.org MILL.Org. www.mill.org.uk 8.8.8.8 [2606:4700::1] [2606:4700:0::0.0.0.1] mühle.de xn--mhle-0ra.de
    a_b.mill.org 水車.jp 10.0.0.1 8.8.8.08 [::ffff:8.8.8.8] [64:ff9b::8.8.8.8] [64:ff9b::a00:1] localhost
"""
_TARGETS = "/ /a/b /a/../b /%2e%2E/c /a%2fb?q=1&r=%20 ?q ?q=http://x.org /é?水 #part /a;b=1 /~a|b /'a\" /%zz"
# Addresses as they should be, with a piece put in somewhere: most of the pieces alone are refused at once.
_PARTS = st.tuples(
    st.sampled_from(["http://", "https://", "HTTPS://", "//", ""]),
    st.sampled_from(_HOSTS.split()),
    st.sampled_from(["", "", ":80", ":443", ":8080", ":", ":0443", ":22"]),
    st.lists(st.sampled_from(_TARGETS.split()), max_size=3).map("".join),
).map("".join)


def _with_piece(drawn: tuple[str, float, str]) -> str:
    address, place, piece = drawn
    at = int(place * (len(address) + 1))
    return address[:at] + piece + address[at:]


_NEARLY = st.tuples(_PARTS, st.floats(0, 1, exclude_max=True), st.just("") | _PIECES | st.text(max_size=2))
_ADDRESSES = _SOUP | _NEARLY.map(_with_piece)


def check_url(text: str) -> None:
    """An address is refused, or stable and public as far as its text tells."""
    for read in (parse_url, lambda location: resolve_url(_BASE, location)):
        url = _read(read, text)
        if not isinstance(url, WebUrl):
            assert url in REFUSED
            continue
        assert parse_url(str(url)) == url
        assert parse_url(url.key).key == url.key
        assert "@" not in url.authority
        assert "\\" not in url.target.partition("?")[0]
        if ":" in url.host or url.host.replace(".", "").isdigit():
            assert why_not_public(url.host) is None
        _check_other_readers(url)
    _check_written(text)


def _check_other_readers(url: WebUrl) -> None:
    """What is sent names the same host and port to parsers that are not ours."""
    parts = urlsplit(str(url))
    assert (parts.scheme, parts.hostname, parts.username) == (url.scheme, url.host, None)
    assert (parts.port or {"http": 80, "https": 443}[url.scheme]) == url.port
    other = httpx.URL(str(url))
    assert (other.raw_host.decode().strip("[]"), other.userinfo) == (url.host, b"")
    assert re.fullmatch(r"[!-~]+", str(url)), "what goes on the wire is printable ASCII"
    assert "#" not in url.target


def _check_written(text: str) -> None:
    """Another parser that reads a host in the text as it is written reads the same one."""
    url = _read(parse_url, text)
    if isinstance(url, WebUrl) and url.host.isascii() and text.isascii():
        written = (urlsplit(trimmed(text)).hostname or "").removesuffix(".")
        assert written == url.host or ":" in url.host


def _read(read: Callable[[str], WebUrl], text: str) -> WebUrl | ReasonCode:
    try:
        return read(text)
    except SourceUnavailable as error:
        return error.reason_code


def check_reference(text: str) -> None:
    """A source string is none, or a reference that has an address or a refusal."""
    try:
        reference = parse_reference(text)
    except InvalidSource:
        return
    assert (reference.url is None) == (reference.refusal is not None)
    assert isinstance(doi_hint(reference), str)
    if reference.url is not None and reference.key.startswith(("doi:", "pmid:", "pmcid:", "arxiv:")):
        assert parse_reference(reference.key).key == reference.key


_CODINGS = {
    "gzip": partial(gzip.compress, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
}


@dataclass(frozen=True)
class _Body:
    """A header, the pieces of a body, a limit, and what the body decodes to where it was left whole."""

    header: str
    pieces: list[bytes]
    limit: int
    expected: bytes | None


@st.composite
def _bodies(draw: st.DrawFn) -> _Body:
    names = draw(st.lists(st.sampled_from(sorted(_CODINGS)), min_size=1, max_size=2))
    text = draw(st.binary(max_size=300)) * draw(st.sampled_from([1, 1, 40, 3000]))
    packed = text
    for name in names:
        packed = _CODINGS[name](packed)
    damaged = bytearray(packed)
    for place, value in draw(st.lists(st.tuples(st.integers(0, 9999), st.integers(0, 255)), max_size=4)):
        damaged[place % len(damaged)] = value
    end = draw(st.integers(0, len(damaged)) | st.just(len(damaged)))
    cuts = sorted(draw(st.lists(st.integers(0, end), max_size=5)))
    body = bytes(damaged[:end])
    if draw(st.booleans()) and names == ["gzip"]:  # members in a row are one text
        body, text, packed = body + packed, text + text, packed + packed
    pieces = [body[start:stop] for start, stop in pairwise([0, *cuts, len(body)])]
    limit = draw(st.sampled_from([5_000_000, 5_000_000, 100, 200_000]))
    return _Body(", ".join(names), pieces, limit, text if body == packed else None)


def check_content(body: _Body) -> None:
    """A whole body comes out as it was; a damaged, cut or large one is refused, never cut silently."""
    decoder = ContentDecoder(body.header, max_bytes=body.limit)
    found = bytearray()
    fits = body.expected is not None and len(body.expected) <= body.limit
    try:
        for piece in body.pieces:
            for part in decoder.feed(piece):
                assert len(part) <= STEP
                found += part
                assert len(found) <= body.limit
        decoder.finish()
    except ContentError:
        # Of two layers the inner one can be larger than the text, and reach the limit first.
        assert not fits or "," in body.header
        return
    assert body.expected is None or bytes(found) == body.expected


def check_headers(drawn: tuple[list[str], str]) -> None:
    """Cookies and pauses of any text never raise, and what is sent back fits in a header."""
    cookies, text = drawn
    jar = CookieJar()
    jar.store(_BASE, cookies)
    header = jar.header(_BASE)
    assert header is None or not set(header) & set(map(chr, range(32)))
    seconds = retry_after_seconds(text)
    assert seconds is None or seconds >= 0


_COOKIE_WORDS = "a=1|b=|=|;| Path=/| Domain=|mill.org|.org| Max-Age=|0|-1| Secure| Expires=|\x01|\n"
_DATE = "Thu, 01 Jan 1970 00:00:00 GMT"
_COOKIE = st.lists(st.sampled_from([*_COOKIE_WORDS.split("|"), _DATE]) | st.text(max_size=5), max_size=8)
_COOKIES = st.lists(_COOKIE.map(";".join), max_size=4)
_PAUSES = st.text(max_size=20) | st.sampled_from(["1", _DATE, "99999999999999999999"])

_NAMES = """
    message title abstract data attributes titles descriptions description descriptionType
    resultList result doi
"""
_JSON: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["Abstract", "10.1/x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES.split()), inner, max_size=5)
    ),
    max_leaves=15,
)
_ANSWERS = _JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=200)


def check_abstracts(body: bytes) -> None:
    """An answer of a registry is an abstract or none."""
    for registry in registries("10.1/x"):
        found = registry.read(body)
        assert found is None or found.as_page()


TARGETS = {
    "url": (_ADDRESSES, check_url),
    "reference": (_ADDRESSES, check_reference),
    "content": (_bodies(), check_content),
    "headers": (st.tuples(_COOKIES, _PAUSES), check_headers),
    "abstracts": (
        _JSON.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=200),
        check_abstracts,
    ),
}
