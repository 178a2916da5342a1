"""Numbers written in words: in the alphabetic languages by their lexicons, in Han, Hangul and Roman numerals.

Each finder yields (value, start, end, certain). What is a number only sometimes ("one", the 一 of 一般) is
not certain: it counts where another number stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from quotecheck.text.lexicon import NumberWords

Found = tuple[str, int, int, bool]

# Digits of a number that is reckoned with; longer ones are compared as they are written, for Python refuses
# to read thousands of digits.
DIGITS_LIMIT = 100

# --- Han numerals ---

_HAN_DIGITS = {
    char: value
    for value, chars in enumerate(
        ("〇零", "一壹壱", "二贰弐两兩", "三叁参", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
    )
    for char in chars
}
_HAN_SCALES = {"十": 10, "拾": 10, "廿": 20, "卅": 30, "百": 100, "佰": 100, "千": 1_000, "仟": 1_000}
_HAN_MYRIADS = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_HAN = "".join((*_HAN_DIGITS, *_HAN_SCALES, *_HAN_MYRIADS))
_HAN_RUN = re.compile(
    rf"(?:\d+(?:[.,]\d+)*)?[{_HAN}](?:[{_HAN}]|\d+(?:[.,]\d+)*)*"
    rf"(?:[点點][{''.join(_HAN_DIGITS)}]+[{''.join(_HAN_MYRIADS)}]?)?"
)
_HAN_PIECE = re.compile(r"\d+(?:[.,]\d+)*|.")
# What is counted, or the ordinal before: then even a single numeral is a number.
_MEASURE = re.compile(
    r"[年月日号號时時秒天周週位名次回条條章节節款项項页頁种種件台辆艘只隻头匹册冊元圆円%倍岁歲歳度米克吨层層届屆折杯枚通番"
    r"つ階泊]|个|個|人(?![们民类類间間家口员])|分[钟鐘之秒]|点[钟鐘]|公[里斤顷尺]|千[米克]|小时|小時|時間|分間|日間|年間"
    r"|ヶ月|か月|か所|世[纪紀]|级|級|本(?![来當当人身])|代(?!表)|国(?!家)|所(?!有|以|谓)|家(?!族|庭|人)"
)
_NO_NUMBERS = frozenset({"万一", "千万", "一一", "千百", "万万", "三三两两", "一二", "百万千万"})


def han_numbers(text: str) -> Iterator[Found]:
    """Yield numbers written with Han numerals, digits mixed in: 四万三千, 4.3万, 二〇二四, 三点五.

    >>> list(han_numbers("共有四万三千人"))
    [('43000', 2, 6, True)]
    """
    for match in _PARTS_IN_DIGITS.finditer(text):
        if int(match[1]):
            yield as_decimal(Fraction(int(match[2]), int(match[1]))), *match.span(), True
    parts = None  # the numeral before 分之, and where it begins and ends
    for match in _HAN_RUN.finditer(text):
        run, start = match.group(), match.start()
        value = _han_value(run)
        if _PARTS.match(text, match.end()):
            # 百分之五 is 5 %, and 三分之一 a third.
            reckoned = run not in "百佰" and len(run) <= DIGITS_LIMIT
            parts = (Fraction(value), start, match.end()) if reckoned else None
            continue
        if text.startswith(("分点", "分點"), match.end()):
            continue
        if parts is not None and parts[0] and start == parts[2] + 2 and len(run) <= DIGITS_LIMIT:
            yield as_decimal(Fraction(value) / parts[0]), parts[1], match.end(), True
            continue
        ordinal = text[start - 1 : start] == "第"
        counted = _MEASURE.match(text, match.end()) is not None and run not in "一两兩"
        certain = ordinal or counted or (len(run) > 1 and run not in _NO_NUMBERS)
        yield value, start, match.end(), certain


_PARTS = re.compile(rf"分(?:之|の(?=[\d{_HAN}]))")
_PARTS_IN_DIGITS = re.compile(r"(\d{1,9})[ ]?(?:分[之の]|분의)[ ]?(\d{1,9})(?![\d.,])")


def as_decimal(value: Fraction) -> str:
    """Write a fraction as a decimal where it ends within six places, else as a fraction."""
    scaled = value * 10**6
    if scaled.denominator > 1:
        return str(value)
    whole, rest = divmod(int(scaled), 10**6)
    return f"{whole}.{rest:06d}".rstrip("0").rstrip(".")


def _han_value(run: str) -> str:
    if len(run) > DIGITS_LIMIT:
        return run
    run, _, places = run.replace("點", "点").partition("点")
    scale = _HAN_MYRIADS.get(places[-1:], 1)
    whole = _digits(run) if all(char in _HAN_DIGITS for char in run) else _plain(_han_whole(run))
    if not places:
        return whole
    value = f"{whole}.{_digits(places, leading=True)}"
    return value if scale == 1 else _plain(Fraction(value) * scale)


def _digits(run: str, *, leading: bool = False) -> str:
    digits = "".join(str(_HAN_DIGITS[char]) for char in run if char in _HAN_DIGITS)
    return digits if leading else digits.lstrip("0") or "0"


def _han_whole(run: str) -> Fraction:
    total = section = pending = Fraction(0)
    for piece in _HAN_PIECE.findall(run):
        if piece[0].isdecimal():
            pending = Fraction(piece.replace(",", "")) if piece.count(".") < 2 else Fraction(0)
        elif piece in _HAN_DIGITS:
            pending = pending * 10 + _HAN_DIGITS[piece] if pending else Fraction(_HAN_DIGITS[piece])
        elif piece in _HAN_SCALES:
            section += (pending or 1) * _HAN_SCALES[piece]
            pending = Fraction(0)
        else:
            scale = _HAN_MYRIADS[piece]
            whole = section + pending
            if total and total < scale:  # 一万亿: what stands before is multiplied as a whole
                total = (total + whole) * scale
            else:
                total += (whole or 1) * scale
            section = pending = Fraction(0)
    return total + section + pending


# --- Korean ---

_SINO = {char: value for value, char in enumerate("영일이삼사오육칠팔구")} | {"공": 0, "륙": 6}
_SINO_SCALES = {"십": 10, "백": 100, "천": 1_000}
_SINO_MYRIADS = {"만": 10**4, "억": 10**8, "조": 10**12}
_COUNTER = (
    r"명|개|원|년|월|일|시간|시|분|초|번|회|차|퍼센트|킬로|미터|센티|그램|리터|톤|도|세|살|층|장|건|대|호|주|가지|여|이상|이하"
    r"|미만|달러|유로|엔|위안|배|권|마리|척|킬로미터|킬로그램|번째|조|항|점|평|쪽|곳|달|잔|채|그루|사람"
)
_SINO_COUNTER = "년|월|층|차|회|호|퍼센트|킬로미터|킬로그램|미터|톤|달러|개월|주일|주간"
_SINO_RUN = re.compile(
    rf"\d[\d,.]*[ ]?[십백천]?[만억조](?:[ ]?\d[\d,.]*[ ]?[십백천]?[만억조]?)*|\d[\d,.]*[십백천](?![가-힣])"
    rf"|(?<![가-힣])(?:[일이삼사오육륙칠팔구]?[십백천만억조])+[일이삼사오육륙칠팔구]?(?=[ ]?(?:{_COUNTER}))"
    rf"|(?<![가-힣])[일이삼사오육칠팔구][ ]?(?=(?:{_SINO_COUNTER})(?![가-힣]{{3}}))"
)
_NATIVE = {
    "한": 1,
    "두": 2,
    "세": 3,
    "네": 4,
    "다섯": 5,
    "여섯": 6,
    "일곱": 7,
    "여덟": 8,
    "아홉": 9,
    "열": 10,
    "스무": 20,
    "스물": 20,
    "서른": 30,
    "마흔": 40,
    "쉰": 50,
    "예순": 60,
    "일흔": 70,
    "여든": 80,
    "아흔": 90,
    "하나": 1,
    "둘": 2,
    "셋": 3,
    "넷": 4,
}
_NATIVE_TENS = "열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔"
_NATIVE_UNITS = "한|두|세|네|다섯|여섯|일곱|여덟|아홉"
_NATIVE_RUN = re.compile(
    rf"(?<![가-힣])(?P<tens>{_NATIVE_TENS})?[ ]?(?P<units>{_NATIVE_UNITS})?"
    r"(?=[ ]?(?:명|개|번|살|시간|시(?![가-힣]{2})|가지|권|마리|대(?![가-힣])|잔|채|달|사람|배|곳"
    r"|해(?![가-힣])|차례|그루|쪽|척|주|군데|자루|송이))"
)


_HANGUL = re.compile("[가-힣]")


def hangul_numbers(text: str) -> Iterator[Found]:
    """Yield Korean numbers: digits with 만 and 억, Sino-Korean and native words before what they count.

    >>> [found[0] for found in hangul_numbers("배 열두 척과 3만 5천 명, 이십 년")]
    ['35000', '20', '12']
    """
    if _HANGUL.search(text) is None:
        return
    for match in _SINO_RUN.finditer(text):
        yield _sino_value(match.group()), match.start(), match.end(), True
    for match in _NATIVE_RUN.finditer(text):
        if match["tens"] or match["units"]:
            value = _NATIVE.get(match["tens"] or "", 0) + _NATIVE.get(match["units"] or "", 0)
            start = match.start("tens") if match["tens"] else match.start("units")
            yield str(value), start, start + len(match.group().strip()), value > 1


def _sino_value(run: str) -> str:
    if len(run) > DIGITS_LIMIT:
        return run
    total = section = pending = Fraction(0)
    for piece in re.findall(r"\d[\d,.]*|[가-힣]", run):
        if piece[0].isdecimal():
            digits = piece.replace(",", "").rstrip(".")
            pending = Fraction(digits) if digits.count(".") < 2 else Fraction(0)
        elif piece in _SINO:
            pending = Fraction(_SINO[piece])
        elif piece in _SINO_SCALES:
            section += (pending or 1) * _SINO_SCALES[piece]
            pending = Fraction(0)
        else:
            total += (section + pending or 1) * _SINO_MYRIADS[piece]
            section = pending = Fraction(0)
    return _plain(total + section + pending)


def _plain(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else str(float(value))


# --- Roman ---

_ROMAN = re.compile(
    r"(?<![\w'.-])(?=[IVXLCDM])(?P<letters>M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3}))"
    r"(?P<ordinal>e|er|ère|ème|è)?(?![\w'-])"
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1_000}


def roman_numbers(text: str) -> Iterator[Found]:
    """Yield Roman numerals in capitals; they look like words ("I", "MIX"), but for the French XIXe.

    >>> list(roman_numbers("Table XIV"))
    [('14', 6, 9, False)]
    """
    for match in _ROMAN.finditer(text):
        letters = match["letters"]
        if letters not in ("", "C", "D", "L", "M"):
            digits = [_ROMAN_VALUES[char] for char in letters]
            pairs = zip(digits, [*digits[1:], 0], strict=True)
            value = sum(-digit if digit < behind else digit for digit, behind in pairs)
            certain = len(letters) > 1 and match["ordinal"] is not None
            yield str(value), match.start(), match.end("letters"), certain


# --- words of the alphabetic languages ---

_WORD = re.compile(r"[^\W\d_][\w\u0300-\u036f\u0900-\u0963]*")
_BETWEEN = re.compile(r"[ ]?-?[ ]?")


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What one word adds: a value, or a scale that multiplies; `joined` to the word before by "and"."""

    value: int
    scales: bool = False
    joined: bool = False


@dataclass(slots=True)
class _Run:
    """Neighbouring words that spell one number, and what they spell so far."""

    words: NumberWords
    start: int
    end: int = -1  # behind the last word of the number
    reached: int = -1  # behind the last word read, an "and" perhaps
    spelled: tuple[str, ...] = ()
    joined: bool = False
    total: int = 0
    section: int = 0
    last_scale: int = 10**18

    def take(self, word: str, meanings: tuple[_Meaning, ...], end: int) -> bool:
        """Add a word if all of it can belong to the same number."""
        before = self.total, self.section, self.last_scale
        for meaning in meanings:
            if not self._add(meaning):
                self.total, self.section, self.last_scale = before
                return False
            self.joined = False
        self.end = self.reached = end
        self.spelled += (word,)
        return True

    def found(self) -> Found:
        certain = len(self.spelled) > 1 or self.spelled[0] not in self.words.weak
        return str(self.total + self.section), self.start, self.end, certain

    def _add(self, meaning: _Meaning) -> bool:
        if meaning.scales and meaning.value >= 1_000:
            if meaning.value >= self.last_scale:
                return False
            self.total += (self.section or 1) * meaning.value
            self.section, self.last_scale = 0, meaning.value
        elif meaning.scales:
            if self.section >= 100:
                return False
            self.section = (self.section or 1) * meaning.value
        elif self.words.vigesimal and self.section % 100 == 4 and meaning.value == 20:
            self.section += 76  # quatre-vingt
        elif self._has_room(meaning):
            self.section += meaning.value
        else:
            return False
        return True

    def _has_room(self, meaning: _Meaning) -> bool:
        """Tell whether a value fits into the zeros at the end of what was read: 5 into 20, not into 3."""
        section, value = self.section, meaning.value
        if section == 0:
            return value < self.last_scale
        if self.words.vigesimal and section % 100 in (60, 80) and 10 <= value < 20:
            return True
        if self.words.units_first and 0 < section % 100 < 10 and value in range(10, 100, 10):
            return value == 10 or meaning.joined or self.joined
        place = 1
        while section % (place * 10) == 0:
            place *= 10
        return value < place


def word_numbers(text: str, words: NumberWords) -> Iterator[Found]:
    """Yield the numbers that number words spell.

    >>> list(word_numbers("twenty-five boats", NumberWords({"twenty": 20, "five": 5})))
    [('25', 0, 11, True)]
    """
    run: _Run | None = None
    known, found = number_words(words), _words_of(text)
    if not words.compound and not words.prefixes and known.isdisjoint(word for word, _, _ in found):
        return
    for word, start, end in found:
        if run is None and word not in known and not words.compound and word[0] not in words.prefixes:
            continue
        follows = run is not None and _BETWEEN.fullmatch(text, run.reached, start) is not None
        if run is not None and follows and word in words.joiners:
            run.reached, run.joined = end, True
            continue
        meanings = _meanings(word, words)
        if word in words.fractions:
            yield words.fractions[word], start, end, False
        if run is not None and follows and meanings and run.take(word, meanings, end):
            continue
        if run is not None:
            yield run.found()
        run = _Run(words, start)
        if not meanings or not run.take(word, meanings, end):
            run = None
    if run is not None:
        yield run.found()


@lru_cache(maxsize=4)
def _words_of(text: str) -> Sequence[tuple[str, int, int]]:
    """Return the words of a text without case and where they stand; every language asks for the same."""
    return [(match.group().casefold(), *match.span()) for match in _WORD.finditer(text)]


@lru_cache(maxsize=4_096)
def _meanings(word: str, words: NumberWords) -> tuple[_Meaning, ...]:
    if word in words.values:
        return (_Meaning(words.values[word]),)
    if word in words.scales:
        return (_Meaning(words.scales[word], scales=True),)
    if word[0] in words.prefixes and len(word) > 2:
        inner = _meanings(word[1:], words)
        return tuple(_Meaning(meaning.value, meaning.scales, joined=True) for meaning in inner)
    if words.compound and len(word) <= 60:
        return _compound(word, words)
    return ()


@cache
def number_words(words: NumberWords) -> frozenset[str]:
    """Return the words with which a number may begin, but for compounds and prefixes."""
    return frozenset((*words.values, *words.scales, *words.fractions))


@cache
def _pieces(words: NumberWords) -> Mapping[str, Sequence[str]]:
    """Return what compounds are made of, by the first letter: most words have none at their start."""
    pieces: dict[str, list[str]] = {}
    for piece in (*words.values, *words.scales, *words.joiners):
        pieces.setdefault(piece[0], []).append(piece)
    return pieces


def _compound(word: str, words: NumberWords) -> tuple[_Meaning, ...]:
    """Cut a word like "fünfundzwanzig" into number words, the longest first; () if it is none."""
    known = _pieces(words)
    ends: dict[int, tuple[_Meaning, ...]] = {0: ()}
    for start in range(len(word)):
        if start not in ends:
            continue
        for piece in known.get(word[start], ()):
            if word.startswith(piece, start) and start + len(piece) not in ends:
                joined = piece in words.joiners
                added = () if joined else _meanings(piece, words)
                if start and word.endswith(tuple(words.joiners), 0, start):
                    added = tuple(_Meaning(m.value, m.scales, joined=True) for m in added)
                ends[start + len(piece)] = ends[start] + added
    return ends.get(len(word), ())
