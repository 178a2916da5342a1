"""A text without letter case, accents, vowel points, spaces and reference marks, with the way back.

Two strings with the same skeleton are equal but for those. The skeleton only finds places; what really
differs there is told by comparing the strings themselves.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from quotecheck.models import Span

# Marks that writers leave out: accents of Latin, Greek and Cyrillic, vowel points and cantillation of Hebrew,
# Arabic and Syriac. Vowel signs of Indic scripts and the voicing mark of kana make other letters.
_DIACRITICS = (
    (0x0300, 0x036F),
    (0x0483, 0x0487),
    (0x0591, 0x05BD),
    (0x05BF, 0x05BF),
    (0x05C1, 0x05C2),
    (0x05C4, 0x05C5),
    (0x05C7, 0x05C7),
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06DC),
    (0x06DF, 0x06E8),
    (0x06EA, 0x06ED),
    (0x0730, 0x074A),
    (0x08D3, 0x08FF),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20FF),
    (0xFE20, 0xFE2F),
)
# Letters whose stroke or missing dot is no combining mark in Unicode.
_STROKES = str.maketrans("ıøđłħŧɨƶƀɍ", "iodlhtizbr")


def is_diacritic(character: str) -> bool:
    """Tell whether a character is an accent or vowel point that `without_diacritics` removes."""
    code = ord(character)
    return code >= 0x300 and any(low <= code <= high for low, high in _DIACRITICS)


def without_diacritics(text: str) -> str:
    """Return the text without accents and vowel points; other marks and letters stay.

    >>> without_diacritics("L'échelle, الجِسْرَ, デ")
    "L'echelle, الجسر, デ"
    """
    return "".join(_BASES[character] for character in text)


def skeleton_of(text: str) -> str:
    """Return the skeleton of a short string, reference marks and brackets kept.

    >>> skeleton_of("The Été of İzmir")
    'theeteofizmir'
    """
    return "".join(_IMAGES[character] for character in text)


class _Bases(dict[str, str]):
    def __missing__(self, character: str) -> str:
        base = character
        if is_diacritic(character):
            base = ""
        elif len(decomposed := unicodedata.normalize("NFD", character)) > 1 and all(
            map(is_diacritic, decomposed[1:])
        ):
            base = decomposed[0]
        self[character] = base = base.translate(_STROKES)
        return base


class _Images(dict[str, str]):
    def __missing__(self, character: str) -> str:
        image = "" if character.isspace() else without_diacritics(_BASES[character].casefold())
        self[character] = image
        return image


_BASES = _Bases()
_IMAGES = _Images()


class Skeleton:
    """The skeleton of a text; `origin[i]` is the offset in the text of the skeleton's character i."""

    def __init__(self, text: str, dropped: Iterable[Span] = ()) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        present = np.zeros(int(codes.max()) + 1 if len(codes) else 1, dtype=bool)
        present[codes] = True
        first = np.zeros(len(present), dtype=np.uint32)
        length = np.zeros(len(present), dtype=np.intp)
        longer: dict[int, str] = {}
        for code in np.flatnonzero(present).tolist():
            image = _IMAGES[chr(code)]
            length[code] = len(image)
            first[code] = ord(image[0]) if image else 0
            if len(image) > 1:
                longer[code] = image
        counts = length[codes]
        for start, end in dropped:
            counts[start:end] = 0
        self.origin: NDArray[np.int32] = np.repeat(np.arange(len(codes), dtype=np.int32), counts)
        kept = codes[self.origin]
        images = first[kept]
        for code, image in longer.items():
            places = np.flatnonzero(kept == code)
            for shift, character in enumerate(image):
                images[places[shift :: len(image)]] = ord(character)
        self.text: str = images.tobytes().decode("utf-32-le", "surrogatepass")
