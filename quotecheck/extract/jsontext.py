"""Extract the text of JSON documents: every string value, in document order, one to a line.

Keys and numbers are no prose. A string that holds markup, as answers of publishing systems do, is read as
the page that it will become, and what that page hides follows in regions; one that holds but characters
written as entities is read with those characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.html import hidden_regions, render_fragment, with_characters
from quotecheck.extract.layout import Settled, assemble, plain, settle
from quotecheck.models import ReasonCode, Source, Span

_MARKUP: Final = re.compile(r"</?[a-zA-Z][^<>]*>")


def extract_json(text: str) -> Source | None:
    r"""Return the strings of a JSON document, or of JSON lines; None if the text is neither.

    Raises
    ------
    SourceUnavailable : `extraction_limit` for a document nested deeper than the parser can follow.

    >>> extract_json('{"title": "Mill", "year": 1830, "body": "<p>It <b>burned</b>.</p>"}').text
    'Mill\nIt burned.'
    """
    documents = _parse(text)
    if documents is None:
        return None
    pieces: list[str] = []
    ignorable: list[Span] = []
    raised: list[Span] = []
    hidden: list[Settled] = []
    position = 0
    for value in _strings(documents):
        if "&" in value and not _MARKUP.search(value):
            value = with_characters(value)
        elif _MARKUP.search(value):
            rendered, unseen = render_fragment(value)
            part = settle(rendered)
            value = part.text
            ignorable += ((position + start, position + end) for start, end in part.ignorable)
            raised += ((position + start, position + end) for start, end in part.raised)
            hidden += unseen
        if value:
            pieces.append(value)
            position += len(value) + 1
    return assemble(Settled("\n".join(pieces), tuple(ignorable), tuple(raised)), hidden_regions(hidden))


def _parse(text: str) -> list[object] | None:
    try:
        return [_loads(text)]
    except RecursionError:
        raise SourceUnavailable(
            ReasonCode.EXTRACTION_LIMIT,
            "The JSON document is nested too deeply to be read; check it by hand.",
        ) from None
    except ValueError:
        pass
    try:
        return [_loads(line) for line in text.split("\n") if line.strip()] or None
    except (ValueError, RecursionError):
        return None


def _loads(text: str) -> object:
    """Parse one document, each object as the list of its values: as a dict it would lose repeated keys."""
    return json.loads(text, object_pairs_hook=lambda pairs: [value for _, value in pairs])


def _strings(documents: list[object]) -> Iterator[str]:
    waiting: list[object] = list(reversed(documents))
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield plain(value)
        elif isinstance(value, list):
            waiting += reversed(value)
