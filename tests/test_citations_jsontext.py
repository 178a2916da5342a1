"""JSON out of strangers' files: whole values, values one after another, cut files, deep nesting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.jsontext import (
    NotJson,
    TooDeep,
    as_text,
    line_and_column,
    parse_json,
    parse_json_at,
    read_objects,
)


@pytest.mark.parametrize("text", ["", " ", "{", "[1,", "nul", "{'a': 1}", '{"a": 1} x', "1" * 5000])
def test_parse_json_of_no_value(text: str) -> None:
    """What is no JSON value is one kind of error, also a number of too many digits."""
    with pytest.raises(NotJson):
        parse_json(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[" * 5_000 + "]" * 5_000])
def test_parse_json_of_deep_nesting(text: str) -> None:
    """Nesting beyond what can be followed is an error of its own."""
    with pytest.raises(TooDeep):
        parse_json(text)


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_limited_alike_by_every_python(opening: str, closing: str) -> None:
    """Five hundred brackets in one another are read, and no more."""
    assert parse_json(opening * 500 + "1" + closing * 500)
    with pytest.raises(TooDeep):
        parse_json(opening * 501 + "1" + closing * 501)


def test_many_brackets_are_no_depth() -> None:
    """However many stand side by side."""
    assert parse_json("[" + "[[]]," * 2_000 + "1]")


def test_parse_json_tells_where_it_stopped() -> None:
    """The error carries the offset at which reading stopped."""
    with pytest.raises(NotJson) as caught:
        parse_json('{"a": 1, "b" 2}')
    assert caught.value.position == 13


def test_parse_json_lenient_takes_raw_line_breaks() -> None:
    """Line breaks within strings are an error, unless asked otherwise."""
    assert parse_json('"a\nb"', lenient=True) == "a\nb"
    with pytest.raises(NotJson):
        parse_json('"a\nb"')


def test_parse_json_at_an_offset() -> None:
    """A value is read from an offset, white space before it skipped."""
    assert parse_json_at("x  [1] y", 1) == ([1], 6)


@pytest.mark.parametrize(
    ("text", "objects", "broken"),
    [
        ('{"a": 1}{"b": 2}', ({"a": 1}, {"b": 2}), False),
        ('{"a": 1}\n\n {"b":\n 2}\n', ({"a": 1}, {"b": 2}), False),
        ('{"a": 1}\n{"b": ', ({"a": 1},), True),
        ('{"a": 1\n{"b": 2}\n', ({"b": 2},), True),
        ('noise\n{"b": 2}', ({"b": 2},), True),
        ('{"a": 1}\n[2]\n3', ({"a": 1},), True),
    ],
)
def test_read_objects(text: str, objects: tuple[object, ...], broken: bool) -> None:
    """Objects are read one after another; what is none, or broken, is told and stepped over."""
    values = read_objects(text)
    assert (values.objects, values.broken) == (objects, broken)


def test_read_objects_stops_after_many_broken_lines() -> None:
    """A text full of broken lines is not read to its end, for each costs a pass over the text."""
    assert read_objects('{"a": "x\n' * 1_000 + '{"b": 2}').objects == ()


@given(
    st.lists(
        st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=5), max_size=3), max_size=4
    )
)
def test_read_objects_reads_what_was_written(objects: list[dict[str, object]]) -> None:
    """Objects written one a line come back, whatever is in them."""
    import json

    text = "\n".join(json.dumps(value) for value in objects)
    assert list(read_objects(text).objects) == objects


def test_as_text_of_anything() -> None:
    """Strings stay, null is nothing, other values are their JSON, and deep ones only their kind."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    values = ["a", None, 1.5, {"b": [True]}, deep]
    assert [as_text(value) for value in values] == ["a", "", "1.5", '{"b": [true]}', "(list)"]


def test_line_and_column() -> None:
    """Lines and columns are counted from 1."""
    assert line_and_column("ab\ncd", 4) == "line 2, column 2"
