"""Links that open a web page at a passage: text fragments, as browsers follow them.

Syntax and matching: WICG, "URL Fragment Text Directives" (`#:~:text=start,end`). A browser finds a `start`
within one block of the page and at word boundaries only, so a passage of several lines is given by its ends.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urldefrag

from quotecheck.models import Span

_WHOLE = 8  # words of a passage that is given whole
_EDGE = 4  # words at each end of a longer one
_WORD = re.compile(r"\S{1,12}")  # a longer run has no spaces in its script, and any piece of it will do
_REACH = 40  # characters by which an end may move to the end of its word


def passage_url(final_url: str, text: str, start: int, end: int) -> str | None:
    """Return the address of a page with a fragment that leads to `text[start:end]`, or None.

    Only http and https addresses have one. A fragment of the address itself stays in front.

    Examples
    --------
    >>> passage_url("https://example.org/a#b", "Hold fast, the rope is wet.", 0, 10)
    'https://example.org/a#b:~:text=Hold%20fast%2C'
    """
    if not final_url.lower().startswith(("http://", "https://")):
        return None
    start, end = _whole_words(text, start, end)
    words = [(start + word.start(), start + word.end()) for word in _WORD.finditer(text[start:end])]
    if not words:
        return None
    address, fragment = urldefrag(final_url)
    return f"{address}#{fragment.partition(':~:')[0]}:~:text={_directive(text, words)}"


def _whole_words(text: str, start: int, end: int) -> Span:
    first, last = max(0, start - _REACH), min(len(text), end + _REACH)
    while start > first and text[start - 1].isalnum() and text[start].isalnum():
        start -= 1
    while end < last and text[end - 1].isalnum() and text[end].isalnum():
        end += 1
    return start, end


def _directive(text: str, words: list[Span]) -> str:
    first_line = _same_line(text, words)
    if len(first_line) == len(words) <= _WHOLE:
        return _encoded(text, words)
    last_line = _same_line(text, words[::-1])[::-1]
    return f"{_encoded(text, first_line[:_EDGE])},{_encoded(text, last_line[-_EDGE:])}"


def _same_line(text: str, words: list[Span]) -> list[Span]:
    """Return the words from the first on that no line break or cell border parts from it."""
    for number in range(1, len(words)):
        left, right = sorted((words[number - 1], words[number]))
        if set(text[left[1] : right[0]]) & set("\n\r\t\f\v\x85\u2028\u2029"):
            return words[:number]
    return words


def _encoded(text: str, words: list[Span]) -> str:
    """Percent-encode a passage; a hyphen, a comma or an ampersand would end the directive's part."""
    passage = " ".join(text[words[0][0] : words[-1][1]].split())
    return quote(passage.encode("utf-8", "replace"), safe="").replace("-", "%2D")
