"""Sources from files beside an index, put into a store as if they had been fetched."""

from __future__ import annotations

import json
from pathlib import Path

from quotecheck.errors import InvalidInput, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.reference import parse_reference
from quotecheck.sources.store import Store


def import_folder(store: Store, index: Path) -> int:
    """Load sources from files beside a JSONL index into a store; return how many.

    A line is `{"source", "file", "content_type"?, "final_url"?, "abstract_only"?}` for a page (the file lies
    in the folder `sources` beside the index) or `{"source", "reason_code", "reason", "final_url"?}` for a
    source that could not be read. Raises InvalidInput, naming the line.
    """
    lines = index.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            key = parse_reference(entry["source"]).key
            if "file" in entry:
                store.put_page(
                    key,
                    (index.parent / "sources" / entry["file"]).read_bytes(),
                    content_type=entry.get("content_type"),
                    final_url=entry.get("final_url"),
                    abstract_only=entry.get("abstract_only", False),
                )
            else:
                code = ReasonCode(entry["reason_code"])
                error = SourceUnavailable(code, entry["reason"], final_url=entry.get("final_url"))
                store.put_failure(key, error)
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise InvalidInput(f"{index}, line {number} is no stored source: {error}") from error
    return len(lines)
