"""Texts without case, accents and spaces, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.text.skeleton import Skeleton, skeleton_of, without_diacritics


@pytest.mark.parametrize(
    ("text", "skeleton"),
    [
        ("The Old Weir", "theoldweir"),
        ("Été, naïve, Ångström", "ete,naive,angstrom"),
        ("İSTANBUL ısı", "istanbulisi"),
        ("STRASSE Straße", "strassestrasse"),
        ("ΣΟΦΟΣ σοφός", "σοφοσσοφοσ"),
        ("ёлка йод", "елкаиод"),
        ("כַּדּוּר", "כדור"),
        ("الجِسْرَ أَنَّ", "الجسران"),
        ("Điện Łódź ø", "dienlodzo"),
        ("デ が हि", "デがहि"),
    ],
)
def test_skeleton_drops_case_accents_points_and_spaces(text: str, skeleton: str) -> None:
    """Voicing marks of kana and vowel signs of Devanagari make other letters and stay."""
    assert skeleton_of(text) == skeleton
    assert Skeleton(text).text == skeleton


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet=st.one_of(st.sampled_from("aÉßİ \u0301\u05b0ﬁ[1]"), st.characters()), max_size=50))
def test_long_and_short_way_agree_with_the_origin(text: str) -> None:
    """Each character of the skeleton is one of the image of the character it comes from."""
    skeleton = Skeleton(text)
    assert skeleton.text == skeleton_of(text)
    assert len(skeleton.origin) == len(skeleton.text)
    for char, origin in zip(skeleton.text, skeleton.origin.tolist(), strict=True):
        assert char in skeleton_of(text[origin])


def test_dropped_spans_are_left_out() -> None:
    """Offsets behind them stay offsets of the source."""
    skeleton = Skeleton("half[12] in", [(4, 8)])
    assert skeleton.text == "halfin"
    assert skeleton.origin.tolist() == [0, 1, 2, 3, 9, 10]


def test_without_diacritics_keeps_everything_else() -> None:
    """Case and spaces stay."""
    assert without_diacritics("L'Été à Đà Nẵng") == "L'Ete a Da Nang"
