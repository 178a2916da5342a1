"""Tell, before parsing, whether a body can be parsed in this process at a bounded cost.

An HTML parser that keeps to the standard is quadratic on hostile input, and a thread cannot be stopped:
100,000 nested elements or attributes of one tag hold a core for minutes, and 4,000 distinct `<b>` before
4,000 `<p>` (55 KB) make 16 million nodes, six gigabytes. No pattern can tell such a page for sure, since
quotes and comments change what is a tag; but counts bound it from above. What stays below the bounds costs
two seconds and 100 MB at worst; of 807 real pages all but four in a hundred do.
"""

from __future__ import annotations

import re
from typing import Final

from quotecheck.extract.kinds import is_pdf, media_type

_MOST_TAGS: Final = 20_000
_MOST_ATTRIBUTES: Final = 30_000  # 30,000 of one tag take one or two seconds
_MOST_COPIES: Final = 200_000  # nodes that the parser can copy; one takes 360 bytes
# So few tags that even the worst arrangement of them makes at most `_MOST_COPIES` nodes.
_HARMLESS_TAGS: Final = 900

_PIECE: Final = 1 << 16
_PAGE_TYPES: Final = ("text/html", "application/xhtml+xml")
_PLAIN_TYPES: Final = ("text/plain", "text/markdown", "text/csv")
# Start tags of the elements that the parser opens again in each new block, at most three of one spelling.
_REOPENED: Final = re.compile(
    rb"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
_CLEAN: Final = re.compile(
    rb"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
    rb"""(?:\s+[\w:-]+(?:=(?:"[^"<>]*"|'[^'<>]*'|[\w.#%-]+))?)*\s*>""",
    re.IGNORECASE,
)
# Markup inside of data or attributes: escaped, or in an entity, it is not counted as tags.
_ESCAPED: Final = re.compile(rb"&(?:#0*60\b|#x0*3c\b|lt\b)|\\u003c", re.IGNORECASE)
_ENTITY: Final = b"<!ENTITY"


def is_light(body: bytes, content_type: str | None) -> bool:
    """Tell whether the cost of extracting a body is bounded; if not, it belongs into a worker.

    >>> is_light(b"<p>A page.", "text/html"), is_light(b"<p>" + b"<b>" * 50_000, "text/html")
    (True, False)
    """
    if is_pdf(body, content_type):
        return False
    if media_type(content_type) in _PLAIN_TYPES:
        return True
    tags = body.count(b"<")
    attributes = body.count(b"=")
    if tags >= _MOST_TAGS or attributes >= _MOST_TAGS:
        return False
    if b"\x00" in body or _ENTITY in body:  # the patterns below do not see UTF-16, nor what entities hold
        return False
    # Each attribute follows white space, a slash or the value of another one.
    if attributes + body.count(b"/") + _words(body) > _MOST_ATTRIBUTES:
        return False
    escaped = len(_ESCAPED.findall(body))
    if tags + escaped < _HARMLESS_TAGS:
        return True
    is_page = media_type(content_type) in _PAGE_TYPES and b"srcdoc" not in body.lower()
    if escaped and not is_page:
        return False
    return tags * _reopened(body) < _MOST_COPIES


def _words(body: bytes) -> int:
    """Return the number of runs between white space, or a few more: counted in pieces, to save memory."""
    return sum(len(body[start : start + _PIECE].split()) for start in range(0, len(body), _PIECE))


def _reopened(body: bytes) -> int:
    """Return an upper bound of the elements that one new block can open again."""
    clean = _CLEAN.findall(body)
    doubtful = len(_REOPENED.findall(body)) - len(clean)
    return min(len(clean), 3 * len(set(clean))) + doubtful
