"""Which marks of a sentence attribute which of its quotations, and how surely."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.inline import find_inline_quotes
from quotecheck.citations.markers import find_marks
from quotecheck.citations.markup import read_markup
from quotecheck.citations.numbering import Numbering
from quotecheck.citations.sentences import find_sentences
from quotecheck.citations.sources import read_sources

NINE = Numbering(read_sources([str(number) for number in range(9)]))
SURE, UNSURE = True, False


def attributed(text: str) -> list[tuple[tuple[int, ...], bool]]:
    """Return the numbers of each quotation, and whether they are certain."""
    markup = read_markup(text)
    marks = find_marks(text, markup, NINE)
    found = find_inline_quotes(text, find_sentences(text, markup, marks), marks.markers)
    return [(quote.numbers, quote.certain) for quote in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # Right behind the quotation.
        ('The log says "the ice was thin" [1].', [((1,), SURE)]),
        ('"the ice was thin" [1][2], says [3].', [((1, 2), SURE)]),
        ('"the ice was thin," [1] and "the sea was grey" [2].', [((1,), SURE), ((2,), SURE)]),
        ('"the ice was thin", [1] "the sea was grey", [2].', [((1,), SURE), ((2,), SURE)]),
        ('According to [1], "the ice was thin" [2].', [((2,), SURE)]),
        ('Ice melts [3] and "the ice was thin" [1].', [((1,), SURE)]),
        ('"the ice was thin" [1] and "soft" [2], so "the sea was grey" [3].', [((1,), SURE), ((3,), SURE)]),
        # Before the quotation.
        ('[1] says "the ice was thin".', [((1,), SURE)]),
        ('So [1]: "the ice was thin".', [((1,), SURE)]),
        ('As [1] says, "the ice was thin".', [((1,), SURE)]),
        ('According to [1], "the ice was thin".', [((1,), SURE)]),
        ('根據[1]，「那一年的冬天冰層很薄」。', [((1,), SURE)]),
        ('[1] says "the ice was thin", while [2] says "the sea was grey".', [((1,), SURE), ((2,), SURE)]),
        ('[1] says "the ice was thin", [2] says "the sea was grey".', [((1,), SURE), ((2,), SURE)]),
        ('[1] says "the ice was thin," [2] "the sea was grey".', [((1,), SURE), ((2,), SURE)]),
        ('So [1]: "the ice was thin"; [2]: "the sea was grey"; [3]: "it was cold and wet".',
         [((1,), SURE), ((2,), SURE), ((3,), SURE)]),
        ('[1] says "the ice was thin", and gold is soft [2].', [((1,), SURE)]),
        ('[1] says "the ice was thin" in its log [2].', [((1, 2), SURE)]),
        ('[1] and [2] both say "the ice was thin".', [((1, 2), SURE)]),
        ('[1], [2], and [3] say "the ice was thin".', [((1, 2, 3), SURE)]),
        ('Sources [1] and [2] differ: "the ice was thin" or "the sea was grey".',
         [((1, 2), SURE), ((1, 2), UNSURE)]),
        # At the end of the clause or sentence.
        ('"the ice was thin" and "the sea was grey" [1], [2].', [((1, 2), SURE), ((1, 2), SURE)]),
        ('"the ice was thin" and "the sea was grey" ([1] and [2], respectively).',
         [((1, 2), SURE), ((1, 2), SURE)]),
        ('"the ice was thin" [1], [2], and [3].', [((1, 2, 3), SURE)]),
        ('"the ice was thin", so it broke [1].', [((1,), SURE)]),
        ('As "the ice was thin" in May [1], it broke.', [((1,), SURE)]),
        ('Ice melts [3] and "the ice was thin" in May [1].', [((1,), SURE)]),
        # None that is clear.
        ('As "the ice was thin" shows, and [2] too.', [((2,), UNSURE)]),
        ('"the ice was thin", while [2] says "the sea was grey".', [((2,), UNSURE), ((2,), SURE)]),
        ('"the ice was thin", while [2] calls it "soft".', [((2,), UNSURE)]),
        ('"the ice was thin", [2] says "the sea was grey".', [((2,), UNSURE), ((2,), SURE)]),
        ('Ice melts in May [3] and "the ice was thin".', [((3,), UNSURE)]),
        ('Ice melts in May [3], but "the ice was thin".', [((3,), UNSURE)]),
        ('The authors of [1] write that "the ice was thin", and gold is soft [2].', [((1, 2), UNSURE)]),
    ],
)  # fmt: skip
def test_marks_of_each_quotation(text: str, found: list[tuple[tuple[int, ...], bool]]) -> None:
    """The mark behind, the one that leads to the quotation, that ends the clause; else the nearest."""
    assert attributed(text) == found


PIECES = st.sampled_from(["“the ice was thin”", "“x”", "[1]", "[2]", ", ", "; ", " and ", " says ", " "])


@given(st.lists(PIECES, max_size=14).map("".join))
def test_every_long_quotation_beside_a_mark_is_attributed(text: str) -> None:
    """In any order of quotations, marks and words none is lost, and each gets numbers that are there."""
    markup = read_markup(text)
    marks = find_marks(text, markup, NINE)
    found = attributed(text)
    assert all(numbers and set(numbers) <= {1, 2} for numbers, _ in found)
    assert len(found) == (text.count("the ice was thin") if marks.markers else 0)
