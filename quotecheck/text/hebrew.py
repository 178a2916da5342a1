"""Hebrew with vowel points beside Hebrew without: the plain spelling writes some vowels as letters.

בַּחֹרֶף becomes בחורף: the point of the o is dropped and a vav stands in its place. So without points alone
the two do not meet; these functions say whether a plain spelling is one that the points allow.
"""

from __future__ import annotations

import re

MATRES = "וי"
_POINTS = re.compile("[\u05b0-\u05bc\u05c1\u05c2\u05c7]")
_LETTER = re.compile("(.)([\u0591-\u05c7]*)", re.DOTALL)
# Points that the plain spelling may write: holam, qubuts, qamats (read as o) as vav; hiriq, tsere as yod.
_WRITTEN_VAV = re.compile("[\u05b9\u05ba\u05bb\u05b8\u05c7]")
_WRITTEN_YOD = re.compile("[\u05b4\u05b5]")


def has_points(text: str) -> bool:
    """Tell whether a text holds Hebrew vowel points."""
    return _POINTS.search(text) is not None


def equal_but_for_points(text: str, other: str) -> bool:
    """Tell whether two spellings differ in points and in letters that stand for points only, spaces aside.

    >>> equal_but_for_points("בחורף", "בַּחֹרֶף"), equal_but_for_points("בחרוף", "בַּחֹרֶף")
    (True, False)
    """
    text, other = text.replace(" ", ""), other.replace(" ", "")
    return any(
        has_points(pointed) and re.fullmatch(_plain_spellings(pointed), plain) is not None
        for pointed, plain in ((text, other), (other, text))
    )


def _plain_spellings(pointed: str) -> str:
    """Return a pattern for the plain spellings of a pointed text."""
    return "".join(map(_spelling, _LETTER.finditer(pointed)))


def _spelling(match: re.Match[str]) -> str:
    letter, points = match.groups()
    if letter in MATRES:  # a consonant, which may be written twice
        return f"{letter}{{1,2}}"
    vowel = "ו?" if _WRITTEN_VAV.search(points) else "י?" if _WRITTEN_YOD.search(points) else ""
    return re.escape(letter) + vowel
