"""Read the style attribute of an element: which declaration of each property counts.

Comments are no text, `!important` outweighs what comes later, and a value that a browser does not know is
passed over, so that the one before it stands. Escapes within names are not undone.
"""

from __future__ import annotations

import re
from typing import Final

# Comments, and what may hold a semicolon that ends no declaration: strings and brackets.
_OPAQUE: Final = re.compile(
    r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|\([^()"']*+\)""", re.DOTALL
)
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
_VISIBILITIES: Final = ("visible", "hidden", "collapse", "inherit", "initial", "unset")
_KNOWN: Final = {"display": _DISPLAYS, "visibility": {name: name for name in _VISIBILITIES}}


def declarations(style: str) -> dict[str, str]:
    """Return the value of each property that a style attribute sets, in lower case.

    >>> declarations("display: none; DISPLAY: bloc; color: red !important; color: blue")
    {'display': 'none', 'color': 'red'}
    """
    values: dict[str, str] = {}
    important: set[str] = set()
    for declaration in _OPAQUE.sub(_without_ends, style.lower()).split(";"):
        name, _, written = (part.strip() for part in declaration.partition(":"))
        written, _, weight = (part.strip() for part in written.partition("!"))
        known = _KNOWN.get(name)
        value = written if known is None else known.get(" ".join(written.split()))
        if not name or not value or (name in important and weight != "important"):
            continue
        values[name] = value
        if weight == "important":
            important.add(name)
    return values


def in_place_of_comment(found: re.Match[str]) -> str:
    """Return nothing for a comment, or a sign between two names that it parts."""
    before, after = (
        found.string[max(0, found.start() - 1) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    return "\x01" if _IN_NAME.fullmatch(before) and _IN_NAME.fullmatch(after) else ""


def _without_ends(found: re.Match[str]) -> str:
    return in_place_of_comment(found) if found[0].startswith("/*") else found[0].replace(";", " ")
