"""Pairs of a source sentence and its quotation, and the flags that the differences between them raise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quotecheck.models import Flag
from quotecheck.text.differences import edits_between
from quotecheck.text.flags import change_flags
from quotecheck.text.fold import fold
from quotecheck.text.pieces import Part, PieceFinder

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of cases."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def parts_of(source: str, quote: str) -> tuple[Part, ...]:
    """Return what is compared: the whole of both, or the parts of a quotation with marks of its own."""
    words, text = fold(quote).text, fold(source).text
    found = PieceFinder(text).find(words) if "[" in quote or "..." in words else None
    return found.parts if found else (Part(0, len(words), 0, len(text)),)


def flags_between(source: str, quote: str) -> set[Flag]:
    """Return the flags for a quotation beside the whole of a source."""
    folded, words = fold(source), fold(quote).text
    parts = parts_of(source, quote)
    edits = edits_between(words, folded.text, parts)
    return set(change_flags(words, folded, parts, edits, original=source))
