"""Cookies of one chain of redirects."""

from __future__ import annotations

import pytest

from quotecheck.sources.cookies import CookieJar
from quotecheck.sources.url import parse_url


def _sent(setting_url: str, set_cookie: list[str], url: str) -> str | None:
    jar = CookieJar()
    jar.store(parse_url(setting_url), set_cookie)
    return jar.header(parse_url(url))


@pytest.mark.parametrize(
    ("set_cookie", "url", "header"),
    [
        ("a=1", "https://www.mill.org/x/z", "a=1"),
        ("a=1; Path=/; HttpOnly; SameSite=Lax", "https://www.mill.org/", "a=1"),
        ("a=", "https://www.mill.org/x/", "a="),
        ("a=b=c", "https://www.mill.org/x/", "a=b=c"),
        ("a=1; Domain=mill.org; Path=/", "https://idp.mill.org/", None),
        ("a=1; Domain=mill.org; Path=/", "https://www.mill.org/", "a=1"),
        ("a=1; Domain=mill.org; Path=/", "https://old.www.mill.org/", "a=1"),
        ("a=1; Domain=www.mill.org; Path=/", "https://mill.org/", None),
        ("a=1; Domain=.mill.org; Path=/", "https://mill.org/", "a=1"),
        ("a=1; Path=/", "https://idp.mill.org/", None),
        ("a=1; Domain=weir.org; Path=/", "https://weir.org/", None),
        ("a=1; Domain=org; Path=/", "https://weir.org/", None),
        ("a=1; Domain=ill.org; Path=/", "https://www.mill.org/", None),
        ("a=1; Path=/x", "https://www.mill.org/x", "a=1"),
        ("a=1; Path=/x", "https://www.mill.org/xy", None),
        ("a=1", "https://www.mill.org/other", None),
        ("a=1; Secure; Path=/", "http://www.mill.org/", None),
        ("a=1; Max-Age=0; Path=/", "https://www.mill.org/", None),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", "https://www.mill.org/", None),
        ("a=1; Expires=nonsense; Path=/", "https://www.mill.org/", "a=1"),
        ("=1; Path=/", "https://www.mill.org/", None),
        ("a; Path=/", "https://www.mill.org/", None),
        ("a=1\x00; Path=/", "https://www.mill.org/", None),
        ("a=" + "1" * 5000, "https://www.mill.org/x/", None),
    ],
)
def test_cookie_goes_only_where_it_belongs(set_cookie: str, url: str, header: str | None) -> None:
    """Domain, path, Secure and expiry decide, as in RFC 6265."""
    assert _sent("https://www.mill.org/x/y", [set_cookie], url) == header


@pytest.mark.parametrize(
    ("chain", "header"),
    [
        (["https://evil.co.uk/", "https://mill.co.uk/"], None),
        (["https://evil.github.io/", "https://mill.github.io/"], None),
        (["https://evil.github.io/", "https://github.io/"], None),
        (["https://www.co.uk/", "https://mill.co.uk/"], None),
        (["https://link.mill.org/", "https://idp.mill.org/", "https://link.mill.org/"], "a=1"),
        (["https://link.mill.org/", "https://idp.mill.org/", "https://www.mill.org/"], None),
        (["https://mill.org/", "https://shop.mill.org/"], "a=1"),
    ],
)
def test_cookie_of_a_domain_goes_back_but_not_on_to_others(chain: list[str], header: str | None) -> None:
    """Whether two hosts of a domain are one site cannot be told; who sent the reader here wants an answer."""
    jar = CookieJar()
    for url in chain[:-2]:
        jar.store(parse_url(url), [])
    domain = ".".join(parse_url(chain[-2]).host.split(".")[-2:])
    jar.store(parse_url(chain[-2]), [f"a=1; Domain={domain}; Path=/"])
    assert jar.header(parse_url(chain[-1])) == header


def test_cookie_set_twice_is_sent_once() -> None:
    """The later value counts."""
    assert _sent("https://mill.org/", ["a=1", "b=2", "a=3"], "https://mill.org/") == "a=3; b=2"


def test_cookie_is_deleted_by_an_expired_one() -> None:
    """Servers delete cookies by setting them to expire."""
    assert _sent("https://mill.org/", ["a=1", "a=; Max-Age=-1"], "https://mill.org/") is None


def test_cookies_with_longer_paths_come_first() -> None:
    """The order matters to servers that take the first of two equal names."""
    assert (
        _sent("https://mill.org/x/y", ["a=1; Path=/", "a=2; Path=/x"], "https://mill.org/x/z") == "a=2; a=1"
    )


def test_cookie_of_an_address_is_not_for_other_addresses() -> None:
    """An IP address has no parent domain."""
    assert _sent("http://8.8.8.8/", ["a=1; Domain=8.8.8"], "http://8.8.8.8/") is None


def test_jar_takes_a_bounded_number_of_cookies() -> None:
    """A server cannot make a request grow without end."""
    cookies = [f"c{number}=1" for number in range(80)]
    header = _sent("https://mill.org/", cookies, "https://mill.org/")
    assert header is not None
    assert header.count(";") == 49
