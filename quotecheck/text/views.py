"""Views of a folded text in which a quotation's pieces are sought: as it stands, or by a skeleton.

Each view is a string to search and a way back from a hit to offsets in the text. What a view leaves out is
forgiven; a hit must still begin and end at whole characters of the text.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quotecheck.models import Span
from quotecheck.text.grams_present import GramsPresent
from quotecheck.text.hebrew import MATRES, equal_but_for_points
from quotecheck.text.marks import reference_marks
from quotecheck.text.skeleton import Skeleton, is_diacritic, skeleton_of


def _place_of(origin: NDArray[np.int32], offset: int) -> int:
    # As a number of the same type: for any other NumPy copies the whole array at every look-up.
    return int(origin.searchsorted(np.int32(offset)))


class View(Protocol):
    """A string to search, and the way from its positions back to offsets in the folded text."""

    source: str
    text: str

    def key(self, words: str) -> str:
        """Return what to search for: the view of a piece of the quotation."""

    def holds(self, key: str) -> bool:
        """Tell whether the key occurs anywhere."""

    def span(self, position: int, words: str) -> Span | None:
        """Return the offsets of a hit, or None where it would cut a character or is no match after all."""

    def effort(self, words: str) -> int:
        """Return what a hit that is no match costs, in steps of about a microsecond."""

    def position(self, offset: int) -> int:
        """Return the position of the first character that comes from `offset` or behind it."""


class Literal:
    """The text as it stands."""

    def __init__(self, source: str) -> None:
        self.source = self.text = source

    def key(self, words: str) -> str:
        return words

    def holds(self, key: str) -> bool:
        return key in self.text

    def span(self, position: int, words: str) -> Span | None:
        return position, position + len(words)

    def effort(self, words: str) -> int:
        return 5 + len(words) // 10  # looking at a hit, and seeking the next one, takes all its characters

    def position(self, offset: int) -> int:
        return max(offset, 0)


class Loose:
    """The text without case, accents, vowel points, spaces and reference marks."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._skeleton = Skeleton(source, reference_marks(source))
        self.text = self._skeleton.text
        self._grams = GramsPresent(self.text)

    def key(self, words: str) -> str:
        return skeleton_of(words)

    def holds(self, key: str) -> bool:
        return self._grams.may_hold(key) and key in self.text

    def span(self, position: int, words: str) -> Span | None:
        origin = self._skeleton.origin
        last = position + len(self.key(words)) - 1
        start, end = int(origin[position]), int(origin[last]) + 1
        cuts_start = position > 0 and origin[position - 1] == start
        if cuts_start or (last + 1 < len(origin) and origin[last + 1] < end):
            return None
        while end < len(self.source) and is_diacritic(self.source[end]):
            end += 1
        return start, end

    def effort(self, words: str) -> int:
        return 5 + len(words) // 10  # looking at a hit, and seeking the next one, takes all its characters

    def position(self, offset: int) -> int:
        return _place_of(self._skeleton.origin, offset)


class Pointless:
    """The loose view without the letters that plain Hebrew writes for vowel points; each hit is looked at."""

    def __init__(self, source: str) -> None:
        loose = Skeleton(source)
        kept = np.array([character not in MATRES for character in loose.text], dtype=np.bool_)
        self.source = source
        self.text = "".join(character for character in loose.text if character not in MATRES)
        self._origin = loose.origin[kept]

    def key(self, words: str) -> str:
        return "".join(character for character in skeleton_of(words) if character not in MATRES)

    def holds(self, key: str) -> bool:
        return key in self.text

    def span(self, position: int, words: str) -> Span | None:
        source = self.source
        start = int(self._origin[position])
        end = int(self._origin[position + len(self.key(words)) - 1]) + 1
        while start > 0 and (source[start - 1] in MATRES or is_diacritic(source[start - 1])):
            start -= 1
        while end < len(source) and (source[end] in MATRES or is_diacritic(source[end])):
            end += 1
        return (start, end) if equal_but_for_points(words, source[start:end]) else None

    def effort(self, words: str) -> int:
        return 2 * len(words)

    def position(self, offset: int) -> int:
        return _place_of(self._origin, offset)
