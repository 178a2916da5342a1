"""What the flags know of each language: negators, modal words, opposites, number words and units, as data.

One module per language in `quotecheck/text/languages/` fills a `Lexicon`. A language is listed here only
where tables of sentence pairs test its negation and its modality, so that "no flag" can be read beside the
list of languages: in any other language it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

# The languages in which negation and modality are flagged (ISO 639-1); numerals and units go beyond them.
LANGUAGES = ("ar", "de", "en", "es", "fr", "he", "hi", "it", "ja", "ko", "pt", "ru", "tr", "zh")

# What a word may not touch on either side. Vowel signs of Devanagari are no `\w`.
_WORD_CHARACTER = r"[\w\u0900-\u0963\u0300-\u036f]"
WORD_START = rf"(?<!{_WORD_CHARACTER})"
WORD_END = rf"(?!{_WORD_CHARACTER})"


@dataclass(frozen=True, slots=True, eq=False)
class NumberWords:
    """Number words of a language, lower case.

    Attributes
    ----------
    values : units, teens, tens, ordinals and whole irregular words.
    scales : words that multiply what stands before them (hundred, million).
    joiners : words that may stand inside a number ("and").
    weak : words that are numbers only where a number replaces them ("one", "second").
    prefixes : letters written together with a number word (Arabic and Hebrew "and", "in", "the").
    compound : whether number words are written together (German, Italian).
    units_first : whether units stand before tens (German "fünfundzwanzig").
    vigesimal : whether 70 to 99 are counted in twenties (French).
    fractions : words for parts of one, by their decimal value; never certain ("quarter").
    """

    values: Mapping[str, int]
    scales: Mapping[str, int] = field(default_factory=dict)
    fractions: Mapping[str, str] = field(default_factory=dict)
    joiners: frozenset[str] = frozenset()
    weak: frozenset[str] = frozenset()
    prefixes: str = ""
    compound: bool = False
    units_first: bool = False
    vigesimal: bool = False


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language that change what a sentence says.

    Attributes
    ----------
    code : ISO 639-1.
    common : frequent words, by which languages of one script are told apart.
    negation : matches negators; the group `skip` holds words that only look like one.
    modality : one group per class of modal words; words of one class may replace each other. A class whose
        name starts with `q_` (quantity, frequency) counts only where another class replaces it.
    opposites : groups `pN` and `nN`, the two poles of the pair number N.
    prefixes, suffixes : negative affixes: a word and the same word with one are opposites.
    affix_exceptions : words that begin or end like that and are no opposites.
    number_words : None where number words are found by a pattern of the script.
    units : spelled-out units, by word, to a canonical symbol.
    comparators : groups `lt`, `le`, `gt`, `ge`, `about`: words that do the work of an operator before a
        number; with the suffix `_behind`, behind it.
    decimal_comma : whether 1,5 is one and a half and 1.500 fifteen hundred.
    negation_behind : matches, at the end of a passage, words that negate what stands before them.
    """

    code: str
    negation: re.Pattern[str]
    modality: re.Pattern[str]
    opposites: re.Pattern[str]
    common: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    affix_exceptions: frozenset[str] = frozenset()
    number_words: NumberWords | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    comparators: re.Pattern[str] | None = None
    decimal_comma: bool = False
    negation_behind: re.Pattern[str] | None = None


@cache
def lexicon(code: str) -> Lexicon:
    """Return the lexicon of a language of `LANGUAGES`; its module is loaded on first use."""
    found = import_module(f"quotecheck.text.languages.{code}").LEXICON
    assert isinstance(found, Lexicon)
    return found


# --- how the language modules write their patterns ---


def words(entries: str) -> frozenset[str]:
    """Return a set of words from a string with spaces between them."""
    return frozenset(entries.split())


def spelled(entries: str) -> dict[str, str]:
    """Read "km: kilometre kilometres; mi: mile" as a mapping from words to symbols; `_` is a space."""
    found: dict[str, str] = {}
    for group in entries.split(";"):
        symbol, _, names = group.partition(":")
        found |= {name.replace("_", " "): symbol.strip() for name in names.split()}
    return found


def classes(*, bounded: bool = True, **entries: str) -> re.Pattern[str]:
    """Compile one pattern with a named group per class, tried in the order given.

    Each class is a string of regular expressions with white space between them; `_` stands for a space.
    Unless `bounded` is off (scripts without spaces) they match whole words only, in any letter case.
    """
    groups = []
    for name, fragments in entries.items():
        body = "|".join(fragments.split()).replace("_", " ")
        groups.append(f"(?P<{name}>{WORD_START}(?:{body}){WORD_END})" if bounded else f"(?P<{name}>{body})")
    return re.compile("|".join(groups), re.IGNORECASE)


def poles(*pairs: tuple[str, str], bounded: bool = True) -> re.Pattern[str]:
    """Compile pairs of opposites as groups `p0`, `n0`, `p1`, ... (see `classes`)."""
    named: dict[str, str] = {}
    for number, (positive, negative) in enumerate(pairs):
        named[f"p{number}"], named[f"n{number}"] = positive, negative
    return classes(bounded=bounded, **named)
