"""Standard streams: UTF-8 whatever the locale, and errors that say what to do."""

from __future__ import annotations

import io
import sys

import pytest

from quotecheck import console
from quotecheck.errors import InvalidInput


class _Stream:
    """A stand-in for stdin or stdout over bytes."""

    def __init__(self, data: bytes = b"") -> None:
        self.buffer = io.BytesIO(data)

    def flush(self) -> None:
        """Do nothing: the bytes are in memory."""


def test_write_json_keeps_unicode_and_escapes_surrogates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters are written as they are; a lone surrogate becomes a JSON escape."""
    stream = _Stream()
    monkeypatch.setattr(sys, "stdout", stream)
    console.write_json({"snippet": "茶 \ud800"})
    assert stream.buffer.getvalue() == '{\n  "snippet": "茶 \\ud800"\n}\n'.encode()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"two words\n", "two words"),
        (b"two words\r\n", "two words"),
        (b"two words\n\n", "two words\n"),
        (b"\xef\xbb\xbftwo words", "two words"),
        ("茶园".encode(), "茶园"),
    ],
)
def test_stdin_text_drops_only_the_last_line_end(
    monkeypatch: pytest.MonkeyPatch, data: bytes, text: str
) -> None:
    """The quotation is all of stdin, but for a BOM and one final line end."""
    monkeypatch.setattr(sys, "stdin", _Stream(data))
    assert console.read_stdin_text() == text


@pytest.mark.parametrize(("data", "remedy"), [(b"\xff\xfea\x00", "UTF-16"), (b"caf\xe9", "byte 3 is 0xe9")])
def test_stdin_text_refuses_other_encodings(
    monkeypatch: pytest.MonkeyPatch, data: bytes, remedy: str
) -> None:
    """Bytes that are not UTF-8 are refused with the place and the remedy."""
    monkeypatch.setattr(sys, "stdin", _Stream(data))
    with pytest.raises(InvalidInput, match=remedy):
        console.read_stdin_text()


def test_closed_streams_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed stdin or stdout is an error that names it."""
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InvalidInput, match="input is closed"):
        console.read_stdin()
    with pytest.raises(InvalidInput, match="output is closed"):
        console.write_json({})


def test_summary_ends_with_the_lines_for_people(capfd: pytest.CaptureFixture[str]) -> None:
    """The result goes to stdout, the lines go to stderr."""
    console.write_summary({"read": 1}, ["rows read: 1"])
    assert capfd.readouterr() == ('{\n  "read": 1\n}\n', "rows read: 1\n")


def test_summary_lines_need_no_stdout(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What people are told does not depend on where the result goes."""
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(InvalidInput, match="output is closed"):
        console.write_summary({}, ["rows read: 1"])
    assert capsys.readouterr().err == "rows read: 1\n"


def test_message_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Controls and marks of direction come out as escapes; words of any script stay."""
    console.say("a\x1b[31m b\r c\u202e d\udcff e\nüber 中文 mî\u200cx\u00a0!")
    assert capsys.readouterr().err == ("a\\x1b[31m b\\r c\\u202e d\\udcff e\nüber 中文 mî\u200cx\u00a0!\n")


def test_line_for_people_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A cell with line ends begins no line of its own, which a CI system might take for a command."""
    console.say_lines(["NOT_FOUND in x\n::error::y\u2028z", "wrote t"])
    assert capsys.readouterr().err == "NOT_FOUND in x\\n::error::y\\u2028z\nwrote t\n"
