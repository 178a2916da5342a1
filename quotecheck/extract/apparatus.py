"""Judge what the markup declares as apparatus: note marks, edit links, text for screen readers.

Classes, roles and links declare it, and what is declared must also look like it, since it can be left out of
the text: a linked "[not]" is a word, and a bare `<sup>6</sup>` an exponent until a link says otherwise.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborNode

from quotecheck.extract.layout import (
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    NOTE_CLOSE,
    NOTE_OPEN,
    RAISED_CLOSE,
    RAISED_OPEN,
)
from quotecheck.extract.notes import is_bracketed_mark, is_note_mark, is_page_mark, is_remark
from quotecheck.extract.rendering import ABSENT, BLOCK, HIDDEN, Edges, edges_of
from quotecheck.text.language import lexicons_at

Attributes = dict[str, str | None]

_SCREEN_READER: Final = frozenset(
    (
        "sr-only",
        "visually-hidden",
        "visuallyhidden",
        "u-visually-hidden",
        "is-visually-hidden",
        "screen-reader-text",
        "screen-reader-only",
        "element-invisible",
    )
)
_EDIT_LINK: Final = "mw-editsection"
_NOTE_CLASSES: Final = frozenset(
    (
        "reference",
        "noprint",
        "noteref",
        "fnref",
        "footnote",
        "footnote-ref",
        "footnoteref",
        "footnote-reference",
        "footnote-anchor",
        "xref-fn",
    )
)
# Where pages of the printed edition begin, within a line.
_PAGE_CLASSES: Final = frozenset(("pagenum", "pageno", "pagebreak"))
# Formulas a second time, for assistive technology.
_ASSISTIVE: Final = frozenset(("katex-mathml", "MJX_Assistive_MathML"))
_CLASSES: Final = sorted((*_SCREEN_READER, *_ASSISTIVE, *_PAGE_CLASSES, _EDIT_LINK))
_SIGN: Final = re.compile(r"\b(?:minus|negative|plus)\b|[+−±<>≤≥≠~≈/⁄]", re.IGNORECASE)
# Selectors of the elements to ask about.
CANDIDATES: Final = (
    "sup",
    "sub",
    'a[href*="#"]',
    "mjx-assistive-mml",
    '[role="doc-noteref"]',
    '[role="doc-pagebreak"]',
    *(f".{name}" for name in _CLASSES),
)
APPARATUS_LIMIT: Final = 80  # characters: more in such a class is content that was tucked away
_MARK_LIMIT: Final = 40
_STEPS_BEFORE: Final = 8  # nodes away from a mark at which the text before it may begin
_NODE_LIMIT: Final = 48  # nodes looked at under one candidate, so that nested candidates stay linear

_NUMBERS: Final = re.compile(r"\s*\d{1,4}(?:\s*[,–-]\s*\d{1,4})*\s*")
# Behind a digit, a one-letter symbol or a measure of length a raised number is a power, unless its link
# names a note.
_BASE: Final = re.compile(r"(?:\d[)\]]?|(?<![^\W\d_])(?:[^\W\d_]|[kcdmnµμ]m|ft|mi|yd))\s*\Z")
_NAME_OF_NOTE: Final = re.compile(
    r"\A\d+\Z|note|cite|ref|bib|ftnt?|edn|(?<![a-z])(?:fn|en|n|b|c|r|cr)[-_.:]?\d", re.IGNORECASE
)
_PERMALINK: Final = re.compile(r"\s*[¶#§🔗]\s*")


def judge_apparatus(node: LexborNode, attributes: Attributes, judged: dict[int, Edges]) -> None:
    """Mark one of `CANDIDATES` where it is apparatus, and the digits that `sup` and `sub` raise or lower."""
    tag = node.tag
    classes = set((attributes.get("class") or "").split())
    is_link = tag == "a" and "#" in (attributes.get("href") or "")
    if classes & _ASSISTIVE or tag == "mjx-assistive-mml":
        if _holds_formula(node):
            wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)
        return
    may_be_label = bool(classes & _SCREEN_READER) or _EDIT_LINK in classes
    is_page = bool(classes & _PAGE_CLASSES) or attributes.get("role") == "doc-pagebreak"
    is_small = tag in ("sup", "sub") or attributes.get("role") == "doc-noteref"
    if not (is_link or may_be_label or is_page or is_small):
        return
    seen = glance(node, APPARATUS_LIMIT)
    if seen is None:
        return
    if tag in ("sup", "sub"):
        _raise_digits(node, seen, judged)
    is_label = (may_be_label and _is_label(node, classes, seen)) or (is_page and is_page_mark(seen.text))
    if is_label or _is_mark(node, attributes, classes, seen):
        wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)
    elif is_link and _NUMBERS.fullmatch(seen.text):
        wrap(node, judged, NOTE_OPEN, NOTE_CLOSE)


def _holds_formula(node: LexborNode) -> bool:
    """Return whether there is a formula in an element, and no text beside it."""
    formulas = 0
    child = node.first_child
    for _ in range(_STEPS_BEFORE):
        if child is None:
            return formulas > 0
        formulas += child.tag == "math"
        if child.text_content and not child.text_content.isspace():
            return False
        child = child.next
    return False


class Glance(NamedTuple):
    """The text of a small element, its first link to a place in a page (else empty), and if it has a link."""

    text: str
    link: str
    has_link: bool


def _is_label(node: LexborNode, classes: set[str], seen: Glance) -> bool:
    """Return whether the text of an element with such a class may be left out.

    Nothing but a class says that it is for screen readers, and a page without the rule for that class shows
    it. Left out, a negator could turn a sentence around, and a sign, the bar of a fraction or "less than" a
    number: they stay text. Of 1,633 such texts on 807 pages 22 hold one of these.
    """
    text = seen.text
    if _EDIT_LINK in classes:
        return seen.has_link or is_remark(text)
    if _SIGN.search(text) or (
        text.strip() and not any(map(str.isalpha, text)) and _text_before(node)[-1:].isdigit()
    ):
        return False
    return not any(
        lexicon.negation.search(text) or (lexicon.comparators and lexicon.comparators.search(text))
        for lexicon in lexicons_at(text, 0, "")
    )


def _is_mark(node: LexborNode, attributes: Attributes, classes: set[str], seen: Glance) -> bool:
    """Judge a footnote mark by evidence (class, role or link) and by what it looks like."""
    text = seen.text
    if len(text) > _MARK_LIMIT:
        return False
    declared = bool(classes & _NOTE_CLASSES) or attributes.get("role") == "doc-noteref"
    if node.tag == "sup" and (declared or seen.link or _note_link(node.parent)):
        if not declared and _NUMBERS.fullmatch(text) and _is_power(node, seen.link):
            return False
        return is_note_mark(text) or is_remark(text)
    if declared:
        return is_note_mark(text)
    return node.tag == "a" and (is_bracketed_mark(text) or _PERMALINK.fullmatch(text) is not None)


def _is_power(node: LexborNode, link: str) -> bool:
    """Return whether a linked raised number goes on what stands before it: 2 and 10 say 1,024."""
    _, _, place = (link or _note_link(node.parent)).partition("#")
    return _NAME_OF_NOTE.search(place) is None and _BASE.search(_text_before(node)) is not None


def _text_before(node: LexborNode) -> str:
    """Return the last characters of the text right before an element, on its line."""
    current = node
    for _ in range(_STEPS_BEFORE):
        before = current.prev
        if before is None:
            outer = current.parent
            if outer is None or edges_of(outer) is BLOCK:
                return ""
            current = outer
            continue
        current = before
        for _ in range(_STEPS_BEFORE):
            if current.last_child is None:
                break
            current = current.last_child
        if current.text_content:
            return current.text_content[-3:]
    return ""


def _note_link(node: LexborNode | None) -> str:
    """Return the address of a link to a place in a page; an empty string for any other element."""
    link = (node.attributes.get("href") or "") if node is not None and node.tag == "a" else ""
    return link if "#" in link else ""


def glance(node: LexborNode, limit: int) -> Glance | None:
    """Read the text of an element of at most `limit` characters and 48 nodes; None for a larger one."""
    pieces: list[str] = []
    length = seen = 0
    link = ""
    has_link = False
    waiting = [node.first_child]
    while waiting:
        current = waiting.pop()
        if current is None:
            continue
        seen += 1
        if seen > _NODE_LIMIT:
            return None
        waiting.append(current.next)
        text = current.text_content
        if text is not None:
            pieces.append(text)
            length += len(text)
            if length > limit:
                return None
        elif edges_of(current) is not ABSENT:
            link = link or _note_link(current)
            has_link = has_link or current.tag == "a"
            waiting.append(current.first_child)
    return Glance("".join(pieces), link, has_link)


def raise_digits(node: LexborNode, judged: dict[int, Edges]) -> None:
    """Mark the text of a small element with digits as raised or lowered."""
    seen = glance(node, _MARK_LIMIT)
    if seen is not None:
        _raise_digits(node, seen, judged)


def _raise_digits(node: LexborNode, seen: Glance, judged: dict[int, Edges]) -> None:
    if len(seen.text) <= _MARK_LIMIT and any(char.isdigit() for char in seen.text):
        wrap(node, judged, RAISED_OPEN, RAISED_CLOSE)


def wrap(node: LexborNode, judged: dict[int, Edges], before: str, after: str) -> None:
    """Put marks inside the edges of an element that is rendered."""
    edges = judged.get(node.mem_id) or edges_of(node)
    if edges is not ABSENT and edges is not HIDDEN:
        judged[node.mem_id] = Edges(edges.before + before, after + edges.after)
