"""Strict reading of web addresses; what must be refused is listed in data/address_vectors.jsonl."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import REFUSED
from quotecheck.sources.url import WebUrl, parse_url, resolve_url

BASE = parse_url("https://mill.org/a/b?c=d")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("HTTP://Mill.ORG", "http://mill.org/"),
        ("https://mill.org.:443/x", "https://mill.org/x"),
        ("http://mill.org:8080", "http://mill.org:8080/"),
        (" \ufeffhttp://mill.org/x\u200b\n", "http://mill.org/x"),
        ("http://mill.org/a b/ü?q=a b&r='ü'", "http://mill.org/a%20b/%C3%BC?q=a%20b&r=%27%C3%BC%27"),
        ("http://mill.org/100%/%zz", "http://mill.org/100%/%zz"),
        ("http://mill.org/x#part", "http://mill.org/x"),
        ("http://mill.org?x#y", "http://mill.org/?x"),
        ("http://mill.org/a/./b/../c/%2E%2e/d", "http://mill.org/a/d"),
        ("http://mill.org/../../x/..", "http://mill.org/"),
        ("http://mill.org//a//", "http://mill.org//a//"),
        ("http://mühle.de/", "http://xn--mhle-0ra.de/"),
        ("http://straße.de/", "http://xn--strae-oqa.de/"),
        ("http://[2606:4700:0:0::0064]:8080/", "http://[2606:4700::64]:8080/"),
    ],
)
def test_parse_url_gives_what_a_browser_would_send(text: str, url: str) -> None:
    """Case, default port, blanks, escapes and dot segments come out as browsers send them."""
    assert str(parse_url(text)) == url


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("http://me:secret@mill.org/", ReasonCode.CREDENTIALS_IN_URL),
        ("http://@mill.org/", ReasonCode.CREDENTIALS_IN_URL),
        ("ftp://mill.org/", ReasonCode.SCHEME_NOT_ALLOWED),
        ("mill.org", ReasonCode.SCHEME_NOT_ALLOWED),
        ("http://mill.org:22/", ReasonCode.PORT_NOT_ALLOWED),
        ("http://mill.org:10080/", ReasonCode.PORT_NOT_ALLOWED),
        ("http://localhost/", ReasonCode.HOST_NOT_PUBLIC),
        ("http://mill.internal/", ReasonCode.HOST_NOT_PUBLIC),
        ("http://mill/", ReasonCode.HOST_NOT_PUBLIC),
        ("http://2130706433/", ReasonCode.HOST_NOT_PUBLIC),
        ("http://8.8/", ReasonCode.HOST_NOT_PUBLIC),
        ("http://8.8.8.8./", ReasonCode.HOST_NOT_PUBLIC),
        ("http://127.0.0.1/", ReasonCode.ADDRESS_NOT_PUBLIC),
        ("http://[::1]/", ReasonCode.ADDRESS_NOT_PUBLIC),
        ("http:mill.org", ReasonCode.BAD_URL),
        ("http://mill.org\\x", ReasonCode.BAD_URL),
        ("http://mill.org/\nx", ReasonCode.BAD_URL),
        ("http://mill.org/\ud800", ReasonCode.BAD_URL),
        ("http://mill.org:x/", ReasonCode.BAD_URL),
        ("http://mill.org/" + "x" * 8192, ReasonCode.BAD_URL),
    ],
)
def test_parse_url_refuses_with_the_code_of_its_cause(text: str, code: ReasonCode) -> None:
    """Each kind of refusal has its own reason code."""
    with pytest.raises(SourceUnavailable) as caught:
        parse_url(text)
    assert caught.value.reason_code is code


@pytest.mark.parametrize(
    "text", ["http://me:secret@mill.org:x/", "http:\\\\me:secret@mill.org", "ftp://me:secret@m"]
)
def test_parse_url_never_shows_a_password(text: str) -> None:
    """Reasons are printed and stored, so they hold nothing of what stands before an @."""
    with pytest.raises(SourceUnavailable) as caught:
        parse_url(text)
    assert "secret" not in caught.value.reason


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("x", "https://mill.org/a/x"),
        ("./x", "https://mill.org/a/x"),
        ("../x?y#z", "https://mill.org/x?y"),
        ("/x", "https://mill.org/x"),
        ("?x", "https://mill.org/a/b?x"),
        ("", "https://mill.org/a/b?c=d"),
        ("#x", "https://mill.org/a/b?c=d"),
        ("//weir.org/x", "https://weir.org/x"),
        ("http://weir.org", "http://weir.org/"),
        (" /x ", "https://mill.org/x"),
    ],
)
def test_resolve_url_reads_a_location_at_its_base(location: str, url: str) -> None:
    """References are resolved as RFC 3986 (5.3) says."""
    assert str(resolve_url(BASE, location)) == url


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://mill.org/%7Ejo", "http://mill.org/~jo"),
        ("http://mill.org/%c3%bc", "http://mill.org/ü"),
        ("http://mill.org:80", "HTTP://MILL.org./#top"),
    ],
)
def test_key_is_equal_for_spellings_of_one_address(one: str, other: str) -> None:
    """Spelling variants are one source, so they are fetched once."""
    assert parse_url(one).key == parse_url(other).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://mill.org/a%2Fb", "http://mill.org/a/b"),
        ("http://mill.org/", "https://mill.org/"),
        ("http://mill.org/A", "http://mill.org/a"),
        ("http://mill.org/?a=1&b=2", "http://mill.org/?b=2&a=1"),
    ],
)
def test_key_keeps_different_addresses_apart(one: str, other: str) -> None:
    """What a server may answer differently stays two sources."""
    assert parse_url(one).key != parse_url(other).key


def test_authority_is_the_host_header() -> None:
    """The port stands in it only where it is not the scheme's own."""
    urls = ["http://mill.org:80/", "http://mill.org:443/", "https://[2606:4700::64]:8443/"]
    authorities = ["mill.org", "mill.org:443", "[2606:4700::64]:8443"]
    assert [parse_url(url).authority for url in urls] == authorities


def _read(read: Callable[[str], WebUrl], text: str) -> WebUrl | ReasonCode:
    try:
        return read(text)
    except SourceUnavailable as error:
        return error.reason_code


_URLISH = st.text(alphabet="htp:/\\@[]%.?#0123456789abx。 ", max_size=40).map("http:".__add__)


@given(st.text(max_size=60) | _URLISH)
def test_parse_url_gives_a_stable_address_or_a_refusal(text: str) -> None:
    """Whatever the text: no other error, and an accepted address reads as itself."""
    found = _read(parse_url, text)
    assert found in REFUSED or (parse_url(str(found)) == found and str(found).isascii())


@given(st.text(max_size=40))
def test_resolve_url_gives_an_address_or_a_refusal(location: str) -> None:
    """A Location header is a stranger's text: it leads to a checked address or is refused."""
    found = _read(lambda text: resolve_url(BASE, text), location)
    assert found in REFUSED or isinstance(found, WebUrl)
