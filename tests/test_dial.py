"""Connecting to one of several checked addresses."""

from __future__ import annotations

import asyncio
import errno
import socket
import time
from typing import NoReturn

import anyio
import pytest
from servers import Server, page

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import dial as module
from quotecheck.sources.dial import (
    MAX_ADDRESSES,
    NEXT_ADDRESS_SECONDS,
    connect,
    dial,
    interleaved,
)

BLACK_HOLE = "2001:4860:4860::dead"


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that were tried; packets to the black hole get lost, everything else is real."""
    addresses: list[str] = []

    async def connect_or_wait(address: str, port: int) -> socket.socket:
        addresses.append(address)
        if address == BLACK_HOLE:
            await anyio.sleep(60)
        return await connect(address, port)

    monkeypatch.setattr(module, "connect", connect_or_wait)
    return addresses


def _dial(*addresses: str, port: int) -> None:
    async def run() -> None:
        await (await dial("a.fixture.org", addresses, port)).aclose()

    with allow_loopback_endpoints(("127.0.0.1", port)):
        asyncio.run(run())


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_black_hole_costs_a_quarter_of_a_second(tried: list[str]) -> None:
    """The next address is tried while the first still waits; the first one to answer wins."""
    with Server({"*": page()}) as server:
        began = time.monotonic()
        _dial(BLACK_HOLE, "127.0.0.1", port=server.port)
        assert NEXT_ADDRESS_SECONDS <= time.monotonic() - began < 10
    assert tried == [BLACK_HOLE, "127.0.0.1"]


def test_refused_address_costs_nothing(tried: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The next address is tried as soon as the previous one has failed."""
    monkeypatch.setattr(module, "NEXT_ADDRESS_SECONDS", 60)
    with Server({"*": page()}) as server:
        _dial("127.0.0.2", "127.0.0.1", port=server.port)
    assert tried == ["127.0.0.2", "127.0.0.1"]


@pytest.mark.parametrize("addresses", [("127.0.0.1",), ("127.0.0.1", "127.0.0.2")])
def test_port_that_nobody_listens_on_is_refused(addresses: tuple[str, ...]) -> None:
    """Only where every address refused is the code connect_refused; the sentence lists them."""
    with pytest.raises(SourceUnavailable) as caught:
        _dial(*addresses, port=_free_port())
    assert caught.value.reason_code is ReasonCode.CONNECT_REFUSED
    assert ", ".join(addresses) in caught.value.reason


def test_unreachable_network_is_a_failed_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be our side's fault and may pass, other than a refusal."""

    async def unreachable(address: str, port: int) -> NoReturn:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(module, "connect", unreachable)
    with pytest.raises(SourceUnavailable) as caught:
        _dial("127.0.0.1", port=80)
    assert caught.value.reason_code is ReasonCode.CONNECT_FAILED


def test_number_of_addresses_is_bounded(tried: list[str]) -> None:
    """A name with a hundred addresses is no reason to try a hundred."""
    with pytest.raises(SourceUnavailable):
        _dial(*[f"127.0.0.{number}" for number in range(1, 20)], port=_free_port())
    assert len(tried) == MAX_ADDRESSES


def test_losing_connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two attempts succeed at the same moment, one of them is kept."""
    monkeypatch.setattr(module, "NEXT_ADDRESS_SECONDS", 0)
    with Server({"*": page()}) as server:
        for _ in range(20):
            _dial("127.0.0.1", "127.0.0.1", port=server.port)
        while server.open_connections:
            time.sleep(0.01)


@pytest.mark.parametrize(
    ("addresses", "order"),
    [
        (["6::1", "6::2", "4.1", "4.2"], ["6::1", "4.1", "6::2", "4.2"]),
        (["4.1", "6::1", "6::2", "6::3"], ["4.1", "6::1", "6::2", "6::3"]),
        (["4.1", "4.2"], ["4.1", "4.2"]),
        (["6::1"], ["6::1"]),
    ],
)
def test_families_take_turns(addresses: list[str], order: list[str]) -> None:
    """Many dead IPv6 addresses do not push the IPv4 one to the end."""
    assert interleaved(addresses) == order
