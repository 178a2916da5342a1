"""Read from a page's own style sheets which elements they do not display.

Only rules that need no cascade are read: outside of media queries, with a selector of one element, whose
names no other rule displays again. That is a weak word, which sheets in other files and scripts can
overrule; the caller decides what to make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_BRACE: Final = re.compile(r"([{}])")
_DISPLAY: Final = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)", re.IGNORECASE)
_ONE_ELEMENT: Final = re.compile(r"(?:[a-zA-Z][\w-]*)?(?:[.#][A-Za-z_][\w-]*)+")
_NAME: Final = re.compile(r"[.#][A-Za-z_][\w-]*")
_MEDIA: Final = frozenset(("", "all", "screen"))
_MOST_SELECTORS: Final = 100


def undisplayed(document: LexborHTMLParser) -> str:
    """Return a selector for the elements that the page's own rules do not display; empty for none."""
    hidden: dict[str, None] = {}
    shown: set[str] = set()
    for style in document.css("style"):
        sheet = style.text()
        if "none" in sheet and (style.attributes.get("media") or "").strip().lower() in _MEDIA:
            _read_sheet(sheet, hidden, shown)
    kept = [selector for selector in hidden if shown.isdisjoint(_NAME.findall(selector))]
    return ",".join(kept[:_MOST_SELECTORS])


def _read_sheet(sheet: str, hidden: dict[str, None], shown: set[str]) -> None:
    """Note the selectors of one element that a rule hides, and all names in rules that display one."""
    for prelude, declarations, is_nested in _rules(_COMMENT.sub("", sheet)):
        displays = _DISPLAY.findall(declarations)
        if not displays:
            continue
        if displays[-1].lower() != "none":
            shown.update(_NAME.findall(prelude))
        elif not is_nested:
            selectors = (selector.strip() for selector in prelude.split(","))
            hidden.update(dict.fromkeys(filter(_ONE_ELEMENT.fullmatch, selectors)))


def _rules(sheet: str) -> Iterator[tuple[str, str, bool]]:
    """Yield (prelude, declarations, whether it stands inside of another block) for each block."""
    opened: list[str] = []
    text = ""
    for token in _BRACE.split(sheet):
        if token == "{":
            opened.append(text.rpartition(";")[2])
            text = ""
        elif token == "}":
            if opened:
                yield opened.pop(), text, bool(opened)
            text = ""
        else:
            text = token
