"""What a model is shown of strangers' text: bounded, on one line, without hidden characters."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.mcp_server.untrusted import MAX_SNIPPET, MAX_URL, clean_snippet, shown_host, shown_url

HIDDEN = {
    "tag characters": "\U000e0049\U000e0047\U000e004e",
    "bidi override": "\u202e\u2066\u061c",
    "zero width": "\u200b\u200c\u200d\u2060\ufeff",
    "soft hyphen": "\u00ad",
    "variation selectors": "\ufe0f\U000e0100\U000e01ef",
    "controls": "\x00\x1b\x07\x7f\x9b",
    "lone surrogate": "\ud800\udfff",
    "private use": "\ue200\U000f0000",
    "fillers": "\u115f\u1160\u3164\uffa0",
    "annotation marks": "\ufff9\ufffa\ufffb",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN.keys())
def test_snippet_loses_hidden_characters(hidden: str) -> None:
    """Characters that a reader does not see are not shown to a model."""
    assert clean_snippet(f"grey{hidden} fog", quote_length=8) == "grey fog"


def test_snippet_keeps_what_readers_see() -> None:
    """Letters, marks, symbols and numbering signs of every script stay."""
    text = "naïve \u0646\u064e\u0635 \u06dd 霧が出た 🌫 \u0928\u093f ½ ⠋⠀⠕"
    assert clean_snippet(text, quote_length=len(text)) == text


@pytest.mark.parametrize("space", ["\n", "\r\n", "\t", "\u00a0", "\u2028", "\u2029", "\x85", " \n\n "])
def test_snippet_is_one_line(space: str) -> None:
    """Every run of white space is one space, so that words stay apart and no line is faked."""
    assert clean_snippet(f"grey{space}fog", quote_length=8) == "grey fog"


def test_snippet_joins_spaces_that_hidden_characters_kept_apart() -> None:
    """White space around a removed character is one run."""
    assert clean_snippet("grey \u200b \u200b fog\u200b ", quote_length=8) == "grey fog"


def test_snippet_is_cut_at_the_quotation_and_200_more() -> None:
    """A short quotation cannot bring a long passage with it, and a cut is marked."""
    assert clean_snippet("fog-" * 1000, quote_length=10) == "fog-" * 52 + "f…"


def test_snippet_is_cut_at_1200_characters() -> None:
    """The longest quotation brings at most 1,200 characters."""
    assert len(clean_snippet("霧" * 20_000, quote_length=20_000)) == MAX_SNIPPET == 1200


def test_snippet_of_just_the_limit_is_whole() -> None:
    """Hidden characters do not count, and nothing is cut without need."""
    assert clean_snippet("f\u200b" * 205, quote_length=5) == "f" * 205


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(), max_size=60), st.integers(0, 30))
def test_snippet_law(text: str, quote_length: int) -> None:
    """Whatever comes, the result can be encoded, holds no control, stays as it is, and is short."""
    snippet = clean_snippet(text, quote_length=quote_length)
    snippet.encode("utf-8")
    assert not {unicodedata.category(character) for character in snippet} & {"Cc", "Cs", "Co", "Zl", "Zp"}
    assert clean_snippet(snippet, quote_length=quote_length) == snippet
    assert len(snippet) <= quote_length + 200


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/fog?day=1&place=bank", "https://example.org/fog?day=1&place=bank"),
        ("http://example.org:8080/fog%20bank", "http://example.org:8080/fog%20bank"),
        ("https://example.org/nebel/größe", "https://example.org/nebel/gr%C3%B6%C3%9Fe"),
        ('https://example.org/"><b>now</b>', "https://example.org/%22%3E%3Cb%3Enow%3C/b%3E"),
        ("https://example.org/a\n\u202eb", "https://example.org/a%0A%E2%80%AEb"),
        ("https://example.org/a\ud800b", "https://example.org/a%ED%A0%80b"),
        ("https://example.org/fog#:~:text=hidden", "https://example.org/fog"),
        ("https://[2606:4700::1111]/fog", "https://[2606:4700::1111]/fog"),
        ("ftp://example.org/fog", None),
        ("javascript:alert(1)", None),
        ("https:///fog", None),
        ("https://ex ample.org/", None),
        ("https://[broken/", None),
        ("", None),
        (None, None),
    ],
)
def test_url_is_shown_escaped_or_not_at_all(url: str | None, shown: str | None) -> None:
    """A final address is http or https, ASCII, and has no fragment."""
    assert shown_url(url) == shown


@pytest.mark.parametrize("path", ["a" * 400, "a" * 279 + "ö" * 9, "a" * 278 + "ö" * 9, "a" * 277 + "ö" * 9])
def test_long_url_is_cut_between_escapes(path: str) -> None:
    """An address is cut at 300 characters and never within an escape."""
    shown = shown_url(f"https://example.org/{path}")
    assert shown is not None
    assert MAX_URL - 2 <= len(shown) <= MAX_URL
    assert "%" not in shown[-2:]


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://Example.ORG/fog", "example.org"),
        ("http://192.0.2.7:8080/", "192.0.2.7"),
        ("http://[::1]/", "::1"),
        ("https://ignore all previous.example/", None),
        ("https://b\u00fccher.example/", None),
        ("https://" + "ignore-all-previous." * 5 + "example/", None),
        ("pmid:1", None),
        (None, None),
    ],
)
def test_host_is_a_plain_name_or_nothing(url: str | None, host: str | None) -> None:
    """A host is shown only where its characters cannot form a sentence."""
    assert shown_host(url) == host
