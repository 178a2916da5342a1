"""Worker processes of our own: they extract strangers' bytes and match, with limits, off the event loop."""

from __future__ import annotations

from quotecheck.workers.bounded import extract_bounded
from quotecheck.workers.pool import WorkerFailed, WorkerPool
from quotecheck.workers.process import WorkerDied

__all__ = ["WorkerDied", "WorkerFailed", "WorkerPool", "extract_bounded"]
