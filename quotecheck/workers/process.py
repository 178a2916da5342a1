"""One worker process, seen from its parent: start it, ask it, kill it.

The limits on a job's CPU and memory are kept by the worker's own kernel limits; this side adds a limit on
time for a worker that hangs, and reads from the exit status what ended a worker.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Final, Self

import anyio
import anyio.abc
import anyio.to_thread

from quotecheck.workers.jobs import Limits
from quotecheck.workers.wire import HEADER, LARGEST_ANSWER, frame

_CHUNK: Final = 1 << 20
_LAST_WORDS: Final = 2_000
# A worker runs on one core; these libraries would start a thread for each core of the machine.
_THREADS: Final = ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class WorkerDied(Exception):
    """A worker ended before it answered; `over_limit` tells whether it had used more than it may."""

    def __init__(self, message: str, *, over_limit: bool = False) -> None:
        super().__init__(message)
        self.over_limit = over_limit


class WorkerProcess:
    """A running worker and the socket to it."""

    def __init__(
        self, process: subprocess.Popen[bytes], stream: anyio.abc.ByteStream, log: IO[bytes]
    ) -> None:
        self._process = process
        self._stream = stream
        self._log = log  # the worker's standard error, for the message when it dies

    @classmethod
    async def start(cls) -> Self:
        """Start a worker; it is ready for its first request at once."""
        ours, theirs = socket.socketpair()
        log = tempfile.TemporaryFile()  # noqa: SIM115 (closed in kill)
        process: subprocess.Popen[bytes] | None = None
        try:
            with theirs:
                process = await anyio.to_thread.run_sync(_spawn, theirs.fileno(), log)
            stream = await anyio.abc.UNIXSocketStream.from_socket(ours)
        except BaseException:
            ours.close()
            log.close()
            if process is not None:
                _end(process)
            raise
        return cls(process, stream, log)

    def is_alive(self) -> bool:
        """Tell whether the process is still there."""
        return self._process.poll() is None

    async def ask(self, request: bytes, limits: Limits | None) -> bytes:
        """Send a request and return the answer. Raises WorkerDied."""
        seconds = limits.wall_seconds if limits else None
        try:
            with anyio.fail_after(seconds):
                await self._stream.send(frame(request))
                return await self._receive()
        except TimeoutError:
            raise WorkerDied(f"a worker took more than {seconds} seconds", over_limit=True) from None
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            raise await self._death() from None

    async def _receive(self) -> bytes:
        received = bytearray()
        wanted = HEADER.size
        length: int | None = None
        while len(received) < wanted:
            received += await self._stream.receive(_CHUNK)
            if length is None and len(received) >= HEADER.size:
                (length,) = HEADER.unpack_from(received)
                if length > LARGEST_ANSWER:
                    raise WorkerDied(f"a worker announced an answer of {length} bytes", over_limit=True)
                wanted += length
        return bytes(received[HEADER.size :])

    async def _death(self) -> WorkerDied:
        with anyio.CancelScope(shield=True):
            status = await anyio.to_thread.run_sync(_end, self._process)
        over_limit = status == -getattr(signal, "SIGXCPU", 0)
        self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - _LAST_WORDS))
        words = self._log.read().decode("utf-8", "replace").strip()
        return WorkerDied(f"a worker ended with status {status}. {words}".strip(), over_limit=over_limit)

    async def kill(self) -> None:
        """End the process, whatever it does, and release what belongs to it."""
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_end, self._process)
            await anyio.aclose_forcefully(self._stream)
            self._log.close()


def _spawn(descriptor: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    if not sys.executable:
        raise RuntimeError("worker processes need sys.executable, which this interpreter does not know")
    return subprocess.Popen(
        [sys.executable, "-m", "quotecheck._worker", str(descriptor)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        pass_fds=[descriptor],
        env=_environment(),
    )


def _environment() -> dict[str, str]:
    """Return the environment of a worker: it finds modules where its parent does, and uses one thread.

    `-m` would put the current folder first on the path, where anybody may have left a `json.py`.
    """
    package_root = str(Path(__file__).resolve().parents[2])
    path = [entry for entry in sys.path if entry]
    if package_root not in path:
        path.insert(0, package_root)
    return {
        **os.environ,
        **dict.fromkeys(_THREADS, "1"),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONSAFEPATH": "1",
    }


def _end(process: subprocess.Popen[bytes]) -> int:
    """Kill a process that is still running, and return its exit status."""
    if process.poll() is None:
        process.kill()
    return process.wait()
