"""Lines of JSON with halves of characters in them."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.mcp_server.incoming import WholeCharacters, with_whole_characters


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        (r'"\ud83d"', "\ufffd"),
        (r'"\uDE00 a"', "\ufffd a"),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"\ude00\ud83d"', "\ufffd\ufffd"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\\ufffd"),
        (r'"\\\\ud83d\""', r'\\ud83d"'),
        (r'"\ud83d\n\u00e9"', "\ufffd\n\u00e9"),
        (r'"\ud7ff\ue000"', "\ud7ff\ue000"),
    ],
)
def test_half_a_character_is_replaced(line: str, whole: str) -> None:
    """Only escapes that are half of a pair change; escaped backslashes and whole pairs stay."""
    assert json.loads(with_whole_characters(line.encode())) == whole


@pytest.mark.parametrize("line", [rb'"\ud8', rb'"\\', rb'"\u', b"\xff\xed\xa0\xbd", b"", b"not json"])
def test_line_that_is_no_json_stays(line: bytes) -> None:
    """What no client should send is left to the SDK."""
    assert with_whole_characters(line) == line


@given(st.text(st.sampled_from('a\\"\n\ud83d\ude00\U0001f600u d83'), max_size=30))
def test_any_string_that_javascript_writes_is_made_whole(text: str) -> None:
    """Every JSON string decodes to the same text with U+FFFD for what no encoding holds."""
    found = json.loads(with_whole_characters(json.dumps(text).encode()))
    assert found == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\\", b"")), max_size=5))
def test_lines_pass_through_a_small_buffer(lines: list[bytes]) -> None:
    """What is read piece by piece is what was sent."""
    sent = b"\n".join(lines)
    stream = io.BufferedReader(WholeCharacters(io.BytesIO(sent)), buffer_size=3)
    assert b"".join(iter(lambda: stream.read1(2), b"")) == sent
