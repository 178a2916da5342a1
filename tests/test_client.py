"""The client for one source: shared fetches, deadlines, cancellation."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import Any

import pytest
from servers import Request, Server, fetch, make_fetcher, page

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reference import parse_reference

SLOW = [0.2, page("Fog.")]


def _run(server: Server, work: Any, **options: Any) -> Any:
    async def run() -> Any:
        async with make_fetcher(**options) as fetcher:
            return await work(fetcher)

    with allow_loopback_endpoints(server.endpoint):
        return asyncio.run(run())


def test_fetched_page_says_how_it_came() -> None:
    """Address, status, type, sizes, time and validators."""
    with Server({"/": page("Fog.", etag='"1"', content_type="text/plain")}) as server:
        fetched = fetch(server.url("/#part"), server)
    assert fetched.reference.source.endswith("/#part")
    assert (fetched.status, fetched.content_type, fetched.etag) == (200, "text/plain", '"1"')
    assert (fetched.body, fetched.wire_bytes, fetched.hops) == (b"Fog.", 4, ())
    assert fetched.fetched_at.tzinfo is not None


def test_request_is_a_plain_get() -> None:
    """No cookies, no credentials, no Referer; the codings that can be bounded."""
    with Server({"*": page()}) as server:
        fetch(server.url(host="a.fixture.org"), server, contact="me@mill.org")
        headers = server.requests[0].headers
    assert set(headers) == {"host", "user-agent", "accept", "accept-encoding", "accept-language"}
    assert headers["host"] == f"a.fixture.org:{server.port}"
    assert headers["user-agent"].startswith("quotecheck/")
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"


def test_refused_reference_raises_its_refusal_without_a_connection() -> None:
    """The refusal of the reference is the reason of the fetch."""
    with pytest.raises(SourceUnavailable) as caught:
        fetch("ftp://mill.org/")
    assert (caught.value.reason_code, caught.value.final_url) == (ReasonCode.SCHEME_NOT_ALLOWED, None)


def test_reference_made_by_hand_passes_the_same_door() -> None:
    """The address is read again before it is fetched, whoever made the reference."""
    forged = dataclasses.replace(parse_reference("http://mill.org/"), url="http://127.0.0.1/")

    async def run() -> None:
        async with make_fetcher() as fetcher:
            await fetcher.fetch(forged)

    with pytest.raises(SourceUnavailable) as caught:
        asyncio.run(run())
    assert caught.value.reason_code is ReasonCode.ADDRESS_NOT_PUBLIC


def test_concurrent_calls_for_one_source_share_a_fetch() -> None:
    """Spelling variants are the same source; each caller gets its own spelling back."""

    async def work(fetcher: Fetcher) -> list[Fetched]:
        sources = [server.url("/%7Ejo"), server.url("/~jo#part")] * 10
        return await asyncio.gather(*[fetcher.fetch(parse_reference(source)) for source in sources])

    with Server({"*": SLOW}) as server:
        results = _run(server, work)
        assert len(server.requests) == 1
    assert [result.body for result in results] == [b"Fog."] * 20
    assert len({result.reference.source for result in results}) == 2


def test_shared_failure_reaches_every_caller() -> None:
    """One missing page, one request, the same reason for all."""

    async def work(fetcher: Fetcher) -> list[Any]:
        calls = [fetcher.fetch(parse_reference(server.url("/x"))) for _ in range(5)]
        return await asyncio.gather(*calls, return_exceptions=True)

    with Server({"*": [0.1, page("", 404)]}) as server:
        errors = _run(server, work)
        assert len(server.requests) == 1
    assert {error.reason_code for error in errors} == {ReasonCode.HTTP_404_NOT_FOUND}


def test_shared_fetch_survives_the_caller_who_began_it() -> None:
    """When that one is cancelled, another takes over."""

    async def work(fetcher: Fetcher) -> list[Fetched]:
        calls = [asyncio.create_task(fetcher.fetch(parse_reference(server.url()))) for _ in range(4)]
        await asyncio.sleep(0.05)
        calls[0].cancel()
        return await asyncio.gather(*calls[1:])

    with Server({"*": SLOW}) as server:
        assert [result.body for result in _run(server, work)] == [b"Fog."] * 3


def test_later_call_fetches_again() -> None:
    """Nothing is cached here: that is the store's task."""

    async def work(fetcher: Fetcher) -> None:
        for _ in range(2):
            await fetcher.fetch(parse_reference(server.url()))

    with Server({"*": page()}) as server:
        _run(server, work)
        assert len(server.requests) == 2


def test_waiting_for_a_turn_does_not_count() -> None:
    """Ten sources of 0.2 s each at one host, one at a time, under a deadline of one second."""

    async def work(fetcher: Fetcher) -> list[Fetched]:
        calls = [fetcher.fetch(parse_reference(server.url(f"/{number}"))) for number in range(10)]
        return await asyncio.gather(*calls)

    with Server({"*": SLOW}) as server:
        assert len(_run(server, work, per_host=1, deadline=1.0)) == 10
        assert server.most_busy == 1


def test_requests_to_one_host_are_spaced() -> None:
    """The interval holds for single fetches, too."""

    async def work(fetcher: Fetcher) -> float:
        began = time.monotonic()
        calls = [fetcher.fetch(parse_reference(server.url(f"/{number}"))) for number in range(4)]
        await asyncio.gather(*calls)
        return time.monotonic() - began

    with Server({"*": page()}) as server:
        assert _run(server, work, host_interval=0.1) >= 0.3


def test_cancelled_fetch_closes_its_connection() -> None:
    """Nothing goes on in the background."""

    async def work(fetcher: Fetcher) -> None:
        call = asyncio.create_task(fetcher.fetch(parse_reference(server.url())))
        while not server.requests:
            await asyncio.sleep(0.005)
        call.cancel()
        while server.open_connections:
            await asyncio.sleep(0.005)

    with Server({"*": [1.0, page()]}) as server:
        _run(server, work)


def test_fetches_that_hit_their_deadline_close_their_connections() -> None:
    """A hundred of them leave nothing behind."""

    async def work(fetcher: Fetcher) -> None:
        calls = [fetcher.fetch(parse_reference(server.url(f"/{number}"))) for number in range(100)]
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert {outcome.reason_code for outcome in outcomes} == {ReasonCode.DEADLINE_EXCEEDED}
        while server.open_connections:
            await asyncio.sleep(0.01)

    with Server({"*": [3.0, page()]}) as server:
        _run(server, work, deadline=0.15, concurrency=50, per_host=50)


def test_cookies_of_one_source_never_reach_another() -> None:
    """A fresh jar for every source."""

    def answer(request: Request) -> bytes:
        return page(request.headers.get("cookie", "none"), set_cookie="seen=1; Path=/")

    async def work(fetcher: Fetcher) -> list[bytes]:
        references = [parse_reference(server.url(path)) for path in ("/a", "/b")]
        return [(await fetcher.fetch(reference)).body for reference in references]

    with Server({"*": answer}) as server:
        assert _run(server, work) == [b"none", b"none"]
