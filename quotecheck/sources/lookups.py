"""Run blocking lookups in daemon threads, one for each lookup that is under way.

The event loop's own executor has few threads, so names whose servers are silent would hold up all others, and
its threads hold up the end of the program. Here an abandoned lookup costs its own thread and nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable, Sequence

Lookup = Callable[[str], Sequence[str]]
_Job = tuple[str, asyncio.AbstractEventLoop, "asyncio.Future[Sequence[str]]"]

# After so many seconds without work a thread ends.
_IDLE_SECONDS = 10.0


class LookupThreads:
    """Threads that run one blocking function from a host name to addresses."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)

    def run(self, host: str) -> asyncio.Future[Sequence[str]]:
        """Start a lookup; the future has its result, or the exception that it raised."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Sequence[str]] = loop.create_future()
        self._jobs.put((host, loop, future))
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._work, name="quotecheck lookup", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            try:
                host, loop, future = self._jobs.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                if self._idle.acquire(blocking=False):
                    return
                continue  # somebody counts on this thread just now
            try:
                _post(loop, _set_result, future, self._lookup(host))
            except Exception as error:
                _post(loop, _set_exception, future, error)
            self._idle.release()


def _post(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: object) -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
        loop.call_soon_threadsafe(call, *arguments)


def _set_result(future: asyncio.Future[Sequence[str]], result: Sequence[str]) -> None:
    if not future.cancelled():
        future.set_result(result)


def _set_exception(future: asyncio.Future[Sequence[str]], error: Exception) -> None:
    if not future.cancelled():
        future.set_exception(error)
