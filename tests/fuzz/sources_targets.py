"""Inputs for what reads strangers' addresses, headers and compressed bodies."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

import brotli
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
from quotecheck.sources.url import WebUrl, parse_url, resolve_url

_BASE = parse_url("https://mill.org/a/b?c")
_WORDS = """
    http https ftp file javascript : / // \\ @ # ? % %2e %2f %00 %41 . .. www mill.org localhost 127.0.0.1
    10.0.0.1 8.8.8.8 2130706433 0x7f 017 [ ] [::1] [2606:4700::1] :: ::ffff: fe80 %eth0 :80 :443 :22 :8080 :x
    user pw @mill.org xn-- xn--mhle-0ra.de mühle 水車 。 ． ① ⓛ ／ ＠ é a-b a_b -a doi doi: 10.1000/
    abc pmid 123 arxiv 2101.00001 PMC .internal .arpa .onion .example .org ' "
"""
_INVISIBLE = " \t\n\r\x00\u00ad\u200b\u2028\ufeff\ud800"
_PIECES = st.sampled_from([*_WORDS.split(), *_INVISIBLE])
_ADDRESSES = st.lists(_PIECES | st.text(max_size=3), max_size=12).map("".join) | st.text(max_size=60)


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


@st.composite
def _bodies(draw: st.DrawFn) -> tuple[str, list[bytes], bytes | None]:
    """Draw a header, the pieces of a body, and what it must decode to where it was left whole."""
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
    pieces = [body[start:stop] for start, stop in zip([0, *cuts], [*cuts, end], strict=True)]
    return ", ".join(names), pieces, text if body == packed else None


def check_content(drawn: tuple[str, list[bytes], bytes | None]) -> None:
    """A whole body comes out as it was; a damaged or cut one is refused or bounded, never cut silently."""
    header, pieces, expected = drawn
    decoder = ContentDecoder(header, max_bytes=5_000_000)
    found = b""
    try:
        for piece in pieces:
            for part in decoder.feed(piece):
                assert len(part) <= STEP
                found += part
                if len(found) > 3_000_000:
                    return
        decoder.finish()
    except ContentError:
        assert expected is None
        return
    assert expected is None or found == expected


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
