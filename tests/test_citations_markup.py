"""Where an answer is no prose: code, links, URLs, definitions, the source list at its end."""

from __future__ import annotations

import pytest

from quotecheck.citations.markup import destination_end, is_inside, merge, read_markup


def opaque(text: str) -> list[str]:
    """Return the stretches in which no citation stands."""
    return [text[start:end] for start, end in read_markup(text).opaque]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a `b` c", ["`b`"]),
        ("a ``b ` c`` d", ["``b ` c``"]),
        ("a ` b\n\nc ` d", []),
        ("a \\` b ` c", []),
        ("a\n```\nb\n```\nc", ["```\nb\n```"]),
        ("```py title=x\nb", ["```py title=x\nb"]),
        ("~~~\na\n```\nb\n~~~~\nc", ["~~~\na\n```\nb\n~~~~"]),
        ("- ```\n  a\n  ```\nb", ["- ```\n  a\n  ```"]),
        ("x ```js\na\n``` b", ["```js\na\n```"]),
        ("see ![a b](c.png) d", ["![a b](c.png)"]),
        ("see [a](b/c.md \"t\") d", ['(b/c.md "t")']),
        ("see [a](<b c>) d", ["(<b c>)"]),
        ("see [a](b c) d", []),
        ("see <https://a.b/c> d", ["<https://a.b/c>"]),
        ("see https://a.b/(c)?d=[e]. F", ["https://a.b/(c)?d=[e]"]),
        ("見https://a.b/c。下", ["https://a.b/c"]),
        ("[1]: a\nb", ["[1]: a"]),
        ("[^n]: a\n  b\nc", ["[^n]: a\n  b"]),
        ("[a b]: https://c", ["[a b]: https://c"]),
        ("[a b]: c", []),
        ("a\n\n参考文献：\n1. b", ["参考文献：\n1. b"]),
        ("a\n\n📚 **References:**\n\n[1] b\n¹ c", ["📚 **References:**\n\n[1] b\n¹ c"]),
        ("a\n\nSources\nSource 2: d\n", ["Sources\nSource 2: d\n"]),
        ("a\n\nReferences\nb c", []),
    ],
)  # fmt: skip
def test_opaque(text: str, found: list[str]) -> None:
    """Exactly what is no prose is opaque."""
    assert opaque(text) == found


def test_links_reach_from_bracket_to_bracket() -> None:
    """A link's span holds its text and its destination."""
    text = "see [a. b](https://c) d"
    assert [text[start:end] for start, end in read_markup(text).links] == ["[a. b](https://c)"]


def test_labels_of_definitions() -> None:
    """The labels that definitions define are known without their brackets."""
    assert read_markup("[1]: a\n[^n]: b\n【2】：c").labels == {"1", "^n", "2"}


@pytest.mark.parametrize(
    "text",
    [
        "[1]" + "(" * 50_000,
        "[1](" * 50_000,
        "x " + "`" * 100_000 + "y",
        "` `` " * 30_000,
        "![" * 50_000,
        "https://a.b/" + "[(" * 50_000,
    ],
)
def test_long_runs_end(text: str) -> None:
    """Long runs of what opens something take no more than their length."""
    assert is_inside(len(text) + 1, read_markup(text).opaque) is False


def test_destination_is_an_address() -> None:
    """What stands in parentheses behind a bracket is a destination when it looks like an address."""
    assert [
        destination_end(text, 0) for text in ("(https://a)", "(a.md)", "(#b)", "()", "(x)", "(see 3)")
    ] == [
        11,
        6,
        4,
        2,
        None,
        None,
    ]


def test_merge_joins_and_drops() -> None:
    """Spans that touch are joined, empty ones dropped, order restored."""
    assert merge([(5, 7), (0, 2), (2, 3), (4, 4), (6, 6)]) == [(0, 3), (5, 7)]
