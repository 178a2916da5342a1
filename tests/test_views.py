"""Views of a text and the way back from their hits."""

from __future__ import annotations

import pytest

from quotecheck.text.views import Literal, Loose, Pointless, View


@pytest.mark.parametrize(
    ("view", "words", "passage"),
    [
        (Literal("the old weir"), "old", "old"),
        (Loose("The Old[3]  Wéir."), "oldweir", "Old[3]  Wéir"),
        (Loose("DIE STRAßE WAR"), "strasse", "STRAßE"),
        (Loose("הַגֶּשֶׁר נִסְגַּר"), "נסגר", "נִסְגַּר"),
        (Pointless("הַגֶּשֶׁר בַּחֹרֶף"), "בחורף", "בַּחֹרֶף"),
    ],
)
def test_hit_leads_back_to_the_text(view: View, words: str, passage: str) -> None:
    """Marks that a view leaves out belong to the characters before them."""
    place = view.text.find(view.key(words))
    span = view.span(place, words)
    assert span is not None
    assert view.source[slice(*span)] == passage
    assert view.position(span[0]) == place
    assert view.holds(view.key(words))


def test_hit_inside_an_expanded_character_is_none() -> None:
    """Half of an ß is no passage."""
    view = Loose("Straße")
    assert view.text == "strasse"
    assert view.span(0, "stras") is None
    assert view.span(5, "se") is None


def test_hit_that_points_do_not_allow_is_none() -> None:
    """Letters for vowels are left out of the view, so each hit is looked at."""
    view = Pointless("סִפֵּר לִי")
    assert view.span(0, "ספור") is None
    assert view.span(0, "סיפר") == (0, 6)
