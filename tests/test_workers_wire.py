"""Frames and answers between parent and worker: values, and nothing that could run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.models import Flag, Region, Source
from quotecheck.workers.wire import HEADER, MalformedAnswer, dump, frame, load


@dataclass(frozen=True, slots=True)
class _Answer:
    path: Path
    counts: dict[str, int]
    when: datetime | None
    share: float
    names: list[str]


def test_load_returns_what_was_dumped() -> None:
    """A source with all its parts survives the way back."""
    source = Source(
        "a\ud800漢",
        regions=(Region("hidden", 1, 2),),
        ignorable=((0, 1), (1, 2)),
        flags=(Flag.NEEDS_JAVASCRIPT,),
        fetched_at=datetime(2026, 5, 4, tzinfo=UTC),
    )
    assert load(dump(source), Source) == source


def test_load_rebuilds_types() -> None:
    """Paths, times, floats and collections come back as the types of the fields."""
    answer = _Answer(Path("/a/b"), {"EXACT": 3}, None, 2.0, ["x"])
    assert load(dump(answer), _Answer) == answer


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (b"", int),
        (b"{", dict[str, int]),
        (b'"text"', int),
        (b"true", int),
        (b"1", str),
        (b'{"text": "a"}', Source),
        (b'{"text": 1, "extra": 2}', Source),
        (b"[1, 2, 3]", tuple[int, int]),
        (b'"no_such_flag"', Flag),
        (b"[" * 100_000, object),
        (b"\xff\xff", str),
        (b"cposix\nsystem\n(S'true'\ntR.", object),
    ],
)
def test_load_refuses_other_shapes(content: bytes, hint: object) -> None:
    """An answer of another shape, a pickle among them, is malformed."""
    with pytest.raises(MalformedAnswer):
        load(content, hint)


def test_dump_refuses_unknown_types() -> None:
    """A worker cannot answer with a value that has no plain form."""
    with pytest.raises(TypeError, match="cannot answer with a set"):
        dump({1, 2})


def test_frame_begins_with_the_length() -> None:
    """A frame is its length in eight bytes, then its content."""
    assert frame(b"abc") == HEADER.pack(3) + b"abc"


@settings(deadline=None)
@given(st.text(st.characters(), max_size=50), st.lists(st.tuples(st.integers(), st.integers()), max_size=5))
def test_load_any_text(text: str, spans: list[tuple[int, int]]) -> None:
    """Any text, lone surrogates among it, and any spans survive."""
    source = Source(text, ignorable=tuple(spans))
    assert load(dump(source), Source) == source
