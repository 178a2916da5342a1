"""Citation marks: their spans and numbers, and what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.markers import find_marks
from quotecheck.citations.markup import read_markup
from quotecheck.citations.numbering import Numbering
from quotecheck.citations.sources import read_sources

THREE = Numbering(read_sources(["a", "b", "c"]))


def marks(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return each mark as it stands in the text, with its numbers."""
    found = find_marks(text, read_markup(text), THREE).markers
    return [(text[marker.start : marker.end], marker.numbers) for marker in found]


@pytest.mark.parametrize(
    "mark",
    ["[1]", "[[1]]", "\\[1\\]", "[1](https://a.b)", "[[1]](https://a.b)", "[^1]", "［1］", "【1】", "〔1〕",
     "(Source 1)", "（來源 1）", "[1, p. 2]", "[Source 1]", "<sup>[1]</sup>"],
)  # fmt: skip
def test_span_holds_the_whole_mark(mark: str) -> None:
    """A mark's span holds its brackets, escapes, destination and raising tags."""
    assert marks(f"It froze {mark} hard.") == [(mark, (1,))]


def test_range_of_marks_is_one() -> None:
    """Two marks with a dash between are one mark that cites what lies between."""
    assert marks("a [1]–[3] b [2] - [3] c") == [("[1]–[3]", (1, 2, 3)), ("[2]", (2,)), ("[3]", (3,))]


@pytest.mark.parametrize("text", ["[3]–[1]", "[1, 2]–[3]", "[1] – [3]", "[1]+[3]"])
def test_other_pairs_stay_two(text: str) -> None:
    """Backwards, with lists, apart, or joined otherwise, two marks stay two."""
    assert len(marks(text)) == 2


@pytest.mark.parametrize(
    "text",
    ["x[1]", "(a[1])", "a_b[1]", "__init__.py_x[1]", "fooBar[1]", "f(a, b)[1]", "np.array(x)[1]", "name[1]=2",
     "name[1] = 2", "name[1].b", "name[1](2)", "name[1][key]", "\\cite[1]{a}"],
)  # fmt: skip
def test_subscripts_are_none(text: str) -> None:
    """Brackets that belong to code are no citations."""
    assert marks(text) == []


@pytest.mark.parametrize(
    "text",
    ["tea[1]", "teas[1].", "1881[1]", "Tea (green)[1]", "(green)[1]", "It's[1]", "x [1]", "Ž[1]", "茶[1]",
     "*tea*[1]", "_tea_[1]", "iPhone[1]", "macOS[1]",
     "YouTube[1]", "name[1] => b", "tea[1]: b", "committee(s)[1]", "BERT(2018)[1]"],
)  # fmt: skip
def test_marks_behind_words_are_citations(text: str) -> None:
    """A mark glued to a word, a number or a parenthesis is a citation."""
    assert [numbers for _, numbers in marks(text)] == [(1,)]


def test_foreign_marks_are_told_and_not_counted() -> None:
    """Marks in a provider's numbering are no citations, and their spans are known."""
    text = "a【4:0†source】 b \ue200cite\ue202turn0search1\ue201"
    found = find_marks(text, read_markup(text), THREE)
    assert found.markers == ()
    assert [text[start:end] for start, end in found.foreign] == ["【4:0†source】", "\ue200cite"]


@given(st.text("[]()【】0123,-–^ .x", max_size=60))
def test_spans_ascend_and_hold_their_numbers(text: str) -> None:
    """Marks come in order, apart from each other, and every number cited is written in its span."""
    end = 0
    for marker in find_marks(text, read_markup(text), THREE).markers:
        assert end <= marker.start < marker.end
        digits = text[marker.start : marker.end]
        assert str(marker.numbers[0]) in digits
        assert str(marker.numbers[-1]) in digits
        end = marker.end
