"""Read the text of one PDF page: what the library cannot know of the glyphs is decided by where they stand.

A PDF knows glyphs and places, not words and lines. A line break in the middle of a line is none; digits set
smaller and higher are raised, and behind a word they are a note mark; an accent drawn by itself belongs to
the letter under it. A hyphen at the end of a line stays, before a line break, for the matcher to read both
ways.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from quotecheck.extract.layout import IGNORABLE_CLOSE, IGNORABLE_OPEN, RAISED_CLOSE, RAISED_OPEN

if TYPE_CHECKING:
    import pypdfium2

_HYPHEN: Final = "\x02"  # the library's sign for a hyphen at the end of a line
_PLACES: Final = re.compile(r"\r\n|\x02|\d+|[*∗†‡§¶]{1,3}")  # where geometry decides
_COMBINING: Final = dict(
    zip(
        "´`¨ˆ˜¯˘˙˝ˇ¸˛˚",
        "\u0301\u0300\u0308\u0302\u0303\u0304\u0306\u0307\u030b\u030c\u0327\u0328\u030a",
        strict=True,
    )
)
_ACCENT: Final = re.compile(f"[{''.join(_COMBINING)}]")
_DOTLESS: Final = {"ı": "i", "ȷ": "j"}
_BEFORE_ACCENT: Final = 30  # glyphs between a letter and its accent
_NOT_TEXT: Final = re.compile("[\x00\x01\x03-\x08\x0b-\x0c\x0e-\x1f\ufffe\ufeff]")
# What stands before a note mark. A short word with a raised digit is a power ("km2"), one letter with a
# star a symbol.
_BEFORE_NUMBER: Final = re.compile(r"[^\W\d_]{4}[.,;:!?)\]”’\"']{0,2}\Z")
_BEFORE_SYMBOL: Final = re.compile(r"[^\W\d_]{2}[.,;:!?)\]”’\"']{0,2}\Z")
_SMALLER: Final = 0.85  # of the size of the letters beside it
_HIGHER: Final = 0.15  # of that size
_SAME_LINE: Final = 0.6
_NEXT_LINE: Final = 2.0
_GAP: Final = 0.2


class Glyphs:
    """The characters of one page in reading order, and where each one stands."""

    def __init__(self, text_page: pypdfium2.PdfTextPage) -> None:
        import pypdfium2.raw as library

        self._library = library
        self._page = text_page.raw
        read = library.FPDFText_GetUnicode
        codes = (read(self._page, index) for index in range(text_page.count_chars()))
        # One character for each glyph, so that an index into the text is one into the page.
        self._text = "".join(["\x00" if 0xD800 <= c < 0xE000 or c > 0x10FFFF else chr(c) for c in codes])

    def text(self) -> str:
        """Return the page's text with layout marks for raised digits and note marks."""
        edits = {place.start(): (place.end(), self._decide(place)) for place in _PLACES.finditer(self._text)}
        for accent in _ACCENT.finditer(self._text):
            edits.update(self._place_accent(accent.start(), accent[0]))
        pieces: list[str] = []
        position = 0
        for start, (end, replacement) in sorted(edits.items()):
            if start >= position:  # the space around an accent takes the line break in it along
                pieces += (self._text[position:start], replacement)
                position = end
        text = "".join((*pieces, self._text[position:]))
        return _NOT_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))

    def _decide(self, place: re.Match[str]) -> str:
        found = place[0]
        if found == "\r\n":
            return self._line_break(place.start() - 1, place.end())
        if found == _HYPHEN:
            return self._hyphen(place.start())
        return self._raised(place)

    def _hyphen(self, index: int) -> str:
        """Return a hyphen with the line break behind it, which the library left out.

        Beside a digit it is no broken word, so the two parts stay together ("COVID-19") if the next line is
        the one below.
        """
        around = self._text[index - 1 : index] + self._text[index + 1 : index + 2]
        if len(around) < 2 or around.isalpha():
            return "-\n"
        drop = self._origin(index - 1)[1] - self._origin(index + 1)[1]
        return "-" if abs(drop) < _NEXT_LINE * self._size(index - 1) else "-\n"

    def _place_accent(self, index: int, accent: str) -> dict[int, tuple[int, str]]:
        """Return the edits that put an accent, drawn by itself, on the letter that stands under it.

        TeX draws accents as glyphs of their own, before or after the letter or at the end of the word, and
        the library takes the gaps that they leave in the line for spaces.
        """
        left, right = self._edges(index)
        letter = self._letter_at((left + right) / 2, index)
        if letter is None:
            return {}
        plain_letter = _DOTLESS.get(self._text[letter], self._text[letter])
        composed = unicodedata.normalize("NFC", plain_letter + _COMBINING[accent])
        start, end = index, index + 1
        while start > 0 and self._text[start - 1].isspace():
            start -= 1
        while end < len(self._text) and self._text[end].isspace():
            end += 1
        is_apart = start + 1 < end < len(self._text)
        gap = self._line_break(start - 1, end) if is_apart else ""
        return {letter: (letter + 1, composed), start: (end, gap)}

    def _letter_at(self, x: float, accent: int) -> int | None:
        """Return the letter of the accent's line, near it in the text, that stands at `x`."""
        y, reach = self._origin(accent)[1], self._size(accent)
        for index in sorted(range(accent - _BEFORE_ACCENT, accent + 4), key=lambda near: abs(near - accent)):
            char = self._text[index : index + 1] if index >= 0 else ""
            if char.isalpha() and char not in _COMBINING:
                left, right = self._edges(index)
                if left <= x <= right and abs(self._origin(index)[1] - y) < reach:
                    return index
        return None

    def _line_break(self, before: int, after: int) -> str:
        """Return what a line break stands for: the library breaks lines at raised and lowered glyphs."""
        if before < 0 or after >= len(self._text) or self._text[after] in "\r\n":
            return "\n"
        x, y = self._origin(after)
        size = max(self._size(before), self._size(after))
        end = self._edges(before)[1]
        if abs(y - self._origin(before)[1]) > _SAME_LINE * size or not -size < x - end < 2 * size:
            return "\n"
        return " " if x - end > _GAP * size else ""

    def _raised(self, place: re.Match[str]) -> str:
        """Mark what of a run of digits or symbols is set smaller and higher (or lower) than beside it."""
        start, end = place.span()
        beside = [index for index in (start - 1, end) if self._is_glyph(index)]
        base = max((*beside, *range(start, end)), key=self._size)
        raised = [self._is_raised(index, base) for index in range(start, end)]
        if not any(raised):
            return place[0]
        first = raised.index(True)
        last = len(raised) - raised[::-1].index(True)
        found = place[0]
        is_note = all(raised) and self._is_note_mark(start, found, base)
        marked = found[first:last]
        if found.isdigit():
            marked = f"{RAISED_OPEN}{marked}{RAISED_CLOSE}"
        if is_note:
            marked = f"{IGNORABLE_OPEN}{marked}{IGNORABLE_CLOSE}"
        return found[:first] + marked + found[last:]

    def _is_glyph(self, index: int) -> bool:
        return 0 <= index < len(self._text) and not self._text[index].isspace()

    def _is_raised(self, index: int, base: int) -> bool:
        size = self._size(base)
        rise = self._origin(index)[1] - self._origin(base)[1]
        return self._size(index) <= _SMALLER * size and _HIGHER * size <= abs(rise) < size

    def _is_note_mark(self, index: int, found: str, base: int) -> bool:
        before = _BEFORE_NUMBER if found.isdigit() else _BEFORE_SYMBOL
        higher = self._origin(index)[1] > self._origin(base)[1]
        return higher and before.search(self._text, max(0, index - 8), index) is not None

    def _size(self, index: int) -> float:
        return float(self._library.FPDFText_GetFontSize(self._page, index))

    def _origin(self, index: int) -> tuple[float, float]:
        x, y = ctypes.c_double(), ctypes.c_double()
        self._library.FPDFText_GetCharOrigin(self._page, index, x, y)
        return x.value, y.value

    def _edges(self, index: int) -> tuple[float, float]:
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        self._library.FPDFText_GetCharBox(self._page, index, left, right, bottom, top)
        return left.value, right.value
