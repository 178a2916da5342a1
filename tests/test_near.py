"""Tests of near passages in texts whose characters have marks, or are sequences: no window cuts one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from quotecheck.models import Difference, Flag, Status
from quotecheck.text.fold import fold
from quotecheck.text.match import check_text

MARKED = [
    "Team 👩\u200d👩\u200d👧 wins 🇩🇪🇫🇷 flags 👍🏽 up",
    "قَالَ المُعَلِّمُ إِنَّ الدَّرْسَ سَهْلٌ",
    "மாலையில் மழை பெய்தது",
    "אָמַר הַמּוֹרֶה כִּי הַשִּׁעוּר קַל",
    "the oﬃce has a ﬁne ﬂoor ﬀ",
]


@pytest.mark.parametrize(
    ("text", "quote", "snippet"),
    [
        ("Danke 👍🏽 an alle", "Danke👍", "Danke"),
        ("Wir sagen Merci👨\u200d👩\u200d👧 an alle", "sagen Merci👨", "sagen Merci"),
        ("The team 🇫🇷 has won", "The team🇫", "The team"),
    ],
)
def test_near_passage_ends_before_a_sequence_that_it_would_cut(text: str, quote: str, snippet: str) -> None:
    """The best window of all cuts an emoji; the best one that does not is near, and it is proven."""
    result = check_text(text, quote)
    assert (result.status, result.snippet) == (Status.NEAR, snippet)
    assert Flag.BEST_NOT_PROVEN not in result.flags


def best_of_whole_characters(quote: str, text: str) -> Fraction:
    """Return the greatest similarity of all windows that part no character from its marks."""
    folded = fold(text)
    places = [place for place in range(len(folded.text) + 1) if not folded.divides_cluster(place)]
    return max(
        Fraction(2 * LCSseq.similarity(quote, folded.text[start:end]), len(quote) + end - start)
        for at, start in enumerate(places)
        for end in places[at + 1 :]
    )


@given(st.data())
@settings(deadline=None, max_examples=150)
def test_verdict_is_that_of_the_best_window_of_whole_characters(data: st.DataObject) -> None:
    """Against every window written out: none missed, none too many, never unproven, no score above it."""
    text = data.draw(st.sampled_from(MARKED))
    letters = list(text[data.draw(st.integers(0, len(text) - 8)) :][: data.draw(st.integers(5, 20))])
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(letters) - 1))
        letters[at : at + data.draw(st.integers(0, 1))] = data.draw(st.sampled_from(["", *text]))
    quote = "".join(letters)
    assume(any(char.isalpha() for char in quote) and quote not in text)
    result = check_text(text, quote)
    assume(result.status is not Status.EXACT and result.difference in (None, Difference.WORDS))
    best = best_of_whole_characters(fold(quote).text, text)
    assert (result.status is Status.NEAR) == (best >= Fraction(9, 10))
    assert result.similarity is not None
    assert result.similarity <= float(best)
    assert Flag.BEST_NOT_PROVEN not in result.flags


def test_similarity_is_that_of_the_passage_with_its_ligature() -> None:
    """A window that ends inside a ligature is not near if the whole ligature makes it less similar."""
    assert check_text("we kept the old staﬀ", "we kept the old staf").status is Status.EXACT
    result = check_text("fi bi iﬀﬀfiﬀ", "bi ifﬀi")
    assert (result.status, result.similarity) == (Status.NOT_FOUND, 0.875)


def test_similarity_of_a_quotation_not_found_is_that_of_whole_characters() -> None:
    """The hint does not part an emoji from its skin tone, and the score is the hint's."""
    result = check_text("Danke 👍🏽 an alle", "Danke👍", near_threshold=0.95)
    assert result.status is Status.NOT_FOUND
    assert result.closest is not None
    assert result.closest.text == "Danke 👍🏽"
    assert result.similarity == 12 / 14


def test_near_passage_does_not_end_in_a_space() -> None:
    """Where the similarity allows no shorter passage, it goes on to the end of the next word."""
    result = check_text("The grey mill stood by a weir", "The grey mill stood b7")
    assert result.snippet is not None
    assert result.snippet == result.snippet.strip()


def test_punctuation_does_not_escape_the_threshold() -> None:
    """Spaces around a dash are punctuation; the six kinds that are near at any similarity are others."""
    result = check_text("well yes-no it is so", "yes - no", near_threshold=1.0)
    assert result.status is Status.NOT_FOUND
    assert check_text("well yes-no it is so", "yes-no itis so", near_threshold=1.0).difference == "spacing"
    assert check_text("well yes-no it is so", "well yes - no it is so").difference == "punctuation"
