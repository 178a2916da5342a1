"""Jobs for tests of the worker pool; workers find this module on the path of their parent."""

from __future__ import annotations

import os
import signal
import sys
import time

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode


def echo(payload: list[int]) -> list[int]:
    """Return the payload."""
    return payload


def pid(payload: None) -> int:
    """Return the process id of the worker."""
    return os.getpid()


def refuse(payload: str) -> None:
    """Raise SourceUnavailable."""
    raise SourceUnavailable(ReasonCode.NO_TEXT, payload, final_url="https://example.org/")


def fail(payload: str) -> None:
    """Raise an exception that is a bug."""
    raise ZeroDivisionError(payload)


def sleep(seconds: float) -> None:
    """Sleep."""
    time.sleep(seconds)


def spin(payload: None) -> None:
    """Use the processor without end."""
    while True:
        pass


def grow(payload: None) -> int:
    """Ask for more memory than any worker may have."""
    return len(bytearray(1 << 30))


def die_once(marker: str) -> int:
    """Die of a signal unless a file is there already; leave it behind."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return os.getpid()
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def die(payload: None) -> None:
    """Die of a crash, with last words."""
    sys.stderr.write("last words")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)


def standard_streams(payload: None) -> list[int]:
    """Write to standard output, read standard input, and return what came of it."""
    return [os.write(1, b"noise"), len(os.read(0, 10))]
