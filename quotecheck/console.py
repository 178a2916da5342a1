"""Standard streams of the commands: UTF-8 whatever the locale, one JSON object, quiet on a closed pipe."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from collections.abc import Iterable
from enum import IntEnum
from typing import TextIO

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


def write_summary(value: object, lines: Iterable[str]) -> None:
    """Write a result as JSON to stdout, and then, to stay in sight on a terminal, its lines for people."""
    try:
        write_json(value)
    finally:
        say_lines(lines)


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout as they are.

    A reader that has gone away is no error. Raises InvalidInput where stdout is closed or cannot be written.
    """
    if sys.stdout is None:
        raise InvalidInput("standard output is closed: the result has nowhere to go")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _abandon(sys.stdout)
    except OSError as error:
        _abandon(sys.stdout)
        raise InvalidInput(f"standard output cannot be written: {error.strerror or error}") from error


def _abandon(stream: TextIO) -> None:
    """Send what is left in a stream nowhere: Python flushes it once more at exit, and would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


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


def require_utf8() -> None:
    """Start this process again in Python's UTF-8 mode where the locale has left it with ASCII.

    Under `LC_ALL=C PYTHONUTF8=0` Python can neither read a quotation nor name a file that is not ASCII.
    """
    if sys.getfilesystemencoding() == "ascii" and os.environ.get("PYTHONUTF8") != "1":
        os.environ["PYTHONUTF8"] = "1"
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def say(message: str) -> None:
    """Write a message for people to stderr; where that is closed or cannot be written, it is dropped.

    What is not printable is escaped: a table's cells must not steer a terminal or turn the direction of text.
    """
    if sys.stderr is None:
        return
    try:
        print(_printable(message), file=sys.stderr, flush=True)
    except OSError:  # what nobody can read must not stop the work
        _abandon(sys.stderr)


def say_lines(lines: Iterable[str]) -> None:
    """Write each line for people on one line: none that a cell holds begins one of its own."""
    for line in lines:
        say(line.replace("\n", r"\n"))


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character.isprintable() or character in "\n\t\u200c\u200d" or unicodedata.category(character) == "Zs":
        return character
    return character.encode("unicode_escape").decode()
