"""From a reference to the text a reader sees: fetch under the guard, then extract.

`read_source` does both. A batch fetches with `Fetcher.fetch_many`, extracts in a worker process, and calls
`completed` with the two.
"""

from __future__ import annotations

import dataclasses

from quotecheck.errors import SourceUnavailable
from quotecheck.models import Flag, ReasonCode, Source
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import Reference, SourceKind
from quotecheck.sources.url import parse_url
from quotecheck.sources.walls import MOST_WALL_TEXT, wall_in_body
from quotecheck.workers import WorkerPool, extract_bounded


async def read_source(fetcher: Fetcher, reference: Reference) -> Source:
    """Return the text of a source, with what its markup says. Raises SourceUnavailable."""
    fetched = await fetcher.fetch(reference)
    try:
        return await _text_of(fetched)
    except SourceUnavailable:
        abstract = None if fetched.abstract_only else await fetcher.fetch_abstract(reference)
        if abstract is None:
            raise
    return await _text_of(abstract)


async def _text_of(fetched: Fetched) -> Source:
    try:
        async with WorkerPool(size=1) as pool:  # starts a process only for a body that needs one
            source = await extract_bounded(pool, fetched.body, fetched.content_type, url=fetched.final_url)
    except SourceUnavailable as error:
        raise located(error, fetched) from None
    return completed(source, fetched)


def located(error: SourceUnavailable, fetched: Fetched) -> SourceUnavailable:
    """Return an error of the extraction, which knows no host, with the host that delivered the body."""
    if error.reason_code is ReasonCode.NO_TEXT and (walled := _walled(fetched, 0)) is not None:
        return walled
    reason = f"{_origin(fetched)}: {error.reason}"
    return SourceUnavailable(error.reason_code, reason, final_url=fetched.final_url)


def completed(source: Source, fetched: Fetched) -> Source:
    """Return the extracted text with what is known of its fetch.

    Raises SourceUnavailable (`blocked_by_bot_protection`) where the page is a bot check.
    """
    visible_end = source.regions[0].start if source.regions else len(source.text)
    if (walled := _walled(fetched, visible_end)) is not None:
        raise walled
    flags = source.flags
    if fetched.abstract_only and Flag.ABSTRACT_ONLY not in flags:
        flags = (*flags, Flag.ABSTRACT_ONLY)
    return dataclasses.replace(
        source,
        flags=flags,
        final_url=fetched.final_url,
        content_type=fetched.content_type,
        fetched_at=fetched.fetched_at,
    )


def _walled(fetched: Fetched, visible_characters: int) -> SourceUnavailable | None:
    """Return the error where a page is a bot check: its machinery, and next to no text."""
    if visible_characters >= MOST_WALL_TEXT:
        return None
    vendor = wall_in_body(fetched.body, is_error=False)
    if vendor is None:
        return None
    detail = f"{vendor}, HTTP {fetched.status}"
    code = ReasonCode.BLOCKED_BY_BOT_PROTECTION
    return unavailable(code, _origin(fetched), detail, final_url=fetched.final_url)


def _origin(fetched: Fetched) -> str:
    """Return the host that delivered the body, or the file that held it."""
    if fetched.reference.kind is SourceKind.FILE:
        return fetched.reference.key
    return parse_url(fetched.final_url).host
