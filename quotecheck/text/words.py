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
    y symbol.
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
    if category[0] == "S":
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


# --- marks that quoters and encyclopedias put in, all on folded text ---------------------------------------

_OMITTED = "中略|前略|後略|后略|下略|以下略|省略|略|중략|전략|후략|하략|생략|snip|omissis"
_DOTS = r"(?:\.[ ]?){2,}\.|⋯+"
ELISION = re.compile(
    rf"\[[ ]?(?:{_DOTS}|{_OMITTED})[ ]?\]|\([ ]?(?:{_DOTS}|{_OMITTED})[ ]?\)|〔(?:{_OMITTED})〕|【(?:{_OMITTED})】"
    rf"|<[ ]?(?:{_DOTS})[ ]?>|\{{[ ]?(?:{_DOTS})[ ]?\}}|{_DOTS}"
)
# Numbers of up to three digits: a bracketed year is a quoter's insertion, not a note.
_NOTE_NUMBER = r"(?:\d{1,3}[a-z]?(?:[ ]?[,;-][ ]?\d{1,3}[a-z]?){0,20})(?:,[ ]?pp?\.[ ]?\d{1,4}(?:-\d{1,4})?)?"
_NOTE_NAMED = r"(?:note|notes|nb|n|fn|ref|nota|Anm\.|注|註|주|прим\.)[ ]?\.?[ ]?\d{1,3}"
_NOTE_WISH = (
    r"(?:[a-z -]{0,25}(?:citation|clarification|verification|source|page|attribution) needed"
    r"|citation n[ée]cessaire|r[ée]f\. n[ée]cessaire|cita requerida|carece de fontes|senza fonte|Beleg fehlt\??"
    r"|источник не указан[^\]]{0,20}|kaynak belirtilmeli|来源请求|來源請求|要出典|출처 필요|بحاجة لمصدر|דרוש מקור|उद्धरण चाहिए"
    r"|who\?|when\?|where\?|which\?|by whom\?|according to whom\?|edit|dead link|update)"
)
REFERENCE_MARK = re.compile(
    rf"\[[ ]?(?:{_NOTE_NUMBER}|{_NOTE_NAMED}|{_NOTE_WISH})[ ]?\]|〔\d{{1,3}}〕|【\d{{1,3}}】"
    # Letters are a note's name where they hang on a word ("half[a] in") and no word goes on behind them:
    # "[a]s the boat" and "[A] boat" are an editor's.
    rf"|(?<=\S)\[(?:[A-Za-z]|[ivx]{{2,5}})\](?![^\W\d_])"
)
SIC = re.compile(r"\[[ ]?sic[ ]?[.!?]?[ ]?\]", re.IGNORECASE)
BRACKET_LIMIT = 80  # characters inside an editor's bracket; longer ones are text
BRACKET = re.compile(rf"\[[^\[\]]{{1,{BRACKET_LIMIT}}}\]")
_ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}\d{0,2}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")
_SPECIAL = (
    (TokenKind.ELISION, ELISION),
    (TokenKind.REFERENCE_MARK, REFERENCE_MARK),
    (TokenKind.BRACKET, SIC),
    # A bracket and the letters it touches are one word: "[T]he", "walk[ed]", "[she]".
    (TokenKind.BRACKET, re.compile(rf"[^\W\d_]*\[(?=[^\W_])[^\[\]\n]{{1,{BRACKET_LIMIT}}}\](?:[^\W\d_]+)?")),
    (TokenKind.ENTITY, _ENTITY),
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
    found: list[Token] = []
    for kind, pattern in _SPECIAL:
        if kind is TokenKind.ENTITY and "&" not in text or kind is TokenKind.BRACKET and "[" not in text:
            continue
        for match in pattern.finditer(text):
            found.append(Token(match.group(), match.start(), match.end(), kind))
    rank = {kind: number for number, (kind, _) in reversed(list(enumerate(_SPECIAL)))}
    found.sort(key=lambda token: (rank[token.kind], token.start))
    taken = bytearray(len(text))
    kept = []
    for token in found:
        if not any(taken[token.start : token.end]):
            taken[token.start : token.end] = b"\1" * (token.end - token.start)
            kept.append(token)
    return sorted(kept, key=lambda token: token.start)


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
