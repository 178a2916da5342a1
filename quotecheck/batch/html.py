"""Pages for people: self-contained HTML files that need no network and run nothing they were not given.

Every string from a table or a source is escaped, set apart from the text direction around it, and stripped of
control characters (they are shown by number). The content security policy allows a page's own style and
script by their digests and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import unicodedata
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from quotecheck.models import Span

# Invisible characters that belong to the spelling of words and emoji, or only allow a line break.
_HARMLESS = frozenset("\n\t\u00ad\u200b\u200c\u200d\u2060")


def document(title: str, body: str, *, styles: Sequence[str], script: str) -> str:
    """Return a page as one HTML document; `styles` and `script` name assets of this package."""
    style, code = "\n".join(_asset(name) for name in styles), _asset(script)
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(code)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    head = (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{shown(title)}</title>\n<style>{style}</style>\n</head>\n"
    )
    return f"{head}<body>\n{body}\n<script>{code}</script>\n</body>\n</html>\n"


def _asset(name: str) -> str:
    return files("quotecheck.batch").joinpath("assets", name).read_text("utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def bdi(text: str) -> str:
    """Return text as a `bdi` element, whatever direction it is written in."""
    return f"<bdi>{shown(text)}</bdi>"


def spoken(name: str | None) -> str:
    """Return the name of a status or flag as words."""
    return escape((name or "").replace("_", " "))


def shown(text: str | None) -> str:
    """Return text escaped for HTML, with control and direction characters shown by their number."""
    return "".join(_visible(character) for character in escape(text or ""))


def _visible(character: str) -> str:
    if character.isprintable() or character in _HARMLESS:
        return character
    category = unicodedata.category(character)
    if category in {"Zs", "Cn", "Co"}:
        return character
    if category in {"Zl", "Zp"} or character == "\r":
        return "\n"
    return f'<span class="control">U+{ord(character):04X}</span>'


def clip(text: str, span: Span, around: int) -> tuple[str, str]:
    """Return up to `around` characters before and after a span of text, with an ellipsis where text goes on.

    >>> clip("one two three four", (4, 7), 4)
    ('one ', ' thr…')
    """
    start, end = span
    first, last = max(0, start - around), min(len(text), end + around)
    before = ("…" if first > 0 else "") + text[first:start]
    return before, text[end:last] + ("…" if last < len(text) else "")
