"""Elements that say something about their own text: hidden, clipped, displayed."""

from __future__ import annotations

import pytest

from quotecheck.extract.html import extract_html
from quotecheck.models import Source


def _source(word: str, head: str = "") -> Source:
    return extract_html(f"<!doctype html>{head}<p>The ferry {word} sank.</p>")


def _ignorable(word: str, head: str = "") -> list[str]:
    source = _source(word, head)
    return [source.text[start:end].strip() for start, end in source.ignorable]


@pytest.mark.parametrize(
    "style",
    [
        "position:absolute;clip:rect(0,0,0,0)",
        "position:absolute;clip:rect(0 0 0 0)",
        "position:fixed;clip:rect(1px, 1px, 1px, 1px)",
        "clip:rect(0px,1px,500px,0px);position:absolute",
        "position:absolute;clip-path:inset(50%)",
        "position:absolute;clip-path:inset(100%)",
        "position:absolute;clip-path:inset(0 50% 0 60%)",
        "position:absolute;left:-9999px",
        "position:absolute;left:-10000em;top:auto",
        "position:fixed;top:-1000px",
        "position:absolute;right:-9999px",
        "position:relative;left:-9999px",
        "position:absolute;left:-9999px;margin:-1px;width:1px",
        "display:block;text-align:left;text-indent:-9999px",
    ],
)
def test_text_for_screen_readers_alone(style: str) -> None:
    """Text that is clipped to nothing or far off the page can be left out."""
    assert _ignorable(f'<span style="{style}">never</span>') == ["never"]


@pytest.mark.parametrize(
    "style",
    [
        "clip:rect(0,0,0,0)",
        "position:static;clip:rect(0,0,0,0)",
        "position:relative;clip:rect(0,0,0,0)",
        "position:absolute;clip:rect(0,auto,auto,0)",
        "position:absolute;clip:rect(0px,500px,500px,0px)",
        "position:absolute;clip:rect(0,0,0)",
        "position:absolute;clip:rect(0,0,0,0);clip:auto",
        "clip-path:inset(100%)",
        "position:absolute;clip-path:inset(50% 0 0 0)",
        "position:absolute;clip-path:inset(50% 20%  0 0)",
        "position:absolute;clip-path:inset(9px)",
        "left:-9999px",
        "top:-1000px",
        "position:absolut;left:-9999px",
        "position:sticky;left:-9999px",
        "position:relative;right:-9999px",
        "position:absolute;left:-999px",
        "position:absolute;left:-9999",
        "position:absolute;left:-9999px;left:0",
        "position:absolute;left:-9999px;inset:0",
        "position:absolute;left:-9999px;inset-inline-start:0",
        "position:absolute;left:-9999px;all:unset",
        "position:absolute;left:-9999px !imp",
        "position:absolute;clip:rect(1px, 2px 3px, 2px)",
        "position:absolute;left:-9999px;right:0",
        "position:absolute;top:-9999px;bottom:0",
        "position:absolute;left:-9999px;padding-left:9999px",
        "position:absolute;left:-9999px;transform:translate(9999px)",
        "position:absolute;left:-9999px;text-align:right;width:10000px",
        "text-indent:-9999px",
        "display:inline;text-align:left;text-indent:-9999px",
        "display:block;text-align:right;text-indent:-9999px",
        "display:block;text-indent:-9999px",
    ],
)
def test_clips_and_places_without_effect(style: str) -> None:
    """A property that has no effect, or leaves a part to see, makes nothing ignorable."""
    source = _source(f'<span style="{style}">never</span>')
    assert (source.ignorable, source.regions) == ((), ())


@pytest.mark.parametrize(
    "rule",
    [".a{position:static!important}", ".a{clip:auto !important}", "span{all:unset!important}"],
)
def test_important_rule_moves_back(rule: str) -> None:
    """An important rule can undo what hides the text from all but screen readers."""
    word = '<span class="a" style="position:absolute;clip:rect(0,0,0,0)">never</span>'
    assert _ignorable(word) == ["never"]
    assert _ignorable(word, f"<style>{rule}</style>") == []


def test_element_without_a_box_has_no_place() -> None:
    """A rule can take away the box that the style attribute moves off the page."""
    word = '<span class="a" style="position:relative;left:-9999px">never</span>'
    assert _ignorable(word, "<style>.a{display:inline-block}</style>") == ["never"]
    assert _ignorable(word, "<style>.a{display:contents}</style>") == []


def test_part_with_a_place_of_its_own() -> None:
    """A part of what is off the page may stand on it."""
    word = '<span style="position:absolute;left:-9999px"><b style="position:fixed;left:0">never</b></span>'
    assert _ignorable(word) == []


@pytest.mark.parametrize(
    ("word", "ignorable"),
    [
        ('<i style="visibility:hidden">so <b style="visibility:visible">never</b></i>', ["so"]),
        ('<i style="visibility:hidden">so <b><u style="visibility:initial">never</u></b></i>', ["so"]),
        (
            '<i style="visibility:hidden">so <b style="visibility:hidden">or '
            '<u style="visibility:visible">never</u> as</b> it</i>',
            ["so or", "as it"],
        ),
    ],
)
def test_visible_part_of_what_is_invisible(word: str, ignorable: list[str]) -> None:
    """What is visible again is text; what is not can be left out."""
    source = _source(word)
    assert "never" in source.text
    assert source.regions == ()
    assert [source.text[a:b].strip() for a, b in source.ignorable] == ignorable


def test_invisible_part_of_what_is_visible_again() -> None:
    """An invisible element without a visible part is hidden, wherever it stands."""
    source = _source(
        '<i style="visibility:hidden"><b style="visibility:visible">never '
        '<u style="visibility:hidden">quite</u></b></i>'
    )
    assert source.text == "The ferry never sank.\n\nquite"


@pytest.mark.parametrize(
    "rule",
    ["b{visibility:visible}", "i b{visibility:visible}", "*{visibility:visible}", "b{all:initial}"],
)
def test_rule_makes_visible(rule: str) -> None:
    """A style sheet can make visible what stands in something invisible."""
    source = _source('<i style="visibility:hidden"><b>never</b></i>', f"<style>{rule}</style>")
    assert source.text == "The ferry never sank."
    assert source.ignorable == ()


def test_important_rule_makes_visible() -> None:
    """An important rule outweighs the style attribute."""
    word = '<b style="visibility:hidden">never</b>'
    assert _source(word, "<style>b{visibility:visible}</style>").text == "The ferry sank.\n\nnever"
    assert _source(word, "<style>b{visibility:visible!important}</style>").text == "The ferry never sank."


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ('<span style="content-visibility:hidden">never</span>', True),
        ('<span style="content-visibility:hidden;display:inline-block">never</span>', False),
        ("<span hidden=until-found>never</span>", True),
        ("<button hidden=until-found>never</button>", False),
        ('<button hidden=until-found style="content-visibility:unset">never</button>', True),
        ('<b hidden style="transition:all 1s">never</b>', False),
        ('<b hidden style="all:unset">never</b>', True),
        ('<b style="display:none;all:unset">never</b>', True),
        ('<b style="a:{b;display:none;c}">never</b>', True),
        ("<span hidden=false>never</span>", False),
        ('<span style="display:none">never</span>', False),
        ("<span style=\"font-family:'a;display:none'\">never</span>", True),
        ('<span style="background:url(a;display:none)">never</span>', True),
        ("<desc>never</desc>", True),
        ("<mphantom>never</mphantom>", True),
        ("<math><mphantom><mi>never</mi></mphantom></math>", False),
        ("<rp>never</rp>", False),
        ('<rp style="display:inline">never</rp>', True),
        ("<datalist>never</datalist>", False),
    ],
)
def test_element_is_shown_or_not(word: str, shown: bool) -> None:
    """What a browser shows is in the visible text, and what it does not show is not."""
    source = _source(word)
    visible = source.text[: source.regions[0].start] if source.regions else source.text
    assert ("never" in visible) is shown
