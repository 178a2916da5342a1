"""A page's own style sheets: they hide what a browser surely hides, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from quotecheck.extract.html import extract_html
from quotecheck.extract.stylesheets import BY_DEFAULT, INLINE_STYLE, Weight, read_style_sheets

WORD = '<span class="a b" id="i">never</span>'
HIDE = "<style>.a{display:none}</style>"


def _visible(markup: str) -> str:
    source = extract_html(f"<!doctype html>{markup}")
    return source.text[: source.regions[0].start].rstrip("\n") if source.regions else source.text


def _page(head: str, word: str = WORD) -> str:
    return f"{head}<p>The ferry {word} sank.</p>"


@pytest.mark.parametrize(
    "head",
    [
        HIDE,
        "<style>span.a{DISPLAY : None}</style>",
        "<style>.a.b{display:none}</style>",
        "<style>#i{display:none}</style>",
        "<style>.a[class]{display:none}</style>",
        "<style>p em, .a{display:none}</style>",
        "<style><!-- .a{display:none} --></style>",
        "<style>@charset 'x'; @import 'more.css'; .a{display:none}</style>",
        "<style>.a{color:red;display:none;}</style>",
        "<style>.a/**/{/**/display/**/:/**/none/**/}</style>",
        "<style>.a/**/.b{display:none}</style>",
        "<style>.a{content:'}';display:none}</style>",
        "<style>.a{background:url(a{b);display:none}</style>",
        "<style>.a{display:inline;display:none}</style>",
        "<style>.a{display:inline}.a{display:none}</style>",
        "<style>span{display:block}.a{display:none}</style>",
        "<style>.a{display:none}span{display:block}</style>",
        "<style>.a{display:none!important}.b{display:block}</style>",
        "<style>.a{display:none}.a::before{display:block}</style>",
        "<style>.a{display:none}.a.c{display:block}</style>",
        "<style>.a{display:none}em.b{display:block}</style>",
        "<style>.a{display:none}@media print{.a{display:block}}</style>",
        "<style>.a{display:none}@font-face{src:url(x)}</style>",
        "<style media=screen>.a{display:none}</style>",
        "<style media='print, all'>.a{display:none}</style>",
        "<style type=text/css>.a{display:none}</style>",
        HIDE + "<style type=text/less>.a{display:block}</style>",
        HIDE + "<style media=print>.a{display:block}</style>",
        "<svg>" + HIDE + "</svg>",
    ],
)
def test_style_sheet_hides_for_sure(head: str) -> None:
    """A rule without conditions hides, where no other one can win."""
    assert _visible(_page(head)) == "The ferry sank."


@pytest.mark.parametrize(
    "head",
    [
        HIDE + "<style>.b{display:inline}</style>",
        HIDE + "<style>#i{display:inline}</style>",
        HIDE + "<style>.a{display:inline}</style>",
        HIDE + "<style>.a{display:revert}</style>",
        HIDE + "<style>.a{display:var(--shown)}</style>",
        HIDE + "<style>.a{all:unset}</style>",
        HIDE + "<style>.a{ALL : revert}</style>",
        HIDE + "<style>span{display:inline !important}</style>",
        HIDE + "<style>*{display:inline !important}</style>",
        HIDE + "<style>p > *{display:inline !important}</style>",
        HIDE + "<style>[class]{display:inline}</style>",
        HIDE + "<style>[class~='b']{display:inline}</style>",
        HIDE + "<style>:not(em){display:inline !important}</style>",
        HIDE + "<style>:is(.b, em){display:inline}</style>",
        HIDE + "<style>p .b:first-child{display:inline}</style>",
        HIDE + "<style>.\\62 {display:inline}</style>",
        HIDE + "<style>.b{d\\69splay:inline}</style>",
        HIDE + "<style>.b{x:y;{}display:inline}</style>",
        HIDE + "<style>@media (min-width: 1px){.b{display:inline}}</style>",
        HIDE + "<style>@layer x{.b{display:inline !important}}</style>",
        HIDE + "<style>p{.b{display:inline}}</style>",
        HIDE + "<style>.b{@media screen{display:inline}}</style>",
        HIDE + "<style>.b{display:inline</style>",
        HIDE + "<style>@keyframes k{to{display:inline}}.a{animation:k 1s forwards}</style>",
        HIDE + "<style media='(width > 1px)'>.b{display:inline}</style>",
        "<style>span.a{display:inline}.a{display:none}</style>",
        "<style>.a{display:none;display:inline}</style>",
        "<style>.a{display:none !important;display:inline !important}</style>",
    ],
)
def test_style_sheet_may_show_again(head: str) -> None:
    """Whatever rule could show the element again keeps it in the text."""
    assert _visible(_page(head)) == "The ferry never sank."


@pytest.mark.parametrize(
    "head",
    [
        "<style type=text/less>.a{display:none}</style>",
        "<style type='text/css; charset=utf-8'>.a{display:none}</style>",
        "<style media=print>.a{display:none}</style>",
        "<style media='screen and (max-width: 9px)'>.a{display:none}</style>",
        "<style title=night>.a{display:none}</style>",
        "<math><style>.a{display:none}</style></math>",
        "<style>@media print{.z{color:red}.a{display:none}}</style>",
        "<style>@media print{.a{display:none}</style>",
        "<style>@supports (display:none){.a{display:none}}</style>",
        "<style>em{.a{display:none}}</style>",
        "<style>.a{color:red;em{}display:none}</style>",
        "<style>} .a{display:none}</style>",
        "<style>x; .a{display:none}</style>",
        "<style>.z{color:rgb(1} .a{display:none}</style>",
        "<style>.z{content:'} \n .a{display:none}</style>",
        "<style>/* .a{display:none}</style>",
        "<style>@namespace url(x); .a{display:none}</style>",
        "<style>.a, em:unknown{display:none}</style>",
        "<style>.a{display:none garbage}</style>",
        "<style>.a{-x-display:none}</style>",
        "<style>.a{dis/**/play:none}</style>",
        "<style>.a{display:none/**/x}</style>",
        "<style>.a{--x:y;content:';display:none'}</style>",
        '<style>.a{content:"\\";display:none;"}</style>',
        "<style>.A{display:none}</style>",
        "<style>.a.c{display:none}</style>",
        "<style>.a:hover{display:none}</style>",
    ],
)
def test_style_sheet_that_does_not_hold(head: str) -> None:
    """A rule that a browser passes over, or that holds under conditions, hides nothing."""
    assert _visible(_page(head)) == "The ferry never sank."


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("display:inline", True),
        ("DISPLAY: contents", True),
        ("display:var(--x)", True),
        ("all:unset", True),
        ("color:red", False),
        ("", False),
    ],
)
def test_style_attribute_outweighs_the_sheet(style: str, shown: bool) -> None:
    """What the element itself says about its display wins over a rule."""
    word = f'<span class="a" style="{style}">never</span>'
    assert ("never" in _visible(_page(HIDE, word))) is shown


@pytest.mark.parametrize(
    ("sheet", "shown"),
    [
        (".a{display:none!important}", False),
        (".b{display:inline!important}", True),
    ],
)
def test_important_rule_outweighs_the_style_attribute(sheet: str, shown: bool) -> None:
    """An important rule wins over a style attribute, to hide and to show."""
    display = "none" if shown else "inline"
    word = f'<span class="a b" style="display:{display}">never</span>'
    assert ("never" in _visible(_page(f"<style>{sheet}</style>", word))) is shown


@pytest.mark.parametrize(
    ("sheet", "shown"),
    [
        ("span{display:inline}", True),
        ("div span{display:inline}", True),
        (".z .a{display:inline}", False),
        ("span{display:inline}[hidden]{display:none!important}", False),
        ("em{display:inline}", False),
    ],
)
def test_rule_outweighs_the_attribute_hidden(sheet: str, shown: bool) -> None:
    """Any rule of the page wins over what a browser does by itself."""
    page = _page(f"<style>{sheet}</style>", "<span class=a hidden>never</span>")
    assert ("never" in _visible(f"<div>{page}</div>")) is shown


def test_active_tab_is_text() -> None:
    """Of two tabs the one that a second class shows is text, and the other one is hidden."""
    sheet = "<style>.tab{display:none}.active{display:block}</style>"
    source = extract_html(f"{sheet}<div class='tab active'>Never.</div><div class=tab>Often.</div><p>End")
    assert source.text == "Never.\nEnd\n\nOften."
    assert [region.name for region in source.regions] == ["hidden"]


def test_class_by_case() -> None:
    """The case of a class counts, as it does in a page that says what it is."""
    assert _visible(_page(HIDE, '<span class="A">never</span>')) == "The ferry never sank."


def test_weights_are_ordered() -> None:
    """Default, any rule, style attribute and important rule outweigh each other in this order."""
    rule = Weight(0, 3, 0, 0, 9)
    assert BY_DEFAULT < rule < INLINE_STYLE < rule._replace(important=1)


def test_style_sheets_give_up_on_too_much_work() -> None:
    """Rules by the thousand against elements by the thousand end in text that stays, not in a long wait."""
    rules = "".join(f".a.x{number}{{display:block}}" for number in range(3000))
    page = LexborHTMLParser(f"<style>.b{{display:none}}{rules}</style>" + "<i class='a b'>never</i>" * 1000)
    sheets = read_style_sheets(page.css("style"))
    hidden = [sheets.hide(node, node.attributes) for node in page.css("i")]
    assert hidden[0]
    assert not hidden[-1]
    assert hidden.count(True) < 400


@settings(deadline=None)
@given(st.text(alphabet="ab.#*{}()[];:!'\"\\/-@ \n", max_size=80), st.booleans())
def test_style_sheets_end_on_any_text(text: str, is_first: bool) -> None:
    """Whatever a sheet holds, an element that is displayed by its own important style stays."""
    rule = "span{display:none}"
    sheet = f"<style>{text + rule if is_first else rule + text}</style>"
    word = '<span class="a b" style="display:inline!important">never</span>'
    assert "never" in _visible(_page(sheet, word))


def test_of_too_many_rules_nothing_is_known() -> None:
    """A million blocks would take seconds to read; what they hide stays text."""
    for blocks in (
        "p{display:block}" * 60_000,
        ".c{display:none}" + "{" * 60_000,
        "p{display:block}" + "}" * 60_000,
    ):
        assert _visible(_page(f"<style>{blocks}</style>{HIDE}")) == "The ferry never sank."
