"""Quotations within the text of an answer, and the marks that attribute them."""

from __future__ import annotations

import pytest

from quotecheck.citations.inline import find_inline_quotes
from quotecheck.citations.markers import find_marks
from quotecheck.citations.markup import read_markup
from quotecheck.citations.numbering import Numbering
from quotecheck.citations.sentences import find_sentences
from quotecheck.citations.sources import read_sources

THREE = Numbering(read_sources(["a", "b", "c"]))


def quotes(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return each quotation with the numbers it is attributed to."""
    markup = read_markup(text)
    marks = find_marks(text, markup, THREE)
    found = find_inline_quotes(text, find_sentences(text, markup, marks), marks.markers)
    return [(text[quote.start : quote.end], quote.numbers) for quote in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('It "was shut for weeks" [1].', [("was shut for weeks", (1,))]),
        ('It "was shut for weeks" [1][2], said [3].', [("was shut for weeks", (1, 2))]),
        ('"a b c d" or "e f g h" [2].', [("a b c d", (2,)), ("e f g h", (2,))]),
        ('It "was shut" [1].', []),
        ('It "was shut for weeks".', []),
        ('[1] says it "was shut for weeks".', [("was shut for weeks", (1,))]),
        ('He said "a [1] b c d" here.', []),
        ('He said "a [1] b c d" in [2].', [("a [1] b c d", (2,))]),
        ('It was "" and "was shut for weeks" [1].', [("was shut for weeks", (1,))]),
        ('It "was shut for weeks". [1]', [("was shut for weeks", (1,))]),
        ('An 8" gun, a "big" one, "was shut for weeks" [1].', [("was shut for weeks", (1,))]),
        ('It ("was shut for weeks") [1].', [("was shut for weeks", (1,))]),
        ('It «was “quite” shut for weeks» [1].', [("was “quite” shut for weeks", (1,))]),
        ("It ‘wasn’t shut for weeks’ [1].", [("wasn’t shut for weeks", (1,))]),
        ("It »was shut for weeks« [1].", [("was shut for weeks", (1,))]),
        ("它「關閉了九個星期之久」[1]。", [("關閉了九個星期之久", (1,))]),
        ("它『關閉了』[1]。", []),
        ('It "was shut for weeks [1].', []),
        ('"It was shut. It isn’t now." [1]', [("It was shut. It isn’t now.", (1,))]),
        ('[1] says: "It was shut. It is open." It is so.', [("It was shut. It is open.", (1,))]),
        ('“It was shut. Ice broke. It is open” [2]. So.', [("It was shut. Ice broke. It is open", (2,))]),
        ('It "was shut for weeks [1]. It "is open by now" [2].', [("is open by now", (2,))]),
        ('It "was shut for weeks. It "is open by now" [2].', [("is open by now", (2,))]),
        ('It “was shut for weeks [1]. It is open now” [2].', []),
        ('It "was shut for weeks.\n\nIt is open by now" [2].', []),
    ],
)  # fmt: skip
def test_quotes(text: str, found: list[tuple[str, tuple[int, ...]]]) -> None:
    """A quotation of four words or eight CJK characters is found with the marks that attribute it."""
    assert quotes(text) == found
