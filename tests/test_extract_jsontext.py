"""JSON documents: string values in order."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.jsontext import extract_json
from quotecheck.models import ReasonCode


@pytest.mark.parametrize(
    ("document", "text"),
    [
        ('{"b": "One.", "a": {"c": ["Two.", 3, null, true]}}', "One.\nTwo."),
        ('"alone"', "alone"),
        ('{"html": "<p>It <b>burned</b>.</p><script>no</script>"}', "It burned."),
        ('["a < b", "c > d"]', "a < b\nc > d"),
        ('["It&#8217;s R&amp;D\\n a&b; c&lt d&copy=e"]', "It’s R&D\n a&b; c&lt d&copy=e"),
        ('["\\ud800x", ""]', "\ufffdx"),
        ('{"a": "One."}\n{"a": "Two."}\n', "One.\nTwo."),
        ("[1, 2]", ""),
        ('{"a": "One.", "a": "Two.", "a": {"a": "Three.", "a": ["Four."]}}', "One.\nTwo.\nThree.\nFour."),
        ('{"a": "One.", "a": "One."}\n{"b": {}}', "One.\nOne."),
    ],
)
def test_extract_json(document: str, text: str) -> None:
    """Strings come in document order, one to a line; markup in them is read as a page."""
    source = extract_json(document)
    assert source is not None
    assert source.text == text


@pytest.mark.parametrize("document", ["{broken", "", "words", '{"a": 1}\nwords'])
def test_extract_json_of_something_else(document: str) -> None:
    """What is no JSON is left to others."""
    assert extract_json(document) is None


def test_extract_json_spans_are_moved() -> None:
    """Spans of markup inside a string are offsets into the whole text."""
    source = extract_json('["x", "So<sup><a href=\'#n\'>4</a></sup>."]')
    assert source is not None
    assert [source.text[start:end] for start, end in source.ignorable] == ["4"]
    assert [source.text[start:end] for start, end in source.raised] == ["4"]


def test_extract_json_hidden_parts_are_regions() -> None:
    """What markup inside a string hides stands behind all strings."""
    source = extract_json('["<p>One.</p><p style=\'display:none\'>No.</p>", "Two."]')
    assert source is not None
    assert source.text == "One.\nTwo.\n\nNo."
    assert [(part.name, source.text[part.start : part.end]) for part in source.regions] == [("hidden", "No.")]


def test_extract_json_too_deep() -> None:
    """Nesting beyond the parser's depth is a limit, not a crash."""
    with pytest.raises(SourceUnavailable) as refusal:
        extract_json("[" * 200_000)
    assert refusal.value.reason_code is ReasonCode.EXTRACTION_LIMIT


@settings(deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="<\x00\n"), min_size=1)))
def test_extract_json_keeps_strings(values: list[str]) -> None:
    """Strings without markup come out as they are."""
    source = extract_json(json.dumps(values))
    assert source is not None
    assert source.text == "\n".join(values)
