"""An answer out of whatever it was saved as: the text that offsets refer to, and what its form tells."""

from __future__ import annotations

import pytest

from quotecheck.citations.answer import AnswerKind, read_answer
from quotecheck.errors import InvalidInput


def test_native_spans_follow_the_text() -> None:
    """What is cut off before the answer moves the spans of native citations with it."""
    citation = {"type": "char_location", "cited_text": "q", "document_index": 0}
    blocks = [
        {"type": "text", "text": "<think>x</think>\n "},
        {"type": "text", "text": "It froze. ", "citations": [citation]},
    ]
    answer = read_answer({"type": "message", "content": blocks})
    assert (answer.text, answer.kind) == ("It froze.", AnswerKind.NATIVE)
    assert answer.text[slice(*answer.native[0].span)] == "It froze."


def test_error_beside_a_json_answer_is_no_response_error() -> None:
    """A model's own field `error` does not make its JSON answer a failed response."""
    answer = read_answer({"answer": "x", "citations": [1], "error": "none"})
    assert (answer.kind, answer.warnings) == (AnswerKind.JSON, frozenset())


def test_unknown_object_names_its_first_keys() -> None:
    """The error for JSON of no known shape names up to eight of its keys."""
    with pytest.raises(InvalidInput, match=r"its keys: 'k0', 'k1', .*'k7'\)"):
        read_answer({f"k{number}": number for number in range(20)})


def test_object_behind_which_prose_follows_is_text() -> None:
    """An object of no known shape with prose behind it is the beginning of a text."""
    assert read_answer('{"a": 1} is an object [1].').text == '{"a": 1} is an object [1].'


@pytest.mark.parametrize(
    "text",
    [
        "<think>a</think>It froze.",
        "<THINK>\na\n</THINK >\n\nIt froze. ",
        "<think>a</think><think>b</think> It froze.",
    ],
)
def test_thinking_is_cut_off(text: str) -> None:
    """Leading blocks of thinking are no part of the answer."""
    assert read_answer(text).text == "It froze."


def test_closing_tag_in_a_code_block_stays() -> None:
    """A closing tag that the answer shows in code is part of it."""
    text = "Write:\n```\n</think>\n```\nIt froze."
    assert read_answer(text).text == text


def test_facts_have_spans_in_the_text() -> None:
    """The quotes of a fact belong to the line of that fact."""
    facts = [
        {"fact": " It froze.", "substring_quote": ["a"]},
        {"fact": "It thawed.", "substring_quote": ["b"]},
    ]
    answer = read_answer({"answer": facts})
    spans = [row.span for row in answer.structured]
    assert [answer.text[slice(*span)] for span in spans if span] == ["It froze.", "It thawed."]
