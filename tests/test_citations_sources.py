"""Numbered sources out of lists, objects, JSON, JSONL and plain text."""

from __future__ import annotations

from typing import Any

import pytest

from quotecheck.citations.sources import read_sources
from quotecheck.errors import InvalidInput


def texts(sources: Any) -> list[str]:
    """Return the texts of the sources in order."""
    return [source.text for source in read_sources(sources)]


def test_numbers_begin_at_the_first_number() -> None:
    """Positions are counted from `first_number`, empty items included."""
    sources = read_sources(["a", None, "c"], first_number=0)
    assert [(source.number, source.text) for source in sources] == [(0, "a"), (1, ""), (2, "c")]


def test_names_come_from_object_and_metadata() -> None:
    """Id, title and URL are taken from the object, else from its metadata or the object within."""
    item = {"page_content": "Alpha.", "metadata": {"doc_id": 7, "title": " A ", "source": "a.txt"}}
    source = read_sources([item])[0]
    assert (source.id, source.title, source.url) == ("7", "A", "a.txt")


def test_own_name_wins_over_metadata() -> None:
    """A name of the object itself goes before one in its metadata."""
    assert read_sources([{"id": "x", "text": "a", "metadata": {"id": "y"}}])[0].id == "x"


def test_search_results_are_told_apart() -> None:
    """Anthropic search results are marked, for their indices count apart."""
    sources = read_sources(
        [{"type": "search_result", "source": "u", "content": [{"text": "a"}]}, {"text": "b"}]
    )
    assert [(source.is_search_result, source.url) for source in sources] == [(True, "u"), (False, None)]


def test_generators_and_tuples_are_lists() -> None:
    """Anything that yields items is a list of sources."""
    assert texts(part for part in ("a", "b")) == texts(("a", "b")) == ["a", "b"]


@pytest.mark.parametrize("sources", [b"a", 5, None])
def test_other_types_are_refused(sources: Any) -> None:
    """Bytes, numbers and nothing are no sources."""
    with pytest.raises(InvalidInput, match="sources are a list, an object or text"):
        read_sources(sources)


@pytest.mark.parametrize(
    "text", ['[{"text": "a"', '["a", ', '{"docs": ["a"}', '{"text": "a"}\n{"text"', '[["a"]']
)
def test_broken_json_is_refused(text: str) -> None:
    """What begins like JSON and is broken is an error, not one long source."""
    with pytest.raises(InvalidInput, match="begin like JSON"):
        read_sources(text)


@pytest.mark.parametrize(
    "text", ["[1] Alpha.", "[note] Alpha.", "{a} Alpha.", "{} and {} are braces.", "[[1]] Alpha."]
)
def test_text_with_brackets_is_text(text: str) -> None:
    """A bracket at the beginning does not make a text JSON."""
    assert texts(text) == [text]


def test_items_of_other_types_are_refused() -> None:
    """An object of a program's own class is an error that names its place, not an empty source."""
    with pytest.raises(InvalidInput, match="source 2 is of type object"):
        read_sources(["a", object()])


def test_content_blocks_are_kept() -> None:
    """A source in content blocks knows the text of each."""
    item = {
        "source": {
            "type": "content",
            "content": [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}],
        }
    }
    source = read_sources([item])[0]
    assert (source.text, source.blocks) == ("a b", ("a ", "b"))


def test_items_that_are_no_text_are_empty() -> None:
    """Objects and lists without text, true and false keep their number and hold nothing."""
    assert texts([{"a": 1}, [], True, {"text": {"x": 1}}, 42]) == ["", "", "", "", "42"]
