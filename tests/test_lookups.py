"""Blocking lookups in threads of their own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from quotecheck.sources import lookups
from quotecheck.sources.lookups import LookupThreads


def test_result_and_exception_arrive() -> None:
    """As if the function had been called in place."""

    def lookup(host: str) -> list[str]:
        if host == "bad":
            raise OSError("no")
        return [host]

    async def run() -> None:
        threads = LookupThreads(lookup)
        assert await threads.run("a") == ["a"]
        with pytest.raises(OSError, match="no"):
            await threads.run("bad")

    asyncio.run(run())


def test_thread_is_used_again() -> None:
    """One lookup after the other needs one thread."""
    names = set()

    def lookup(host: str) -> list[str]:
        names.add(threading.get_ident())
        return [host]

    async def run() -> None:
        threads = LookupThreads(lookup)
        for _ in range(20):
            await threads.run("a")
            while not threads._idle.acquire(blocking=False):
                await asyncio.sleep(0.001)
            threads._idle.release()

    asyncio.run(run())
    assert len(names) == 1


def test_hanging_lookups_do_not_hold_up_others() -> None:
    """Each has its own thread."""
    release = threading.Event()

    def lookup(host: str) -> list[str]:
        if host == "dead":
            release.wait(20)
        return [host]

    async def run() -> None:
        threads = LookupThreads(lookup)
        dead = [threads.run("dead") for _ in range(100)]
        assert await asyncio.wait_for(threads.run("good"), 5) == ["good"]
        release.set()
        assert await asyncio.gather(*dead) == [["dead"]] * 100

    asyncio.run(run())


def test_abandoned_lookup_is_ignored_when_it_ends() -> None:
    """Its result goes nowhere, also after the loop has been closed."""
    release, done = threading.Event(), threading.Event()

    def lookup(host: str) -> list[str]:
        release.wait(20)
        done.set()
        return [host]

    async def run() -> None:
        threads = LookupThreads(lookup)
        for _ in range(2):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(threads.run("a"), 0.01)

    asyncio.run(run())
    release.set()
    assert done.wait(5)


def test_idle_threads_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long-lived client keeps no threads for nothing, and starts new ones when it needs them."""
    monkeypatch.setattr(lookups, "_IDLE_SECONDS", 0.01)

    async def run() -> None:
        threads = LookupThreads(lambda host: [host])
        for _ in range(30):
            assert await asyncio.wait_for(threads.run("a"), 5) == ["a"]
            await asyncio.sleep(0.01)

    asyncio.run(run())


def test_hanging_lookup_does_not_hold_up_the_end_of_the_program() -> None:
    """The interpreter ends although a lookup is under way."""
    program = """
import asyncio, time
from quotecheck.sources.lookups import LookupThreads
async def run():
    try:
        await asyncio.wait_for(LookupThreads(lambda host: time.sleep(60)).run("a"), 0.1)
    except TimeoutError:
        print("given up")
asyncio.run(run())
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=True
    )
    assert run.stdout == "given up\n"
