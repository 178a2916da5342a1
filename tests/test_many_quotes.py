"""Very many quotations looked for in one text at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quotecheck.errors import InvalidQuote
from quotecheck.models import Region, Source
from quotecheck.text import many_quotes
from quotecheck.text.fold import fold
from quotecheck.text.many_quotes import ManyQuotes, bare_texts, core_of
from quotecheck.text.match import PreparedText

# Letters, and everything that folding, readings and clusters treat in its own way.
TRICKY = (
    "aab  \n--\u00ad\u2011\u2013\u00a0\u200b\"'“”«»‹›ﬁﬀ½¾²³⁻⁶12ée\u0301\u0308霧霧の\n街ｶﾞ가각\u1100\u1161"
    "ⁿ№①🙂\u200d👩🏽🇫🇷\ufe0fكتـ\udcffŋ.,;"
)
WORDS = st.lists(
    st.sampled_from(
        ["grey", "fog", "half-\nopen", "ﬁne", "10⁶", "½", "霧の\n街", "«", "»", "caf\u0065\u0301"]
    ),
    min_size=1,
    max_size=8,
).map(" ".join)
TEXTS = st.text(alphabet=TRICKY, max_size=60) | WORDS


@st.composite
def sources(draw: st.DrawFn) -> Source:
    """Draw a text with regions and ignorable spans."""
    text = draw(TEXTS)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    ignorable = tuple(zip(cuts[::2], cuts[1::2], strict=False))
    border = draw(st.integers(0, len(text)))
    regions = (Region("hidden", border, len(text)),) if draw(st.booleans()) else ()
    return Source(text, regions=regions, ignorable=ignorable)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Source, list[str]]:
    """Draw a source, and quotations of which most are pieces of its text in another spelling."""
    source = draw(sources())
    quotes = draw(st.lists(TEXTS, max_size=3))
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(source.text))] * 2)))
        piece = source.text[start:end]
        change = draw(st.sampled_from(["none", "joined", "folded", "enclosed"]))
        if change == "joined":
            piece = piece.replace("-\n", "").replace("\n", "")
        elif change == "folded":
            piece = fold(piece).text
        elif change == "enclosed":
            piece = f"“{piece}”"
        quotes.append(piece)
    return source, [quote for quote in quotes if is_quote(quote)]


def is_quote(quote: str) -> bool:
    try:
        return bool(many_quotes.Quotation(quote))
    except InvalidQuote:
        return False


@settings(deadline=None, max_examples=200)
@given(cases())
@example((Source("about 10⁶ people came"), ["⁶ people came"]))
@example((Source("a cafe\u0301 ½"), ["a cafe\u0301 ½"]))
@example((Source("a half-\nopen door"), ["half-open door", "halfopen door", "half- open door"]))
def test_no_quotation_that_stands_exactly_is_missed(case: tuple[Source, list[str]]) -> None:
    """Whatever the matcher calls EXACT is a candidate, unless it can be looked for nowhere."""
    source, quotes = case
    prepared = PreparedText(source)
    exact = {number for number, quote in enumerate(quotes) if prepared.find_exact(quote) is not None}
    found = ManyQuotes(quotes).look(source)
    assert not found.is_cut
    assert {number for number in exact if core_of(quotes[number])} <= set(found.candidates)


@settings(deadline=None)
@given(st.text(alphabet=[chr(code) for code in range(128)], max_size=60))
def test_ascii_is_bared_as_if_it_were_folded(text: str) -> None:
    """The short way for ASCII texts gives what folding gives."""
    assert list(bare_texts(Source(text))) == [fold(text).text.replace("-", "").replace(" ", "")]


def test_candidates_hold_the_bare_quotation() -> None:
    """A passage that differs in more than hyphens and spaces is no candidate."""
    quotes = ["the grey fog lay over the weir", "the grey fog lay over the mill", "grey", "gray", "r"]
    source = Source("All night the grey fog lay over the weir.")
    assert ManyQuotes(quotes).look(source).candidates == [0, 2, 4]


def test_many_quotations_of_all_lengths_are_told_apart() -> None:
    """Thousands of quotations that share most of their words: each text holds its own."""
    letters = random.Random(3)
    quotes = [
        f"in the year {number} the harbour master wrote that {'so ' * letters.randrange(9)}many boats left"
        for number in range(9_000)
    ] + ["".join(letters.choices("abcdefgh", k=size)) for size in range(1, 40)]
    index = ManyQuotes(quotes)
    for number in (0, 4_711, 8_999, *range(9_003, 9_039)):
        text = f"The report says: {quotes[number]}, and nothing else."
        assert number in index.look(Source(text)).candidates
        assert [other for other in index.look(Source(text)).candidates if other < 9_000] in ([number], [])


def test_quotations_with_one_core_are_all_candidates() -> None:
    """Spellings that differ in hyphens, spaces and enclosing marks are decided by the matcher."""
    quotes = ["half-open door", "“half open door”", "halfopen door"]
    assert ManyQuotes(quotes).look(Source("a half-open door")).candidates == [0, 1, 2]


def test_no_quotations_and_no_text_give_nothing() -> None:
    """Empty on either side is no special case."""
    assert ManyQuotes([]).look(Source("grey fog")).candidates == []
    assert ManyQuotes(["grey fog"]).look(Source("")).candidates == []


def test_bare_powers_cannot_be_looked_for_and_are_counted() -> None:
    """What has no character that folds alike everywhere is left out, and told."""
    index = ManyQuotes(["10⁶", "½", "10⁶ people"])
    assert index.unsearchable == 2
    assert index.look(Source("10⁶ people")).candidates == [2]


@pytest.mark.parametrize("size", [many_quotes.MOST_PLACES + 100])
def test_text_made_to_cost_much_is_cut_and_says_so(size: int) -> None:
    """Work on one text is bounded."""
    found = ManyQuotes(["a" * 50 + "b"]).look(Source("a" * size + "c"))
    assert not found.is_cut  # the gram that holds the b is looked for
    found = ManyQuotes(["a" * 50]).look(Source("ba" * size))
    assert not found.is_cut
    found = ManyQuotes(["a" * 50]).look(Source("a" * size))
    assert (found.is_cut, found.candidates) == (True, [0])
