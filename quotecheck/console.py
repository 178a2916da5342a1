"""Standard streams of the commands: UTF-8 whatever the locale, one JSON object, quiet on a closed pipe."""

from __future__ import annotations

import json
import os
import sys
from enum import IntEnum

from quotecheck.errors import InvalidInput


class ExitCode(IntEnum):
    """What the exit code of every command means."""

    OK = 0
    FAILED = 1  # finished, and a gate did not hold
    USAGE = 2  # wrong arguments, or an input or output that cannot be read or written
    UNFINISHED = 3  # stopped early; the last line says how to go on
    INTERRUPTED = 130  # Ctrl-C


def write_json(value: object) -> None:
    """Write one JSON object to stdout, indented, in UTF-8; lone surrogates are written as JSON escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    write_bytes(text.encode("utf-8", "backslashreplace"))


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are.

    A reader that has gone away is no error. Raises InvalidInput where stdout is closed or cannot be written.
    """
    if sys.stdout is None:
        raise InvalidInput("standard output is closed: the result has nowhere to go")
    sys.stdout.flush()
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Python flushes stdout once more at exit; give it somewhere to write.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise InvalidInput(f"standard output cannot be written: {error.strerror or error}") from error


def read_stdin() -> bytes:
    """Return all of stdin. Raises InvalidInput where it is closed or cannot be read."""
    if sys.stdin is None:
        raise InvalidInput("standard input is closed: there is nothing to read for '-'")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise InvalidInput(f"standard input cannot be read: {error.strerror or error}") from error


def read_stdin_text() -> str:
    """Return stdin as text: UTF-8 (a BOM is dropped), without its final line end."""
    data = read_stdin()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput("standard input is UTF-16: convert it to UTF-8, for example with iconv -t utf-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is 0x{data[error.start]:02x}"
        raise InvalidInput(f"standard input is not UTF-8 ({place}): convert it first") from error
    return text.removesuffix("\n").removesuffix("\r")


def decode_arguments(arguments: list[str]) -> list[str]:
    """Return command-line arguments read as UTF-8, also where the locale made Python read them otherwise."""
    return [_as_utf8(argument) for argument in arguments]


def _as_utf8(argument: str) -> str:
    if not any("\udc80" <= character <= "\udcff" for character in argument):
        return argument
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument


def say(message: str) -> None:
    """Write a line for people to stderr; without a stderr it is dropped."""
    if sys.stderr is not None:
        print(message, file=sys.stderr, flush=True)
