"""Walk the tree of a page and write down its text as a browser lays it out.

What surrounds the text of an element (a line break, a tab, nothing) comes from a table by tag, and for the
few elements with something of their own to say (a style, `hidden`, a footnote mark) from judgements made
before the walk. The walk itself is a loop over pointers: a page may nest a hundred thousand elements.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from quotecheck.extract.layout import (
    BOX_CLOSE,
    BOX_OPEN,
    CELL,
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    LINE,
    PICTURE,
    PRE_CLOSE,
    PRE_OPEN,
)


class Edges(NamedTuple):
    """What stands before and after the content of an element."""

    before: str
    after: str


INLINE: Final = Edges("", "")
BREAK: Final = Edges(LINE, "")
BLOCK: Final = Edges(LINE, LINE)
BOX: Final = Edges(BOX_OPEN, BOX_CLOSE)
TABLE_CELL: Final = Edges(CELL, CELL)
PREFORMATTED: Final = Edges(LINE + PRE_OPEN, PRE_CLOSE + LINE)
BLANK: Final = Edges(" ", "")
REPLACED: Final = Edges(PICTURE, "")
RUBY: Final = Edges(IGNORABLE_OPEN, IGNORABLE_CLOSE)
# The two below are told from INLINE by identity; their content is not rendered here.
ABSENT: Final = Edges("", "")  # text for nobody: scripts, styles, fallbacks
HIDDEN: Final = Edges("", "")  # text that a reader does not see at first

_EDGES_BY_TAGS: Final = (
    (
        ABSENT,
        "script style head template noembed noframes iframe datalist video audio canvas title rp annotation "
        "annotation-xml desc metadata progress meter noscript textarea mphantom fencedframe",
    ),
    (
        BLOCK,
        "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
        "figcaption figure footer foreignObject form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
        "menu nav ol optgroup option p search section select summary table tbody text tfoot thead tr ul "
        "mfrac mtable mtr mlabeledtr",
    ),
    (TABLE_CELL, "td th mtd"),
    (PREFORMATTED, "pre listing xmp plaintext"),
    (BREAK, "br"),
    (REPLACED, "img svg input"),
    (BOX, "button"),
    (RUBY, "rt rtc"),
    (BLANK, "mspace"),
)
_FIRST_UNKNOWN_ID: Final = 1 << 16


def _tag_tables() -> tuple[int, dict[int, Edges], dict[str, Edges]]:
    """Return the id of text nodes, and the edges by tag id and, for tags unknown to the parser, by name.

    The parser numbers the tags it knows; for another one (`text`, `x-note`) the id is an address that holds
    for one document only.
    """
    document = LexborHTMLParser("<p>text")
    paragraph = document.css_first("p")
    text = paragraph.first_child if paragraph else None
    assert text is not None
    by_id: dict[int, Edges] = {}
    by_name: dict[str, Edges] = {}
    for edges, tags in _EDGES_BY_TAGS:
        for tag in tags.split():
            tag_id = document.create_node(tag).tag_id
            if tag_id < _FIRST_UNKNOWN_ID:
                by_id[tag_id] = edges
            else:
                by_name[tag] = edges
    return text.tag_id, by_id, by_name


_TEXT, _BY_ID, _BY_NAME = _tag_tables()


def edges_of(node: LexborNode) -> Edges:
    """Return the edges that an element's tag alone gives it."""
    tag_id = node.tag_id
    if tag_id < _FIRST_UNKNOWN_ID:
        return _BY_ID.get(tag_id, INLINE)
    return _BY_NAME.get(node.tag or "", INLINE)


def render(root: LexborNode, judged: Mapping[int, Edges], hidden: list[LexborNode]) -> str:
    """Return the text inside `root` with layout marks, for `layout.settle`.

    Parameters
    ----------
    judged : edges by `mem_id` that take the place of those of the tag.
    hidden : receives the elements judged HIDDEN, in document order; their content is not in the result.
    """
    pieces: list[str] = []
    push = pieces.append
    opened: list[tuple[LexborNode, str]] = []
    node = root.first_child
    while node is not None or opened:
        if node is None:
            parent, after = opened.pop()
            push(after)
            node = parent.next
            continue
        tag_id = node.tag_id
        if tag_id == _TEXT:
            push(node.text_content or "")
            node = node.next
            continue
        edges = _BY_ID.get(tag_id, INLINE) if tag_id < _FIRST_UNKNOWN_ID else edges_of(node)
        if judged:
            edges = judged.get(node.mem_id, edges)
        if edges is ABSENT or edges is HIDDEN:
            if edges is HIDDEN:
                hidden.append(node)
            node = node.next
            continue
        push(edges.before)
        opened.append((node, edges.after))
        node = node.first_child
    return "".join(pieces)
