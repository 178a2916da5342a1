"""A worker process: it reads requests from a socket, does them one at a time, and writes answers.

Started by `quotecheck.workers` as `python -m quotecheck._worker DESCRIPTOR`; not for people. The kernel keeps
its limits: a job that uses up its CPU seconds ends the process, memory beyond the limit is not given out.
When the parent goes, so does the worker, in the middle of a job if need be.
"""

from __future__ import annotations

import math
import os
import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Final

from quotecheck.errors import SourceUnavailable
from quotecheck.workers.jobs import Limits, load_function
from quotecheck.workers.wire import FAILURE, HEADER, RESULT, REUSABLE, SPENT, UNAVAILABLE, dump, frame

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_SPENT_BYTES: Final = 300 << 20  # a worker that has grown so far is not used again


def main(descriptor: int) -> None:
    """Serve requests until the parent closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent decides
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with socket.socket(fileno=descriptor) as connection:
        threading.Thread(target=_exit_with_parent, args=(descriptor,), daemon=True).start()
        while (request := _read_frame(connection)) is not None:
            connection.sendall(frame(_answer(request)))


def _exit_with_parent(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLHUP)
    poll.poll()
    os._exit(0)


def _read_frame(connection: socket.socket) -> bytes | None:
    header = _read(connection, HEADER.size)
    return None if header is None else _read(connection, HEADER.unpack(header)[0])


def _read(connection: socket.socket, size: int) -> bytes | None:
    received = bytearray()
    while len(received) < size:
        part = connection.recv(min(size - len(received), 1 << 20))
        if not part:
            return None
        received += part
    return bytes(received)


def _answer(request: bytes) -> bytes:
    """Do what a request asks for, and return the answer: result, refusal, or the traceback of a bug."""
    limits = None
    try:
        job, payload = pickle.loads(request)
        function = load_function(job)
        limits = job.limits
        _limit(limits)
        verdict, content = RESULT, dump(function(payload))
    except SourceUnavailable as error:
        verdict, content = UNAVAILABLE, dump([error.reason_code, error.reason, error.final_url])
    except Exception:
        verdict, content = FAILURE, dump(traceback.format_exc())
    _limit(None)
    spent = limits is not None and _peak_bytes() > _SPENT_BYTES
    return verdict + (SPENT if spent else REUSABLE) + content


def _limit(limits: Limits | None) -> None:
    """Allow the process so much more than it has used by now; None takes the limits off."""
    if resource is None:
        return
    _set_soft(resource.RLIMIT_CPU, math.ceil(_cpu_seconds() + limits.cpu_seconds) if limits else None)
    mapped = _mapped_bytes()
    if mapped is not None:
        _set_soft(resource.RLIMIT_AS, mapped + limits.memory_bytes if limits else None)


def _set_soft(kind: int, value: int | None) -> None:
    _, hard = resource.getrlimit(kind)
    if value is None or (hard != resource.RLIM_INFINITY and value > hard):
        value = hard
    resource.setrlimit(kind, (value, hard))


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _mapped_bytes() -> int | None:
    """Return the size of the address space, which RLIMIT_AS limits; None where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[0]
    except OSError:
        return None
    return int(pages) * resource.getpagesize()


def _peak_bytes() -> int:
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    main(int(sys.argv[1]))
