"""Links lead a browser to the passage, or are not made at all."""

from __future__ import annotations

import pytest

from quotecheck.text.fragment import passage_url

PAGE = "https://example.org/a"


def fragment_of(text: str, start: int = 0, end: int | None = None) -> str:
    url = passage_url(PAGE, text, start, len(text) if end is None else end)
    assert url is not None
    return url.removeprefix(f"{PAGE}#:~:text=")


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("Hold fast", "Hold%20fast"),
        ("Hold fast, now", "Hold%20fast%2C%20now"),
        ("well-known & loved", "well%2Dknown%20%26%20loved"),
        ("100% of it", "100%25%20of%20it"),
        ("Straße", "Stra%C3%9Fe"),
        ("one two three four five six seven eight", "one%20two%20three%20four%20five%20six%20seven%20eight"),
        (
            "one two three four five six seven eight nine",
            "one%20two%20three%20four,six%20seven%20eight%20nine",
        ),
        ("kept  the \u00a0 lamp", "kept%20the%20lamp"),
        ("first line\nsecond line", "first%20line,second%20line"),
        ("one\ttwo three", "one,two%20three"),
        ("a\nb\nc", "a,c"),
        ("lone \ud800 half", "lone%20%3F%20half"),
    ],
)
def test_passage_url_encodes_the_passage(text: str, fragment: str) -> None:
    """Short passages stand whole, long ones and those of several lines by their ends."""
    assert fragment_of(text) == fragment


def test_passage_url_of_a_script_without_spaces() -> None:
    """A long run of Chinese is given by pieces of its start and its end."""
    assert fragment_of("字" * 200) == f"{'%E5%AD%97' * 48},{'%E5%AD%97' * 44}"


def test_passage_url_moves_to_whole_words() -> None:
    """Browsers match at word boundaries only, so an end inside a word moves out of it."""
    assert fragment_of("A second landslide is unlikely.", 24, 30) == "unlikely"


def test_passage_url_keeps_the_fragment_of_the_address() -> None:
    """A page's own fragment stays in front; an old directive goes."""
    assert passage_url(f"{PAGE}#part-2", "Hold", 0, 4) == f"{PAGE}#part-2:~:text=Hold"
    assert passage_url(f"{PAGE}#:~:text=old", "Hold", 0, 4) == f"{PAGE}#:~:text=Hold"


@pytest.mark.parametrize("address", ["file:///a.html", "doi:10.1/x", "ftp://example.org/", "pmid:1"])
def test_passage_url_exists_for_web_addresses_only(address: str) -> None:
    """Other addresses have no text fragments."""
    assert passage_url(address, "Hold fast", 0, 4) is None
