"""Extract a body that a stranger sent, in bounded time and memory."""

from __future__ import annotations

import sys

import anyio.to_thread

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.cost import is_light
from quotecheck.extract.document import extract
from quotecheck.models import ReasonCode, Source
from quotecheck.workers.jobs import ExtractTask
from quotecheck.workers.pool import WorkerPool
from quotecheck.workers.process import WorkerDied


async def extract_bounded(
    pool: WorkerPool,
    body: bytes,
    content_type: str | None,
    *,
    url: str | None = None,
    cheap_in_thread: bool = True,
) -> Source:
    """Return the text of a body, off the event loop: cheap ones in a thread, all others in a worker.

    Threads share one core with the event loop: many fetches at once are better off with `cheap_in_thread`
    False, so that a worker extracts all. On Windows, where processes have no such limits, threads do all.

    Raises
    ------
    SourceUnavailable : as `extract` does; `extraction_limit` where a worker used up its seconds or memory,
        `internal_error` where the extractor has a fault, with the exception as its cause.
    """
    try:
        if sys.platform == "win32" or (cheap_in_thread and is_light(body, content_type)):
            return await anyio.to_thread.run_sync(lambda: extract(body, content_type, url=url))
        # One retry: a worker may be killed by somebody else. Content that kills two is the cause.
        result = await pool.run("extract", ExtractTask(body, content_type, url), retries=1)
    except SourceUnavailable:
        raise
    except WorkerDied as death:
        reason = "The content takes too much time or memory to be extracted; check it by hand."
        raise SourceUnavailable(ReasonCode.EXTRACTION_LIMIT, reason, final_url=url) from death
    except Exception as bug:  # one page that we do not understand must not end a batch of a million
        reason = (
            "quotecheck failed to extract this content: a fault of ours, worth a report with the address."
        )
        raise SourceUnavailable(ReasonCode.INTERNAL_ERROR, reason, final_url=url) from bug
    assert isinstance(result, Source)
    return result
