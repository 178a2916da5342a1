"""One fetch for all calls that need a source at the same time, and its text kept for the next ones.

An agent checks the quotations of one page in parallel or one after the other. A fetch runs in a task of its
own: a call that is cancelled leaves it to the others, and it stops when nobody waits for it any more.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
from anyio.abc import TaskGroup

from quotecheck.models import Source

KEEP_SECONDS = 300.0
MAX_KEPT_BYTES = 64 * 2**20

# A pair of offsets is a tuple of two integers: 56 + 2 * 28 bytes, and 8 for the pointer to it.
_SPAN_BYTES = 120


@dataclass(slots=True)
class _Flight:
    """A fetch under way, and how many calls wait for it."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    landed: anyio.Event = field(default_factory=anyio.Event)
    waiting: int = 0
    outcome: Source | Exception | None = None


@dataclass(frozen=True, slots=True)
class _Kept:
    source: Source
    size: int
    until: float


class SharedSources:
    """Fetches sources, each once at a time, and keeps their texts for five minutes within 64 MiB.

    Parameters
    ----------
    fetch : returns the source that a string names, or raises what `fetch_source` raises.
    tasks : task group in which fetches run; it must outlive every call.
    clock : seconds that only go forward.
    """

    def __init__(
        self,
        fetch: Callable[[str], Awaitable[Source]],
        tasks: TaskGroup,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._tasks = tasks
        self._clock = clock
        self._flights: dict[str, _Flight] = {}
        self._kept: dict[str, _Kept] = {}

    async def get(self, key: str, source: str) -> Source:
        """Return the source that `source` names; strings with an equal `key` are one source.

        Failures are shared by the calls that wait, and never kept. Raises what `fetch` raises.
        """
        self._drop_expired()
        if kept := self._kept.get(key):
            return kept.source
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight()
            self._tasks.start_soon(self._fly, flight, key, source)
        flight.waiting += 1
        try:
            await flight.landed.wait()
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                self._leave(key, flight)
        if isinstance(flight.outcome, Source):
            return flight.outcome
        assert flight.outcome is not None
        raise flight.outcome

    async def _fly(self, flight: _Flight, key: str, source: str) -> None:
        with flight.scope:
            try:
                flight.outcome = await self._fetch(source)
                self._keep(key, flight.outcome)
            except Exception as error:  # a bug must reach the calls that wait, not end the server
                flight.outcome = error
        self._leave(key, flight)
        flight.landed.set()

    def _leave(self, key: str, flight: _Flight) -> None:
        """Stop the fetch if it still runs; the next call starts another."""
        flight.scope.cancel()
        if self._flights.get(key) is flight:
            del self._flights[key]

    def _keep(self, key: str, source: Source) -> None:
        size = _size_of(source)
        if size > MAX_KEPT_BYTES:
            return
        self._kept[key] = _Kept(source, size, self._clock() + KEEP_SECONDS)
        while sum(kept.size for kept in self._kept.values()) > MAX_KEPT_BYTES:
            del self._kept[next(iter(self._kept))]  # the oldest

    def _drop_expired(self) -> None:
        now = self._clock()
        self._kept = {key: kept for key, kept in self._kept.items() if kept.until > now}


def _size_of(source: Source) -> int:
    spans = len(source.regions) + len(source.ignorable) + len(source.raised) + len(source.page_starts)
    return sys.getsizeof(source.text) + spans * _SPAN_BYTES
