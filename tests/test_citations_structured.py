"""JSON answers: where they stand in a text, and the forms of their fields."""

from __future__ import annotations

import pytest

from quotecheck.citations.structured import StructuredCitation, citations_of, read_structured


@pytest.mark.parametrize(
    "text",
    [
        "It froze [1].",
        '{"a": 1}',
        "[1]",
        '["a"]',
        '[{"a": 1}]',
        'He said {"answer": 1} once.',
        '{"answer": "x',
        "```\n{\n```",
    ],
)
def test_no_json_answer(text: str) -> None:
    """Other text, other JSON, an object in prose without citations, and broken JSON are none."""
    assert read_structured(text) is None


def test_answer_alone_counts_as_the_whole() -> None:
    """An object with `answer` alone counts where the text or its fence begins with it."""
    found = [read_structured(text) for text in ('{"answer": "x"} done', '```json\n{"answer": "x"}\n```')]
    assert [answer.text for answer in found if answer] == ["x", "x"]


def test_answer_that_is_no_string() -> None:
    """A number, a list or an object as the answer is read as its words or its JSON."""
    values = {"4": "4", '["a", "b"]': "a\nb", '{"x": 1}': '{"x": 1}', "null": "", "true": "true"}
    found = {raw: read_structured(f'{{"answer": {raw}, "citations": []}}') for raw in values}
    assert {raw: answer.text for raw, answer in found.items() if answer} == values


def test_other_fields_hold_the_answer() -> None:
    """Where there is no `answer`, a field of a usual name is it."""
    answer = read_structured('{"response": "x", "citations": [1]}')
    assert answer is not None
    assert (answer.text, answer.has_text_field) == ("x", True)


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        ([{"source": 1, "quote": "a"}], [(1, "a")]),
        ([{"source": 1, "quote": ["a", " ", "b"]}], [(1, "a"), (1, "b")]),
        ([{"source": None, "id": 2, "quote": ""}], [(2, None)]),
        ([{"quote": 1842}], [(None, "1842")]),
        ([1, "x", None, [2, 3]], [(1, None), ("x", None), (None, None), ([2, 3], None)]),
        ({"source": 1}, [(1, None)]),
        ({"1": "a", "2": {"quote": "b"}, "3": None}, [("1", "a"), ("2", "b"), ("3", None)]),
        ("x", [("x", None)]),
        (None, []),
        ([], []),
        ([{}], [(None, None)]),
    ],
)
def test_citations_of(value: object, rows: list[tuple[object, str | None]]) -> None:
    """Every form of the field `citations` gives one row for each quoted passage."""
    assert citations_of(value) == [StructuredCitation(source, quote) for source, quote in rows]


def test_prose_full_of_braces_ends() -> None:
    """Among thousands of braces only the first few are tried as the beginning of an answer."""
    assert read_structured('"citations" {"a": ' * 20_000) is None
