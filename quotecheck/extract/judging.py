"""Judge the elements of a page that say something about their own text.

Inline styles, attributes and the page's own style sheets hide an element or change its layout. Where it is in
doubt whether a browser shows a text, it is text like any other. What is shown and can be left out all the
same is judged in `apparatus`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quotecheck.extract.apparatus import (
    APPARATUS_LIMIT,
    CANDIDATES,
    Attributes,
    glance,
    judge_apparatus,
    raise_digits,
    wrap,
)
from quotecheck.extract.declarations import declarations
from quotecheck.extract.layout import (
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    LINE,
    PRE_CLOSE,
    PRE_OPEN,
    RAISED_CLOSE,
    RAISED_OPEN,
)
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

_CANDIDATES: Final = ",".join(("[style]", "[hidden]", "[popover]", "dialog", *CANDIDATES))
_SMALL_PART: Final = 400
_STEPS_UP: Final = 100  # elements between a part of a drawing or formula and its outermost one


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
            judge_apparatus(node, attributes, judged)
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
        wrap(node, judged, LINE, "")
    for node in document.css(_SMALL_IN_FORMULAS):
        wrap(node, judged, RAISED_OPEN, RAISED_CLOSE)


def _judge_display(
    node: LexborNode,
    attributes: Attributes,
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
        wrap(node, judged, PRE_OPEN, PRE_CLOSE)
    if declared.get("vertical-align") in ("super", "sub", "text-top"):
        raise_digits(node, judged)
    if (
        glance(node, APPARATUS_LIMIT)  # first: it ends after a few nodes
        and _is_clipped(node, declared)
        and not sheets.may_move(node, attributes, over=_display_weight(attributes))
    ):
        wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)


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
    if glance(node, _SMALL_PART) is not None:
        judged[node.mem_id] = HIDDEN
    else:
        wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)


def _display_weight(attributes: Attributes) -> Weight:
    """Return the weight with which the style attribute may display its element."""
    style = attributes.get("style") or ""
    if not _SAYS_DISPLAY.search(style):
        return BY_DEFAULT
    return INLINE_STYLE._replace(important=1) if "!" in style else INLINE_STYLE


def _is_hidden(
    node: LexborNode, attributes: Attributes, declared: dict[str, str], sheets: StyleSheets
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
        self, node: LexborNode, attributes: Attributes, declared: dict[str, str], sheets: StyleSheets
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
                wrap(node, judged, IGNORABLE_CLOSE, IGNORABLE_OPEN)
            while outer in self._hidden and outer not in holders:
                holders.add(outer)
                outer = self._above(self._hidden[outer])
        for mem_id, node in self._hidden.items():
            if mem_id not in holders:
                judged[mem_id] = HIDDEN
            elif self._above(node) not in self._hidden:
                wrap(node, judged, IGNORABLE_OPEN, IGNORABLE_CLOSE)

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
