"""What strangers wrote, made fit to be shown to a model: snippets, final addresses and host names.

A model reads every character, also those that people cannot see, so hidden text goes and length is bounded.
No delimiter protects a model from what it reads; that is what keeping such text in one field is for.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, urlsplit

MAX_SNIPPET = 1200
SNIPPET_MARGIN = 200
MAX_URL = 300

# Characters without a glyph of their own: Default_Ignorable_Code_Point of Unicode 16 (bidi controls, joiners,
# fillers, variation selectors, tags) and interlinear annotation marks. Selectors and tags can spell whole
# sentences that only a model sees.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)
_SPACE = re.compile(r"\s+")
# Controls; lone surrogates, which JSON cannot carry; private use, where vendors keep marks of their own.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cs", "Co"})

# What may stand in a URL (RFC 3986); all else is escaped.
_URL_CHARACTERS = "%/:?&=+,;@~!$'()*-._[]"
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?\Z")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
# Longer names are allowed, hardly exist, and give a stranger room for a sentence.
_HOST = re.compile(rf"(?=.{{1,100}}\Z)(?:{_LABEL}(?:\.{_LABEL})*|[0-9a-f:]*:[0-9a-f:.]*)")


def clean_snippet(text: str, *, quote_length: int) -> str:
    """Return `text` on one line without hidden characters, at most the quotation's length and 200 more.

    It never exceeds 1,200 characters, and ends in `…` where it was cut.

    >>> clean_snippet("the\\u202e fog\\n was\\u200b grey", quote_length=15)
    'the fog was grey'
    """
    limit = min(quote_length + SNIPPET_MARGIN, MAX_SNIPPET)
    visible = "".join(character for character in _SPACE.sub(" ", text) if not _is_hidden(character))
    line = _SPACE.sub(" ", visible).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def _is_hidden(character: str) -> bool:
    return bool(_INVISIBLE.match(character)) or unicodedata.category(character) in _HIDDEN_CATEGORIES


def shown_url(url: str | None) -> str | None:
    """Return an http(s) address as ASCII without a fragment, cut at 300 characters; None for any other.

    >>> shown_url("https://example.org/fog bank#top")
    'https://example.org/fog%20bank'
    """
    if url is None or shown_host(url) is None:
        return None
    escaped = quote(url.strip().partition("#")[0], safe=_URL_CHARACTERS, errors="surrogatepass")
    return _CUT_ESCAPE.sub("", escaped[:MAX_URL])


def shown_host(url: str | None) -> str | None:
    """Return the host of an http(s) address where it is a plain ASCII host name or IP address, else None.

    >>> shown_host("https://Example.org:8443/page"), shown_host("https://exa mple.org/")
    ('example.org', None)
    """
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    host = parts.hostname or ""
    return host if parts.scheme in ("http", "https") and _HOST.fullmatch(host) else None
