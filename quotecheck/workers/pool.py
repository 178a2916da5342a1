"""A pool of worker processes that work from any host: script, shell, notebook, server.

Each worker is `python -m quotecheck._worker` with a socket of its own. It never imports the caller's
`__main__`, so no main guard is needed, and never inherits standard input or output, so nothing disturbs a
program that speaks a protocol there. A worker that dies, exceeds its limits or belongs to a cancelled call
is killed and replaced.
"""

from __future__ import annotations

import os
import pickle
from types import TracebackType
from typing import Self

import anyio

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.workers.jobs import JOBS, Job, load_result_type
from quotecheck.workers.process import WorkerDied, WorkerProcess
from quotecheck.workers.wire import RESULT, REUSABLE, UNAVAILABLE, MalformedAnswer, load


class WorkerFailed(Exception):
    """A job raised an exception that is none of ours: a bug. The message holds the worker's traceback."""


class WorkerPool:
    """Runs named jobs in at most `size` processes, started when they are first needed.

    Use it as an async context manager, within one event loop:

        async with WorkerPool() as pool:
            source = await pool.run("extract", ExtractTask(body, "text/html"))
    """

    def __init__(self, size: int | None = None) -> None:
        self._size = size if size is not None else _usable_cores()
        self._slots = anyio.Semaphore(self._size)
        self._idle: list[WorkerProcess] = []
        self._open = False

    async def __aenter__(self) -> Self:
        self._open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        while self._idle:
            await self._idle.pop().kill()

    async def run(self, job: str, payload: object, *, retries: int = 0) -> object:
        """Run a job in a worker and return its result.

        A cancelled call kills its worker. A worker that was killed from outside or crashed is replaced, and
        the work is tried again up to `retries` times; work that exceeded its limits is not.

        Raises
        ------
        SourceUnavailable : as the job itself raised it.
        WorkerDied : the worker ended before it answered.
        WorkerFailed : the job raised another exception.
        """
        if not self._open:
            raise RuntimeError("the worker pool is not open: use it as an async context manager")
        async with self._slots:
            for remaining in range(retries, -1, -1):
                try:
                    return await self._run_once(JOBS[job], payload)
                except WorkerDied as death:
                    if death.over_limit or remaining == 0:
                        raise
        raise AssertionError("unreachable")

    async def _run_once(self, job: Job, payload: object) -> object:
        worker = await self._worker()
        reusable = False
        try:
            request = pickle.dumps((job, payload), pickle.HIGHEST_PROTOCOL)
            answer = await worker.ask(request, job.limits)
            reusable = answer[1:2] == REUSABLE
            return _result(job, answer[:1], answer[2:])
        except WorkerDied:
            reusable = False
            raise
        finally:
            if reusable and self._open:
                self._idle.append(worker)
            else:
                await worker.kill()

    async def _worker(self) -> WorkerProcess:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive():
                return worker
            await worker.kill()  # it was ended while it had nothing to do
        return await WorkerProcess.start()


def _result(job: Job, verdict: bytes, content: bytes) -> object:
    try:
        if verdict == RESULT:
            result: object = load(content, load_result_type(job))
            return result
        if verdict == UNAVAILABLE:
            code, reason, final_url = load(content, tuple[ReasonCode, str, str | None])
            raise SourceUnavailable(code, reason, final_url=final_url)
        message = load(content, str)
    except MalformedAnswer as error:
        raise WorkerDied(str(error)) from error
    raise WorkerFailed(message)


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
