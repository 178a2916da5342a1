"""Names to addresses: checked, kept, and never in each other's way."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence

import pytest
from servers import Names

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import resolver as module
from quotecheck.sources.lookups import Lookup
from quotecheck.sources.resolver import Resolver, system_lookup

PUBLIC = {"mill.org": ["93.184.216.34", "2606:2800:21f:0::1"]}


def _addresses(lookup: Lookup, *hosts: str) -> list[tuple[str, ...]]:
    async def run() -> list[tuple[str, ...]]:
        resolver = Resolver(lookup)
        return [await resolver.addresses(host, 80) for host in hosts]

    return asyncio.run(run())


def _code(lookup: Lookup, host: str = "mill.org") -> ReasonCode:
    with pytest.raises(SourceUnavailable) as caught:
        _addresses(lookup, host)
    return caught.value.reason_code


def test_addresses_keep_their_order_in_canonical_spelling() -> None:
    """The system's order is the order of preference (RFC 6724); spelling matters to the peer check."""
    assert _addresses(Names(PUBLIC), "mill.org") == [("93.184.216.34", "2606:2800:21f::1")]


def test_answer_is_kept_for_the_run() -> None:
    """Ten pages of one host are one lookup."""
    names = Names(PUBLIC)
    _addresses(names, *["mill.org"] * 10)
    assert names.asked == ["mill.org"]


def test_literal_addresses_are_checked_and_not_looked_up() -> None:
    """An IP address in a URL needs no resolver."""
    names = Names()
    assert _addresses(names, "8.8.8.8", "2606:4700::64") == [("8.8.8.8",), ("2606:4700::64",)]
    assert _code(names, "10.0.0.1") is ReasonCode.ADDRESS_NOT_PUBLIC
    assert names.asked == []


def test_one_private_address_refuses_the_host() -> None:
    """A public address beside it is no excuse."""
    names = Names({"mill.org": ["93.184.216.34", "192.168.1.1"]})
    assert _code(names) is ReasonCode.ADDRESS_NOT_PUBLIC


def _failing(error: Exception) -> Lookup:
    def lookup(host: str) -> Sequence[str]:
        raise error

    return lookup


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), ReasonCode.DNS_NOT_FOUND),
        (socket.gaierror(socket.EAI_AGAIN, "again"), ReasonCode.DNS_TEMPORARY_FAILURE),
        (OSError(24, "too many open files"), ReasonCode.DNS_TEMPORARY_FAILURE),
        (UnicodeError("label too long"), ReasonCode.DNS_TEMPORARY_FAILURE),
    ],
)
def test_failed_lookup_has_the_code_of_its_cause(error: Exception, code: ReasonCode) -> None:
    """A name that does not exist is dead; everything else may pass."""
    assert _code(_failing(error)) is code


def test_empty_answer_is_not_found() -> None:
    """A name without addresses leads nowhere."""
    assert _code(Names({"mill.org": []})) is ReasonCode.DNS_NOT_FOUND


def test_slow_lookup_ends_after_the_time_that_is_left() -> None:
    """The resolver's own patience is shorter than a fetch's, and never longer than its deadline."""
    release = threading.Event()

    def lookup(host: str) -> list[str]:
        release.wait(20)
        return ["93.184.216.34"]

    async def run() -> None:
        with pytest.raises(SourceUnavailable, match=r"mill\.org did not answer in time: no answer in 0\.1 s"):
            await Resolver(lookup).prepare("mill.org", 80, within=0.1)
        release.set()

    asyncio.run(run())


def test_concurrent_lookups_of_one_name_are_one() -> None:
    """Fifty sources of a host begin at once."""
    names = Names(PUBLIC)

    async def run() -> None:
        resolver = Resolver(names)
        await asyncio.gather(*[resolver.addresses("mill.org", 80) for _ in range(50)])

    asyncio.run(run())
    assert names.asked == ["mill.org"]


def test_lookup_goes_on_when_the_one_who_asked_is_cancelled() -> None:
    """The next one who waits asks again."""
    first = threading.Event()

    def lookup(host: str) -> list[str]:
        if not first.is_set():
            first.set()
            threading.Event().wait(0.2)
        return ["93.184.216.34"]

    async def run() -> tuple[str, ...]:
        resolver = Resolver(lookup)
        asker = asyncio.create_task(resolver.addresses("mill.org", 80))
        await asyncio.sleep(0.05)
        waiter = asyncio.create_task(resolver.addresses("mill.org", 80))
        await asyncio.sleep(0)
        asker.cancel()
        return await waiter

    assert asyncio.run(run()) == ("93.184.216.34",)


def test_forgotten_name_is_asked_for_again() -> None:
    """After no address could be reached, a new answer may be better; it is checked like the first."""
    names = Names({"mill.org": [["93.184.216.34"], ["10.0.0.1"]]})

    async def run() -> None:
        resolver = Resolver(names)
        await resolver.addresses("mill.org", 80)
        resolver.forget("mill.org")
        with pytest.raises(SourceUnavailable, match=r"10\.0\.0\.1"):
            await resolver.addresses("mill.org", 80)

    asyncio.run(run())


def test_dead_names_do_not_delay_good_ones() -> None:
    """Forty lookups that hang leave room for forty that do not."""
    release = threading.Event()

    def lookup(host: str) -> list[str]:
        if host.startswith("dead"):
            release.wait(20)
        return ["93.184.216.34"]

    async def run() -> None:
        resolver = Resolver(lookup)
        dead = [asyncio.create_task(resolver.addresses(f"dead{number}.org", 80)) for number in range(40)]
        await asyncio.sleep(0.05)
        good = [resolver.addresses(f"good{number}.org", 80) for number in range(40)]
        await asyncio.wait_for(asyncio.gather(*good), 4)  # the dead ones give up after 5 s
        assert not any(task.done() for task in dead)
        release.set()
        await asyncio.gather(*dead)

    asyncio.run(run())


def test_kept_names_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run over millions of hosts forgets the oldest names."""
    monkeypatch.setattr(module, "_KEPT_NAMES", 2)
    names = Names({f"{name}.org": ["93.184.216.34"] for name in "abc"})
    _addresses(names, "a.org", "b.org", "c.org", "a.org", "c.org")
    assert names.asked == ["a.org", "b.org", "c.org", "a.org"]


def test_system_lookup_asks_for_the_absolute_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the last dot no search domain is tried, so a short name cannot become an inner one."""
    asked = []

    def getaddrinfo(host: str, port: None, **options: object) -> list[tuple[object, ...]]:
        asked.append(host)
        return [
            (socket.AF_INET6, 1, 6, "", ("2606:4700::64", 0, 0, 0)),
            (socket.AF_INET, 1, 6, "", ("8.8.8.8", 0)),
        ]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    assert system_lookup("mill.org") == ["2606:4700::64", "8.8.8.8"]
    assert asked == ["mill.org."]
