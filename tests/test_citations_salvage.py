"""What is left of broken JSON answers: cut anywhere, every complete citation is kept and none invented."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.salvage import salvage

WHOLE = json.dumps(
    {
        "answer": 'The "hard" winter\nended {early}.',
        "citations": [
            {"source": 1, "quote": "it froze [hard], said {he}"},
            {"source": {"id": 2}, "quote": 'so "they" say \\'},
            {"source": 3, "quote": "end"},
        ],
    }
)
ENDS = [index + 1 for index, character in enumerate(WHOLE) if WHOLE[: index + 1].endswith('"}')]


def quotes(text: str) -> list[str | None]:
    """Return the quotes of what was salvaged."""
    answer = salvage(text)
    return [] if answer is None else [row.quote for row in answer.citations]


@given(st.integers(2, len(WHOLE) - 2))
def test_cut_anywhere_keeps_what_is_complete(length: int) -> None:
    """Cut at any character, the citations whose objects have ended are there, and only they."""
    expected = ["it froze [hard], said {he}", 'so "they" say \\', "end"]
    assert quotes(WHOLE[:length]) == expected[: sum(end <= length for end in ENDS)]


@given(st.integers(12, WHOLE.index('", "citations"')))
def test_cut_in_the_answer_keeps_its_beginning(length: int) -> None:
    """Cut within the answer, its text so far is there, broken escapes left out."""
    answer = salvage(WHOLE[:length])
    assert answer is not None
    assert 'The "hard" winter\nended {early}.'.startswith(answer.text)
    assert len(answer.text) >= length - 12 - 4


@pytest.mark.parametrize(
    "text", ["It froze [1].", "{", '{"a": 1', "[1, 2", '{"name": "answer"', 'The key "citations" is']
)
def test_other_text_is_left_alone(text: str) -> None:
    """What does not look like a JSON answer is not read as one."""
    assert salvage(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"answer": "x", "citations": [{"quote": "a"}, {"quote": "b" "c"}, {"quote": "d"}]}', ["a", "d"]),
        ('{"answer": "x", "citations": [{"quote": "a}, {"quote": "b"}]}', ["b"]),
        ('{"answer": "x", "citations": [{"quote": "a"}], "note": "b}', ["a"]),
        ('{"answer": "x", "citations": [{quote: "a"}, {"quote": "b"}]}', ["b"]),
        ('{"answer": "x", "citations": {"1": "a", "2": "b"', ["a", "b"]),
        ('{"answer": "x", "citations": {"source": 1, "quote": "a"', []),
        ('{"answer": "x" "citations": 3}', [None]),
        ('{"answer": "x", "citations": ["Source 1", "Sour', [None]),
        ('Here: {"citations": [{"source": 1, "quote": "a"}', ["a"]),
    ],
)
def test_broken_in_other_ways(text: str, found: list[str | None]) -> None:
    """Missing marks, names without quotation marks, maps and prose around: what is complete is kept."""
    assert quotes(text) == found


def test_many_broken_items_end() -> None:
    """Reading ends after a hundred broken items."""
    assert quotes('{"answer": "x", "citations": [' + '{"quote": "a" "b"}, ' * 50_000) == []
