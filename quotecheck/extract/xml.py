"""Extract the text of XML documents: JATS articles, PubMed records, feeds, anything else.

XML has no layout of its own. An element stands within a line if its name says so, or if its parent holds
text of its own and its name does not say otherwise; every other element is a block. The parser is the
standard library's: it loads nothing from outside, and an entity bomb ends as an error within its limit. An
HTML parser must not see XML: `<title>` would swallow tags, `<x/>` the rest of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.entities import html5
from itertools import islice
from pyexpat import EXPAT_VERSION
from typing import Final
from xml.etree import ElementTree

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.declarations import declarations
from quotecheck.extract.html import hidden_regions, render_fragment, with_characters
from quotecheck.extract.layout import (
    CELL,
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    LINE,
    RAISED_CLOSE,
    RAISED_OPEN,
    Settled,
    assemble,
    bracketed_notes,
    plain,
    settle,
)
from quotecheck.extract.notes import is_author_and_year, is_note_mark
from quotecheck.models import ReasonCode, Source


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# JATS, PubMed, DocBook, TEI and HTML elements that stand within a line, whatever is around them.
_INLINE: Final = _names(
    """
    italic bold bolditalic roman sc sub sup underline overline strike monospace sans-serif x
    styled-content named-content abbrev email ext-link uri xref target inline-formula inline-graphic
    a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q rb rt ruby s samp small span
    strong tt u var wbr emphasis phrase hi milestone-start milestone-end
    math mrow mi mn mo mtext ms msup msub msubsup msqrt mroot mstyle mfenced munder mover
    munderover mmultiscripts mpadded semantics
    """
)
_BLOCK: Final = _names(
    """
    p para sec section title subtitle list list-item item itemizedlist orderedlist listitem def-list
    def-item term def disp-formula disp-formula-group disp-quote blockquote quote-block verse-group
    verse-line speech boxed-text fig fig-group figure table-wrap table thead tbody tfoot tr caption div
    ul ol li dl dt dd pre h1 h2 h3 h4 h5 h6 br break fn footnote lb l lg abstract abstracttext
    mfrac mtable mtr mlabeledtr
    """
)
_ABSENT: Final = _names(
    """
    script style tex-math annotation annotation-xml object-id article-id journal-id pub-id processing-meta
    mphantom
    """
)
_XHTML: Final = "{http://www.w3.org/1999/xhtml}"
_CELLS: Final = frozenset(("td", "th", "entry", "mtd"))
# Formulas: all parts but the first are small, above or below; 10 to the power of 6 is not 106.
_SCRIPTS: Final = _names("msup msub msubsup mroot munder mover munderover mmultiscripts")
# HTML inside feeds, where it is not said of another element.
_MARKUP_ELEMENTS: Final = frozenset(("encoded", "description", "summary", "content"))
_NOTE_TYPES: Final = frozenset(("bibr", "fn", "table-fn", "aff", "corresp", "author-notes"))
_LONGEST_NOTE: Final = 120  # characters
_MOST_PIECES: Final = 48  # pieces of text in a reference, so that nested ones stay linear

_BETWEEN_NOTES: Final = re.compile(r"[\s,;–—-]*")
_ENTITY: Final = re.compile(r"&(?:(#\d{1,7};|#x[0-9a-fA-F]{1,6};|(?:amp|lt|gt|quot|apos);)|(\w{1,32};))?")
_CDATA: Final = re.compile(r"(<!\[CDATA\[.*?(?:\]\]>|\Z))", re.DOTALL)
_NO_TEXT: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)|<!\[CDATA\[|\]\]>", re.DOTALL | re.IGNORECASE
)
_TAG: Final = re.compile(r"<[/?!]?([A-Za-z_][\w.:-]*)?[^<>]*>")
_PREFIX: Final = re.compile(r"(?<=[<\s/])([A-Za-z_][\w.-]*):(?=[A-Za-z_])")
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_LOOKS_LIKE_MARKUP: Final = re.compile(r"<[a-zA-Z/!][^<>]*>")
# Older versions of expat expand entities without a limit.
_BOUNDS_ENTITIES: Final = tuple(int(part) for part in EXPAT_VERSION.split("_")[1].split(".")) >= (2, 4, 1)


def extract_xml(text: str) -> Source:
    r"""Return the text of an XML document; footnote and citation marks of JATS are ignorable.

    A document that is not well formed is mended where that is easy, else read as text between tags.

    Raises
    ------
    SourceUnavailable : `extraction_limit` for a document that expands entities without bound.

    >>> extract_xml("<sec><title>Trial</title><p>Mice<xref ref-type='bibr'>4</xref> slept.</p></sec>").text
    'Trial\nMice4 slept.'
    """
    if not _BOUNDS_ENTITIES and "<!ENTITY" in text:
        raise _entity_bomb()
    for attempt in (plain, _repaired):
        try:
            root = ElementTree.fromstring(attempt(text))
        except ElementTree.ParseError as error:
            if "amplification" in str(error):
                raise _entity_bomb() from error
        else:
            hidden: _Hidden = []
            visible = _settled(root, hidden)
            return assemble(visible, hidden_regions(_read(hidden)))
    return assemble(settle(_tag_soup(plain(text))), ())


def _entity_bomb() -> SourceUnavailable:
    return SourceUnavailable(
        ReasonCode.EXTRACTION_LIMIT,
        "The XML document defines entities that expand without bound, so it was not read; check it by hand.",
    )


def _repaired(text: str) -> str:
    """Mend what often breaks documents: HTML entities, bare `&`, control characters, unknown prefixes."""
    parts = _CDATA.split(_NOT_XML.sub("", plain(text)))
    return "".join(part if part.startswith("<![CDATA[") else _repaired_part(part) for part in parts)


def _repaired_part(part: str) -> str:
    part = _TAG.sub(lambda tag: _PREFIX.sub(r"\1-", tag[0]), part)
    return _ENTITY.sub(_entity, part)


def _entity(found: re.Match[str]) -> str:
    if found[1]:
        return found[0]
    if found[2] in html5:
        return html5[found[2]].replace("&", "&amp;").replace("<", "&lt;")
    return "&amp;" + found[0][1:]


def _tag_soup(text: str) -> str:
    """Return the text between tags, with layout marks: an HTML parser would swallow `<title>` and glue."""
    return unescape(_TAG.sub(_edge_of_tag, _NO_TEXT.sub("", text)))


def _edge_of_tag(tag: re.Match[str]) -> str:
    return "" if (tag[1] or "").rpartition(":")[2].lower() in _INLINE else LINE


# What a document hides: elements, and parts of the markup in its text. In document order.
_Hidden = list[ElementTree.Element | Settled]


def _settled(root: ElementTree.Element, hidden: _Hidden) -> Settled:
    rendered = _render(root, hidden)
    return settle(bracketed_notes(rendered, IGNORABLE_OPEN, IGNORABLE_CLOSE, brackets="[]()"))


def _read(hidden: _Hidden) -> Iterator[Settled]:
    """Yield the text of hidden parts, and behind each what is hidden within."""
    waiting = hidden[::-1]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Settled):
            yield part
            continue
        within: _Hidden = []
        yield _settled(part, within)
        waiting += reversed(within)


def _render(root: ElementTree.Element, hidden: _Hidden) -> str:
    """Return the text below an element with layout marks, for `layout.settle`.

    `hidden` receives what a reader does not see; its content is not in the result.
    """
    pieces: list[str] = []
    waiting: list[str | tuple[ElementTree.Element, bool]] = [(root, False)]
    while waiting:
        step = waiting.pop()
        if isinstance(step, str):
            pieces.append(step)
            continue
        element, in_text = step
        name = _local_name(element)
        if name in _ABSENT:
            continue
        if element.attrib and element is not root and _is_hidden(element):
            hidden.append(element)
            continue
        before, after = _edges(element, name, in_text=in_text)
        own_text = element.text or ""
        if (name in _MARKUP_ELEMENTS or element.get("type") == "html") and not len(element):
            if _LOOKS_LIKE_MARKUP.search(own_text):
                own_text, unseen = render_fragment(own_text)
                hidden += unseen
            else:
                own_text = with_characters(own_text)
        pieces += (before, own_text)
        waiting.append(after)
        mixed = _has_own_text(element)
        for number in range(len(element) - 1, -1, -1):
            child = element[number]
            opening, closing = _edges_in_formula(name, number)
            waiting += (child.tail or "", closing, (child, mixed), opening)
    return "".join(pieces)


def _edges_in_formula(parent: str, number: int) -> tuple[str, str]:
    """Return what stands around a part of a formula because of its place."""
    if number and parent in _SCRIPTS:
        return RAISED_OPEN, RAISED_CLOSE
    return (LINE, "") if number and parent == "mfrac" else ("", "")


def _local_name(element: ElementTree.Element) -> str:
    # Comments and processing instructions, which the parser drops, would have a function for a tag.
    return element.tag.rpartition("}")[2].lower()


def _is_hidden(element: ElementTree.Element) -> bool:
    """Tell whether an element hides itself: by a style anywhere, by an attribute where it is of XHTML."""
    declared = declarations(element.get("style", ""))
    display = declared.get("display")
    if display == "none" or declared.get("visibility") in ("hidden", "collapse"):
        return True
    return display is None and element.tag.startswith(_XHTML) and "hidden" in element.attrib


def _has_own_text(element: ElementTree.Element) -> bool:
    if element.text and not element.text.isspace():
        return True
    return any(child.tail and not child.tail.isspace() for child in element)


def _edges(element: ElementTree.Element, name: str, *, in_text: bool) -> tuple[str, str]:
    if name in _CELLS:
        return CELL, CELL
    if name == "mspace":
        return " ", ""
    if name in ("sup", "sub"):
        return _raised_edges(element)
    if _is_note(element, name):
        return IGNORABLE_OPEN, IGNORABLE_CLOSE
    if name in _INLINE or (in_text and name not in _BLOCK):
        return "", ""
    label = element.get("Label") if name == "abstracttext" else None
    return (f"{LINE}{plain(label)}: " if label else LINE), LINE


def _is_note(element: ElementTree.Element, name: str) -> bool:
    """Return whether a reference is a note mark, or names authors and a year: other words are text."""
    if name != "xref" or element.get("ref-type") not in _NOTE_TYPES:
        return False
    text = "".join(islice(element.itertext(), _MOST_PIECES))
    return len(text) <= _LONGEST_NOTE and (is_note_mark(text) or is_author_and_year(text))


def _raised_edges(element: ElementTree.Element) -> tuple[str, str]:
    # Two levels are enough, and keep nested elements linear.
    beside_notes = "".join([element.text or "", *(child.tail or "" for child in element)])
    text = beside_notes + "".join(child.text or "" for child in element)
    before, after = (RAISED_OPEN, RAISED_CLOSE) if any(map(str.isdigit, text[:40])) else ("", "")
    holds_notes = len(element) > 0 and all(_is_note(child, _local_name(child)) for child in element)
    if holds_notes and _BETWEEN_NOTES.fullmatch(beside_notes):
        return IGNORABLE_OPEN + before, after + IGNORABLE_CLOSE
    return before, after
