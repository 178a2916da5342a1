"""The numbers in a folded text, each with a value that can be compared across ways of writing it.

"43,548", "43 548" and "٤٣٬٥٤٨" are one value, and so are "twelve" and 12, 四万三千 and 43000; "4.2" is not
"42", "-0.42" not "0.42", "< 0.05" not "= 0.05", "2.40" not "2.4": the precision is a claim too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from quotecheck.text.lexicon import LANGUAGES, Lexicon
from quotecheck.text.lexicon import lexicon as lexicon_of
from quotecheck.text.number_words import (
    DIGITS_LIMIT,
    Found,
    as_decimal,
    han_numbers,
    hangul_numbers,
    number_words,
    roman_numbers,
    word_numbers,
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number `text[start:end]`: its value with the sign, and how it is related to what it measures.

    `relation` is `=`, `<`, `≤`, `>`, `≥`, `≈`, `±` or empty. `certain` is False for what is a number only
    where another number replaces it: "one", "second", the 一 of 一般, a Roman numeral.
    """

    value: str
    start: int
    end: int
    certain: bool = True
    relation: str = ""


def numbers(text: str, lexicons: Sequence[Lexicon] = ()) -> list[Number]:
    """Return the numbers of a folded text in order, number words in the languages given.

    >>> [number.relation + number.value for number in numbers("about -1,250 or < 0.50, 10⁶ and (31.5)")]
    ['-1250', '<0.50', '10^6', '-31.5']
    """
    plain = ascii_digits(text)
    found: list[Number] = []
    taken = bytearray(len(plain))
    for value, start, end, certain in _candidates(plain, lexicons):
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            found.append(Number(value, start, end, certain))
    found.sort(key=lambda number: number.start)
    return [_in_context(number, plain, lexicons) for number in found]


def may_cut_spelled_number(text: str, place: int) -> bool:
    """Tell whether words on both sides of a place can belong to a number in some language; asked often."""
    before = text[max(0, place - _SPELLED) : place].replace("-", " ").rsplit(None, 1)
    if not before or not _is_numeral(before[-1]):
        return False
    behind = text[place : place + _SPELLED].replace("-", " ").split(None, 1)
    return bool(behind) and _is_numeral(behind[0].rstrip(".,;:!?)\"'"))


def cuts_spelled_number(text: str, place: int, lexicons: Sequence[Lexicon]) -> bool:
    """Tell whether a place stands between the words of one number: "5 million", "twenty-five".

    >>> from quotecheck.text.lexicon import lexicon
    >>> cuts_spelled_number("It cost 5 million.", 9, [lexicon("en")])
    True
    """
    first = max(0, place - _SPELLED)
    found = numbers(text[first : place + _SPELLED], lexicons)
    return any(first + number.start < place < first + number.end for number in found)


_SPELLED = 40  # characters on each side in which a number's words are read


def _is_numeral(word: str) -> bool:
    return word[-1:].isdecimal() or word.casefold() in _every_number_word()


@cache
def _every_number_word() -> frozenset[str]:
    found = (lexicon_of(code).number_words for code in LANGUAGES)
    return frozenset(
        word for words in found if words is not None for word in (*number_words(words), *words.joiners)
    )


def agree(number: Number, other: Number) -> bool:
    """Tell whether two numbers of one value make the same claim: "= 5" and "5" do, "= 5" and "< 5" do not."""
    relations = {number.relation, other.relation}
    return len(relations) == 1 or relations in ({"", "="}, {"", "≈"})


def ascii_digits(text: str) -> str:
    """Return the text with the decimal digits of every script as 0 to 9, length unchanged."""
    if text.isascii():
        return text
    return "".join(
        str(unicodedata.decimal(char)) if not char.isascii() and char.isdecimal() else char for char in text
    )


def _candidates(plain: str, lexicons: Sequence[Lexicon]) -> Iterator[Found]:
    """Yield (value, start, end, certain), the forms that take the most characters first."""
    yield from han_numbers(plain)
    yield from hangul_numbers(plain)
    yield from _numerals(plain, lexicons)
    for lexicon in lexicons:
        if lexicon.number_words is not None:
            for found in word_numbers(plain, lexicon.number_words):
                if found[0] != "100" or not _PER_HUNDRED.search(plain, max(0, found[1] - 5), found[1]):
                    yield found
    yield from roman_numbers(plain)


# Behind these a hundred is a unit: "pour cent", "por ciento".
_PER_HUNDRED = re.compile(r"(?<!\w)(?:pour|por|per|pro)[ ]$", re.IGNORECASE)

# --- numerals ---

_RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans(_RAISED_DIGITS + "⁻⁺", "0123456789-+")
_NUMERAL = re.compile(
    r"(?P<body>(?<![\d.,])\d{1,3}(?:[ ]\d{3})+(?!\d)(?:[.,٫]\d+)?|\d+(?:[.,'٫٬]\d+)*|(?<![\w.])\.\d+)"
    r"(?P<part>[¼-¾⅐-⅞])?"
    r"(?P<over>(?<!/\d)(?<!/\d\d)[/⁄]\d+(?![/\d.]))?"
    rf"(?P<power>[⁻⁺]?[{_RAISED_DIGITS}]+|\^[+-]?\d+|[eE][+-]?\d+(?!\w))?"
    r"|(?P<alone>[¼-¾⅐-⅞])"
)
_DIGIT = re.compile(r"[0-9¼-¾⅐-⅞]")
_SCALE_WORD = re.compile(r"[ -]?([^\W\d_]+\.?)")


# The raised digit of an area or a volume: km², m³.
_POWER_OF_UNIT = re.compile(r"(?<![^\W\d_])(?:[kcdmμ]?m|ft|in|mi|yd)$")


def _numerals(plain: str, lexicons: Sequence[Lexicon]) -> Iterator[Found]:
    if _DIGIT.search(plain) is None:
        return
    comma = bool(lexicons) and all(lexicon.decimal_comma for lexicon in lexicons)
    for match in _NUMERAL.finditer(plain):
        start, end = match.span()
        if match.group() in ("2", "3") and _POWER_OF_UNIT.search(plain, max(0, start - 4), start):
            continue
        if match["alone"]:
            yield as_decimal(_vulgar(match["alone"])), start, end, True
            continue
        *before, (piece, at) = _clock_time(plain, match) or _numbers_in(match["body"])
        for earlier, place in before:
            yield _value(earlier, decimal_comma=comma), start + place, start + place + len(earlier), True
        if match["over"] and piece.isdecimal() and len(piece) > 1 and not match["part"]:
            # "12/60" counts as "12 of 60" does; a fraction has one digit above.
            yield _value(piece, decimal_comma=comma), start + at, start + at + len(piece), True
            yield match["over"][1:].lstrip("0") or "0", match.start("over") + 1, match.end("over"), True
            continue
        value = _with_tail(_value(piece, decimal_comma=comma), match)
        value, end = _with_scale(value, plain, start + at, end, lexicons)
        yield value, start + at, end, True


# Beside these a point between hours and minutes is the colon of another country: 10.30 Uhr, at 10.30.
_CLOCK_TIME = re.compile(r"((?:[01]?\d|2[0-4])\.)[0-5]\d")
_CLOCK_BEFORE = re.compile(
    r"(?:(?<!\w)(?:at|by|from|until|till|um|gegen|à|às|alle|ore|las|saat|в|الساعة|בשעה)|\d[.:]\d\d[ ]?-)"
    r"[ ]?$",
    re.IGNORECASE,
)
_CLOCK_BEHIND = re.compile(r"[ ]?(?:(?:[ap]\.?m|uhr|hrs?|h|gmt|utc)(?!\w)|o'clock)", re.IGNORECASE)


def _clock_time(plain: str, match: re.Match[str]) -> list[tuple[str, int]]:
    """Cut a time of day that is written with a point as "10:30" is cut; nothing where it may be a decimal."""
    time = _CLOCK_TIME.fullmatch(match.group())
    before, behind = plain[max(0, match.start() - 8) : match.start()], plain[match.end() : match.end() + 8]
    if time is None or not (_CLOCK_BEFORE.search(before) or _CLOCK_BEHIND.match(behind)):
        return []
    return [(time[1][:-1], 0), (time[0][len(time[1]) :], len(time[1]))]


def _numbers_in(body: str) -> list[tuple[str, int]]:
    """Cut what is no single number: "1,2,3", "12.05.2024". One mark, or groups of digits, make a number."""
    groups = re.split(r"[.,٫٬' ]", body)
    marks = re.findall(r"[.,٫٬' ]", body)
    if len(marks) > 1 and marks[-1] != marks[0]:
        groups, marks = groups[:-1], marks[:-1]
    # Groups of two before the last three: 1,00,000 as in India.
    grouped = len(set(marks)) == 1 and len(groups[-1]) == 3 and len(groups[0]) <= 3
    if len(marks) < 2 or (grouped and all(len(group) in (2, 3) for group in groups[1:])):
        return [(body, 0)]
    return [(match.group(), match.start()) for match in re.finditer(r"\d+", body)]


def _value(body: str, *, decimal_comma: bool) -> str:
    """Return the digits of a numeral in one form: no groups, a point, no leading zeros."""
    body = re.sub(r"['٬ ]", "", body)
    marks = re.findall(r"[.,٫]", body)
    decimal = bool(marks) and body.count(marks[-1]) == 1
    if len(marks) == 1 and marks[0] == (".," if decimal_comma else ",.")[0]:
        # The mark that makes groups here: 12,500. But 4,25 and 0,125 are decimals in every convention.
        decimal = re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", body) is None
    whole, _, rest = body.rpartition(marks[-1]) if decimal else (body, "", "")
    digits = re.sub(r"\D", "", whole).lstrip("0") or "0"
    return f"{digits}.{rest}" if decimal else digits


def _with_tail(value: str, match: re.Match[str]) -> str:
    """Add what hangs on a numeral: a vulgar fraction, a denominator, an exponent."""
    if len(match.group()) > DIGITS_LIMIT:
        return value + match.group()[len(match["body"]) :]
    if match["part"]:
        return as_decimal(Fraction(value) + _vulgar(match["part"]))
    if match["over"] and int(match["over"][1:]):
        over = int(match["over"][1:])
        # A fraction, unless it is a pair of its own kind: 7/5.
        value = (
            as_decimal(Fraction(value) / over)
            if "." not in value and int(value) < over
            else f"{value}/{over}"
        )
    if match["power"]:
        power = match["power"].translate(_RAISED)
        value += f"^{power.lstrip('^+')}" if power[0] not in "eE" else f"e{int(power[1:])}"
    return value


def _vulgar(character: str) -> Fraction:
    return Fraction(unicodedata.numeric(character)).limit_denominator(100)


def _with_scale(value: str, plain: str, start: int, end: int, lexicons: Sequence[Lexicon]) -> tuple[str, int]:
    """Multiply by a word behind the numeral: "4.3 million", "3 млн", and "m" or "bn" behind money."""
    match = _SCALE_WORD.match(plain, end)
    if match is None or len(value) > DIGITS_LIMIT or not re.fullmatch(r"\d+(?:\.\d+)?", value):
        return value, end
    word = match[1].rstrip(".").casefold()
    scales = [lexicon.number_words.scales for lexicon in lexicons if lexicon.number_words is not None]
    if _CURRENCY_BEFORE.search(plain, max(0, start - 2), start):
        scales.append(_SCALES_OF_MONEY)
    for known in (*scales, _SCALES_ANYWHERE):
        if word in known:
            return as_decimal(Fraction(value) * known[word]), match.end(1)
    return value, end


_CURRENCY_BEFORE = re.compile(r"[$€£¥₹][ ]?$")
_SCALES_OF_MONEY = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9, "tn": 10**12}


def _scales(**words: str) -> dict[str, int]:
    return {word: 10 ** int(power[1:]) for power, line in words.items() for word in line.split()}


# What languages without a lexicon have behind numerals, but for words that mean something else elsewhere.
_SCALES_ANYWHERE = _scales(
    _3="tys tusen duizend tusind tusinde tysięcy tysiące tisíc tisíce ezer tuhat tuhatta тисяч тисячі "
    "χιλιάδες nghìn ribu",
    _6="mln mio miljoen miljoner miljon millioner millionen milionów miliony milion milionů milioni milionu "
    "millió miljoonaa miljoona мільйонів мільйони мільйон εκατομμύρια εκατ triệu juta",
    _9="mld mrd miljard miljarder milliard milliarder miliardów miliardy miliard miliardi milliárd miljardia "
    "miljardi мільярдів мільярди мільярд δισεκατομμύρια δισ tỷ miliar",
)


# --- what stands around a number ---

_MONEY = r"(?:[$€£¥₹₽₩₪₺]|[A-Z]{2,3}[$]?[ ]?)?"
_OPERATOR = re.compile(rf"(&[lg][te];|<=|>=|!=|\+/-|[<>=≤≥≦≧⩽⩾≠≮≯≰≱≈±~∼])[ ]?\[?{_MONEY}$")
_OPERATORS = {
    "&lt;": "<",
    "&le;": "≤",
    "&gt;": ">",
    "&ge;": "≥",
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "≦": "≤",
    "≧": "≥",
    "⩽": "≤",
    "⩾": "≥",
    "~": "≈",
    "∼": "≈",
    "+/-": "±",
}
_WORD_RELATIONS = {"lt": "<", "le": "≤", "gt": ">", "ge": "≥", "about": "≈"}
# A hyphen is a minus sign where no word and no number ends before it.
_MINUS = re.compile(rf"(?:^|[^\w)\]%\u0300-\u036f])-{_MONEY}$|(?:^|[^\w)\]%]){_MONEY}-$")
_MINUS_WORD = re.compile(
    r"(?:(?<!\w)(?:minus|moins|menos|meno|минус|eksi|מינוס|سالب|माइनस)[ ]"
    r"|零下|[负負]|マイナス|氷点下|영하[ ]?|마이너스[ ]?)$",
    re.IGNORECASE,
)
_LOSS_OPENS = re.compile(rf"\({_MONEY}$")


def _in_context(number: Number, plain: str, lexicons: Sequence[Lexicon]) -> Number:
    before = plain[max(0, number.start - 8) : number.start]
    value, start = number.value, number.start
    if _MINUS.search(before):
        value, start = "-" + value, start - 1
    elif _MINUS_WORD.search(before) or _is_loss(number, plain, before):
        value = "-" + value
    operator = _OPERATOR.search(plain[max(0, start - 8) : start])
    if operator is None or _is_range(plain, start, operator):
        relation = _word_relation(plain, start, number.end, lexicons)
    else:
        relation = _OPERATORS.get(operator[1], operator[1])
    return replace(number, value=value, relation=relation)


def _is_range(plain: str, start: int, operator: re.Match[str]) -> bool:
    """In "10~20" the tilde stands between two numbers."""
    at = start - (operator.endpos - operator.start())
    return (
        operator[1] in "~∼" and re.search(r"\d[ ]?(?:\w{0,3}|[ ])$", plain[max(0, at - 6) : at]) is not None
    )


def _is_loss(number: Number, plain: str, before: str) -> bool:
    """In accounts a figure in parentheses is negative: (31.5). A year, a count and a list number are not."""
    opens = _LOSS_OPENS.search(before)
    closes = re.match(r"[ ]?%?\)", plain[number.end : number.end + 3])
    if opens is None or closes is None:
        return False
    written = plain[number.start : number.end]
    return len(opens[0]) > 1 or not written.isdecimal() or "%" in closes[0]


def _word_relation(plain: str, start: int, end: int, lexicons: Sequence[Lexicon]) -> str:
    for lexicon in lexicons:
        if lexicon.comparators is None:
            continue
        before, behind = plain[max(0, start - 24) : start], plain[end : end + 24]
        for match in lexicon.comparators.finditer(before):
            group = match.lastgroup or ""
            if not group.endswith("_behind") and re.fullmatch(rf"[ ]?\[?{_MONEY}", before[match.end() :]):
                return _WORD_RELATIONS[group]
        for match in lexicon.comparators.finditer(behind):
            group = match.lastgroup or ""
            if group.endswith("_behind") and not behind[: match.start()].strip(" %")[3:]:
                return _WORD_RELATIONS[group.removesuffix("_behind")]
    return ""
