"""Units of measure and currencies in a folded text, as canonical symbols: "5 kilometres" and "5 km" are one.

Symbols are case-sensitive (mW is no MW) and count beside a number only; spelled-out units of the languages
given count anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
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
# Per cent in languages that have no lexicon.
_PERCENT = """
    procent procenta procentu procentów procenten prosent prosenttia proc. pct. pct persen százalék відсотків
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
    "mph": "mi/h",
    "day": "d",
    "week": "wk",
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
    **dict.fromkeys(_PERCENT.split(), "%"),
}
_CURRENCIES = """
    US$ R$ A$ C$ HK$ NT$ $ € £ ¥ ₹ ₽ ₩ ₪ ₺
    USD EUR GBP JPY CNY RMB INR RUB KRW ILS TRY CHF SEK NOK DKK PLN
"""
_BEFORE_NUMBERS = (*_CURRENCIES.split(), "%", "٪", "AD", "A.D.")


def _symbols() -> list[str]:
    found = {prefix + unit for unit, prefixes in _PREFIXED.items() for prefix in ("", *prefixes.split())}
    return sorted({*found, *_PLAIN.split(), *_PERCENT.split(), *_CURRENCIES.split()}, key=len, reverse=True)


_SYMBOL = "|".join(map(re.escape, _symbols()))
# Letters of scripts without spaces, and of Korean particles, stand right behind a symbol: 5mgを.
_SYMBOL_END = r"(?![^\W\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3])"
_BEHIND = re.compile(rf"[ ]?-?[ ]?(?P<unit>(?:{_SYMBOL})(?:/(?:{_SYMBOL}|day|week|person))*\d?){_SYMBOL_END}")
# "3 mg per kg": the second unit belongs to the number as the first does.
_RATE = re.compile(rf"[ ](?:per|pro|por|par|je|на)[ ](?P<unit>{_SYMBOL}){_SYMBOL_END}")
# An hour between two numbers is a mark of the time of day: 14 h 30.
_CLOCK = re.compile(r"[ ]?h[ ]?(?:[0-5]\d|0)(?!\w)")
# What makes an area or a volume of a spelled-out length: "square kilometres", "mètres cubes".
_AREA = (
    r"(?:square|sq[.]?|kare|квадратн\w+|वर्ग)[ ]$",
    r"[ ](?:carrés?|cuadrad[oa]s?|quadrad[oa]s?|quadrat[oi]|مربعا?ً?|רבועים|רבוע)(?!\w)",
)
_VOLUME = (
    r"(?:cubic|cu[.]?|küp|кубическ\w+|घन)[ ]$",
    r"[ ](?:cubes?|cúbic[oa]s?|cub[oi]|مكعبا?ً?|מעוקבים|מעוקב)(?!\w)",
)
_LENGTHS = ("km", "m", "cm", "mm", "mi", "ft", "in", "yd")
_POWERS = [
    (power, re.compile(before, re.IGNORECASE), re.compile(behind, re.IGNORECASE))
    for power, (before, behind) in (("2", _AREA), ("3", _VOLUME))
]
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
        rate = _RATE.match(text, behind.end()) if behind is not None else None
        if behind is not None and _CLOCK.match(text, number.end) is not None:
            behind = None
        for match in (behind, before, rate):
            if match is not None and match.span("unit") not in found:
                found |= {(unit.start, unit.end): unit for unit in _parts(match["unit"], match.start("unit"))}
    # The units of a rate count one by one, so that "90 km/h" is "90 kilometres per hour".
    return [replace(unit, symbol=part) for unit in found.values() for part in unit.symbol.split("/")]


def _parts(symbol: str, start: int) -> Iterator[Unit]:
    for part in re.finditer(r"[^/]+", symbol):
        yield Unit(_ALIASES.get(part[0], part[0]), start + part.start(), start + part.end(), attached=True)


def _spelled(
    text: str, numbers: Sequence[Number], lexicons: Sequence[Lexicon], spans: Sequence[Span]
) -> Iterator[Unit]:
    starts, ends = {number.start for number in numbers}, {number.end for number in numbers}
    for found, (low, high) in product(lexicons, spans):
        for match in _pattern(found.code).finditer(text, low, high):
            name = match.group()
            symbol = found.units.get(name) or found.units.get(name.casefold())
            attached = _touches(text, *match.span(), starts, ends)
            if name == "г" and re.search(r"\d{4} $", text[: match.start()][-5:]):
                symbol = "y"  # a Russian year is written "2024 г."
            # Abbreviations of one or two letters, and single characters, are words, too; "par an" is a rate.
            long = len(name) > (1 if name > "\u2e80" else 2) or text[: match.start()].endswith(_PER)
            if symbol is not None and (attached or long):
                yield _to_power(text, Unit(symbol, *match.span(), attached=attached), starts, ends)


_PER = ("par ", "l'")


def _touches(text: str, start: int, end: int, starts: Set[int], ends: Set[int]) -> bool:
    """Tell whether a number ends or begins at a span, or a space or hyphen away from it."""
    gap_before, gap_behind = text[start - 1 : start] in (" ", "-"), text[end : end + 1] in (" ", "-")
    return (
        start in ends
        or (gap_before and start - 1 in ends)
        or end in starts
        or (gap_behind and end + 1 in starts)
    )


def _to_power(text: str, unit: Unit, starts: Set[int], ends: Set[int]) -> Unit:
    """Take "square" and "cubic" to the unit of length beside them."""
    if unit.symbol not in _LENGTHS:
        return unit
    for power, before, behind in _POWERS:
        ahead = before.search(text, max(0, unit.start - 16), unit.start)
        after = behind.match(text, unit.end)
        if ahead is not None or after is not None:
            start = ahead.start() if ahead is not None else unit.start
            end = after.end() if after is not None else unit.end
            attached = _touches(text, start, end, starts, ends)
            return Unit(unit.symbol + power, start, end, attached=attached)
    return unit


@cache
def _pattern(code: str) -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(lexicon(code).units, key=len, reverse=True)))
    if code in ("ja", "ko", "zh"):
        return re.compile(names)
    return re.compile(f"{WORD_START}(?:{names}){WORD_END}", re.IGNORECASE)
