"""A text without letter case, accents, vowel points, spaces and reference marks, with the way back.

Two strings with the same skeleton are equal but for those. The skeleton only finds places; what really
differs there is told by comparing the strings themselves.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quotecheck.models import Span

# Marks that writers leave out: accents of Latin, Greek and Cyrillic, vowel points and cantillation of Hebrew,
# Arabic and Syriac. Vowel signs of Indic scripts and the voicing mark of kana make other letters; strokes
# through a sign and marks for symbols make other signs (≠ is no = with an accent).
_DIACRITICS = (
    (0x0300, 0x0333),
    (0x0339, 0x036F),
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
    (0xFE20, 0xFE2F),
)
# Letters whose stroke or missing dot is no combining mark in Unicode.
_STROKES = str.maketrans("ıøđłħŧɨƶƀɍØĐŁĦŦƗƵɃɌ", "iodlhtizbrODLHTIZBR")


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


_ASCII_SPACES = {code: None for code in range(128) if chr(code).isspace()}


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
    """The skeleton of a text: `text`, and by `origin` the way back, which is worked out when first needed."""

    def __init__(self, source: str, dropped: Iterable[Span] = ()) -> None:
        self.source = source
        self._dropped = tuple(dropped)

    @cached_property
    def text(self) -> str:
        """The characters that stay, in their folded form."""
        source = _without_spans(self.source, self._dropped)
        if source.isascii():
            return source.lower().translate(_ASCII_SPACES)
        source = source.replace(" ", "")
        images = _images_of(source)
        for char, image in images.items():
            if len(image) > 1:
                source = source.replace(char, image)
        single = {char: image for char, image in images.items() if len(image) <= 1}
        single.update((char, char) for image in images.values() if len(image) > 1 for char in image)
        codes = _codes(source)
        first, length = _tables(single)
        folded = first[codes]
        if "" in single.values():
            folded = folded[length[codes] > 0]
        return folded.tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def origin(self) -> NDArray[np.int32]:
        """For each character of `text` the offset in the source of the character it comes from."""
        codes = _codes(self.source)
        _, length = _tables(_images_of(self.source))
        counts = length[codes]
        for start, end in self._dropped:
            counts[start:end] = 0
        return np.repeat(np.arange(len(codes), dtype=np.int32), counts)


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _without_spans(text: str, spans: Iterable[Span]) -> str:
    kept = []
    done = 0
    for start, end in spans:
        kept.append(text[done:start])
        done = end
    return "".join((*kept, text[done:])) if kept else text


def _images_of(text: str) -> dict[str, str]:
    """Return the image of each distinct character; a long text has few of them."""
    codes = _codes(text)
    present = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
    present[codes] = True
    return {char: _IMAGES[char] for char in map(chr, np.flatnonzero(present).tolist())}


def _tables(images: dict[str, str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return, by code point, the first character and the length of each image."""
    size = max(map(ord, images), default=0) + 1
    first = np.zeros(size, dtype=np.uint32)
    length = np.zeros(size, dtype=np.uint8)
    for char, image in images.items():
        length[ord(char)] = len(image)
        first[ord(char)] = ord(image[0]) if image else 0
    return first, length
