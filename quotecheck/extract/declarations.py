"""Read the style attribute of an element: which declaration of each property counts.

Comments are no text, `!important` outweighs what comes later, `all` undoes what stands before it, and a
declaration that a browser does not know is passed over, so that the one before it stands. Escapes within
names are not undone.
"""

from __future__ import annotations

import re
from typing import Final

# Comments, and strings, of which a line break ends the one that nothing else ends.
_OPAQUE: Final = re.compile(r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""", re.DOTALL)
_SIGN: Final = re.compile(r"[()\[\]{};]")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_IN_NAME: Final = re.compile(r"[\w-]")
# Each value of `display` under the one name that the rest of the code knows; `initial` is that of a span.
_PLAIN: Final = """
    none block flow-root list-item inline inline-block flex inline-flex grid inline-grid contents table
    inline-table table-row table-cell table-caption ruby inherit revert revert-layer
"""
_DISPLAYS: Final = {
    **{name: name for name in _PLAIN.split()},
    **dict.fromkeys(("initial", "unset", "inline flow", "flow", "run-in", "math"), "inline"),
    **dict.fromkeys(("table-row-group", "table-header-group", "table-footer-group"), "table-row"),
    **dict.fromkeys(("block flow", "block flow-root", "-webkit-box", "block table"), "block"),
    **dict.fromkeys(("inline flow-root", "-webkit-inline-box"), "inline-block"),
    **dict.fromkeys(("block flex", "-webkit-flex"), "flex"),
    **dict.fromkeys(("inline flex", "-webkit-inline-flex"), "inline-flex"),
    "block grid": "grid",
    "inline grid": "inline-grid",
    "inline table": "inline-table",
}
_EVERYWHERE: Final = ("initial", "inherit", "unset", "revert", "revert-layer")
_KNOWN: Final = {
    "all": {name: name for name in _EVERYWHERE},
    "display": _DISPLAYS,
    "visibility": {name: name for name in ("visible", "hidden", "collapse", *_EVERYWHERE)},
}


def declarations(style: str) -> dict[str, str]:
    """Return the value of each property that a style attribute sets, in lower case.

    >>> declarations("display: none; DISPLAY: bloc; color: red !important; color: blue")
    {'display': 'none', 'color': 'red'}
    """
    values: dict[str, str] = {}
    important: dict[str, str] = {}
    for declaration in split_declarations(_OPAQUE.sub(_without_ends, style.lower())):
        name, _, written = (part.strip() for part in declaration.partition(":"))
        written, sign, weight = (part.strip() for part in written.partition("!"))
        value = _known_value(name, written)
        if not name or not value or (sign and weight != "important"):
            continue
        alike = important if sign else values
        if name == "all":
            alike.clear()
        alike[name] = value
    return important if "all" in important else values | important


def _known_value(name: str, written: str) -> str | None:
    known = _KNOWN.get(name)
    if known is None or "(" in written:  # what `var()` brings is known to the browser alone
        return written
    return known.get(" ".join(written.split()))


def split_declarations(text: str) -> list[str]:
    """Split at the semicolons that stand in no brackets; a bracket left open takes in all that follows."""
    if not any(map(text.__contains__, _CLOSING)):
        return text.split(";")
    parts: list[str] = []
    opened: list[str] = []
    start = 0
    for found in _SIGN.finditer(text):
        sign = found[0]
        if sign in _CLOSING:
            opened.append(_CLOSING[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
        elif sign == ";" and not opened:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def in_place_of_comment(found: re.Match[str]) -> str:
    """Return nothing for a comment, or a sign between two names that it parts."""
    before, after = (
        found.string[max(0, found.start() - 1) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    return "\x01" if _IN_NAME.fullmatch(before) and _IN_NAME.fullmatch(after) else ""


def _without_ends(found: re.Match[str]) -> str:
    return in_place_of_comment(found) if found[0].startswith("/*") else _SIGN.sub(" ", found[0])
