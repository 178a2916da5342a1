"""Web pages: what a browser shows, what it hides, and what the markup declares."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import SHARED

from quotecheck.extract.html import expand_empty_elements, extract_html, meta_refresh
from quotecheck.models import Source


def _table(name: str) -> list[dict[str, Any]]:
    path = Path(__file__).parent / "data" / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


CONSTRUCTS = _table("html_constructs.jsonl")
# With `document.body.innerText` of Chromium 156 for each; `deviation` says why ours is another one.
IN_A_BROWSER = _table("browser_constructs.jsonl")


def _visible(source: Source) -> str:
    return source.text[: source.regions[0].start].rstrip("\n") if source.regions else source.text


def _slices(source: Source, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [source.text[start:end] for start, end in spans]


@pytest.mark.parametrize("case", CONSTRUCTS, ids=[case["id"] for case in CONSTRUCTS])
def test_extract_html_on_construct(case: dict[str, Any]) -> None:
    """Each construct gives the text, regions, spans and flags that its row says, and no others."""
    source = extract_html(case["html"])
    regions = [[region.name, source.text[region.start : region.end]] for region in source.regions]
    assert _visible(source) == case["text"]
    assert regions == case.get("regions", [])
    assert _slices(source, source.ignorable) == case.get("ignorable", [])
    assert _slices(source, source.raised) == case.get("raised", [])
    assert [str(flag) for flag in source.flags] == case.get("flags", [])


@pytest.mark.parametrize("row", IN_A_BROWSER, ids=[row["id"] for row in IN_A_BROWSER])
def test_extract_html_equals_what_a_browser_showed(row: dict[str, Any]) -> None:
    """The words of the visible text are the browser's, except where the row says why not."""
    ours, browsers = (
        unicodedata.normalize("NFKC", text).split()
        for text in (_visible(extract_html(row["html"])), row["browser"])
    )
    assert (ours == browsers) is ("deviation" not in row)


# Where we differ from the browser's innerText on purpose, and why.
DEVIATIONS = {
    "details_closed": "a reader opens closed details",
    "math": "copied formulas are joined; innerText puts each token on a line",
    "mathsem": "copied formulas are joined; innerText puts each token on a line",
    "texttransform": "letters keep the case of the source; the matcher calls the rest a case difference",
    "float": "copying joins the parts; innerText breaks at drop capitals",
    "abs": "copying joins the parts; innerText breaks the line",
    "srclip": "copying joins the parts; the clipped text is ignorable",
}


def _browser_constructs() -> list[dict[str, Any]]:
    path = SHARED / "data" / "innertext_micro.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.mark.skipif(not _browser_constructs(), reason="needs the shared data set innertext_micro.jsonl")
@pytest.mark.parametrize("row", _browser_constructs(), ids=lambda row: row["id"])
def test_extract_html_equals_browser(row: dict[str, Any]) -> None:
    """The visible text is the browser's innerText but for white space, except for named deviations."""
    ours = _visible(extract_html(row["html"])).split()
    assert (ours == row["chrome_inner_js_on"].split()) is (row["id"] not in DEVIATIONS)


def test_regions_stand_behind_a_blank_line() -> None:
    """The visible text comes first, then each region behind one blank line."""
    source = extract_html("<title>Mill</title><p>One.<p hidden>Two.")
    assert source.text == "One.\n\nMill\n\nTwo."


def test_regions_without_visible_text() -> None:
    """Where nothing is visible the first region begins at 0."""
    source = extract_html("<div hidden>Panel.</div>")
    assert source.text == "Panel."
    assert (source.regions[0].start, source.regions[0].end) == (0, 6)


def test_noscript_of_an_empty_page_is_no_text() -> None:
    """A request to switch scripts on is not taken for the content of a page that shows nothing else."""
    assert extract_html("<div id=root></div><noscript>Enable scripts.</noscript>").text == ""


def test_noscript_of_an_empty_page_with_much_text() -> None:
    """A noscript that holds a whole text is kept."""
    text = "The mill stands by the river. " * 20
    assert extract_html(f"<noscript><p>{text}</noscript>").regions[0].name == "hidden"


def test_many_hidden_parts_end_in_one_region() -> None:
    """The regions of a page are bounded: parts after the thousandth share one."""
    source = extract_html("".join(f"<p hidden>part {number}" for number in range(1100)))
    assert len(source.regions) == 1001
    assert "part 1099" in source.text[source.regions[-1].start :]


def test_title_is_kept_for_people() -> None:
    """The title is known even where it is no region because the text holds it."""
    assert extract_html("<title>Mill</title><h1>Mill</h1>").title == "Mill"


def test_marks_of_the_layout_cannot_come_in_through_the_markup() -> None:
    """Lone surrogates become U+FFFD, and the parser drops NUL as a browser does."""
    assert extract_html("<p>a\ud803b").text == "a\ufffdb"
    assert extract_html("<p>b\x00c&#0;&#xd804;").text == "bc\ufffd\ufffd"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<meta http-equiv="refresh" content="0;url=/new">', (0, "/new")),
        ("<META HTTP-EQUIV=Refresh CONTENT='5; URL=\"new page.html\"'>", (5, "new page.html")),
        (
            '<meta content="1.5, https://example.org/?a=1&amp;b=2" http-equiv="refresh">',
            (1, "https://example.org/?a=1&b=2"),
        ),
        ('<meta http-equiv="refresh" content="30">', None),
        ('<!-- <meta http-equiv="refresh" content="0;url=/new"> -->', None),
        ('<noscript><meta http-equiv="refresh" content="0;url=/new"></noscript>', None),
        ('<script>\'<meta http-equiv="refresh" content="0;url=/new">\'</script>', None),
        ("<p>refresh</p>", None),
        ("<meta http-equiv=refresh content='.9; url=/n\new'>", (0, "/new")),
        ("<meta http-equiv=refresh content=0;url='/new'>", (0, "/new")),
        ("<meta http-equiv=refresh content=soon><meta http-equiv=refresh content=1;/new>", (1, "/new")),
        ("<div data-t=\"<meta http-equiv=refresh content='0;url=/new'>\">", None),
        ("<template><meta http-equiv=refresh content=0;/new></template>", None),
        ("<textarea><meta http-equiv=refresh content=0;/new></textarea>", None),
        ("<title><meta http-equiv=refresh content=0;/new></title>", None),
        ("<style><meta http-equiv=refresh content=0;/new></style>", None),
    ],
)
def test_meta_refresh(markup: str, expected: tuple[int, str] | None) -> None:
    """A refresh is read as a browser with scripts reads it: not in comments, scripts or noscript."""
    assert meta_refresh(markup) == expected


def test_expand_empty_elements_leaves_void_elements() -> None:
    """Only elements that can have content are written out."""
    assert expand_empty_elements("<a id='x'/>b<img src='y'/>") == "<a id='x'></a>b<img src='y'/>"


_PIECES = st.sampled_from(
    [
        *(
            "<p>",
            "</p>",
            "<div>",
            "</div>",
            "<b>",
            "</b>",
            "<br>",
            "<table>",
            "<tr>",
            "<td>",
            "</table>",
            "<pre>",
            "</pre>",
        ),
        *(
            "<sup>",
            "</sup>",
            "<a href='#n'>",
            "</a>",
            "<p hidden>",
            "<span class=sr-only>",
            "</span>",
            "<ruby><rt>",
        ),
        *(
            "<script>",
            "</script>",
            "<svg>",
            "</svg>",
            "<select><option>",
            "<title>",
            "</title>",
            "<button>",
            "</button>",
        ),
        *(
            "<div style='display:flex'>",
            "<noscript>",
            "</noscript>",
            "<template>",
            "</template>",
            "<!--",
            "-->",
            "<",
            "&amp;",
        ),
        *("word ", "2", " ", "\n", "漢字", "\u00a0", "\ud800", "\x00", "é"),
    ]
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=40).map("".join))
def test_extract_html_spans_hold_on_any_markup(markup: str) -> None:
    """Whatever the markup, spans are within the text, ascending, apart and not empty."""
    source = extract_html(markup)
    regions = tuple((region.start, region.end) for region in source.regions)
    for spans in (source.ignorable, source.raised, regions):
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges)
        assert all(0 <= start < end <= len(source.text) for start, end in spans)
    assert not any("\ud800" <= char <= "\udfff" or char == "\x00" for char in source.text)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_extract_html_keeps_every_character_of_escaped_text(text: str) -> None:
    """Text that is escaped comes out as it is, but for white space and characters that HTML replaces."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    kept = "".join(extract_html(f"<p>{escaped}</p>").text.split())
    expected = "".join(text.replace("\x00", "").encode("utf-8", "replace").decode().split())
    assert kept.replace("\ufffd", "?") == expected.replace("\ufffd", "?")
