"""What the flags know of each language: negators, modal words, opposites, number words and units, as data.

One module per language in `quotecheck/text/languages/` fills a `Lexicon`. A language is listed here only
where tables of sentence pairs test its negation and its modality, so that "no flag" can be read beside the
list of languages: in any other language it says nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

# The languages in which negation and modality are flagged (ISO 639-1); numerals and units go beyond them.
LANGUAGES = ("ar", "de", "en", "es", "fr", "he", "hi", "it", "ja", "ko", "pt", "ru", "tr", "zh")

# Groups of negation patterns: phrases that begin with a negator, which count where an edit parts them only.
NOT_ONLY = "phrase_only"
PHRASE = "phrase"
# The group of prefixes before a hyphen, which negate one word and no clause.
PREFIX = "prefix"
# The group of words that go on with a negation ("nor").
SECOND = "second"

# Prefixes of scientific and legal words that make opposites of one stem, as the languages spell them.
OPPOSED_PREFIXES = (
    ("hyper", "hypo"),
    ("hiper", "hipo"),
    ("iper", "ipo"),
    ("pre", "post"),
    ("pré", "post"),
    ("pré", "pós"),
    ("prä", "post"),
    ("intra", "extra"),
    ("pro", "anti"),
    ("macro", "micro"),
    ("makro", "mikro"),
    ("super", "sub"),
    ("endo", "exo"),
    ("homo", "hetero"),
    ("mono", "poly"),
)

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
class Opposites:
    """Pairs of patterns for words that say the opposite of each other; `any_pole` matches each of them."""

    any_pole: re.Pattern[str]
    pairs: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]

    def swapped(self, quote: str, source: str) -> bool:
        """Tell whether a word stands on one side and its opposite on the other: "increase", "decrease"."""
        if self.any_pole.search(quote) is None or self.any_pole.search(source) is None:
            return False
        for positive, negative in self.pairs:
            gained = len(positive.findall(quote)) - len(positive.findall(source))
            lost = len(negative.findall(source)) - len(negative.findall(quote))
            if gained * lost > 0:
                return True
        return False


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language that change what a sentence says.

    Attributes
    ----------
    code : ISO 639-1.
    common : frequent words, by which languages of one script are told apart.
    negation : matches negators; the group `few` holds those that leave something ("rarely"), `phrase_only`
        those for "not only", `phrase` what negates nothing as a whole ("without doubt", "a few"), and `skip`
        words that only look like a negator. `prefix` are prefixes before a hyphen, and
        `second` words that go on with a negation.
    modality : one group per class of modal words; words of one class may replace each other. A class whose
        name starts with `q_` (quantity, frequency) counts only where another class replaces it.
    opposites : words that say the opposite of each other.
    prefixes, suffixes : negative affixes: a word and the same word with one are opposites.
    opposed_prefixes : pairs of prefixes: the same stem with the one and with the other are opposites.
    affix_exceptions : words that begin or end like that and are no opposites.
    number_words : None where number words are found by a pattern of the script.
    units : spelled-out units, by word, to a canonical symbol.
    comparators : groups `lt`, `le`, `gt`, `ge`, `about`: words that do the work of an operator before a
        number; with the suffix `_behind`, behind it.
    decimal_comma : whether 1,5 is one and a half and 1.500 fifteen hundred.
    negation_behind : matches, from the end of a passage, words that negate what stands before them.
    """

    code: str
    negation: re.Pattern[str]
    modality: re.Pattern[str]
    opposites: Opposites
    common: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    opposed_prefixes: tuple[tuple[str, str], ...] = OPPOSED_PREFIXES
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
    return frozenset(unicodedata.normalize("NFC", entries).split())


def spelled(entries: str) -> dict[str, str]:
    """Read "km: kilometre kilometres; mi: mile" as a mapping from words to symbols; `_` is a space."""
    found: dict[str, str] = {}
    for group in unicodedata.normalize("NFC", entries).split(";"):
        symbol, _, names = group.partition(":")
        found |= {name.replace("_", " "): symbol.strip() for name in names.split()}
    return found


def counted(names: str, *, step: int = 1, start: int = 0) -> dict[str, int]:
    """Read "zero, one first, two" as number words for start, start + step, ...; spaces part synonyms."""
    groups = enumerate(unicodedata.normalize("NFC", names).split(","))
    return {name: start + number * step for number, group in groups for name in group.split()}


def classes(*, bounded: bool = True, **entries: str) -> re.Pattern[str]:
    """Compile one pattern with a named group per class, tried in the order given.

    Each class is a string of regular expressions with white space between them; `_` stands for a space, and
    `~` for any ending of a word. Unless `bounded` is off (scripts without spaces between words) they match
    whole words only. Letter case does not count.
    """
    groups = "|".join(f"(?P<{name}>{_alternatives(fragments)})" for name, fragments in entries.items())
    return re.compile(f"{WORD_START}(?:{groups}){WORD_END}" if bounded else groups, re.IGNORECASE)


def after(fragments: str, *, bounded: bool = True) -> re.Pattern[str]:
    """Compile what may stand directly behind a passage, with a space between or (not bounded) without."""
    body = _alternatives(fragments)
    return re.compile(f" {body}{WORD_END}" if bounded else f" ?{body}", re.IGNORECASE)


def _alternatives(fragments: str) -> str:
    joined = "|".join(unicodedata.normalize("NFC", fragments).split())
    return f"(?:{joined})".replace("_", " ").replace("~", f"{_WORD_CHARACTER}*")


def poles(*pairs: tuple[str, str], bounded: bool = True) -> Opposites:
    """Compile pairs of opposites (see `classes`)."""
    every = " ".join(pole for pair in pairs for pole in pair)
    compiled = [tuple(classes(bounded=bounded, pole=pole) for pole in pair) for pair in pairs]
    return Opposites(
        classes(bounded=bounded, pole=every), tuple((positive, negative) for positive, negative in compiled)
    )
