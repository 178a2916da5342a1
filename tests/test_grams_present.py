"""The table of grams says no only where a string is absent."""

from __future__ import annotations

import random

from quotecheck.text.grams_present import GramsPresent


def _asked_often(text: str) -> GramsPresent:
    grams = GramsPresent(text)
    for _ in range(40):
        grams.may_hold(text[:20])
    return grams


def test_present_strings_are_never_denied() -> None:
    """Every slice of a text may be held."""
    words = random.Random(1)
    text = "".join(words.choice("abcde 桥") for _ in range(30_000))
    grams = _asked_often(text)
    starts = [words.randrange(len(text) - 100) for _ in range(300)]
    assert all(grams.may_hold(text[start : start + 8 + start % 80]) for start in starts)


def test_absent_strings_are_mostly_denied() -> None:
    """Other letters give other grams."""
    text = "".join(random.Random(1).choice("abcde ") for _ in range(30_000))
    grams = _asked_often(text)
    absent = ["".join(random.Random(seed).choice("ghijk ") for _ in range(60)) for seed in range(50)]
    assert sum(grams.may_hold(words) for words in absent) <= 1


def test_short_strings_and_first_questions_are_not_denied() -> None:
    """Before the table exists, and for strings without a gram, the text itself is asked."""
    grams = GramsPresent("x" * 30_000)
    assert grams.may_hold("never there at all")
    assert _asked_often("x" * 30_000).may_hold("never")
