"""Full stops that end no sentence: abbreviations, initials, and those that only sometimes do."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# These stand before what they belong to, so the sentence goes on.
_NEVER_ENDS = _words("""
    e.g i.e cf vs viz ca approx dr mr mrs ms mme mlle prof gen col lt sgt capt rev hon gov sen rep mt
    fig figs eq eqs ref refs resp incl excl dept univ bzw vgl z.b d.h u.a evtl ggf sog núm pág р см т.е т.к
    p.ex p.ej av bd
""")
# These go on before a number ("No. 5", "p. 3"); elsewhere they are words of their own.
_BEFORE_NUMBER = _words("no nos nr n p pp pg vol ch sec sect art par para app s bd tab st abs")
# These may end a sentence: they do before a capital.
_ENDS_BEFORE_CAPITAL = _words("""
    etc al inc ltd co corp llc bros jr sr esq ph.d m.d b.a m.a m.sc b.sc u.s u.k u.n e.u u.s.a d.c a.m p.m b.c
    a.d usw ecc ave blvd rd est min max avg ed eds trans ibid
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
""")
_COUNTRIES = _words("u.s u.k u.n e.u u.s.a")
# What a country's name in letters goes on with: "the U.S. Senate".
_BODIES = _words("""
    Air Army Attorney Bureau Bank Capitol Census Centers Chamber Citizenship Coast Code Congress Constitution
    Court Customs Department Dollar District Embassy Energy Environmental Federal Fish Food Foreign Forest
    General Geological Global Government House Immigration International Justice Marine Marines Marshals
    Military National Naval Navy News Office Open Parliament Patent Postal President Prime Public Secretary
    Secret Securities Security Senate Senator Space Special State States Steel Supreme Surgeon Trade Treasury
    Virgin
""")
# After one capital and a full stop these begin a sentence ("Plan B. The ..."); other words go on with a name.
_STARTERS = _words("""
    A After All Also Although An And Another As At Because Before Both But By During Each For From He Her Here
    However If In It Its Many Most No Not Of On One Other Our She Since So Some Such That The Their Then There
    These They This Those Though Thus To Under Until We What When Where While With You
""")

_CONTEXT = 24
_TOKEN = re.compile(r"(?:[^\W\d_]\.){1,5}[^\W\d_]{0,3}\Z|[^\W\d_]+\Z")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[*_]*(\w+)")


def ends_no_sentence(before: str, after: str) -> bool:
    """Tell whether a full stop between two stretches of text belongs to an abbreviation or an initial.

    `before` ends just before the full stop; `after` begins at the next word.

    >>> ends_no_sentence("wells, e.g", "tin"), ends_no_sentence("by J. R", "Hart")
    (True, True)
    >>> ends_no_sentence("iron rusts", "It")
    False
    """
    token = _TOKEN.search(before[-_CONTEXT:])
    if token is None:
        return False
    word = token[0]
    following = _NEXT_WORD.match(after)
    next_word = following[1] if following else ""
    if len(word) == 1 and word.isupper() and word.isascii():
        return next_word[:1].isupper() and next_word not in _STARTERS
    key = word.lower()
    if key in _NEVER_ENDS:
        return True
    if key in _BEFORE_NUMBER:
        return next_word[:1].isdecimal()
    if key in _ENDS_BEFORE_CAPITAL:
        goes_on = key in _COUNTRIES and next_word in _BODIES
        return goes_on or bool(next_word and not next_word[0].isupper())
    # Letters with full stops between them: initials ("J.R. Hart") and short forms of any language.
    return "." in word and bool(next_word) and next_word not in _STARTERS
