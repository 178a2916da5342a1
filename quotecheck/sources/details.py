"""A source as its text and plain JSON values, for tables and stores, and back."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from quotecheck.models import Flag, Region, Source


def details_of(source: Source) -> dict[str, object]:
    """Return what a text's markup says about parts of it, as plain JSON values."""
    return {
        "regions": [(region.name, region.start, region.end) for region in source.regions],
        "ignorable": source.ignorable,
        "raised": source.raised,
        "page_starts": source.page_starts,
        "flags": source.flags,
        "title": source.title,
        "charset": source.charset,
    }


def restored_source(
    text: str,
    details: Mapping[str, Any],
    *,
    final_url: str | None,
    content_type: str | None,
    fetched_at: datetime | None,
) -> Source:
    """Return a source from its text and what `details_of` kept."""
    return Source(
        text=text,
        regions=tuple(Region(*region) for region in details["regions"]),
        ignorable=tuple((start, end) for start, end in details["ignorable"]),
        raised=tuple((start, end) for start, end in details["raised"]),
        page_starts=tuple(details["page_starts"]),
        flags=tuple(Flag(flag) for flag in details["flags"]),
        title=details["title"],
        charset=details["charset"],
        final_url=final_url,
        content_type=content_type,
        fetched_at=fetched_at,
    )
