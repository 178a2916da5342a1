"""Whether an end of a passage cuts a word or a number, and whether a quotation is too short to mean much.

"likely" stands in "unlikely" and "0.42" in "-0.42": found, and yet not what the source says. All offsets are
positions between characters of a folded string.
"""

from __future__ import annotations

import re

from quotecheck.text.words import classes, measure

SHORT_MEASURE = 6  # three words, or six characters of a script without spaces


def cuts_word(text: str, start: int, end: int) -> bool:
    """Tell whether `text[start:end]` starts or ends inside a word; never so in scripts without spaces.

    >>> text = "A second landslide is unlikely."
    >>> cuts_word(text, 24, 30), cuts_word(text, 22, 30)
    (True, False)
    """
    return inside_word(text, start) or inside_word(text, end)


def cuts_number(text: str, start: int, end: int) -> bool:
    """Tell whether `text[start:end]` starts or ends inside a number, its sign or range included.

    >>> text = "Growth was -0.42 points."
    >>> cuts_number(text, 12, 16), cuts_number(text, 11, 16)
    (True, False)
    """
    return inside_number(text, start) or inside_number(text, end)


def is_short(quote: str) -> bool:
    """Tell whether a folded quotation has under three words, or under six characters without spaces."""
    return measure(quote) < SHORT_MEASURE


def inside_word(text: str, offset: int) -> bool:
    """Tell whether the position `offset` stands between two letters of one word."""
    if not 0 < offset < len(text):
        return False
    before, after = classes(text[max(0, offset - 2) : offset]), classes(text[offset : offset + 2])
    if after[0] == "m":  # a mark belongs to the letter before it, in every script
        return before[-1] in "lm"
    if before[-1] in "lmd" and after[0] in "ld" and "l" in before[-1] + after[0]:
        return True
    if before[-1] == "m" and after[0] == "l":
        return True
    return _contraction(text, offset) or _acronym(text, offset)


_NOT = re.compile(r"n't(?![^\W\d_])", re.IGNORECASE)


def _contraction(text: str, offset: int) -> bool:
    """ "can" in "can't": the rest says the opposite. "John" in "John's" is a word of its own."""
    return any(_NOT.match(text, offset - shift) for shift in (0, 1, 2) if offset >= shift)


_HEBREW_ACRONYM = re.compile(r"[א-ת][\"'][א-ת]")


def _acronym(text: str, offset: int) -> bool:
    """Gershayim inside a Hebrew acronym fold to a quotation mark and are still a part of the word."""
    return any(_HEBREW_ACRONYM.match(text, offset - shift) for shift in (1, 2) if offset >= shift)


_HAN_NUMERALS = "〇零一二三四五六七八九十百千万萬亿億兆两兩廿卅"
_MARK_IN_NUMBER = r"(?:[.,٫٬:/'⁄-])?"
_DIGITS_AROUND = re.compile(rf"\d{_MARK_IN_NUMBER}\d")
_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ ]\d{3})+(?!\d)")
_GROUPS_REACH = 16  # characters on both sides in which grouped digits are looked for
# A sign or a decimal mark before a digit, if no word or number ends before it; an operator in any case.
_LEADING = re.compile(r"(?:^|[\s(\[{\"'=:;,/<>≤≥])(?:[-+.,]|[-+][.,])$|[<>≤≥≦≧≠≮≯≰≱±≈~∓]=?[ ]?$")


def inside_number(text: str, offset: int) -> bool:
    """Tell whether the position `offset` stands inside a number: its digits, marks, sign or operator."""
    if not 0 < offset < len(text):
        return False
    if text[offset - 1] in _HAN_NUMERALS and text[offset] in _HAN_NUMERALS:
        return True
    if not (text[offset - 1].isdecimal() or text[offset].isdecimal()):
        return False
    return _between_digits(text, offset) or _behind_sign(text, offset) or _before_exponent(text, offset)


def _between_digits(text: str, offset: int) -> bool:
    for shift in (1, 2):
        match = _DIGITS_AROUND.match(text, offset - shift) if offset >= shift else None
        if match is not None and match.end() > offset:
            return True
    first = max(0, offset - _GROUPS_REACH)
    groups = _GROUPS.finditer(text[first : offset + _GROUPS_REACH])
    return any(match.start() < offset - first < match.end() for match in groups)


def _behind_sign(text: str, offset: int) -> bool:
    return text[offset].isdecimal() and _LEADING.search(text[max(0, offset - 4) : offset]) is not None


def _before_exponent(text: str, offset: int) -> bool:
    return text[offset - 1].isdecimal() and classes(text[offset]) == "n"
