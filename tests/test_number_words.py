"""Numbers in words, in Han, Hangul and Roman numerals."""

from __future__ import annotations

import pytest

from quotecheck.text.lexicon import lexicon
from quotecheck.text.number_words import han_numbers, hangul_numbers, roman_numbers, word_numbers


@pytest.mark.parametrize(
    ("code", "text", "values"),
    [
        ("en", "twenty-five, one hundred and five, two million and three", ["25", "105", "2000003"]),
        ("en", "nineteen eighty-four", ["19", "84"]),
        ("en", "two or three hundred thousand", ["2", "300000"]),
        ("de", "fünfundzwanzig und zweihunderteinunddreißigtausend", ["25", "231000"]),
        ("de", "drei Millionen", ["3000000"]),
        ("fr", "soixante-dix, quatre-vingt-dix-neuf, vingt et un", ["70", "99", "21"]),
        ("fr", "deux cent trois mille", ["203000"]),
        ("es", "treinta y dos, doscientos cinco mil", ["32", "205000"]),
        ("pt", "vinte e dois, trezentos e quarenta", ["22", "340"]),
        ("it", "ventitré, duecentoquaranta, tremila", ["23", "240", "3000"]),
        ("ru", "двадцать пять, двести тридцать тысяч", ["25", "230000"]),
        ("ar", "خمسة وعشرون، ثلاثة عشر، مئة وخمسون", ["25", "13", "150"]),
        ("he", "עשרים וחמש, שלוש עשרה, מאה וחמישים", ["25", "13", "150"]),
        ("hi", "पच्चीस, तीन सौ पाँच, दो लाख", ["25", "305", "200000"]),
        ("tr", "yirmi beş, üç yüz elli, yirmibeş", ["25", "350", "25"]),
    ],
)
def test_number_words(code: str, text: str, values: list[str]) -> None:
    """Units, tens, hundreds and larger scales in each language that writes words."""
    words = lexicon(code).number_words
    assert words is not None
    assert [found[0] for found in word_numbers(text, words) if found[3]] == values


def test_number_word_that_is_an_article_is_not_certain() -> None:
    """ "one" is a number only where another number stands in its place."""
    words = lexicon("en").number_words
    assert words is not None
    assert list(word_numbers("one of them", words)) == [("1", 0, 3, False)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("四万三千人", ["43000"]),
        ("第一百零一条", ["101"]),
        ("二〇二四年", ["2024"]),
        ("4.3万 1万2千", ["43000", "12000"]),
        ("三点五", ["3.5"]),
        ("一万亿", ["1000000000000"]),
        ("廿五日", ["25"]),
        ("一般 十分好 万一 百分之", []),
        ("三人 一人", ["3"]),
    ],
)
def test_han_numbers(text: str, values: list[str]) -> None:
    """Positional and multiplicative numerals, digits mixed in; parts of other words are not certain."""
    assert [found[0] for found in han_numbers(text) if found[3]] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("3만 5천 명", ["35000"]),
        ("백오십 명", ["150"]),
        ("이십 년", ["20"]),
        ("열두 척", ["12"]),
        ("세 사람", ["3"]),
        ("이 일은 안전하다", []),
    ],
)
def test_hangul_numbers(text: str, values: list[str]) -> None:
    """Sino-Korean and native numbers before what they count; the same syllables elsewhere are words."""
    assert [found[0] for found in hangul_numbers(text) if found[3]] == values


def test_roman_numbers_are_never_certain() -> None:
    """They look like words."""
    assert list(roman_numbers("Table XIV, MIX and I")) == [
        ("14", 6, 9, False),
        ("1009", 11, 14, False),
        ("1", 19, 20, False),
    ]
