"""Style attributes: which declaration counts."""

from __future__ import annotations

import pytest

from quotecheck.extract.declarations import declarations


@pytest.mark.parametrize(
    ("style", "values"),
    [
        ("", {}),
        ("display:none", {"display": "none"}),
        (" DISPLAY : None ; ", {"display": "none"}),
        ("display:none;display:inline", {"display": "inline"}),
        ("display:none!important;display:inline", {"display": "none"}),
        ("display:none ! important;display:inline!important", {"display": "inline"}),
        ("display:none;display:nonee", {"display": "none"}),
        ("/* x: y; */display:/**/none/* ; display: block", {"display": "none"}),
        ("dis/**/play:none;visibility/**/:/**/hidden", {"dis\x01play": "none", "visibility": "hidden"}),
        ("--display:none", {"--display": "none"}),
        ("background:url(x?display:none)", {"background": "url(x?display:none)"}),
        ("background:url(x;display:none)", {"background": "url(x;display:none)"}),
        ("a:{b;display:none};c:[d;(]);display:none", {"a": "{b;display:none}", "c": "[d;(]);display:none"}),
        ("display:none;a:(b;display:block", {"display": "none", "a": "(b;display:block"}),
        ("content:';display:none'", {"content": "' display:none'"}),
        ('content:"\\";display:none;"', {"content": '"\\" display:none "'}),
        ("content:';display:none", {"content": "' display:none"}),
        ("content:';display:none\n;display:block", {"content": "' display:none", "display": "block"}),
        ("display:none;all:unset", {"all": "unset"}),
        ("all:unset;display:none", {"all": "unset", "display": "none"}),
        ("display:none;all:nothing", {"display": "none"}),
        ("display:none!important;left:0;all:unset", {"display": "none", "all": "unset"}),
        ("all:unset!important;display:none", {"all": "unset"}),
        ("display:block;display:none !imp", {"display": "block"}),
        ("display:none;display:var(--display)", {"display": "var(--display)"}),
        ("visibility:hidden;visibility:revert", {"visibility": "revert"}),
        ("display:block  flow", {"display": "block"}),
        ("display:inline flow-root", {"display": "inline-block"}),
        ("display:-webkit-box", {"display": "block"}),
        ("visibility:hidden;visibility:maybe", {"visibility": "hidden"}),
        ("clip: rect(0, 0, 0, 0); top: -9999px", {"clip": "rect(0, 0, 0, 0)", "top": "-9999px"}),
        ("display", {}),
        (":none;;", {}),
    ],
)
def test_declarations(style: str, values: dict[str, str]) -> None:
    """The last valid value of a property counts, unless an important one stands before it."""
    assert declarations(style) == values


def test_declarations_of_long_runs() -> None:
    """Long runs of anything cost no more than their length: this page is parsed in this process."""
    for run in ("a", " ", ":", ";", "!", "/*", "a:", "a: "):
        declarations("display:none;display" + run * 100_000)
    many = "".join(f"a{number}:b!important;" for number in range(20_000))
    assert len(declarations(many + "all:unset;" * 20_000)) == 20_001
