"""Calls that need one source share its fetch, and its text is kept for a while."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio
import pytest

from quotecheck.errors import SourceUnavailable
from quotecheck.mcp_server import shared_sources
from quotecheck.mcp_server.shared_sources import SharedSources
from quotecheck.models import ReasonCode, Source


class Site:
    """Delivers every address after a moment, when it may, and notes what was fetched and what was stopped."""

    def __init__(self) -> None:
        self.fetched: list[str] = []
        self.stopped: list[str] = []
        self.error: Exception | None = None
        self.text = "The fog was grey."
        self.now = 0.0
        self.has_begun = anyio.Event()
        self.may_deliver = anyio.Event()
        self.may_deliver.set()

    async def fetch(self, source: str) -> Source:
        self.fetched.append(source)
        self.has_begun.set()
        try:
            await anyio.sleep(0.02)
            await self.may_deliver.wait()
        except anyio.get_cancelled_exc_class():
            self.stopped.append(source)
            raise
        if self.error:
            raise self.error
        return Source(self.text)


def run(site: Site, story: Callable[[SharedSources], Awaitable[None]]) -> None:
    """Run a story against the shared sources of a site."""

    async def scene() -> None:
        async with anyio.create_task_group() as tasks:
            await story(SharedSources(site.fetch, tasks, clock=lambda: site.now))
            tasks.cancel_scope.cancel()

    anyio.run(scene)


async def give_up(sources: SharedSources, site: Site) -> None:
    """Call for a source and leave once its fetch has begun."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(sources.get, "a", "a")
        await site.has_begun.wait()
        tasks.cancel_scope.cancel()


async def get_many(sources: SharedSources, *keys: str) -> None:
    """Get several sources at once."""
    async with anyio.create_task_group() as tasks:
        for key in keys:
            tasks.start_soon(sources.get, key, key)


def test_concurrent_calls_make_one_fetch_per_source() -> None:
    """Calls for one source share a fetch; another source has its own."""
    site = Site()
    run(site, lambda sources: get_many(sources, "a", "a", "b", "a", "b"))
    assert sorted(site.fetched) == ["a", "b"]


def test_text_is_kept_for_five_minutes() -> None:
    """A later call gets the kept text, until it is five minutes old."""
    site = Site()

    async def story(sources: SharedSources) -> None:
        for site.now in (0.0, 299.0, 300.0, 599.0):
            assert (await sources.get("a", "a")).text == "The fog was grey."

    run(site, story)
    assert site.fetched == ["a", "a"]


def test_failure_reaches_all_that_wait_and_is_not_kept() -> None:
    """Each waiting call gets the reason, and the next call tries again."""
    site = Site()
    site.error = SourceUnavailable(ReasonCode.CONNECT_REFUSED, "refused")
    caught: list[str] = []

    async def call(sources: SharedSources) -> None:
        with pytest.raises(SourceUnavailable) as error:
            await sources.get("a", "a")
        caught.append(error.value.reason)

    async def story(sources: SharedSources) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, sources)
            tasks.start_soon(call, sources)
        site.error = None
        await sources.get("a", "a")

    run(site, story)
    assert (caught, site.fetched) == (["refused", "refused"], ["a", "a"])


def test_fault_reaches_the_call_and_ends_nothing_else() -> None:
    """A bug below is raised in the call; the next one works."""
    site = Site()
    site.error = ZeroDivisionError("a fault")

    async def story(sources: SharedSources) -> None:
        with pytest.raises(ZeroDivisionError):
            await sources.get("a", "a")
        site.error = None
        await sources.get("a", "a")

    run(site, story)


def test_cancelled_call_leaves_the_fetch_to_the_others() -> None:
    """Only when nobody waits is a fetch stopped."""
    site = Site()
    site.may_deliver = anyio.Event()

    async def story(sources: SharedSources) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sources.get, "a", "a")
            await give_up(sources, site)
            site.may_deliver.set()

    run(site, story)
    assert (site.fetched, site.stopped) == (["a"], [])


def test_fetch_that_nobody_waits_for_is_stopped() -> None:
    """The last call that leaves stops the fetch, and the next call starts a new one."""
    site = Site()
    site.may_deliver = anyio.Event()

    async def story(sources: SharedSources) -> None:
        await give_up(sources, site)
        site.may_deliver.set()
        assert (await sources.get("a", "a")).text

    run(site, story)
    assert (site.fetched, site.stopped) == (["a", "a"], ["a"])


def test_kept_texts_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest texts go when the bound is reached, counted in bytes and not in characters."""
    monkeypatch.setattr(shared_sources, "MAX_KEPT_BYTES", 5000)
    site = Site()
    site.text = "霧" * 1000  # two bytes each

    async def story(sources: SharedSources) -> None:
        for key in ("a", "b", "c", "c", "b", "a"):
            await sources.get(key, key)

    run(site, story)
    assert site.fetched == ["a", "b", "c", "a"]


def test_text_above_the_bound_is_returned_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that alone exceeds the bound does not push out the others."""
    monkeypatch.setattr(shared_sources, "MAX_KEPT_BYTES", 1500)
    site = Site()

    async def story(sources: SharedSources) -> None:
        await sources.get("small", "small")
        site.text = "x" * 2000
        assert len((await sources.get("large", "large")).text) == 2000
        await sources.get("small", "small")

    run(site, story)
    assert site.fetched == ["small", "large"]
