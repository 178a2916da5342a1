"""Units of measure and currencies."""

from __future__ import annotations

import pytest

from quotecheck.text.lexicon import lexicon
from quotecheck.text.numerals import numbers
from quotecheck.text.units import units


def _symbols(text: str, code: str = "en") -> list[str]:
    lexicons = [lexicon(code)]
    found = units(text, numbers(text, lexicons), lexicons)
    return [unit.symbol for unit in sorted(found, key=lambda unit: unit.start)]


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("5 mg, 5mg and 5 MG", ["mg", "mg"]),
        ("20 mW or 20 MW", ["mW", "MW"]),
        ("12 kilometres, 12 km", ["km", "km"]),
        ("5 percent and 5%", ["%", "%"]),
        ("5 percentage points", ["pp"]),
        ("$5, US$ 5, 5 €", ["$", "$", "€"]),
        ("5 mg/kg each", ["mg", "kg"]),
        ("5 mg per kg a day", ["mg", "kg", "d"]),
        ("5 mg b.i.d. or t.i.d.", ["mg", "bid", "tid"]),
        ("5 mg BID, a takeover bid", ["mg", "bid"]),
        ("5 a.m. and 5 PM", ["am", "pm"]),
        ("several miles", ["mi"]),
        ("I am here, in m and g", []),
    ],
)
def test_units_of_english(text: str, symbols: list[str]) -> None:
    """Symbols count beside a number, spelled-out units anywhere."""
    assert _symbols(text) == symbols


@pytest.mark.parametrize(
    ("code", "text", "symbols"),
    [
        ("ru", "5 мг, в 2024 г. и 5 г", ["mg", "y", "g"]),
        ("zh", "百分之五、5个百分点、12公里", ["%", "pp", "km"]),
        ("ja", "5グラムと12キロメートル", ["g", "km"]),
        ("tr", "yüzde 5 ve %5", ["%", "%"]),
    ],
)
def test_units_of_other_languages(code: str, text: str, symbols: list[str]) -> None:
    """Words and abbreviations of each language have the same symbols."""
    assert _symbols(text, code) == symbols
