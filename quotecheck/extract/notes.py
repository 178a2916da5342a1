"""Tell a note mark from words: only a mark may be left out of a text.

A mark is a number, a note sign, a single letter, a roman numeral, a list or range of those, one of them
behind a word such as "note", or an editor's remark that is known as one ("citation needed"). Anything else
is text, whatever class, link or brackets are around it: a linked "[not]" turns its sentence around.
"""

from __future__ import annotations

import re
from typing import Final

_ROMAN: Final = r"(?=[ivxlc])(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})"
_NUMBER: Final = r"\d{1,4}[a-z]?"
# "lower-alpha 1" and its like are the groups of notes of MediaWiki.
_NOTE_WORD: Final = (
    r"notes?|nota|footnote|fn|nb|refs?|anm|anmerkung|fu(?:ß|ss)note|noot|opm|huom|przyp|pozn|прим|примечание|ком"
    r"|注|註|脚注|注釈|주|각주|(?:lower|upper)-(?:alpha|roman|greek)"
)
# A letter of an alphabet: one that is a word, as in Chinese, can be "not".
_ONE: Final = (
    rf"(?:(?:{_NOTE_WORD})\.?\s*|[a-z]\.?\s?){_NUMBER}|(?:{_NOTE_WORD})\.?\s+(?:[a-z]|{_ROMAN})"
    rf"|{_NUMBER}|[a-zα-ωа-я]|{_ROMAN}|[*∗⁎†‡§¶#^↑✉‖|]{{1,4}}"
)
_LIST: Final = rf"(?:{_ONE})(?:\s*[,;–—-]\s*(?:{_ONE}))*"
_MARK: Final = re.compile(rf"\s*[\[({{]?\s*(?:{_LIST})\s*[\])}}]?[.:]?\s*", re.IGNORECASE)
_BRACKETED: Final = re.compile(rf"\s*\[\s*(?:{_LIST})\s*\]\s*", re.IGNORECASE)
_REMARKS: Final = frozenset(
    remark
    for line in """
        edit | citation needed | citations needed | better source needed | clarification needed | clarify
        additional citation needed | additional citation(s) needed | full citation needed | page needed
        non-primary source needed | third-party source needed | medical citation needed | quote needed
        quantify | failed verification | verification needed | unreliable source? | original research?
        dubious – discuss | dubious | disputed – discuss | dead link | permanent dead link | update
        who? | whom? | by whom? | according to whom? | when? | where? | which? | why? | how? | what?
        needs update | needs context | specify | vague | ambiguous | weasel words | peacock prose | relevant?
        not verified in body | not in citation given | unbalanced opinion? | pronunciation?
        modifier | modifier le code | réf. nécessaire | réf. souhaitée | référence nécessaire
        citation nécessaire | source insuffisante | bearbeiten | quelltext bearbeiten | beleg fehlt
        cita requerida | editar | senza fonte | carece de fontes? | bron? | источник не указан
        kaynak belirtilmeli | 要出典 | 來源請求 | 来源请求 | 출처 필요
    """.splitlines()
    for remark in map(str.strip, line.split("|"))
    if remark
)
_PAGE: Final = re.compile(
    rf"\s*[\[({{]?\s*(?:(?:pg|pag|page|p|seite|s)\.?\s*)?(?:\d{{1,4}}|{_ROMAN})\s*[\])}}]?\s*", re.IGNORECASE
)
_REMARK_BRACKETS: Final = re.compile(r"\s*\[\s*([^\[\]]*?)\s*\]\s*")
_PARTICLES: Final = "and|und|et|y|e|en|og|och|al|&|von|van|de|der|den|del|la|le|da|di|du|dos"
_WORK: Final = rf"(?:(?:{_PARTICLES})\b\.?|&|[^\W\d_a-zà-öø-ÿ][\w’'.-]*)"
_AUTHOR_YEAR: Final = re.compile(
    rf"\s*[\[(]?\s*(?=[^\W\d_])(?:{_WORK},?\s+)+\(?(?:1[4-9]|20)\d\d[a-z]?\)?"
    r"(?:\s*[,;]\s*(?:1[4-9]|20)\d\d[a-z]?)*\s*[\])]?\s*"
)


def is_note_mark(text: str) -> bool:
    """Return whether a text is nothing but a mark, or marks, of notes.

    >>> [is_note_mark(text) for text in ("3", "[4, 6–9]", "note 2", "iv", "b", "no", "[not]")]
    [True, True, True, True, True, False, False]
    """
    return _MARK.fullmatch(text) is not None


def is_bracketed_mark(text: str) -> bool:
    """Return whether a text is a note mark in square brackets."""
    return _BRACKETED.fullmatch(text) is not None


def is_remark(text: str) -> bool:
    """Return whether a text is a remark of an editor, in square brackets.

    >>> is_remark("[citation needed]"), is_remark("[not]")
    (True, False)
    """
    found = _REMARK_BRACKETS.fullmatch(text)
    return found is not None and " ".join(found[1].split()).casefold() in _REMARKS


def is_page_mark(text: str) -> bool:
    """Return whether a text is nothing but the number of a page.

    >>> [is_page_mark(text) for text in ("[Pg 12]", "{xiv}", "p. 3", "12 oaks")]
    [True, True, True, False]
    """
    return _PAGE.fullmatch(text) is not None


def is_author_and_year(text: str) -> bool:
    """Return whether a text cites a work by the names of its authors and its year.

    >>> is_author_and_year("Oak and von Elm, 1999a"), is_author_and_year("not in 1999")
    (True, False)
    """
    return _AUTHOR_YEAR.fullmatch(text) is not None
