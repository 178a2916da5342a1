"""Judge the elements of a page that say something about their own text.

Inline styles, attributes and the page's own style sheets hide an element or change its layout; classes,
roles and links declare footnote marks, edit links and text for screen readers as apparatus; `sup` and `sub`
raise or lower digits. Only what the markup declares counts: a bare `<sup>6</sup>` is an exponent until a
link says otherwise. Where it is in doubt whether a browser shows a text, it is text like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quotecheck.extract.declarations import declarations
from quotecheck.extract.layout import (
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    LINE,
    NOTE_CLOSE,
    NOTE_OPEN,
    PRE_CLOSE,
    PRE_OPEN,
    RAISED_CLOSE,
    RAISED_OPEN,
)
from quotecheck.extract.notes import is_bracketed_mark, is_note_mark, is_page_mark, is_remark
from quotecheck.extract.rendering import (
    ABSENT,
    BLOCK,
    BOX,
    HIDDEN,
    INLINE,
    REPLACED,
    TABLE_CELL,
    Edges,
    edges_of,
)
from quotecheck.extract.stylesheets import (
    BY_DEFAULT,
    INLINE_STYLE,
    StyleSheets,
    Weight,
    read_style_sheets,
)
from quotecheck.text.language import lexicons_at

_Attributes = dict[str, str | None]

_BY_DISPLAY: Final = {
    **dict.fromkeys(("block", "flow-root", "list-item", "table", "table-row", "table-caption"), BLOCK),
    **dict.fromkeys(("flex", "grid"), BLOCK),
    **dict.fromkeys(("inline", "contents", "ruby"), INLINE),
    **dict.fromkeys(("inline-block", "inline-flex", "inline-grid", "inline-table"), BOX),
    "table-cell": TABLE_CELL,
}
_INDENTED: Final = ("block", "inline-block", "list-item", "table-cell", "flow-root")
_TABLE_PARTS: Final = ("tr", "tbody", "thead", "tfoot")
_RELEVANT: Final = re.compile(r"display|visibility|white-space|vertical-align|clip|-\d{4}", re.IGNORECASE)
# The ways to show a text to screen readers alone: clipped to nothing, or moved far off the page.
_FAR: Final = re.compile(r"-\d{4,}(?:\.\d*)?(?:px|em|rem|%|vw|vh|pt)")
_FAR_BY: Final = ("left", "right", "top", "text-indent")
_RECT: Final = re.compile(r"rect\(([^()]*)\)")
_INSET: Final = re.compile(r"inset\(([^()]*)\)")
_PIXELS: Final = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:px)?")
_PERCENT: Final = re.compile(r"(\d+(?:\.\d*)?)%")
_MOVES_BACK: Final = re.compile(r"margin|padding|transform|translate|width|inset|text-align|direction|float")
_MANY: Final = re.compile(r"\d{3}|calc|var|%")
_SAYS_DISPLAY: Final = re.compile(r"display|\ball\b[^;]*:|\\", re.IGNORECASE)
# Tags of drawings and formulas that are no text there, and plain unknown elements anywhere else.
_ONLY_IN: Final = {
    "desc": "svg",
    "metadata": "svg",
    "annotation": "math",
    "annotation-xml": "math",
    "mphantom": "math",
}
_BY_SURROUNDINGS: Final = ",".join(("rt", "rtc", "rp", "datalist", *_ONLY_IN))

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
_CANDIDATES: Final = ",".join(
    (
        '[style],[hidden],[popover],dialog,sup,sub,a[href*="#"],mjx-assistive-mml',
        '[role="doc-noteref"],[role="doc-pagebreak"]',
        *(f".{name}" for name in _CLASSES),
    )
)
_APPARATUS_LIMIT: Final = 80  # characters: more in such a class is content that was tucked away
_MARK_LIMIT: Final = 40
_SMALL_PART: Final = 400
_STEPS_BEFORE: Final = 8  # nodes away from a mark at which the text before it may begin
_STEPS_UP: Final = 100  # elements between a part of a drawing or formula and its outermost one
_NODE_LIMIT: Final = 48  # nodes looked at under one candidate, so that nested candidates stay linear

_NUMBERS: Final = re.compile(r"\s*\d{1,4}(?:\s*[,–-]\s*\d{1,4})*\s*")
# Behind a digit, a one-letter symbol or a measure of length a raised number is a power, unless its link
# names a note.
_BASE: Final = re.compile(r"(?:\d[)\]]?|(?<![^\W\d_])(?:[^\W\d_]|[kcdmnµμ]m|ft|mi|yd))\s*\Z")
_NAMES_A_NOTE: Final = re.compile(
    r"#(?:\d+$|.*(?:note|cite|ref|bib|ftnt?|edn|(?<![a-z])(?:fn|en|n|b|c|r|cr)[-_.:]?\d))", re.IGNORECASE
)
_PERMALINK: Final = re.compile(r"\s*[¶#§🔗]\s*")


# All parts but the first, which they stand above or below.
_SMALL_IN_FORMULAS: Final = ",".join(
    f"{tag} > :not(:first-child)"
    for tag in ("msup", "msub", "msubsup", "mroot", "munder", "mover", "munderover", "mmultiscripts")
)


def judge(
    document: LexborHTMLParser, styles: Iterable[LexborNode], *, has_formulas: bool
) -> dict[int, Edges]:
    """Return the edges, by `mem_id`, of the elements that do not follow their tag alone."""
    judged: dict[int, Edges] = {}
    sheets = read_style_sheets(styles)
    visibility = _Visibility()
    for node in document.css(_CANDIDATES):
        if edges_of(node) is not ABSENT:
            attributes = node.attributes
            _judge_display(node, attributes, sheets, visibility, judged)
            _judge_apparatus(node, attributes, judged)
    visibility.judge(document, sheets, judged)
    for node in document.css(_BY_SURROUNDINGS):
        if _is_plain_text(node, sheets):
            judged.setdefault(node.mem_id, INLINE)
    selector = sheets.hiding_selector()
    for node in document.css(selector) if selector else ():
        _judge_undisplayed(node, sheets, judged)
    if has_formulas:
        _judge_formulas(document, judged)
    return judged


def _judge_formulas(document: LexborHTMLParser, judged: dict[int, Edges]) -> None:
    """Part what is drawn one above the other, or 1 over 2 would read as 12, and raise what is small."""
    for node in document.css('math[display="block" i]'):
        judged.setdefault(node.mem_id, BLOCK)
    for node in document.css("mfrac > :not(:first-child)"):
        _wrap(node, judged, LINE, "")
    for node in document.css(_SMALL_IN_FORMULAS):
        _wrap(node, judged, RAISED_OPEN, RAISED_CLOSE)


def _judge_display(
    node: LexborNode,
    attributes: _Attributes,
    sheets: StyleSheets,
    visibility: _Visibility,
    judged: dict[int, Edges],
) -> None:
    style = attributes.get("style") or ""
    declared = declarations(style) if _RELEVANT.search(style) else {}
    if _is_hidden(node, attributes, declared, sheets):
        judged[node.mem_id] = HIDDEN
        return
    visibility.note(node, attributes, declared, sheets)
    if not declared:
        return
    display = declared.get("display", "")
    if display in _BY_DISPLAY and edges_of(node) in (INLINE, BLOCK, BOX, TABLE_CELL, REPLACED):
        judged[node.mem_id] = _BY_DISPLAY[display]
    if display in ("flex", "grid", "inline-flex", "inline-grid"):
        _make_children_blocks(node, judged)
    if declared.get("white-space", "").startswith(("pre", "break-spaces")):
        _wrap(node, judged, PRE_OPEN, PRE_CLOSE)
    if declared.get("vertical-align") in ("super", "sub", "text-top"):
        _raise_digits(node, judged)
    if (
        _glance(node, _APPARATUS_LIMIT)  # first: it ends after a few nodes
        and _is_clipped(node, declared)
        and not sheets.may_move(node, attributes, over=_display_weight(attributes))
    ):
        _wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)


def _is_plain_text(node: LexborNode, sheets: StyleSheets) -> bool:
    """Return whether an element that is no text by its tag is text where it stands, or as it is displayed."""
    tag = node.tag or ""
    if tag in _ONLY_IN:
        return not _stands_in(node, _ONLY_IN[tag])
    if tag in ("rt", "rtc"):
        return not _annotates(node)
    attributes = node.attributes
    weight = _display_weight(attributes)
    return weight > BY_DEFAULT or sheets.may_show(node, attributes, "display", over=weight)


def _annotates(node: LexborNode) -> bool:
    """Return whether a ruby text stands in a ruby; by itself it is text like any other."""
    parent = node.parent
    if parent is not None and parent.tag == "rtc":
        parent = parent.parent
    return parent is not None and parent.tag == "ruby"


def _stands_in(node: LexborNode, tag: str) -> bool:
    """Return whether an element stands in one with this tag, not too far up."""
    outer = node.parent
    for _ in range(_STEPS_UP):
        if outer is None or outer.tag == tag:
            break
        outer = outer.parent
    return outer is not None and outer.tag == tag


def _judge_undisplayed(node: LexborNode, sheets: StyleSheets, judged: dict[int, Edges]) -> None:
    """Hide a small part that a style sheet of the page hides; a large one is content that something shows.

    Of 807 pages 107 hide text in this way. The large parts are menus, dialogs and articles that a script or
    another sheet displays: they stay in the text, as spans that the matcher may leave out.
    """
    attributes = node.attributes
    if edges_of(node) is ABSENT or not sheets.hide(node, attributes, over=_display_weight(attributes)):
        return
    if _glance(node, _SMALL_PART) is not None:
        judged[node.mem_id] = HIDDEN
    else:
        _wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)


def _display_weight(attributes: _Attributes) -> Weight:
    """Return the weight with which the style attribute may display its element."""
    style = attributes.get("style") or ""
    if not _SAYS_DISPLAY.search(style):
        return BY_DEFAULT
    return INLINE_STYLE._replace(important=1) if "!" in style else INLINE_STYLE


def _is_hidden(
    node: LexborNode, attributes: _Attributes, declared: dict[str, str], sheets: StyleSheets
) -> bool:
    display = declared.get("display")
    if display == "none":
        return not sheets.may_show(node, attributes, "display", over=INLINE_STYLE)
    if declared.get("content-visibility") == "hidden" and _is_box(node, display):
        return True
    if display is not None:  # an inline style wins over the attributes below
        return False
    closed_dialog = node.tag == "dialog" and "open" not in attributes
    if not (closed_dialog or "hidden" in attributes or "popover" in attributes):
        return False
    if (attributes.get("hidden") or "").lower() == "until-found" and (
        not _is_box(node, display) or declared.get("content-visibility", "hidden") != "hidden"
    ):
        return False
    over = _display_weight(attributes)
    if over > BY_DEFAULT:
        return False
    return not sheets.may_show(node, attributes, "display", over=over) or sheets.hide(node, attributes)


def _is_box(node: LexborNode, display: str | None) -> bool:
    """Return whether an element is a box by itself: `content-visibility` does nothing to another one."""
    if display is None:
        return edges_of(node) in (BLOCK, BOX, TABLE_CELL) and node.tag not in _TABLE_PARTS
    return display not in ("inline", "contents", "table-row", "ruby") and "(" not in display


class _Visibility:
    """Elements that say whether they are visible, which their descendants inherit and can overrule."""

    def __init__(self) -> None:
        self._hidden: dict[int, LexborNode] = {}
        self._shown: dict[int, LexborNode] = {}
        self._nearest: dict[int, int | None] = {}

    def note(
        self, node: LexborNode, attributes: _Attributes, declared: dict[str, str], sheets: StyleSheets
    ) -> None:
        """Take in what the style attribute of an element says."""
        value = declared.get("visibility")
        if value in ("hidden", "collapse"):
            if not sheets.may_show(node, attributes, "visibility", over=INLINE_STYLE):
                self._hidden[node.mem_id] = node
        elif value is not None and value != "inherit":
            self._shown[node.mem_id] = node
        elif value is None and "visibility" in (attributes.get("style") or "").lower():
            self._shown[node.mem_id] = node  # a value that is not known

    def judge(self, document: LexborHTMLParser, sheets: StyleSheets, judged: dict[int, Edges]) -> None:
        """Hide what is invisible; where a part of it is visible again, mark the rest ignorable."""
        if not self._hidden:
            return
        selector = sheets.showing_visibility()
        if selector is None:
            return
        for node in document.css(selector) if selector else ():
            if node.mem_id not in self._hidden:
                self._shown[node.mem_id] = node
        holders: set[int] = set()
        for node in self._shown.values():
            outer = self._above(node)
            if outer in self._hidden:
                _wrap(node, judged, IGNORABLE_CLOSE, IGNORABLE_OPEN)
            while outer in self._hidden and outer not in holders:
                holders.add(outer)
                outer = self._above(self._hidden[outer])
        for mem_id, node in self._hidden.items():
            if mem_id not in holders:
                judged[mem_id] = HIDDEN
            elif self._above(node) not in self._hidden:
                _wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)

    def _above(self, node: LexborNode) -> int | None:
        """Return the nearest element above that says something; each step of a way is walked once."""
        way: list[int] = []
        found: int | None = None
        outer = node.parent
        while outer is not None:
            mem_id = outer.mem_id
            if mem_id in self._hidden or mem_id in self._shown:
                found = mem_id
                break
            if mem_id in self._nearest:
                found = self._nearest[mem_id]
                break
            way.append(mem_id)
            outer = outer.parent
        self._nearest.update(dict.fromkeys(way, found))
        return found


def _is_clipped(node: LexborNode, declared: dict[str, str]) -> bool:
    """Return whether a style surely leaves nothing of a text to see; most of it asks for a position."""
    position = declared.get("position")
    is_taken_out = position in ("absolute", "fixed")
    if is_taken_out and _is_empty_rect(declared.get("clip", "")):
        return True
    if is_taken_out and _is_empty_inset(declared.get("clip-path", "")):
        return True
    if not any(_FAR.fullmatch(declared.get(name, "")) for name in _FAR_BY):
        return False
    if any(_MOVES_BACK.match(name) and _MANY.search(value) for name, value in declared.items()):
        return False
    if any(name.startswith("inset") for name in declared):  # the same sides by other names
        return False
    if declared.get("text-align") in ("right", "center", "end", "justify"):
        return False
    if _has_within(node, '[style*="position" i],[style*="indent" i]'):
        return False  # a part that may stand elsewhere
    sides = {side for side in ("left", "right", "top") if _FAR.fullmatch(declared.get(side, ""))}
    if is_taken_out:
        opposite = {"left": "right", "right": "left", "top": "bottom"}
        return any(declared.get(opposite[side], "auto") == "auto" for side in sides)
    if position == "relative" and sides & {"left", "top"}:
        return True
    # An indented line is off the page only where it begins at the left: an alignment is inherited.
    if _FAR.fullmatch(declared.get("text-indent", "")) is None or declared.get("text-align") != "left":
        return False
    display = declared.get("display")
    is_block = display in _INDENTED if display else edges_of(node) in (BLOCK, TABLE_CELL, BOX)
    return is_block and not _has_within(node, "br,p,div")


def _has_within(node: LexborNode, selector: str) -> bool:
    return any(found.mem_id != node.mem_id for found in node.css(selector))


def _is_empty_rect(clip: str) -> bool:
    """Return whether `rect(top, right, bottom, left)` is at most a pixel wide or high."""
    found = _RECT.fullmatch(clip)
    inner = found[1].strip() if found else ""
    values = re.split(r"\s*,\s*" if "," in inner else r"\s+", inner)
    if len(values) != 4 or not all(map(_PIXELS.fullmatch, values)):
        return False
    top, right, bottom, left = (float(value.removesuffix("px")) for value in values)
    return right - left <= 1 or bottom - top <= 1


def _is_empty_inset(path: str) -> bool:
    """Return whether `inset(top right bottom left)`, with fewer values as for margins, leaves nothing."""
    found = _INSET.fullmatch(path)
    values = found[1].split() if found else []
    if not 1 <= len(values) <= 4:
        return False
    shares = [float(share[1]) if (share := _PERCENT.fullmatch(value)) else 0.0 for value in values]
    top = shares[0]
    right = shares[1] if len(shares) > 1 else top
    bottom = shares[2] if len(shares) > 2 else top
    left = shares[3] if len(shares) > 3 else right
    return top + bottom >= 100 or left + right >= 100


def _make_children_blocks(node: LexborNode, judged: dict[int, Edges]) -> None:
    """Give each element in a flex or grid container its own line: the container makes a block of it."""
    child = node.first_child
    while child is not None:
        if edges_of(child) is INLINE and child.is_element_node:
            judged.setdefault(child.mem_id, BLOCK)
        child = child.next


def _judge_apparatus(node: LexborNode, attributes: _Attributes, judged: dict[int, Edges]) -> None:
    tag = node.tag
    classes = set((attributes.get("class") or "").split())
    is_link = tag == "a" and "#" in (attributes.get("href") or "")
    if classes & _ASSISTIVE or tag == "mjx-assistive-mml":
        if _holds_formula(node):
            _wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)
        return
    may_be_label = bool(classes & _SCREEN_READER) or _EDIT_LINK in classes
    is_page = bool(classes & _PAGE_CLASSES) or attributes.get("role") == "doc-pagebreak"
    is_small = tag in ("sup", "sub") or attributes.get("role") == "doc-noteref"
    if not (is_link or may_be_label or is_page or is_small):
        return
    if tag in ("sup", "sub"):
        _raise_digits(node, judged)
    glance = _glance(node, _APPARATUS_LIMIT)
    if glance is None:
        return
    is_label = (may_be_label and _is_label(node, classes, glance)) or (is_page and is_page_mark(glance.text))
    if is_label or _is_mark(node, attributes, classes, glance):
        _wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)
    elif is_link and _NUMBERS.fullmatch(glance.text):
        _wrap(node, judged, NOTE_OPEN, NOTE_CLOSE)


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


class _Glance(NamedTuple):
    """The text of a small element, its first link to a place in a page (else empty), and if it has a link."""

    text: str
    link: str
    has_link: bool


def _is_label(node: LexborNode, classes: set[str], glance: _Glance) -> bool:
    """Return whether the text of an element with such a class may be left out.

    Nothing but a class says that it is for screen readers, and a page without the rule for that class shows
    it. Left out, a negator could turn a sentence around, and a sign, the bar of a fraction or "less than" a
    number: they stay text. Of 1,633 such texts on 807 pages few do any of it.
    """
    text = glance.text
    if _EDIT_LINK in classes:
        return glance.has_link or is_remark(text)
    if _SIGN.search(text) or (
        text.strip() and not any(map(str.isalpha, text)) and _text_before(node)[-1:].isdigit()
    ):
        return False
    return not any(
        lexicon.negation.search(text) or (lexicon.comparators and lexicon.comparators.search(text))
        for lexicon in lexicons_at(text, 0, "")
    )


def _is_mark(node: LexborNode, attributes: _Attributes, classes: set[str], glance: _Glance) -> bool:
    """Judge a footnote mark by evidence (class, role or link) and by what it looks like."""
    text = glance.text
    if len(text) > _MARK_LIMIT:
        return False
    declared = bool(classes & _NOTE_CLASSES) or attributes.get("role") == "doc-noteref"
    if node.tag == "sup" and (declared or glance.link or _is_note_link(node.parent)):
        if not declared and _NUMBERS.fullmatch(text) and _is_power(node, glance.link):
            return False
        return is_note_mark(text) or is_remark(text)
    if declared:
        return is_note_mark(text)
    return node.tag == "a" and (is_bracketed_mark(text) or _PERMALINK.fullmatch(text) is not None)


def _is_power(node: LexborNode, link: str) -> bool:
    """Return whether a linked raised number goes on what stands before it: 2 and 10 say 1,024."""
    link = link or _note_link(node.parent)
    return _NAMES_A_NOTE.search(link) is None and _BASE.search(_text_before(node)) is not None


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


def _is_note_link(node: LexborNode | None) -> bool:
    return bool(_note_link(node))


def _glance(node: LexborNode, limit: int) -> _Glance | None:
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
    return _Glance("".join(pieces), link, has_link)


def _raise_digits(node: LexborNode, judged: dict[int, Edges]) -> None:
    glance = _glance(node, _MARK_LIMIT)
    if glance is not None and any(char.isdigit() for char in glance.text):
        _wrap(node, judged, RAISED_OPEN, RAISED_CLOSE)


def _wrap(node: LexborNode, judged: dict[int, Edges], before: str, after: str) -> None:
    """Put marks inside the edges of an element that is rendered."""
    edges = judged.get(node.mem_id) or edges_of(node)
    if edges is not ABSENT and edges is not HIDDEN:
        judged[node.mem_id] = Edges(edges.before + before, after + edges.after)
