"""Values of numerals in any script, with sign and relation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.text.fold import fold
from quotecheck.text.lexicon import lexicon
from quotecheck.text.numerals import Number, agree, ascii_digits, numbers


def _read(text: str, *codes: str) -> list[str]:
    found = numbers(fold(text).text, [lexicon(code) for code in codes])
    return [number.relation + number.value for number in found if number.certain]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("43,548 and 43 548 and 43'548", ["43548"] * 3),
        ("1,00,000 rupees", ["100000"]),
        ("1.234.567,89", ["1234567.89"]),
        ("1,234,567.89", ["1234567.89"]),
        ("0,125 and 4,25", ["0.125", "4.25"]),
        ("2.40 is not 2.4", ["2.40", "2.4"]),
        ("-0.42, −3, +5 and 10-15", ["-0.42", "-3", "5", "10", "15"]),
        ("x-5 and COVID-19", ["5", "19"]),
        ("(31.5), ($48), (2019) and (12)", ["-31.5", "-48", "2019", "12"]),
        ("p < 0.05, p<.05, p ≤ 0.05, p >= 0.05", ["<0.05", "<0.05", "≤0.05", "≥0.05"]),
        ("±0.3 and ~5", ["±0.3", "≈5"]),
        ("10~20", ["10", "20"]),
        ("10⁶, 10⁻³, 10^6 and 5e-3", ["10^6", "10^-3", "10^6", "5e-3"]),
        ("½, 2½ and 3/4", ["0.5", "2.5", "0.75"]),
        ("24/7, 7/5 and 04/05/2024", ["24", "7", "7/5", "4", "5", "2024"]),
        ("12.05.2024 and 1,2,3", ["12", "5", "2024", "1", "2", "3"]),
        ("٤٣٬٥٤٨ و ٣٫٥", ["43548", "3.5"]),
        ("२५ और ۲۵ และ ๒๕", ["25", "25", "25"]),
        ("１２，５００", ["12500"]),
    ],
)
def test_numerals_in_many_forms(text: str, values: list[str]) -> None:
    """Groups, decimals, signs, operators, fractions, exponents and digits of other scripts."""
    assert _read(text) == values


@pytest.mark.parametrize(
    ("text", "code", "values"),
    [
        ("12.400 Einwohner", "de", ["12400"]),
        ("12,400 people", "en", ["12400"]),
        ("12.400 people", "en", ["12.400"]),
        ("4.3 million and 5 bn", "en", ["4300000", "5000000000"]),
        ("3 млн и 2 тыс.", "ru", ["3000000", "2000"]),
        ("more than 50, at most 3, fewer than five", "en", [">50", "≤3", "<5"]),
        ("50 oder mehr", "de", ["≥50"]),
        ("50人以上", "ja", ["≥50"]),
    ],
)
def test_numerals_in_a_language(text: str, code: str, values: list[str]) -> None:
    """The language decides what a comma is, and which words multiply or compare."""
    assert _read(text, code) == values


def test_relation_that_is_not_written_agrees_with_equality() -> None:
    """ "= 5" and "5" are one claim, "= 5" and "< 5" are not."""
    plain, equal, below = (Number("5", 0, 1, relation=relation) for relation in ("", "=", "<"))
    assert agree(plain, equal)
    assert not agree(plain, below)
    assert not agree(equal, below)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 10**9), st.sampled_from(["en", "de"]))
def test_grouped_and_plain_digits_have_one_value(value: int, code: str) -> None:
    """Grouping a whole number never changes its value."""
    grouped = f"{value:,}" if code == "en" else f"{value:,}".replace(",", ".")
    assert _read(grouped, code) == _read(str(value), code) == [str(value)]


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_every_number_lies_in_the_text_in_order(text: str) -> None:
    """Whatever the text, numbers are ascending, apart, and inside it."""
    folded = fold(text).text
    found = numbers(folded, [lexicon("en"), lexicon("zh"), lexicon("ko")])
    edges = [edge for number in found for edge in (number.start, number.end)]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(folded) for edge in edges)


def test_ascii_digits_keeps_the_length() -> None:
    """Digits of every script become ASCII one for one, so that offsets stay."""
    assert ascii_digits("٢٠٢٤ 𝟗 x") == "2024 9 x"


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5_000 + " million",
        "9" * 5_000 + "½",
        "1/" + "9" * 5_000,
        "1e" + "9" * 5_000,
        "9" * 400 + ".123456万",
        "一" + "九" * 400 + "点五万",
        "三分之" + "五" * 5_000,
        "3.1.2만",
        "12/0",
        "〇分之三",
    ],
)
def test_numbers_of_any_length_and_form_are_read(text: str) -> None:
    """A text may hold thousands of digits, or none that make sense; both are compared as they are written."""
    assert numbers(text, [lexicon(code) for code in ("en", "ko", "zh")])
