"""Marks that quoters, editors and encyclopedias put into a text: elisions, notes, brackets.

All patterns are for folded text, where an ellipsis character has become three dots and full-width brackets
are ASCII ones. Every repetition is bounded, so that no text makes a search slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quotecheck.models import Span

_OMITTED = "中略|前略|後略|后略|下略|以下略|省略|略|중략|전략|후략|하략|생략|snip|omissis"
_DOTS = r"(?:\.[ ]?){2,}\.|⋯+"
# Three dots or more, spaced or not, bare or in brackets; or a word for "left out" in brackets.
ELISION = re.compile(
    rf"\[[ ]?(?:{_DOTS}|\.\.|{_OMITTED})[ ]?\]|\([ ]?(?:{_DOTS}|\.\.|{_OMITTED})[ ]?\)"
    rf"|〔(?:{_OMITTED})〕|【(?:{_OMITTED})】"
    rf"|<[ ]?(?:{_DOTS})[ ]?>|\{{[ ]?(?:{_DOTS})[ ]?\}}|{_DOTS}"
)
# Numbers of up to three digits: a bracketed year is a quoter's insertion, not a note.
_NOTE_NUMBER = r"\d{1,3}[a-z]?(?:[ ]?[,;-][ ]?\d{1,3}[a-z]?){0,20}(?:,[ ]?pp?\.[ ]?\d{1,4}(?:-\d{1,4})?)?"
_NOTE_NAMED = r"(?:note|notes|nb|n|fn|ref|nota|Anm\.|注|註|주|прим\.)[ ]?\.?[ ]?\d{1,3}"
# What readers of encyclopedias ask for, as the sites of the tested languages print it.
_NOTE_WISH = "|".join(
    (
        r"[a-z -]{0,25}(?:citation|clarification|verification|source|page|attribution) needed",
        r"who\?|when\?|where\?|which\?|by whom\?|according to whom\?|edit|dead link|update",
        r"r[ée]f\. n[ée]cessaire|citation n[ée]cessaire",
        r"cita requerida|carece de fontes|senza fonte|Beleg fehlt\??|kaynak belirtilmeli",
        r"источник не указан[^\]]{0,20}|来源请求|來源請求|要出典|출처 필요",
        r"بحاجة لمصدر|דרוש מקור|उद्धरण चाहिए",
    )
)
REFERENCE_MARK = re.compile(
    rf"\[[ ]?(?:{_NOTE_NUMBER}|{_NOTE_NAMED}|{_NOTE_WISH})[ ]?\]|〔\d{{1,3}}〕|【\d{{1,3}}】"
    # Letters are a note's name where they hang on a word ("half[a] in") and no word goes on behind them:
    # "[a]s the boat" and "[A] boat" are an editor's.
    rf"|(?<=\S)\[(?:[A-Za-z]|[ivx]{{2,5}})\](?![^\W\d_])"
)
SIC = re.compile(r"\[[ ]?sic[ ]?[.!?]?[ ]?\]|\([ ]?sic[ ]?[.!?]?[ ]?\)", re.IGNORECASE)
BRACKET_LIMIT = 80  # characters inside an editor's bracket; longer ones are text
BRACKET = re.compile(rf"\[[^\[\]]{{1,{BRACKET_LIMIT}}}\]")
# A bracket and the letters it touches are one word: "[T]he", "walk[ed]", "[she]".
BRACKETED_WORD = re.compile(
    rf"(?:(?<![^\W\d_])[^\W\d_]{{1,40}})?\[(?=[^\W_])[^\[\]]{{1,{BRACKET_LIMIT}}}\][^\W\d_]{{0,40}}"
)
ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}\d{0,2}|#\d{1,7}|#x[0-9A-Fa-f]{1,6});")


def reference_marks(text: str) -> Iterator[Span]:
    """Yield the spans of reference marks in a text of any length, ascending."""
    openings = [place for opening in "[〔【" for place in _places(opening, text)]
    for place in sorted(openings):
        match = REFERENCE_MARK.match(text, place)
        if match is not None:
            yield match.span()


def _places(character: str, text: str) -> Iterator[int]:
    place = text.find(character)
    while place >= 0:
        yield place
        place = text.find(character, place + 1)
