"""Words negated by a prefix or a suffix."""

from __future__ import annotations

import pytest

from quotecheck.text.affixes import negated_by_affix
from quotecheck.text.lexicon import lexicon


@pytest.mark.parametrize(
    ("code", "word", "other"),
    [
        ("en", "unlikely", "likely"),
        ("en", "irregular", "regular"),
        ("en", "disagreed", "agree"),
        ("en", "harmless", "harmful"),
        ("en", "asymptomatic", "symptomatic"),
        ("de", "unwirksame", "wirksamen"),
        ("de", "wirkungslos", "wirkungsvoll"),
        ("fr", "inefficace", "efficace"),
        ("es", "ilegal", "legal"),
        ("ru", "небезопасной", "безопасная"),
        ("hi", "असुरक्षित", "सुरक्षित"),
    ],
)
def test_word_is_the_negation_of_the_other(code: str, word: str, other: str) -> None:
    """The affix makes the opposite, whatever the endings; and only in one direction."""
    assert negated_by_affix(word, other, [lexicon(code)])
    assert not negated_by_affix(other, word, [lexicon(code)])


@pytest.mark.parametrize(
    ("code", "word", "other"),
    [
        ("en", "into", "to"),
        ("en", "inform", "form"),
        ("en", "along", "long"),
        ("en", "unit", "it"),
        ("ru", "нет", "т"),
    ],
)
def test_word_that_only_begins_like_a_negation(code: str, word: str, other: str) -> None:
    """Words listed as exceptions, and stems too short to be one, are no opposites."""
    assert not negated_by_affix(word, other, [lexicon(code)])
