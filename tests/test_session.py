"""One source from its first address to its page: retries, pauses, identifiers, conditional requests."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
import time
from typing import Any, NoReturn

import pytest
from servers import CLOSE, Request, Server, fetch, make_fetcher, page, redirect

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import InvalidOption, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import dial, endpoints, retries
from quotecheck.sources.fetched import Fetched, NotModified
from quotecheck.sources.reference import parse_reference

RECORD = """1. J Mill. 1830;1:1-2.

On flour.

Oak A(1).

Flour burns, and so do mills.

PMID: 7
"""
NEW_YEAR = "Mon, 01 Jan 2024 00:00:00 GMT"
BARE_RECORD = RECORD.replace("Flour burns, and so do mills.\n\n", "")


@pytest.fixture(autouse=True)
def short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow at once, unless the server says otherwise."""
    monkeypatch.setattr(retries, "_FIRST_BACKOFF", 0.01)


def _failure(url: str, *servers: Server, **options: Any) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        fetch(url, *servers, **options)
    return caught.value


def _in_turn(*answers: bytes | list[Any]) -> Any:
    """Return a route that gives one answer after the other, the last one again and again."""
    left = list(answers)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize("failing", [page("", 500), page("", 408), [CLOSE], [b"HTTP/1.1 200 OK\r\nX", CLOSE]])
def test_transient_failure_is_tried_again(failing: bytes | list[Any]) -> None:
    """A server that stumbles once costs nothing but time."""
    with Server({"*": _in_turn(failing, failing, page("Fog."))}) as server:
        assert fetch(server.url(), server).body == b"Fog."
        assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 403, 404, 410, 451])
def test_lasting_failure_is_not_tried_again(status: int) -> None:
    """Asking again would only be impolite."""
    with Server({"*": page("", status)}) as server:
        _failure(server.url(), server)
        assert len(server.requests) == 1


def test_third_failure_is_the_last() -> None:
    """The reason is that of the last attempt."""
    with Server({"*": page("", 502)}) as server:
        error = _failure(server.url(), server)
        assert error.reason_code is ReasonCode.HTTP_5XX_SERVER_ERROR
        assert (len(server.requests), error.final_url) == (3, server.url())


def test_name_that_fails_for_a_moment_is_looked_up_again() -> None:
    """A retry asks the name server, not the memory of its failure."""
    asked: list[str] = []

    def lookup(host: str) -> list[str]:
        asked.append(host)
        if len(asked) == 1:
            raise socket.gaierror(socket.EAI_AGAIN, "again")
        return ["127.0.0.1"]

    with Server({"*": page("Fog.")}) as server:
        assert fetch(server.url(host="mill.org"), server, lookup=lookup).body == b"Fog."
    assert asked == ["mill.org", "mill.org"]


def test_silent_name_server_uses_up_the_deadline() -> None:
    """Three lookups that time out must not take three times as long as one may wait."""
    release = threading.Event()

    def lookup(host: str) -> list[str]:
        release.wait(20)
        return []

    began = time.monotonic()
    error = _failure("http://mill.org/", lookup=lookup, deadline=0.5)
    release.set()
    assert error.reason_code is ReasonCode.DNS_TIMEOUT
    assert time.monotonic() - began < 1.4


def test_retry_begins_at_the_first_address_again() -> None:
    """Cookies and hops of the failed attempt are gone."""

    def answer(request: Request) -> bytes:
        return redirect("/b", set_cookie="n=1") if request.path == "/a" else last(request)

    last = _in_turn(page("", 503), page("Fog."))
    with Server({"*": answer}) as server:
        assert fetch(server.url("/a"), server).hops == (server.url("/a"),)
        assert server.paths == ["/a", "/b", "/a", "/b"]
        assert "cookie" not in server.requests[2].headers


def test_rate_limit_is_obeyed_within_the_deadline() -> None:
    """429 with a short Retry-After is one polite retry, then the ordinary answer."""
    with Server({"*": _in_turn(page("", 429, retry_after="1"), page("Fog."))}) as server:
        began = time.monotonic()
        assert fetch(server.url(), server).body == b"Fog."
        assert time.monotonic() - began >= 1.0


def test_rate_limit_beyond_the_deadline_is_reported_at_once() -> None:
    """Nobody waits for a retry that cannot come in time."""
    with Server({"*": page("", 429, retry_after="60")}) as server:
        error = _failure(server.url(), server, deadline=5.0)
        assert error.reason_code is ReasonCode.RATE_LIMITED
        assert "HTTP 429, asking for a pause of 60 s" in error.reason


def test_rate_limit_pauses_the_whole_host_and_no_other() -> None:
    """A second page of the host is not even asked for while the pause is longer than one would wait."""

    async def run() -> tuple[SourceUnavailable, Fetched]:
        async with make_fetcher(deadline=5.0) as fetcher:
            with pytest.raises(SourceUnavailable):
                await fetcher.fetch(parse_reference(server.url("/1", host="a.fixture.org")))
            with pytest.raises(SourceUnavailable) as caught:
                await fetcher.fetch(parse_reference(server.url("/2", host="a.fixture.org")))
            return caught.value, await fetcher.fetch(parse_reference(server.url("/3", host="b.fixture.org")))

    def answer(request: Request) -> bytes:
        limited = request.headers["host"].startswith("a.")
        return page("", 429, retry_after="60") if limited else page("Fog.")

    with Server({"*": answer}) as server, allow_loopback_endpoints(server.endpoint):
        error, fetched = asyncio.run(run())
        assert (error.reason_code, fetched.body) == (ReasonCode.RATE_LIMITED, b"Fog.")
        assert server.paths == ["/1", "/3"]


def test_host_that_asks_for_hours_is_given_up() -> None:
    """Its other pages are reported as rate limited without a request."""

    async def run() -> list[ReasonCode]:
        codes = []
        async with make_fetcher(deadline=9999.0) as fetcher:
            for path in ("/1", "/2"):
                with pytest.raises(SourceUnavailable) as caught:
                    await fetcher.fetch(parse_reference(server.url(path)))
                codes.append(caught.value.reason_code)
        return codes

    with (
        Server({"*": page("", 503, retry_after="7200")}) as server,
        allow_loopback_endpoints(server.endpoint),
    ):
        assert asyncio.run(run()) == [ReasonCode.RATE_LIMITED] * 2
        assert server.paths == ["/1"]


def test_host_that_is_down_is_given_up_after_some_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sixth source of a dead host does not wait for what five others did not get."""
    dialled: list[str] = []

    async def refuse(address: str, port: int) -> NoReturn:
        dialled.append(address)
        raise ConnectionRefusedError(errno.ECONNREFUSED, "refused")

    async def run() -> set[ReasonCode]:
        codes = set()
        async with make_fetcher() as fetcher:
            for number in range(12):
                with pytest.raises(SourceUnavailable) as caught:
                    await fetcher.fetch(parse_reference(f"http://8.8.8.8/{number}"))
                codes.add(caught.value.reason_code)
        return codes

    monkeypatch.setattr(dial, "connect", refuse)
    assert asyncio.run(run()) == {ReasonCode.CONNECT_REFUSED}
    assert len(dialled) == 5


def test_bot_check_is_not_tried_again() -> None:
    """It would answer the same, and its 429 is no rate limit."""
    with Server({"*": page("<title>Just a moment...</title>", 429, retry_after="1")}) as server:
        assert _failure(server.url(), server).reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION
        assert len(server.requests) == 1


def test_failure_names_the_host_where_it_happened() -> None:
    """After a redirect that is another one than in the source."""
    with (
        Server({"*": page("", 403)}) as inner,
        Server({"*": redirect(inner.url("/x", "b.fixture.org"))}) as outer,
    ):
        error = _failure(outer.url(host="a.fixture.org"), inner, outer)
        assert error.reason_code is ReasonCode.HTTP_403_FORBIDDEN
        assert error.reason.startswith("b.fixture.org refuses")
        assert error.final_url == inner.url("/x", "b.fixture.org")


def _serve_identifiers(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "DOI_PROXY", server.url("/", host="doi.fixture.org"))
    monkeypatch.setattr(endpoints, "EFETCH", server.url("/efetch", host="ncbi.fixture.org"))


def test_doi_is_resolved_by_its_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The publisher's page is the source."""
    with Server({"/10.1000/a%3Cb": redirect("/article"), "/article": page("Fog.")}) as server:
        _serve_identifiers(server, monkeypatch)
        fetched = fetch("doi:10.1000/a<b", server)
        assert fetched.final_url == server.url("/article", host="doi.fixture.org")


def test_doi_that_the_proxy_does_not_know_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint says what a sentence may have left at its end."""
    with Server({}) as server:
        _serve_identifiers(server, monkeypatch)
        error = _failure("doi:10.1000/abc.", server)
        assert error.reason_code is ReasonCode.DOI_NOT_FOUND
        assert "try doi:10.1000/abc." in error.reason


def test_page_that_the_publisher_has_lost_is_a_missing_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The DOI exists; its landing page does not."""
    with Server({"/10.1000/abc": redirect("/gone")}) as server:
        _serve_identifiers(server, monkeypatch)
        assert _failure("doi:10.1000/abc", server).reason_code is ReasonCode.HTTP_404_NOT_FOUND


def test_pubmed_record_is_cut_out_of_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of the record in the answer is no part of it; it is an abstract, and says so."""
    with Server({"*": page(RECORD, content_type="text/plain; charset=UTF-8")}) as server:
        _serve_identifiers(server, monkeypatch)
        fetched = fetch("pmid:7", server)
        assert fetched.body.startswith(b"J Mill. 1830")
        assert fetched.abstract_only
        assert fetched.final_url == f"{endpoints.EFETCH}?db=pubmed&id=7&rettype=abstract&retmode=text"


def test_ncbi_is_told_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tool` and `email` go with the request, and do not show in the result."""
    with Server({"*": page(RECORD, content_type="text/plain")}) as server:
        _serve_identifiers(server, monkeypatch)
        fetched = fetch("pmid:7", server, contact="me+x@mill.org")
        assert server.paths[0].endswith("&tool=quotecheck&email=me%2Bx@mill.org")
        assert "mill.org" not in fetched.final_url


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (page("", content_type="text/plain"), ReasonCode.PMID_NOT_FOUND),
        (page("\n", content_type="text/plain"), ReasonCode.PMID_NOT_FOUND),
        (page("ID list is empty! Possibly it has no correct IDs.", 400), ReasonCode.PMID_NOT_FOUND),
        (page(RECORD.replace("7", "8"), content_type="text/plain"), ReasonCode.PMID_NOT_FOUND),
        (page(BARE_RECORD, content_type="text/plain"), ReasonCode.NO_ABSTRACT),
        (page("Bad Request", 400), ReasonCode.HTTP_4XX_OTHER),
        (page("", 500), ReasonCode.HTTP_5XX_SERVER_ERROR),
    ],
    ids=["empty", "blank", "error text", "other record", "no abstract", "bad request", "fault"],
)
def test_pubmed_failure_has_its_code(
    answer: bytes, code: ReasonCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record, no abstract and no answer are three different things."""
    with Server({"*": answer}) as server:
        _serve_identifiers(server, monkeypatch)
        error = _failure("pmid:7", server)
        assert error.reason_code is code
        assert "ncbi.fixture.org" in error.reason


def test_unchanged_page_is_not_sent_again() -> None:
    """The validators of an earlier fetch go with the request; 304 means the stored page still counts."""

    def answer(request: Request) -> bytes:
        same = request.headers.get("if-none-match") == '"v1"'
        return (
            page("", 304)
            if same
            else page("Fog.", etag='"v1"', last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
        )

    async def run() -> tuple[Fetched, Fetched | NotModified]:
        async with make_fetcher() as fetcher:
            reference = parse_reference(server.url())
            first = await fetcher.fetch(reference)
            return first, await fetcher.fetch(reference, etag=first.etag, last_modified=first.last_modified)

    with Server({"*": answer}) as server, allow_loopback_endpoints(server.endpoint):
        first, second = asyncio.run(run())
        assert isinstance(second, NotModified)
        assert second.final_url == first.final_url
        assert server.requests[1].headers["if-modified-since"] == NEW_YEAR


def test_validators_go_to_the_address_that_gave_them() -> None:
    """A source that leads to another page by now has changed, also where that page is older."""

    def answer(request: Request) -> bytes:
        if request.path == "/":
            return redirect("/new")
        return page("", 304) if "if-modified-since" in request.headers else page("Old fog.")

    async def run() -> Fetched | NotModified:
        async with make_fetcher() as fetcher:
            reference = parse_reference(server.url())
            return await fetcher.fetch(
                reference, etag=None, last_modified=NEW_YEAR, final_url=server.url("/was")
            )

    with Server({"*": answer}) as server, allow_loopback_endpoints(server.endpoint):
        outcome = asyncio.run(run())
        assert isinstance(outcome, Fetched)
        assert outcome.body == b"Old fog."


def test_changed_page_is_sent_again() -> None:
    """A conditional request is answered with the page where that is new."""

    async def run() -> Fetched | NotModified:
        async with make_fetcher() as fetcher:
            return await fetcher.fetch(parse_reference(server.url()), etag='"v0"', last_modified=None)

    with Server({"*": page("New fog.")}) as server, allow_loopback_endpoints(server.endpoint):
        outcome = asyncio.run(run())
        assert isinstance(outcome, Fetched)
        assert outcome.body == b"New fog."


def test_304_that_nobody_asked_for_is_an_error() -> None:
    """There is no page to fall back on."""
    with Server({"*": page("", 304)}) as server:
        assert _failure(server.url(), server).reason_code is ReasonCode.HTTP_PROTOCOL_ERROR


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("deadline", 0),
        ("max_bytes", -1),
        ("concurrency", 0),
        ("per_host", 0),
        ("host_interval", -1),
        ("rate_share", 0),
        ("rate_share", 1.5),
    ],
)
def test_option_out_of_range_is_refused(name: str, value: float) -> None:
    """The message names the option and its value."""
    with pytest.raises(InvalidOption, match=rf"{name} is {value}: it must"):
        make_fetcher(**{name: value})
