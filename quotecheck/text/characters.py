"""What each character is for folding: its image by itself, and the traits that rules about neighbours need.

One table by code point serves every text. It is filled as code points are first met, so that the first fold
costs microseconds and a whole Unicode table is never built; the two large regular blocks (Han, Hangul
syllables) are filled at once.
"""

from __future__ import annotations

import threading
import unicodedata
from bisect import bisect_right
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Traits = NDArray[np.uint16]

SPACE = 1 << 0  # any Unicode white space
LINE = 1 << 1  # white space that ends a line or a page
INVISIBLE = 1 << 2  # rule 5: not part of the folded text
MARK = 1 << 3  # belongs to the character before it
LETTER = 1 << 4
DIGIT = 1 << 5  # a decimal digit in any script
DIGIT_FIRST = 1 << 6  # no digit itself, but its image starts with one (½, ①)
DIGIT_LAST = 1 << 7  # no digit itself, but its image ends with one
RAISED = 1 << 8  # superscript or subscript digit or sign: 10⁻⁶ must not become 10-6
HYPHEN = 1 << 9  # may break a word at the end of a line
WIDE = 1 << 10  # Han, Kana, CJK punctuation, full-width forms: written without spaces
NEUTRAL = 1 << 11  # punctuation that Chinese and Japanese share with other scripts
GUILLEMET = 1 << 12
SYMBOL = 1 << 13  # may be part of an emoji sequence
EXPANDS = 1 << 14  # its image has several characters
KNOWN = 1 << 15  # the table holds this code point


class _Ranges:
    """Code points given as ascending inclusive ranges."""

    def __init__(self, *ranges: tuple[int, int]) -> None:
        self._edges = [edge for first, last in ranges for edge in (first, last + 1)]

    def __contains__(self, code: int) -> bool:
        return bisect_right(self._edges, code) % 2 == 1


# Default_Ignorable_Code_Point (Unicode 14 to 16, DerivedCoreProperties.txt), and the Arabic tatweel.
_INVISIBLE = _Ranges(
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x0640, 0x0640),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
# Vowels and finals of conjoining Hangul, which compose with what stands before them and have category Lo.
_JAMO = _Ranges((0x1161, 0x11FF), (0xD7B0, 0xD7C6), (0xD7CB, 0xD7FB))
_WIDE = _Ranges(
    (0x2E80, 0x2FFF),  # radicals, ideographic description
    (0x3001, 0x303F),  # CJK punctuation
    (0x3040, 0x312F),  # Kana, Bopomofo
    (0x31A0, 0x4DBF),  # Bopomofo, strokes, Kana, enclosed and compatibility forms, Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),  # vertical forms
    (0xFF01, 0xFF9F),  # full-width forms, half-width Kana
    (0xFFE0, 0xFFE6),
    (0x1AFF0, 0x1B16F),
    (0x1F200, 0x1F2FF),
    (0x20000, 0x3FFFF),
)
LINE_ENDS = frozenset("\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029")
_HYPHENS = frozenset("-‐‑﹣－")
_NEUTRALS = frozenset("“”‘’…—·")
_GUILLEMETS = frozenset("«»‹›")
_RAISED_IMAGES = frozenset("0123456789+−=()ni")

# Rules 3 and 4. Single marks never become double ones; corner brackets and primes stay.
_SAME = {
    **dict.fromkeys("“”„‟«»״", '"'),
    **dict.fromkeys("‘’‚‛‹›ʼʻ׳", "'"),
    **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    **dict.fromkeys("∼〜～", "~"),
}


def is_invisible(char: str) -> bool:
    """Return whether rule 5 removes the character."""
    return ord(char) in _INVISIBLE


def is_mark(char: str) -> bool:
    """Return whether the character belongs to the one before it: accents, vowel signs, Hangul vowels."""
    first = _compatible(char)[0]
    return unicodedata.category(first)[0] == "M" or ord(first) in _JAMO


def _compatible(char: str) -> str:
    """Return the compatibility form of one character, or the character where that form would mislead.

    Compatibility jamo are letters that stand alone (ㅋㅠ is not 큐), and spacing accents would become a space
    that no reader sees, so both stay.
    """
    if "ㄱ" <= char <= "ㆎ":
        return char
    if "ﾡ" <= char <= "ￜ" and (parts := unicodedata.decomposition(char).split()):
        return chr(int(parts[1], 16))
    form = unicodedata.normalize("NFKC", char).replace("ـ", "")
    spacing_accent = len(form) > 1 and form[0] == " "
    return unicodedata.normalize("NFC", char) if spacing_accent else form


@lru_cache(maxsize=1 << 14)
def image(char: str) -> str:
    """Return what rules 1 to 5 make of one character by itself, not knowing its neighbours."""
    if char.isspace():
        return " "
    if is_invisible(char):
        return ""
    return "".join(" " if part.isspace() else _SAME.get(part, part) for part in _compatible(char))


def cluster_image(cluster: str, *, keep_first: bool = False) -> str:
    """Return the image of a character with its marks; `keep_first` keeps the first one's own form."""
    composed = unicodedata.normalize("NFC", _in_canonical_order(cluster))
    images = [image(char) for char in composed]
    if keep_first:
        images[0] = composed[0]
    return unicodedata.normalize("NFC", "".join(images))


def _in_canonical_order(cluster: str) -> str:
    """Sort long runs of marks, which `unicodedata` does in quadratic time (a page of them would hang)."""
    if len(cluster) < 32:
        return cluster
    decomposed = "".join(unicodedata.normalize("NFD", char) for char in cluster)
    parts: list[str] = []
    run: list[str] = []
    for char in decomposed:
        if unicodedata.combining(char):
            run.append(char)
            continue
        parts += sorted(run, key=unicodedata.combining)
        parts.append(char)
        run = []
    return "".join(parts + sorted(run, key=unicodedata.combining))


def _traits(char: str, form: str) -> int:
    """Return the traits of a character whose image is `form`."""
    if char.isspace():
        return SPACE | (LINE if char in LINE_ENDS else 0)
    if is_invisible(char):
        return INVISIBLE
    found = WIDE if ord(char) in _WIDE else 0
    category = unicodedata.category(char)
    if category in ("Cn", "Co", "Cs"):  # no character yet, private, or half of a pair: data
        return found
    found |= EXPANDS if len(form) > 1 else 0
    found |= MARK if is_mark(char) else 0
    found |= LETTER if category[0] == "L" else 0
    found |= SYMBOL if category[0] == "S" else 0
    found |= HYPHEN if char in _HYPHENS else 0
    found |= NEUTRAL if char in _NEUTRALS else 0
    found |= GUILLEMET if char in _GUILLEMETS else 0
    return found | _digit_traits(char, category, form)


def _digit_traits(char: str, category: str, form: str) -> int:
    if category == "Nd":
        return DIGIT
    found = (DIGIT_FIRST if form[0].isdecimal() else 0) | (DIGIT_LAST if form[-1].isdecimal() else 0)
    tag = unicodedata.decomposition(char).partition(" ")[0]
    if tag in ("<super>", "<sub>") and unicodedata.normalize("NFKC", char) in _RAISED_IMAGES:
        found |= RAISED
    return found


class CharacterTable:
    """Traits and images by code point, for whole arrays at once; filled as code points are met.

    Attributes
    ----------
    traits : the traits of each code point (0 until it is known).
    first : the first character of its image, as a code point (`ascii`: of the first 128 in bytes).
    count : how many characters its image has.
    pool, pool_at : all images of several characters in one array, and where each starts.
    """

    def __init__(self) -> None:
        size = 0x110000  # zero pages cost no memory until they are touched
        self.traits = np.zeros(size, np.uint16)
        self.first = np.zeros(size, np.uint32)
        self.count = np.zeros(size, np.uint8)
        self.pool_at = np.zeros(size, np.int32)
        self.pool = np.zeros(0, np.uint32)
        self._lock = threading.Lock()
        self._fill_range(0x4E00, 0x9FFF, LETTER | WIDE)
        self._fill_range(0xAC00, 0xD7A3, LETTER)
        self.traits_of(np.arange(128, dtype=np.uint32))
        self.ascii = self.first[:128].astype(np.uint8)

    def _fill_range(self, first: int, last: int, traits: int) -> None:
        self.traits[first : last + 1] = traits | KNOWN
        self.first[first : last + 1] = np.arange(first, last + 1)
        self.count[first : last + 1] = 1

    def traits_of(self, codes: Codes) -> Traits:
        """Return the traits of each code point, learning those not met before."""
        traits = self.traits[codes]
        if len(traits) and not np.bitwise_and.reduce(traits) & KNOWN:
            with self._lock:
                self._learn(np.unique(codes[traits == 0]).tolist())
            traits = self.traits[codes]
        return traits

    def _learn(self, codes: list[int]) -> None:
        pool: list[int] = []
        for code in codes:
            char = chr(code)
            form = image(char)
            self.count[code] = len(form)
            self.first[code] = ord(form[0]) if form else 0
            self.pool_at[code] = len(self.pool) + len(pool)
            pool += map(ord, form if len(form) > 1 else "")
        self.pool = np.concatenate([self.pool, np.array(pool, np.uint32)])
        for code in codes:  # last, so that another thread never sees a known code point without its image
            self.traits[code] = _traits(chr(code), image(chr(code))) | KNOWN


@lru_cache(maxsize=1)
def character_table() -> CharacterTable:
    """Return the one table of this process."""
    return CharacterTable()


def traits_of(text: str) -> int:
    """Return the traits of all characters of a short text together."""
    found = 0
    for char in set(text):
        found |= _own_traits(char)
    return found


@lru_cache(maxsize=4_096)
def _own_traits(char: str) -> int:
    return _traits(char, image(char))
