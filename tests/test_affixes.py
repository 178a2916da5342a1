"""Words negated by a prefix or a suffix."""

from __future__ import annotations

import pytest

from quotecheck.text.affixes import negated_by_affix, opposed_by_prefix
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


@pytest.mark.parametrize(
    ("code", "word", "other", "opposed"),
    [
        ("en", "hypertension", "hypotension", True),
        ("en", "underestimated", "overestimate", True),
        ("en", "upstream", "downstream", True),
        ("en", "inpatients", "outpatients", True),
        ("de", "präoperativ", "postoperativen", True),
        ("es", "hiperglucemia", "hipoglucemia", True),
        ("ru", "гипертония", "гипотония", True),
        ("en", "process", "antidote", False),
        ("en", "pre", "post", True),
        ("en", "overt", "under", False),
        ("en", "present", "postpone", False),
    ],
)
def test_words_with_opposed_prefixes(code: str, word: str, other: str, opposed: bool) -> None:
    """One stem with the one and with the other prefix, in both directions."""
    assert opposed_by_prefix([word], [other], [lexicon(code)]) is opposed
    assert opposed_by_prefix([other], [word], [lexicon(code)]) is opposed
