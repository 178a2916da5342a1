"""Wait for one's turn at a host: the queues of `hosts`, run by the event loop's clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

from quotecheck.sources.hosts import HostQueues

Grant = Callable[[], None]


class Turns:
    """Grants turns as soon as limits, intervals and pauses allow; used on one event loop (asyncio)."""

    def __init__(self, queues: HostQueues[Grant]) -> None:
        self.queues = queues
        self._timer: asyncio.TimerHandle | None = None
        self._holders: set[asyncio.Task[object] | None] = set()

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for a turn at `host` and keep it inside the context.

        A task that keeps a turn busy with `held` lends it out meanwhile, or it would wait for itself.
        """
        lends = asyncio.current_task() in self._holders
        if lends:
            self.queues.let_go()
        try:
            await self._wait_for(host)
            try:
                yield
            finally:
                self._release(host)
        finally:
            if lends:
                self.queues.hold()

    async def _wait_for(self, host: str) -> None:
        granted = asyncio.Event()
        grant = granted.set
        self.queues.add(host, grant)
        self.advance()
        try:
            await granted.wait()
        except BaseException:
            if not self.queues.discard(host, grant):
                self._release(host)
            raise

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep one of the turns of all hosts busy inside the context; not to be nested."""
        task = asyncio.current_task()
        self.queues.hold()
        self._holders.add(task)
        try:
            yield
        finally:
            self._holders.discard(task)
            self.queues.let_go()
            self.advance()

    def advance(self) -> None:
        """Grant what can be granted now, and come back when more may be."""
        now = time.monotonic()
        while (grant := self.queues.take(now)) is not None:
            grant()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wait = self.queues.seconds_until_ready(now)
        if wait is not None:
            self._timer = asyncio.get_running_loop().call_later(wait, self.advance)

    def stop(self) -> None:
        """Forget the timer: nothing waits any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _release(self, host: str) -> None:
        self.queues.release(host, time.monotonic())
        self.advance()
