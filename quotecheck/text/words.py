"""Words, and characters where a script has no spaces: the units in which differences are told.

A string is first mapped to a string of the same length that holds one class letter per character; plain
regular expressions over the classes then cut it into tokens. So combining marks, which Python's `\\w` leaves
out, stay with their letters, and a text of any script is read in one pass.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum, auto

from quotecheck.text import marks

# Scripts written without spaces between words, as inclusive ranges of code points: Thai, Lao, Tibetan,
# Myanmar, Khmer, the Tai scripts, Balinese, Javanese, kana, bopomofo, Han with its iteration marks.
_SPACELESS = (
    (0x0E00, 0x0E7F),
    (0x0E80, 0x0EFF),
    (0x0F00, 0x0FFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x1950, 0x19DF),
    (0x1A20, 0x1AAF),
    (0x1B00, 0x1B7F),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x303B, 0x303C),
    (0x3041, 0x30FF),
    (0x3100, 0x312F),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA980, 0xA9FF),
    (0xAA60, 0xAADF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)
_LITERAL_CLASSES = {"'": "a", "-": "h", ".": ".", ",": ",", "٫": ".", "٬": ","}


class _Classes(dict[int, str]):
    """Class letters by code point, filled on first use.

    l letter, c letter of a script without spaces, m combining mark, d decimal digit, n other numeric
    character, s white space, a apostrophe, h hyphen, . and , decimal and group marks, p other punctuation,
    y symbol that carries meaning (operators, currencies, percent).
    """

    def __missing__(self, code: int) -> str:
        letter = self[code] = _class_of(chr(code))
        return letter


def _class_of(character: str) -> str:
    if character in _LITERAL_CLASSES:
        return _LITERAL_CLASSES[character]
    if character.isspace():
        return "s"
    category = unicodedata.category(character)
    if category == "Nd":
        return "d"
    if category[0] in "LN" and any(low <= ord(character) <= high for low, high in _SPACELESS):
        return "c"
    if category in ("Sm", "Sc", "So") or character in "%‰٪":
        return "y"
    return {"L": "l", "M": "m", "N": "n"}.get(category[0], "p")


_CLASSES = _Classes()


def classes(text: str) -> str:
    """Return one class letter per character of `text` (see `_Classes`)."""
    return text.translate(_CLASSES)


class TokenKind(Enum):
    """What a token is, as far as telling differences needs to know."""

    WORD = auto()
    NUMBER = auto()
    PUNCTUATION = auto()
    SYMBOL = auto()
    REFERENCE_MARK = auto()
    BRACKET = auto()
    ELISION = auto()
    ENTITY = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, sign or mark: `text[start:end]` of the string that was cut."""

    text: str
    start: int
    end: int
    kind: TokenKind


_SPECIAL = (
    (TokenKind.ELISION, marks.ELISION),
    (TokenKind.REFERENCE_MARK, marks.REFERENCE_MARK),
    (TokenKind.BRACKET, marks.SIC),
    (TokenKind.BRACKET, marks.BRACKETED_WORD),
    (TokenKind.ENTITY, marks.ENTITY),
)
_PLAIN = re.compile(r"(?P<NUMBER>d+(?:[.,a]d+)*|n)|(?P<WORD>l[lm]*(?:al[lm]*)*|cm*)|(?P<SYMBOL>ym*)|[^s]m*")


def tokens(text: str) -> list[Token]:
    """Cut a folded string into words, numbers, signs and marks; white space separates and is no token.

    A character (with its marks) of a script without spaces is a token of its own.

    >>> [token.text for token in tokens("It's 4.2 mm, said [she]. 桥断了")]
    ["It's", '4.2', 'mm', ',', 'said', '[she]', '.', '桥', '断', '了']
    """
    pieces: list[Token] = []
    letters = classes(text)
    done = 0
    for special in _specials(text):
        _cut_plain(text, letters, done, special.start, pieces)
        pieces.append(special)
        done = special.end
    _cut_plain(text, letters, done, len(text), pieces)
    return pieces


def _specials(text: str) -> list[Token]:
    """Marks, brackets and entities in order; where two forms overlap, the earlier form of `_SPECIAL` wins."""
    taken = bytearray(len(text))
    found: list[Token] = []
    for kind, pattern in _SPECIAL:
        for match in pattern.finditer(text):
            start, end = match.span()
            if not any(taken[start:end]):
                taken[start:end] = b"\1" * (end - start)
                found.append(Token(match.group(), start, end, kind))
    return sorted(found, key=lambda token: token.start)


def _cut_plain(text: str, letters: str, start: int, end: int, pieces: list[Token]) -> None:
    for match in _PLAIN.finditer(letters, start, end):
        kind = TokenKind[match.lastgroup] if match.lastgroup else TokenKind.PUNCTUATION
        pieces.append(Token(text[match.start() : match.end()], match.start(), match.end(), kind))


_WORDS = re.compile(r"l[lm]*(?:[ah]?[ld][lm]*)*|d+(?:[.,]d+)*|n+")


def measure(text: str) -> int:
    """Return the length of a text in half words: two for a word, one for a character without spaces.

    So "3 words or 6 CJK characters" is a measure of 6 whatever the mixture.

    >>> measure("the old weir"), measure("旧桥建于光绪"), measure("...")
    (6, 6, 0)
    """
    letters = classes(text)
    return 2 * len(_WORDS.findall(letters)) + letters.count("c")
