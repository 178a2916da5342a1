"""Connections: reused for one origin, closed when they are no use, never leaked."""

from __future__ import annotations

import asyncio
import time

import pytest
from servers import CLOSE, Names, Server, page

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.resolver import Resolver
from quotecheck.sources.transport import Headers, Transport
from quotecheck.sources.url import parse_url


async def _get(transport: Transport, url: str) -> bytes:
    async with transport.get(parse_url(url), []) as response:
        return b"".join([piece async for piece in response.raw_body()])


async def _transport(idle_origins: int = 64) -> Transport:
    return Transport(Resolver(Names()), idle_origins=idle_origins)


def _failure(*script: bytes | float | type(CLOSE)) -> ReasonCode:
    async def run() -> None:
        transport = await _transport()
        try:
            await _get(transport, server.url())
        finally:
            await transport.aclose()

    with (
        Server({"*": script}) as server,
        allow_loopback_endpoints(server.endpoint),
        pytest.raises(SourceUnavailable) as caught,
    ):
        asyncio.run(run())
    assert "127.0.0.1" in caught.value.reason
    return caught.value.reason_code


def test_connection_is_reused_for_its_origin() -> None:
    """Twenty pages of one host are one connection."""

    async def run() -> None:
        transport = await _transport()
        for _ in range(20):
            assert await _get(transport, server.url(host="a.fixture.org")) == b"Fog."
        await transport.aclose()

    with Server({"*": page("Fog.")}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
        assert server.count_connections() == 1


def test_connection_is_not_shared_between_names() -> None:
    """Two names at one address are two origins; each connection belongs to the name it was checked for."""

    async def run() -> None:
        transport = await _transport()
        for name in ("a", "b", "a", "b"):
            await _get(transport, server.url(host=f"{name}.fixture.org"))
        await transport.aclose()

    with Server({"*": page()}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
        assert server.count_connections() == 2


def test_connection_that_the_server_closed_is_not_used_again() -> None:
    """An idle connection is looked at before it is used."""

    async def run() -> None:
        transport = await _transport()
        for _ in range(3):
            await _get(transport, server.url())
            while server.open_connections:
                await asyncio.sleep(0.005)
        await transport.aclose()

    with Server({"*": [page(), CLOSE]}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
        assert server.count_connections() == 3


def test_idle_origins_are_bounded() -> None:
    """Connections of the hosts that were used last stay open, no others."""

    async def run() -> int:
        transport = await _transport(idle_origins=3)
        for number in range(10):
            await _get(transport, server.url(host=f"h{number}.fixture.org"))
        while server.open_connections > 3:
            await asyncio.sleep(0.005)
        before = server.connections
        await _get(transport, server.url(host="h9.fixture.org"))
        await transport.aclose()
        return server.connections - before

    with Server({"*": page()}) as server, allow_loopback_endpoints(server.endpoint):
        assert asyncio.run(run()) == 0


def test_cancelled_requests_leave_no_connection() -> None:
    """Two hundred requests, each cancelled at another moment; afterwards the transport works as before."""

    async def run() -> None:
        transport = await _transport()
        for _ in range(5):
            tasks = [asyncio.create_task(_get(transport, server.url("/slow"))) for _ in range(40)]
            for number, task in enumerate(tasks):
                await asyncio.sleep(0.001 * (number % 3))
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        while server.open_connections:
            await asyncio.sleep(0.01)
        assert await _get(transport, server.url("/page")) == b"Fog."
        await transport.aclose()

    routes = {"/slow": [0.2, page()], "/page": page("Fog.")}
    with Server(routes) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())


def test_closed_transport_leaves_no_connection() -> None:
    """`aclose` ends what is idle."""

    async def run() -> None:
        transport = await _transport()
        await _get(transport, server.url())
        await transport.aclose()

    with Server({"*": page()}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
        deadline = time.monotonic() + 5
        while server.open_connections and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.open_connections == 0


_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ([CLOSE], ReasonCode.CONNECTION_RESET),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", CLOSE], ReasonCode.BODY_TRUNCATED),
        (
            [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", CLOSE],
            ReasonCode.BODY_TRUNCATED,
        ),
        (
            [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", CLOSE],
            ReasonCode.HTTP_PROTOCOL_ERROR,
        ),
        ([b"SSH-2.0-OpenSSH_9.6\r\n\r\n", CLOSE], ReasonCode.HTTP_PROTOCOL_ERROR),
        ([b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000, CLOSE], ReasonCode.HTTP_PROTOCOL_ERROR),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", CLOSE], ReasonCode.HTTP_PROTOCOL_ERROR),
    ],
    ids=["closed", "short", "short chunk", "bad chunk", "not http", "huge header", "bad length"],
)
def test_broken_answer_has_the_code_of_its_fault(script: list[bytes], code: ReasonCode) -> None:
    """What breaks off is not what is malformed."""
    assert _failure(*script) is code


def test_headers_are_found_without_case() -> None:
    """Values are UTF-8 where they are, else Latin-1."""
    headers = Headers(
        [(b"Location", "/ü".encode()), (b"X", b"\xfc"), (b"set-cookie", b"a"), (b"Set-Cookie", b"b")]
    )
    assert (headers.get("LOCATION"), headers.get("x"), headers.get("y")) == ("/ü", "ü", None)
    assert headers.get_all("Set-Cookie") == ["a", "b"]
