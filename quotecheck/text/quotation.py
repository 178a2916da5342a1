"""A quotation made ready for the search: checked, folded, with and without its quotation marks."""

from __future__ import annotations

import unicodedata

from quotecheck.errors import InvalidQuote
from quotecheck.text.fold import Folded, fold
from quotecheck.text.readings import Readings
from quotecheck.text.words import classes

_PAIRS = {'"': '"', "'": "'", "「": "」", "『": "』"}


def validate_quote(quote: str) -> None:
    """Raise `InvalidQuote` for a quotation that holds nothing that could be looked for.

    Examples
    --------
    >>> validate_quote("…")
    Traceback (most recent call last):
        ...
    quotecheck.errors.InvalidQuote: the quotation '…' holds no letter and no digit: pass the words to look for
    """
    Quotation(quote)


class Quotation:
    """A quotation and what is looked for.

    Attributes
    ----------
    raw : the string as it was given.
    given : its readings.
    variants : its readings as given, and, if one pair of quotation marks encloses it, without that pair.

    `phrases` is for `fold`: off where the text to search is folded so.
    """

    def __init__(self, raw: str, *, phrases: bool = True) -> None:
        self.raw = raw
        folded = fold(raw, phrases=phrases)
        if not has_words(folded.text):
            shown = repr(raw if len(raw) <= 40 else raw[:37] + "...")
            raise InvalidQuote(
                f"the quotation {shown} holds no letter and no digit: pass the words to look for"
            )
        self.given = Readings(folded)
        unmarked = _without_marks(folded)
        self.variants: tuple[Readings, ...] = (
            (self.given,) if unmarked is None else (self.given, Readings(unmarked))
        )

    @property
    def gave_up(self) -> bool:
        """Whether a search over readings ended before it had looked everywhere."""
        return any(variant.gave_up for variant in self.variants)


def has_words(folded: str) -> bool:
    """Return whether a folded text holds more than punctuation, symbols, marks and controls.

    Code points without a name count: they may be letters of a later Unicode version, or raw data.
    """
    return any(
        (category := unicodedata.category(char))[0] in "LN" or category in ("Cn", "Co", "Cs")
        for char in folded
    )


def _closes_inside(text: str) -> bool:
    """Tell whether the first mark closes before the last one opens again: "A" and "B" is no one pair."""
    depth = 1
    for place in range(1, len(text) - 1):
        turn = _turn(text, place, inside=depth > 0)
        if depth == 0 and turn > 0:
            return True
        depth = max(0, depth + turn)
    return False


def _turn(text: str, place: int, *, inside: bool) -> int:
    """Return 1 where the character opens a quotation like the outer one, -1 where it closes one, else 0."""
    opening, closing = text[0], text[-1]
    if text[place] not in (opening, closing):
        return 0
    if opening != closing:
        return 1 if text[place] == opening else -1
    before, behind = text[place - 1], text[place + 1]
    if before == " " or before in "([{-/":
        return 1 if behind != " " else 0
    if behind == " " or not behind.isalnum():
        return -1
    if classes(before + behind) in ("ll", "ml"):
        return 0  # an apostrophe, or gershayim in a Hebrew acronym
    return -1 if inside else 1


def _without_marks(folded: Folded) -> Folded | None:
    """Return a quotation without the one pair of quotation marks around it, or None if it has none."""
    text = folded.text
    if len(text) < 3 or _PAIRS.get(text[0]) != text[-1] or _closes_inside(text):
        return None
    start = 2 if text[1] == " " else 1
    end = len(text) - (2 if text[-2] == " " else 1)
    return folded.part(start, end) if start < end else None
