"""Whether cited words stand in a source: raw, normalized, nearly, or not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.quotes import CitationResult, CitedWords, Found, SourceText
from quotecheck.errors import InvalidQuote


def found(text: str, quote: str) -> tuple[str, str | None]:
    """Return the result and the passage that it is about."""
    result = SourceText(text).find(CitedWords(quote), near_threshold=0.90)
    return str(result.result), None if result.span is None else text[slice(*result.span)]


@pytest.mark.parametrize(
    ("text", "quote", "result", "passage"),
    [
        ("Tin is soft.", "Tin is soft", "EXACT", "Tin is soft"),
        ("Tin is soft.", " soft. ", "NORMALIZED", "soft."),
        ("Tin  is\nsoft.", "Tin is soft", "NORMALIZED", "Tin  is\nsoft"),
        ("TIN IS SOFT.", "tin is soft", "NORMALIZED", "TIN IS SOFT"),
        ("Die STRASSE dort", "straße", "NORMALIZED", "STRASSE"),
        ("Die Straße dort", "STRASSE", "NORMALIZED", "Straße"),
        ("“Tin” – soft", '"Tin" - soft', "NORMALIZED", "“Tin” – soft"),
        ("cafe\u0301 noir", "café noir", "NORMALIZED", "cafe\u0301 noir"),
        ("first pre-\nface here", "preface here", "NORMALIZED", "pre-\nface here"),
        ("錫是 soft 的。", "錫是soft的", "NORMALIZED", "錫是 soft 的"),
        ("錫是soft的。", "錫 是 soft 的 。", "NORMALIZED", "錫是soft的。"),
        ("２ ｋｇ soft", "2 KG SOFT", "NORMALIZED", "２ ｋｇ soft"),
        ("Tin is soft and grey.", "Tin issoft and grey", "NEAR", "Tin is soft and grey"),
        (
            "주석은 무른 금속이다 라고 한다",
            "주석은무른 금속이다 라고 한다",
            "NEAR",
            "주석은 무른 금속이다 라고 한다",
        ),
        ("Tin is soft.", "Gold is heavy", "NOT_FOUND", None),
        ("", "Tin", "NOT_FOUND", None),
    ],
)
def test_find(text: str, quote: str, result: str, passage: str | None) -> None:
    """Typography, case and spaces beside CJK are normalized; spaces between other words count."""
    assert found(text, quote) == (result, passage)


@pytest.mark.parametrize(
    ("text", "quote"), [("cafe\u0301", "cafe"), ("Straße", "stras"), ("👩\u200d🚀", "👩")]
)
def test_half_a_character_is_no_match(text: str, quote: str) -> None:
    """Words that end within a character of the source do not stand there."""
    words = CitedWords(f"{quote} a") if quote == "👩" else CitedWords(quote)
    assert not SourceText(text).holds(words) or quote in text


@pytest.mark.parametrize(
    ("text", "quote", "result", "flags"),
    [
        ("It was unlikely.", "likely", "EXACT", ["cuts_word"]),
        ("It was unlikely.", "LIKELY", "NORMALIZED", ["cuts_word"]),
        ("It fell by -0.42.", "0.42", "EXACT", ["cuts_number"]),
        ("It was likely, not unlikely.", "LIKELY", "NORMALIZED", []),
        ("It was unlikely, then likely.", "likely", "EXACT", []),
        ("No member may vote.", "member may vote", "EXACT", ["negation_nearby"]),
        ("No member may vote.", "No member may vote", "EXACT", []),
        ("Ice. No\n\tmember may vote.", "Member may vote", "NORMALIZED", ["negation_nearby"]),
        ("No member’s “boat” may sail.", 'member\'s "boat" may', "NORMALIZED", ["negation_nearby"]),
        ("It isn’t safe for “boys”.", 'SAFE for "boys"', "NORMALIZED", ["negation_nearby"]),
        ("禁止してはならない。", "ならない", "EXACT", []),
        ("没有人可以在五月投票。", "人可以在五月投票", "EXACT", ["negation_nearby"]),
        ("No member of the crew may ever sail out at night.", "member of the crew may … sail out at night",
         "NEAR", ["negation_nearby"]),
        ("It is safe for all adults who swim, not for boys who row a boat.",
         "It is safe for all adults … for boys who row a boat.", "NEAR", ["negation_elided"]),
        ("It rose by 12 in the first year.", "It rose by 13 in the first year.", "NEAR",
         ["number_changed"]),
        ("It was effective in adults and boys.", "It was not effective in adults and boys.", "NEAR",
         ["negation_changed"]),
    ],
)  # fmt: skip
def test_what_may_turn_the_meaning_is_flagged(text: str, quote: str, result: str, flags: list[str]) -> None:
    """Cut words and numbers of words that hold, changed numbers and negations of others, are flagged."""
    found = SourceText(text).find(CitedWords(quote), near_threshold=0.90)
    assert (str(found.result), [str(flag) for flag in found.flags]) == (result, flags)


def test_whole_word_is_preferred() -> None:
    """Where the words also stand within a longer one, the place that cuts no word is reported."""
    assert SourceText("fivefold, five").find(CitedWords("five"), near_threshold=0.9).span == (10, 14)


@pytest.mark.parametrize("quote", ["", " ", "...", "“”", "\u200b"])
def test_words_without_letters(quote: str) -> None:
    """Without a letter or digit there is nothing to look for."""
    with pytest.raises(InvalidQuote):
        CitedWords(quote)


def test_similarity_of_each_result() -> None:
    """EXACT and typography are 1.0, other results the similarity of quote and passage."""
    text = SourceText("Tin is soft.")
    scores = [
        text.find(CitedWords(quote), near_threshold=0.9).similarity
        for quote in ("Tin", "tin", "Tin is sofa.")
    ]
    assert scores[:2] == [1.0, pytest.approx(2 / 3)]
    assert scores[2] == pytest.approx(22 / 24)


def test_better_result_wins() -> None:
    """A better verdict goes before a higher similarity."""
    exact, near = Found(CitationResult.EXACT, (0, 1), 1.0), Found(CitationResult.NEAR, (0, 1), 0.9)
    assert exact.is_better_than(near)
    assert near.is_better_than(Found(CitationResult.NOT_FOUND, None, 0.95))
    assert not near.is_better_than(near)


@given(st.text(max_size=40), st.data())
def test_every_slice_is_held(text: str, data: st.DataObject) -> None:
    """Any stretch of a source with a letter in it stands there, also in another case and width of space."""
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    if any(character.isalnum() for character in quote):
        assert SourceText(text).holds(CitedWords(quote))
