"""Note marks, edit links and labels: what the markup declares as apparatus, and looks like it."""

from __future__ import annotations

import pytest

from quotecheck.extract.html import extract_html


def _ignorable(word: str) -> list[str]:
    source = extract_html(f"<!doctype html><p>The ferry {word} sank.</p>")
    return [source.text[start:end].strip() for start, end in source.ignorable]


@pytest.mark.parametrize(
    "word",
    [
        '<a href="#def">[no]</a>',
        '<a href="#">[not]</a>',
        '<sup><a href="#fn">not</a></sup>',
        '<sup><a href="#fn">[not]</a></sup>',
        '<sup class="reference">[not]</sup>',
        '<sup class="noprint">[at no time]</sup>',
        '<span class="noprint">no</span>',
        '<em class="footnote">no</em>',
        '<a role="doc-noteref" href="#n">nie</a>',
        '<a href="#n"><sup>ne</sup></a>',
        '<sup><a href="#n">ill</a></sup>',
        '<sup><a href="#n">不</a>能</sup>',
        '<sup><a href="#n">不</a></sup>',
        '[<a href="#n">no</a>]',
        '5 km<sup><a href="/area#of">2</a></sup>',
        '<span class="sr-only">not</span>',
        '<span class="visually-hidden">nicht</span>',
        '<span class="sr-only">less than</span>',
        '<span class="sr-only">minus </span>',
        '<span class="sr-only">/</span>',
        '1<span class="sr-only">.</span>5',
        '<span class="pagenum">12 oaks</span>',
        '<i class="page">12</i>',
        '<span class="mw-editsection">not</span>',
        '<span class="katex-mathml">not</span>',
        '<span class="katex-mathml">not <math><mi>n</mi></math></span>',
    ],
)
def test_words_are_no_note_mark(word: str) -> None:
    """A word stays text, whatever link, class or brackets are around it."""
    assert _ignorable(word) == []


@pytest.mark.parametrize(
    ("word", "mark"),
    [
        ('<a href="#n">[3]</a>', "[3]"),
        ('<a href="#n">[iv]</a>', "[iv]"),
        ('<sup><a href="#n">b</a></sup>', "b"),
        ('<sup><a href="#n">note 3</a></sup>', "note 3"),
        ('<sup class="reference">[nb 2]</sup>', "[nb 2]"),
        ('<sup class="reference">[lower-alpha 1]</sup>', "[lower-alpha 1]"),
        ('<sup class="noprint">[<i>citation needed</i>]</sup>', "[citation needed]"),
        ('<sup class="noprint">[who?]</sup>', "[who?]"),
        ('<sup><a href="#n">†</a></sup>', "†"),
        ('<span class="mw-editsection">[edit]</span>', "[edit]"),
        ('<span class="mw-editsection"><a href="/edit">muokkaa</a></span>', "muokkaa"),
        ('<a class="footnote-anchor" href="#footnote-1">1</a>', "1"),
        ('<span class="pagenum"><a id="p12">[Pg 12]</a></span>', "[Pg 12]"),
        ('<span role="doc-pagebreak">xii</span>', "xii"),
        ('<span class="sr-only">:</span>', ":"),
        ('<span class="sr-only">(opens in a new tab)</span>', "(opens in a new tab)"),
        ('<span class="katex-mathml"> <math><mi>n</mi></math></span>', "n"),
    ],
)
def test_note_marks_are_ignorable(word: str, mark: str) -> None:
    """Numbers, signs, single letters and known remarks are marks."""
    assert _ignorable(word) == [mark]


def test_link_of_very_many_signs_is_read_at_once() -> None:
    """What a link names is looked for once, not again from each of its signs."""
    assert extract_html(f"<p>x<a href='{'#' * 200_000}'><sup>2</sup></a>").text == "x2"
