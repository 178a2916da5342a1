"""Ctrl-C: once stops a run cleanly, twice stops the process at once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Awaitable, Callable
from types import FrameType, TracebackType
from typing import Any, Self, TypeVar

import anyio

from quotecheck.console import ExitCode, say

T = TypeVar("T")


class Interrupted(Exception):
    """The run was asked to stop; what is done is on disk."""


class Interrupt:
    """A request to stop, which long loops ask for between two pieces of work.

    As a context manager in the main thread it takes SIGINT and SIGTERM; elsewhere only `ask` sets it.
    """

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._previous: dict[signal.Signals, Any] = {}

    @property
    def is_asked(self) -> bool:
        """Whether the run should stop."""
        return self._asked.is_set()

    def ask(self) -> None:
        """Ask the run to stop."""
        self._asked.set()

    def check(self) -> None:
        """Raise Interrupted if the run should stop."""
        if self.is_asked:
            raise Interrupted

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_asked:
            say("stopped at once; the same command goes on where the run stopped")
            os._exit(ExitCode.INTERRUPTED)
        say("stopping (once more to stop at once) ...")
        self.ask()


async def interruptible(interrupt: Interrupt, work: Callable[[], Awaitable[T]]) -> T:
    """Await what `work` returns, unless the run should stop.

    Raises Interrupted, and what the work raises: of a group, its first exception, since the others come from
    the same fault or from stopping.
    """
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_watch, interrupt)
            result = await work()
            group.cancel_scope.cancel()
    except BaseExceptionGroup as group_error:
        raise _first(group_error) from None
    return result


async def _watch(interrupt: Interrupt) -> None:
    while not interrupt.is_asked:
        await anyio.sleep(0.1)
    raise Interrupted


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
