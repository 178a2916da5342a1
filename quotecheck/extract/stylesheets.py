"""Read from a page's own style sheets which elements they do not display.

Only rules that need no cascade are read: outside of media queries, with a selector of one element, whose
names no other rule displays again. That is a weak word, which sheets in other files and scripts can
overrule; the caller decides what to make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from selectolax.lexbor import LexborNode

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_DISPLAY: Final = re.compile(r"(?:^|[;\s])display\s*:\s*([a-z-]+)", re.IGNORECASE)
_ONE_ELEMENT: Final = re.compile(r"(?:[a-zA-Z][\w-]*)?(?:[.#][A-Za-z_][\w-]*)+")
_NAME: Final = re.compile(r"[.#][A-Za-z_][\w-]*")
_MEDIA: Final = frozenset(("", "all", "screen"))
_MOST_SELECTORS: Final = 100


def undisplayed(styles: Iterable[LexborNode]) -> str:
    """Return a selector for the elements that `<style>` elements do not display; empty for none."""
    hidden: dict[str, None] = {}
    shown: set[str] = set()
    for style in styles:
        sheet = style.text()
        if "none" in sheet and (style.attributes.get("media") or "").strip().lower() in _MEDIA:
            _read_sheet(sheet, hidden, shown)
    kept = [selector for selector in hidden if shown.isdisjoint(_NAME.findall(selector))]
    return ",".join(kept[:_MOST_SELECTORS])


def _read_sheet(sheet: str, hidden: dict[str, None], shown: set[str]) -> None:
    """Note the selectors of one element that a rule hides, and all names in rules that display one."""
    for prelude, declarations, is_nested in _display_rules(_COMMENT.sub("", sheet)):
        displays = _DISPLAY.findall(declarations)
        if not displays:
            continue
        if displays[-1].lower() != "none":
            shown.update(_NAME.findall(prelude))
        elif not is_nested:
            selectors = (selector.strip() for selector in prelude.split(","))
            hidden.update(dict.fromkeys(filter(_ONE_ELEMENT.fullmatch, selectors)))


def _display_rules(sheet: str) -> Iterator[tuple[str, str, bool]]:
    """Yield (prelude, declarations, whether it stands in another block) of the rules that say `display`."""
    depth = 0
    for part in sheet.split("}")[:-1]:  # the rest is a rule without an end
        opened = part.count("{")
        if opened and "display" in part:
            outer, _, declarations = part.rpartition("{")
            prelude = outer.rpartition("{")[2].rpartition(";")[2]
            yield prelude, declarations, depth + opened > 1
        depth = max(0, depth + opened - 1)
