"""Redirects: followed within limits, checked each time, also where the markup redirects."""

from __future__ import annotations

import json

import pytest
from servers import CLOSE, Request, Server, fetch, page, redirect

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode


def _failure(server: Server, path: str = "/", **options: float) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        fetch(server.url(path), server, **options)
    return caught.value


def _hop(request: Request) -> bytes:
    """/3 redirects to /2, /2 to /1, /1 to /0, and that is the page."""
    left = int(request.path[1:])
    return redirect(f"/{left - 1}") if left else page("Fog.")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_followed(status: int) -> None:
    """The final address is where the body came from, the hops are how it was reached."""
    with Server({"/a": redirect("/b", status), "/b": page("Fog.")}) as server:
        fetched = fetch(server.url("/a"), server)
        assert (fetched.body, fetched.final_url) == (b"Fog.", server.url("/b"))
        assert fetched.hops == (server.url("/a"),)


def test_five_redirects_are_followed_over_one_connection() -> None:
    """Short bodies of redirects are read, so that the connection can be used again."""
    with Server({"*": _hop}) as server:
        assert len(fetch(server.url("/5"), server).hops) == 5
        assert server.count_connections() == 1


def test_sixth_redirect_is_refused() -> None:
    """The reason names the host that still redirects."""
    with Server({"*": _hop}) as server:
        error = _failure(server, "/6")
        assert error.reason_code is ReasonCode.TOO_MANY_REDIRECTS
        assert "127.0.0.1 redirects again after the limit of redirects" in error.reason
        assert error.final_url == server.url("/1")


def test_redirect_loop_is_refused() -> None:
    """A page that redirects to itself ends after five."""
    with Server({"*": redirect("/")}) as server:
        assert _failure(server).reason_code is ReasonCode.TOO_MANY_REDIRECTS
        assert len(server.requests) == 6


@pytest.mark.parametrize(
    "headers", [{}, {"location": "http://[::1"}, {"location": "http://"}, {"location": "a\\b"}]
)
def test_redirect_to_nowhere_is_invalid(headers: dict[str, str]) -> None:
    """Without an address, or with one that cannot be read."""
    with Server({"*": page(b"", 302, **headers)}) as server:
        assert _failure(server).reason_code is ReasonCode.REDIRECT_INVALID


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/hosts",
        "javascript:x",
        "http://me:pw@mill.org/",
        "http://10.0.0.1/",
        "http://mill.org:22/",
    ],
)
def test_redirect_to_a_refused_address_is_not_allowed(location: str) -> None:
    """The reason says which rule, and shows no password."""
    with Server({"*": redirect(location)}) as server:
        error = _failure(server)
        assert error.reason_code is ReasonCode.REDIRECT_NOT_ALLOWED
        assert error.final_url == server.url()
        assert "pw" not in error.reason


def test_location_beyond_ascii_is_read_as_utf8() -> None:
    """Servers send raw bytes there; browsers read UTF-8."""
    answer = "HTTP/1.1 302 Found\r\nLocation: /ü\r\nContent-Length: 0\r\n\r\n".encode()
    with Server({"/": answer, "/%C3%BC": page("Fog.")}) as server:
        assert fetch(server.url(), server).body == b"Fog."


def test_cookie_of_a_redirect_comes_back_within_the_chain() -> None:
    """Some publishers end their redirects only then."""

    def answer(request: Request) -> bytes:
        seen = "seen=1" in request.headers.get("cookie", "")
        return page("Fog.") if seen else redirect("/", set_cookie="seen=1; Path=/")

    with Server({"*": answer}) as server:
        assert fetch(server.url(), server).body == b"Fog."
        assert "cookie" not in server.requests[0].headers


def test_deadline_is_for_the_whole_chain() -> None:
    """Each hop alone would be fast enough."""
    slow = [0.25, redirect("/")]
    with Server({"*": slow}) as server:
        assert _failure(server, deadline=0.4).reason_code is ReasonCode.DEADLINE_EXCEEDED


def test_long_body_of_a_redirect_is_left_alone() -> None:
    """Nobody reads it, so it is not waited for."""
    head = b"HTTP/1.1 302 Found\r\nLocation: /page\r\nContent-Length: 900000\r\n\r\n"
    with Server({"/": [head + b"x" * 60_000, 30.0, CLOSE], "/page": page("Fog.")}) as server:
        assert fetch(server.url(), server, deadline=5.0).body == b"Fog."


@pytest.mark.parametrize("status", [302, 404])
def test_body_that_never_comes_is_not_waited_for(status: int) -> None:
    """What a redirect or an error declares and does not send changes nothing about it."""
    head = f"HTTP/1.1 {status} Said\r\nLocation: /page\r\nContent-Length: 9\r\n\r\nFog".encode()
    with Server({"/": [head, 30.0, CLOSE], "/page": page("Fog.")}) as server:
        if status == 302:
            assert fetch(server.url(), server, deadline=5.0).body == b"Fog."
        else:
            assert _failure(server, deadline=5.0).reason_code is ReasonCode.HTTP_404_NOT_FOUND


@pytest.mark.parametrize(
    ("value", "body"), [("0; url=/page", b"Fog."), ("9; url=/page", b"Wait."), ("1", b"Wait.")]
)
def test_refresh_header_is_a_redirect(value: str, body: bytes) -> None:
    """It says the same as the tag."""
    with Server({"/": page("Wait.", refresh=value), "/page": page("Fog.")}) as server:
        assert fetch(server.url(), server).body == body


def test_meta_refresh_is_relative_to_the_base() -> None:
    """A browser resolves it there."""
    markup = '<base href="/sub/"><meta http-equiv=refresh content="0;url=page">'
    with Server({"/": page(markup), "/sub/page": page("Fog."), "*": page("No.")}) as server:
        assert fetch(server.url(), server).body == b"Fog."


def test_meta_refresh_at_a_refused_base_is_not_allowed() -> None:
    """The base leads where no redirect may lead."""
    markup = '<base href="http://10.0.0.1/"><meta http-equiv=refresh content="0;url=page">'
    with Server({"*": page(markup)}) as server:
        assert _failure(server).reason_code is ReasonCode.REDIRECT_NOT_ALLOWED


@pytest.mark.parametrize(
    "markup",
    [
        '<meta http-equiv="refresh" content="0; url=/page">',
        "<META HTTP-EQUIV=Refresh CONTENT='5;URL=\"/page\"'>",
        '<title>Moved</title><meta content="1;/page" http-equiv="refresh">',
    ],
)
def test_meta_refresh_is_a_redirect(markup: str) -> None:
    """A page that only sends its reader on is not the source."""
    with Server({"/": page(markup), "/page": page("Fog.")}) as server:
        fetched = fetch(server.url(), server)
        assert (fetched.body, fetched.hops) == (b"Fog.", (server.url(),))


@pytest.mark.parametrize(
    "markup",
    [
        '<meta http-equiv="refresh" content="300; url=/page">',
        '<meta http-equiv="refresh" content="30">',
        '<noscript><meta http-equiv="refresh" content="0; url=/page"></noscript>',
        '<!-- <meta http-equiv="refresh" content="0; url=/page"> -->',
        '<p>Write &lt;meta http-equiv="refresh" content="0; url=/page"&gt;',
    ],
)
def test_page_that_is_to_be_read_is_no_redirect(markup: str) -> None:
    """A late reload, and markup that a browser does not act on."""
    with Server({"/": page(markup), "/page": page("Fog.")}) as server:
        assert fetch(server.url(), server).final_url == server.url()


def _refresh(content: str) -> bytes:
    return page(f'<meta http-equiv="refresh" content="{content}"><p>Fog.')


@pytest.mark.parametrize("content", ["5;url=/a", "3;url=#top", "0; URL='a#x'", "2;/%61", "1;url=."])
def test_page_that_reloads_itself_is_the_source(content: str) -> None:
    """It is read as it came the first time."""
    path = "/" if content.endswith(".") else "/a"
    with Server({path: _refresh(content)}) as server:
        fetched = fetch(server.url(path), server)
        assert (fetched.hops, len(server.requests)) == ((), 1)


@pytest.mark.parametrize(
    "target",
    [
        "javascript:void(0)",
        "data:text/html,x",
        "mailto:a@mill.org",
        "about:blank",
        " JavaScript:x",
        "app://x",
    ],
)
def test_meta_refresh_to_no_web_address_is_ignored(target: str) -> None:
    """A browser stays on the page, whatever else it starts."""
    with Server({"/": _refresh(f"0;url={target}")}) as server:
        assert fetch(server.url(), server).hops == ()


@pytest.mark.parametrize("target", ["http://10.0.0.1/", "https://me:pw@mill.org/", "//mill.org:22/"])
def test_meta_refresh_to_a_refused_address_is_not_allowed(target: str) -> None:
    """A browser would leave the page for it."""
    with Server({"/": _refresh(f"0;url={target}")}) as server:
        assert _failure(server).reason_code is ReasonCode.REDIRECT_NOT_ALLOWED


@pytest.mark.parametrize(
    "markup",
    [
        "<div data-t=\"<meta http-equiv=refresh content='0;url=/page'>\">",
        "<template><meta http-equiv=refresh content='0;url=/page'></template>",
        "<textarea><meta http-equiv=refresh content='0;url=/page'></textarea>",
        "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=/page'>\"></iframe>",
    ],
)
def test_meta_refresh_inside_other_markup_is_no_redirect(markup: str) -> None:
    """What a browser takes for a value or for text sends nobody on."""
    with Server({"/": page(markup), "/page": page("Fog.")}) as server:
        assert fetch(server.url(), server).hops == ()


@pytest.mark.parametrize(
    ("first", "second", "source"),
    [("3;url=/b", "3;url=/a", "/a"), ("0;url=/b", "3;url=/a", "/b"), ("3;url=/b", "0;url=/a", "/a")],
)
def test_pages_that_refresh_each_other_end_at_one_that_is_shown(first: str, second: str, source: str) -> None:
    """The first page of the round that a reader can read is the source."""
    with Server({"/a": _refresh(first), "/b": _refresh(second)}) as server:
        assert fetch(server.url("/a"), server).final_url == server.url(source)


def test_pages_that_refresh_each_other_at_once_are_refused() -> None:
    """Nobody can read either, and each refresh counts like any other redirect."""
    with Server({"/a": _refresh("0;url=/b"), "/b": _refresh("0;url=/a")}) as server:
        assert _failure(server, "/a").reason_code is ReasonCode.TOO_MANY_REDIRECTS


def test_refresh_after_a_redirect_to_itself_is_followed() -> None:
    """A page that sets a cookie by way of itself has not been shown yet."""

    def answer(request: Request) -> bytes:
        return _refresh("1;url=/b") if "cookie" in request.headers else redirect("/a", set_cookie="seen=1")

    with Server({"/a": answer, "/b": page("Fog.")}) as server:
        assert fetch(server.url("/a"), server).final_url == server.url("/b")


_SENT_ON = '<meta http-equiv="refresh" content="0;url=/page">'


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (_SENT_ON, "text/plain"),
        (json.dumps([_SENT_ON]), "application/json"),
        (f"<rss><description><![CDATA[{_SENT_ON}]]></description></rss>", "text/html"),
        (f"Write {_SENT_ON}", ""),
    ],
)
def test_meta_refresh_in_other_types_is_text(body: str, content_type: str) -> None:
    """A text file, a record or a feed that shows the tag is the source."""
    with Server({"*": page(body, content_type=content_type)}) as server:
        assert fetch(server.url(), server).hops == ()


@pytest.mark.parametrize("content_type", ["application/xhtml+xml", "application/xml", ""])
def test_meta_refresh_in_xhtml_is_a_redirect(content_type: str) -> None:
    """Elements without content end at once there, and the tag behind them counts."""
    body = f'<?xml version="1.0"?><html><head><title/><script src="a.js"/>{_SENT_ON}</head></html>'
    with Server({"/": page(body, content_type=content_type), "/page": page("Fog.")}) as server:
        assert fetch(server.url(), server).body == b"Fog."
