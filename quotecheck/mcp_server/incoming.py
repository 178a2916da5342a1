r"""What a client sends, made valid JSON where only half a character is in the way.

JavaScript writes a string that was cut within an emoji as `"\ud83d"`: an escape that is half of a pair. The
SDK refuses such a line and answers nothing, so the agent would wait for its call without end. U+FFFD takes
the place of each such half.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import BinaryIO

# Escapes one after another, so that `\\ud83d`, an escaped backslash before letters, is none.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def with_whole_characters(line: bytes) -> bytes:
    r"""Return a line of JSON with U+FFFD for every escape that is half of a surrogate pair.

    >>> with_whole_characters(rb'["\ud83d\ude00", "\ud83d", "\\ud83d"]')
    b'["\\ud83d\\ude00", "\\ufffd", "\\\\ud83d"]'
    """
    if rb"\ud" not in line and rb"\uD" not in line:
        return line
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["half"] else match[0], line)


class WholeCharacters(io.RawIOBase):
    """A stream of lines of JSON, each as `with_whole_characters` gives it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Tell that the stream can be read, and not written."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with what is there of the next line; 0 is the end."""
        if not self._rest:
            self._rest = memoryview(with_whole_characters(self._stream.readline()))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def take_stdin() -> None:
    """Make stdin a stream of whole characters, which the SDK reads as it stands.

    File descriptor 0 becomes empty, as the SDK would make it: what else reads it must not eat requests.
    """
    stream = os.fdopen(os.dup(sys.stdin.fileno()), "rb", closefd=False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    whole = io.BufferedReader(WholeCharacters(stream))
    sys.stdin = io.TextIOWrapper(whole, encoding="utf-8", errors="replace")
