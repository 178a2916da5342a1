"""Units of measure and currencies in a folded text, as canonical symbols: "5 kilometres" and "5 km" are one.

Symbols are case-sensitive (mW is no MW) and count beside a number only; spelled-out units of the languages
given count anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from quotecheck.models import Span
from quotecheck.text.lexicon import WORD_END, WORD_START, Lexicon, lexicon
from quotecheck.text.numerals import Number

_PREFIXED = {
    "g": "k m μ n p",
    "m": "k c m μ n d",
    "l": "m c d μ h",
    "L": "m c d μ h",
    "s": "m μ n p",
    "W": "k M G T m μ",
    "Wh": "k M G T",
    "J": "k M G T m",
    "V": "k M m μ",
    "A": "k m μ n",
    "Hz": "k M G T",
    "Pa": "k M G h",
    "B": "k K M G T P",
    "bit": "k M G",
    "b": "k M G T",
    "mol": "m μ n k",
    "M": "m μ n",
    "Bq": "k M G T",
    "Sv": "m μ",
    "Gy": "m",
    "eV": "k M G T",
    "N": "k M m",
    "Ω": "k M m",
    "cal": "k",
    "t": "k M",
    "ton": "k M",
    "bar": "m",
    "F": "μ n p",
}
_PLAIN = """
    % ‰ °C °F K ° h hr hrs min sec d wk mo yr yrs mi ft yd in. nmi mph kph km/h m/s lb lbs oz gal pt ha ac
    acre dB rpm ppm ppb ppt IU U mcg kt Mt Gt psi mmHg BTU hp PS Mbps Gbps kbps dpi px bpm mEq pp bp bps ct
    am pm AM PM a.m. p.m. A.M. P.M. BC AD BCE CE B.C. A.D. KW KM Km KG Kg ML ٪ TL руб. руб
"""
_ALIASES = {
    "L": "l",
    **{prefix + "L": prefix + "l" for prefix in "mcdμh"},
    "mcg": "μg",
    "hr": "h",
    "hrs": "h",
    "sec": "s",
    "yr": "y",
    "yrs": "y",
    "lbs": "lb",
    "KB": "kB",
    "KW": "kW",
    "KM": "km",
    "Km": "km",
    "KG": "kg",
    "Kg": "kg",
    "ML": "ml",
    "kph": "km/h",
    "a.m.": "am",
    "A.M.": "am",
    "AM": "am",
    "p.m.": "pm",
    "P.M.": "pm",
    "PM": "pm",
    "BCE": "BC",
    "B.C.": "BC",
    "CE": "AD",
    "A.D.": "AD",
    "٪": "%",
    "R$": "BRL",
    "US$": "$",
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "JPY": "¥",
    "CNY": "yuan",
    "RMB": "yuan",
    "INR": "₹",
    "RUB": "₽",
    "руб": "₽",
    "руб.": "₽",
    "KRW": "₩",
    "ILS": "₪",
    "TRY": "₺",
    "TL": "₺",
    "円": "¥",
}
_CURRENCIES = """
    US$ R$ A$ C$ HK$ NT$ $ € £ ¥ ₹ ₽ ₩ ₪ ₺
    USD EUR GBP JPY CNY RMB INR RUB KRW ILS TRY CHF SEK NOK DKK PLN
"""
_BEFORE_NUMBERS = (*_CURRENCIES.split(), "%", "٪", "AD", "A.D.")


def _symbols() -> list[str]:
    found = {prefix + unit for unit, prefixes in _PREFIXED.items() for prefix in ("", *prefixes.split())}
    return sorted({*found, *_PLAIN.split(), *_CURRENCIES.split()}, key=len, reverse=True)


_SYMBOL = "|".join(map(re.escape, _symbols()))
_BEHIND = re.compile(rf"[ ]?-?[ ]?(?P<unit>(?:{_SYMBOL})(?:/(?:{_SYMBOL}|day|week|person))*\d?)(?!\w)")
# "3 mg per kg": the second unit belongs to the number as the first does.
_RATE = re.compile(rf"[ ](?:per|pro|por|par|je|на)[ ](?P<unit>{_SYMBOL})(?!\w)")
_BEFORE = re.compile(rf"(?P<unit>{'|'.join(map(re.escape, _BEFORE_NUMBERS))})[ ]?[-+]?$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit `text[start:end]` and its canonical symbol; `attached` to a number beside it."""

    symbol: str
    start: int
    end: int
    attached: bool


def units(
    text: str, numbers: Sequence[Number], lexicons: Sequence[Lexicon], spans: Sequence[Span] | None = None
) -> list[Unit]:
    """Return the units of a folded text whose numbers are known, spelled-out ones in the spans given only.

    >>> from quotecheck.text.numerals import numbers
    >>> text = "$5 for 3 mg"
    >>> sorted(unit.symbol for unit in units(text, numbers(text), []))
    ['$', 'mg']
    """
    found = {
        (unit.start, unit.end): unit for unit in _spelled(text, numbers, lexicons, spans or [(0, len(text))])
    }
    for number in (number for number in numbers if number.certain):
        behind = _BEHIND.match(text, number.end)
        before = _BEFORE.search(text, max(0, number.start - 8), number.start)
        for match in (behind, before):
            if match is not None and match.span("unit") not in found:
                found[match.span("unit")] = Unit(
                    _canonical(match["unit"]), *match.span("unit"), attached=True
                )
        rate = _RATE.match(text, behind.end()) if behind is not None else None
        if rate is not None:
            found.setdefault(
                rate.span("unit"), Unit(_canonical(rate["unit"]), *rate.span("unit"), attached=True)
            )
    return list(found.values())


def _canonical(symbol: str) -> str:
    return "/".join(_ALIASES.get(part, part) for part in symbol.split("/"))


def _spelled(
    text: str, numbers: Sequence[Number], lexicons: Sequence[Lexicon], spans: Sequence[Span]
) -> Iterator[Unit]:
    ends = {number.end for number in numbers} | {number.end + 1 for number in numbers}
    starts = {number.start for number in numbers} | {number.start - 1 for number in numbers}
    for found, (low, high) in product(lexicons, spans):
        for match in _pattern(found.code).finditer(text, low, high):
            name = match.group()
            symbol = found.units.get(name) or found.units.get(name.casefold())
            attached = match.start() in ends or match.end() in starts
            if name == "г" and re.search(r"\d{4} $", text[: match.start()][-5:]):
                symbol = "y"  # a Russian year is written "2024 г."
            # Abbreviations of one or two letters, and single characters, are words, too.
            if symbol is not None and (attached or len(name) > (1 if name > "\u2e80" else 2)):
                yield Unit(symbol, *match.span(), attached=attached)


@cache
def _pattern(code: str) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(lexicon(code).units, key=len, reverse=True)))
    if code in ("ja", "ko", "zh"):
        return re.compile(names)
    return re.compile(f"{WORD_START}(?:{names}){WORD_END}", re.IGNORECASE)
