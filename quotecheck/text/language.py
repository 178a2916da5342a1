"""In which languages of the lexicon a text is written: by its scripts, and by frequent words in Latin script.

The guess only chooses which word lists to use, so a text of two languages may have both, and one that says
nothing (a few names) has every language of its script.
"""

from __future__ import annotations

import re
from functools import lru_cache
from heapq import nlargest

from quotecheck.text.lexicon import LANGUAGES, Lexicon, lexicon

_LATIN = tuple(code for code in LANGUAGES if code in ("de", "en", "es", "fr", "it", "pt", "tr"))
_SCRIPTS = (
    ("ar", re.compile(r"[\u0620-\u064a\ufb50-\ufdff\ufe70-\ufeff]")),
    ("he", re.compile(r"[\u05d0-\u05ea]")),
    ("hi", re.compile(r"[\u0904-\u0939]")),
    ("ja", re.compile(r"[\u3041-\u30fa\uff66-\uff9d]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("zh", re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")),
)
# Letters of Persian, Urdu, Pashto and Kurdish that Arabic does not have: its words would mislead there.
_NOT_ARABIC = re.compile(r"[\u0679\u067e\u0686\u0688\u0691\u0698\u06a9\u06af\u06ba\u06be\u06c1\u06cc\u06d2]")
_LATIN_LETTER = re.compile(r"[a-zà-ÿšžœğış]", re.IGNORECASE)
_CLEAR = 4  # frequent words that one language has more than any other: no doubt is left
# Letters and endings that point to a language; each kind is worth a frequent word, up to three.
_TELLING = (
    ("de", re.compile("[ßäöü]")),
    ("es", re.compile(r"[ñ¿¡]|ción\b|dad\b")),
    ("fr", re.compile("[çêèœîûàâ]|[ldnsc]'[aeéèêiouyh]")),
    ("it", re.compile(r"[àèìòù]|dell'|all'|zion[ei]\b|tà\b")),
    ("pt", re.compile(r"[ãõ]|ção\b|ções\b|dade\b|[êâ]")),
    ("tr", re.compile("[ğşıİöüç]")),
)
_MISLEADING_NO = frozenset({"en", "es", "it"})  # a Portuguese "no" says "in the"
_WORD = re.compile(r"[^\W\d_]+")
_LOOKED_AT = 200  # characters on each side: some thirty words tell languages apart


def lexicons_at(text: str, place: int, quote: str) -> tuple[Lexicon, ...]:
    """Return the lexicons of the languages that a text around a place and a quotation are written in.

    >>> [found.code for found in lexicons_at("Der Damm ist nicht sicher. Комиссия не была", 0, "Damm")]
    ['de', 'ru']
    """
    return _lexicons_for(f"{text[max(0, place - _LOOKED_AT) : place + _LOOKED_AT]} {quote[:_LOOKED_AT]}")


@lru_cache(maxsize=1_024)
def _lexicons_for(sample: str) -> tuple[Lexicon, ...]:
    codes = set() if sample.isascii() else {code for code, letters in _SCRIPTS if letters.search(sample)}
    if "ja" in codes:
        codes.discard("zh")
    if "ar" in codes and _NOT_ARABIC.search(sample):
        codes.discard("ar")
    if _LATIN_LETTER.search(sample):
        codes |= _latin_languages(sample)
    return tuple(lexicon(code) for code in sorted(codes))


def _latin_languages(sample: str) -> set[str]:
    """Return the language with the most frequent words; where few tell, letters and endings count, too.

    Of few signs one more or less is chance: then the next best languages are looked at as well.
    """
    seen = {word.casefold() for word in _WORD.findall(sample)}
    scores = {code: len(seen & lexicon(code).common) for code in _LATIN}
    first, second = nlargest(2, scores.values())
    if first - second < _CLEAR:
        for code, letters in _TELLING:
            scores[code] += min(3, len(set(letters.findall(sample))))
    best = max(scores.values())
    found = {code for code in _LATIN if scores[code] == best}
    if best < _CLEAR:
        apart = _MISLEADING_NO if "pt" in found else frozenset()
        found |= {code for code in _LATIN if scores[code] == best - 1} - apart
    return found
