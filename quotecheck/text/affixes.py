"""Whether one word is the negation of another by a prefix or suffix: unlikely, unwirksam, güvensiz.

So are words whose prefixes say the opposite of each other: hypertension, hypotension.
"""

from __future__ import annotations

from collections.abc import Sequence

from quotecheck.text.lexicon import Lexicon

_STEM = 3  # letters that must be left of a word without its affix
_ENDING = 3  # letters in which the endings of both words may differ
# "Asymptomatic" and "decontaminated", but "along" and "depart" are no opposites.
_STEMS = {"a": 7, "ab": 6, "de": 7, "mal": 4}


def negated_by_affix(word: str, other: str, lexicons: Sequence[Lexicon]) -> bool:
    """Tell whether `word` is `other` with a negative affix, inflection aside (both case-folded).

    >>> from quotecheck.text.lexicon import lexicon
    >>> negated_by_affix("unsafe", "safe", [lexicon("en")]), negated_by_affix("into", "to", [lexicon("en")])
    (True, False)
    """
    return any(
        word not in lexicon.affix_exceptions
        and (_prefixed(word, other, lexicon) or _suffixed(word, other, lexicon))
        for lexicon in lexicons
    )


def opposed_by_prefix(words: Sequence[str], others: Sequence[str], lexicons: Sequence[Lexicon]) -> bool:
    """Tell whether one of `words` and one of `others` are one stem with prefixes opposed to each other.

    >>> from quotecheck.text.lexicon import lexicon
    >>> opposed_by_prefix(["upstream"], ["downstream"], [lexicon("en")])
    True
    """
    pairs = {pair for lexicon in lexicons for pair in lexicon.opposed_prefixes}
    return any(
        stem == other or _same_stem(stem, other)
        for prefix, opposite in (*pairs, *((opposite, prefix) for prefix, opposite in pairs))
        for stem in _stems(words, prefix)
        for other in _stems(others, opposite)
    )


def _stems(words: Sequence[str], prefix: str) -> list[str]:
    """Return what is left of words behind a prefix; nothing is left of one before a hyphen ("pre-war")."""
    stems = [word.removeprefix(prefix) for word in words if word.startswith(prefix)]
    return [stem for stem in stems if not stem or len(stem) >= _STEM]


def _prefixed(word: str, other: str, lexicon: Lexicon) -> bool:
    return any(
        word.startswith(prefix)
        and not other.startswith(prefix)
        and len(other) >= _STEMS.get(prefix, _STEM)
        and _same_stem(word[len(prefix) :], other)
        for prefix in lexicon.prefixes
    )


def _suffixed(word: str, other: str, lexicon: Lexicon) -> bool:
    """ "harmless" beside "harm" or "harmful": the same stem, with another ending or none."""
    return any(
        word.endswith(suffix)
        and not other.endswith(suffix)
        and len(stem := word.removesuffix(suffix)) >= _STEM
        and other.startswith(stem)
        and len(other) - len(stem) <= len(suffix) + 1
        for suffix in lexicon.suffixes
    )


def _same_stem(word: str, other: str) -> bool:
    if len(word) < _STEM or len(other) < _STEM:
        return False
    if word == other:
        return True
    common = 0
    while common < min(len(word), len(other)) and word[common] == other[common]:
        common += 1
    return common >= _STEM + 1 and max(len(word), len(other)) - common <= min(_ENDING, common // 2)
