"""Tokens and their classes in many scripts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.text.words import TokenKind, classes, measure, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The old weir, 4.2 m.", ["The", "old", "weir", ",", "4.2", "m", "."]),
        ("It's John's 5mg", ["It's", "John's", "5", "mg"]),
        ("43,548 1'000 p<.05", ["43,548", "1'000", "p", "<", ".", "05"]),
        ("桥断了 3 次", ["桥", "断", "了", "3", "次"]),
        ("הַגֶּשֶׁר נִסְגַּר", ["הַגֶּשֶׁר", "נִסְגַּר"]),
        ("पुल टूट गया", ["पुल", "टूट", "गया"]),
        ("สะพาน", ["ส", "ะ", "พ", "า", "น"]),
        ("half[12] in [the] dusk", ["half", "[12]", "in", "[the]", "dusk"]),
        ("[T]he walk[ed] path", ["[T]he", "walk[ed]", "path"]),
        ("dusk . . . and [...] noon", ["dusk", ". . .", "and", "[...]", "noon"]),
        ("A &amp; B", ["A", "&amp;", "B"]),
        ("10⁶ x²", ["10", "⁶", "x", "²"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    """Words keep their marks and apostrophes; scripts without spaces go by character."""
    assert [token.text for token in tokens(text)] == expected


def test_tokens_know_their_kind() -> None:
    """Reference marks, editor's brackets, elisions and entities are told apart."""
    found = tokens("a[1] [she] ... &amp; 5 $")
    assert [token.kind for token in found] == [
        TokenKind.WORD,
        TokenKind.REFERENCE_MARK,
        TokenKind.BRACKET,
        TokenKind.ELISION,
        TokenKind.ENTITY,
        TokenKind.NUMBER,
        TokenKind.SYMBOL,
    ]


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=st.one_of(st.sampled_from("[]().…a1 -'&;"), st.characters()), max_size=60))
def test_tokens_cover_everything_but_white_space(text: str) -> None:
    """Tokens slice the text, in order and apart, and leave out only space."""
    done = 0
    for token in tokens(text):
        assert token.start >= done
        assert token.text == text[token.start : token.end] != ""
        assert text[done : token.start].strip() == ""
        done = token.end
    assert text[done:].strip() == ""


@settings(deadline=None)
@given(st.text(max_size=60))
def test_classes_have_one_letter_per_character(text: str) -> None:
    """Offsets in the classes are offsets in the text."""
    assert len(classes(text)) == len(text)


def test_measure_counts_half_words() -> None:
    """Two for a word, one for a character without spaces, nothing for punctuation."""
    assert [measure(text) for text in ("the old weir", "well-known", "旧桥 at noon", "--- !", "4.2")] == [
        6,
        2,
        6,
        0,
        2,
    ]
