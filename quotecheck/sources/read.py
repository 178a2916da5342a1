"""From a reference to the text a reader sees: fetch under the guard, then extract."""

from __future__ import annotations

import dataclasses

import anyio.to_thread

from quotecheck.errors import SourceUnavailable
from quotecheck.models import Flag, ReasonCode, Source
from quotecheck.sources.client import Fetched, Fetcher
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import Reference, SourceKind
from quotecheck.sources.url import parse_url


async def read_source(fetcher: Fetcher, reference: Reference) -> Source:
    """Return the text of a source, with what its markup says. Raises SourceUnavailable."""
    fetched = await fetcher.fetch(reference)
    # Extraction is CPU work: on the event loop it would eat other fetches' deadlines.
    return await anyio.to_thread.run_sync(source_of, fetched)


def source_of(fetched: Fetched) -> Source:
    """Return the text of a fetched body. Raises SourceUnavailable; no network, no event loop."""
    from quotecheck.extract.document import extract

    host = parse_url(fetched.final_url).host
    try:
        source = extract(fetched.body, fetched.content_type, url=fetched.final_url)
    except SourceUnavailable as error:
        reason = f"{error.reason} (delivered by {host})"
        raise SourceUnavailable(error.reason_code, reason, final_url=fetched.final_url) from None
    if not source.text.strip():
        raise unavailable(ReasonCode.NO_TEXT, host, final_url=fetched.final_url)
    flags = source.flags
    if fetched.reference.kind is SourceKind.PUBMED and Flag.ABSTRACT_ONLY not in flags:
        flags = (*flags, Flag.ABSTRACT_ONLY)
    return dataclasses.replace(
        source, flags=flags, final_url=fetched.final_url, fetched_at=fetched.fetched_at
    )
