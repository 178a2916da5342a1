"""Saved responses as records: server-sent events, NDJSON, arrays, and texts that are none of these."""

from __future__ import annotations

import pytest

from quotecheck.citations.wire import Records, read_records
from quotecheck.errors import InvalidInput


@pytest.mark.parametrize(
    "text",
    [
        'data: {"a": 1}\n\ndata: {"b": 2}\n\ndata: [DONE]\n\n',
        'data: {"a": 1}\ndata: {"b": 2}\ndata: [DONE]',
        'data:{"a": 1}\r\n\r\ndata:{"b": 2}\r\n\r\ndata:[DONE]\r\n\r\n',
        ': hello\n\nevent: x\nid: 1\nretry: 5\ndata: {"a": 1}\n\ndata: {"b":\ndata: 2}\n\ndata: [DONE]\n',
        'data: {"a": 1}\r\rdata: {"b": 2}\r\rdata: [DONE]\r\r',
        'data: {"a": 1}\n\ndata: {"b": 2}\n\ndata: [DONE]\n\ndata: {"late": 3}\n\n',
    ],
)
def test_events(text: str) -> None:
    """Events are read in every layout that servers and captures give them, up to `[DONE]`."""
    assert read_records(text) == Records(({"a": 1}, {"b": 2}), is_stream=True, closed=True)


def test_events_cut() -> None:
    """A cut last event is told."""
    records = read_records('data: {"a": 1}\n\ndata: {"b')
    assert records == Records(({"a": 1},), is_stream=True, broken=True)


@pytest.mark.parametrize(
    "text", ["data: hello", "data points are [1]", "Data: {1}", "event: x\nnothing", ":)"]
)
def test_prose_that_looks_like_events(text: str) -> None:
    """A colon does not make a text a stream of events."""
    assert read_records(text).objects == ()


def test_comment_lines_alone_end() -> None:
    """Many comment lines with CRLF and no event behind them are seen through at once."""
    assert read_records(": ping\r\n\r\n" * 5_000 + "no data").objects == ()


def test_one_object_is_no_stream() -> None:
    """One whole object is a response."""
    assert read_records('{"a": 1}') == Records(({"a": 1},))


def test_lines_are_a_stream() -> None:
    """Objects on lines are a stream, and a cut last line is told."""
    assert read_records('{"a": 1}\n{"b": 2') == Records(({"a": 1},), broken=True)
    assert read_records('{"a": 1}\n{"b": 2}') == Records(({"a": 1}, {"b": 2}), is_stream=True)


@pytest.mark.parametrize(
    "text", ["[1]", "[1, 3] say so", "[]", '["a"]', '[{"a": 1}, 2]', "[" * 5_000, "plain"]
)
def test_other_text_has_no_records(text: str) -> None:
    """Lists of anything but objects, and text, are the answer itself."""
    assert read_records(text).objects == ()


def test_deep_json_is_refused() -> None:
    """Whole JSON that cannot be followed is an error."""
    with pytest.raises(InvalidInput, match="nest too deeply"):
        read_records('{"a":' * 100_000 + "1" + "}" * 100_000)
