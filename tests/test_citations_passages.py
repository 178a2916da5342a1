"""Lines that may hold sentences, without bullets and quote marks, and their paragraphs."""

from __future__ import annotations

import pytest

from quotecheck.citations.markup import read_markup
from quotecheck.citations.passages import read_passages


def passages(text: str) -> list[str]:
    """Return the text of each passage."""
    return [text[passage.start : passage.end] for passage in read_passages(text, read_markup(text))]


def paragraphs(text: str) -> list[int]:
    """Return which paragraph each passage belongs to, counted among those that have passages."""
    found = [passage.paragraph for passage in read_passages(text, read_markup(text))]
    return [sorted(set(found)).index(paragraph) for paragraph in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\nb", ["a", "b"]),
        ("  a  \r\n b\t", ["a", "b"]),
        ("- a\n* b\n+ c\n• d\n◦ e", ["a", "b", "c", "d", "e"]),
        ("1. a\n12) b\n３、c", ["a", "b", "c"]),
        ("1881. a\n1.5 b\n-5 c", ["1881. a", "1.5 b", "-5 c"]),
        ("> a\n>> b\n> - c", ["a", "b", "c"]),
        ("- [ ] a\n- [x] b\n[x] c", ["a", "b", "[x] c"]),
        ("# a\n#b\n####### c", ["#b", "####### c"]),
        ("a\n===\nb\n---\nc.\n---\nd", ["===", "---", "c.", "---", "d"]),
        ("**a**\n**a.**\n**a** b\n__c__:", ["**a.**", "**a** b"]),
        ("- **a**\n- **a**: b", ["**a**: b"]),
        ("|a|b|\n|:-|-:|\n|c|d|\n\nx | y", ["|c|d|", "x | y"]),
        ("a | b\n- | -\nc | d\ne", ["c | d", "e"]),
        ("a\n```\nb\n```\nc", ["a", "c"]),
        ("a ```js\nb\n``` c", ["a", "c"]),
        ("a\n[1]: b\nc", ["a", "c"]),
        ("a\n\nSources:\n- b", ["a"]),
        ("\n \n", []),
    ],
)
def test_passages(text: str, found: list[str]) -> None:
    """Lines of prose, list items and table rows are passages; headings, heads and code are none."""
    assert passages(text) == found


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a\nb", [0, 0]), ("a\n\nb", [0, 1]), ("- a\n  b\n- c", [0, 0, 1]), ("a\n# b\nc", [0, 1]),
        ("|a|\n|-|\n|b|\n|c|", [0, 1]), ("a\n```\nb\n```\nc", [0, 1]),
    ],
)  # fmt: skip
def test_paragraphs(text: str, numbers: list[int]) -> None:
    """Blank lines, list items, headings, rows and code begin a new paragraph."""
    assert paragraphs(text) == numbers
