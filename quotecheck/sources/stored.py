"""What a store holds of a source, a page or a failure, and whether it counts for a run.

A page counts for a week. A failure counts for a day, unless it says nothing about the source: then it counts
within the run that met it and in no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import TRANSIENT

PAGE_MAX_AGE = timedelta(days=7)
FAILURE_MAX_AGE = timedelta(hours=24)

# Failures that say nothing about the source: they count within the run that met them, never in a later one.
_OF_THE_MOMENT = TRANSIENT | {ReasonCode.CANCELLED, ReasonCode.INTERNAL_ERROR, ReasonCode.NOT_IN_STORE}
DOI_KEY = "doi:"


@dataclass(frozen=True, slots=True)
class StoredPage:
    """What a fetch brought; `body_sha256` leads to the body. Times are UTC."""

    key: str
    body_sha256: str
    body_bytes: int
    content_type: str | None
    final_url: str | None
    status: int | None
    hops: tuple[str, ...]
    etag: str | None
    last_modified: str | None
    abstract_only: bool
    fetched_at: datetime


@dataclass(frozen=True, slots=True)
class StoredFailure:
    """Why a source could not be fetched; `run` names the run that met it."""

    key: str
    reason_code: ReasonCode
    reason: str
    final_url: str | None
    run: str
    failed_at: datetime

    def error(self) -> SourceUnavailable:
        """Return the failure as the exception that a fetch would have raised."""
        return SourceUnavailable(self.reason_code, self.reason, final_url=self.final_url)


@dataclass(frozen=True, slots=True)
class Freshness:
    """Which entries of a store count for one run.

    Attributes
    ----------
    run : the run that asks; its own transient failures count, those of other runs do not.
    pages_since : pages fetched before this moment are stale; None takes any age.
    failures_since : permanent failures before this moment do not count; None takes any failure.
    doi_fallback : the open abstract of a DOI may stand for its page. Otherwise one that another run has
        stored is stale; with it, failures of a DOI that another run met do not count.
    """

    run: str
    pages_since: datetime | None = None
    failures_since: datetime | None = None
    doi_fallback: bool = False

    def takes_page(self, page: StoredPage) -> bool:
        """Tell whether the page need not be fetched again."""
        if self.pages_since is None:
            return True
        if page.abstract_only and page.key.startswith(DOI_KEY) and not self.doi_fallback:
            return False
        return page.fetched_at >= self.pages_since

    def takes_failure(self, failure: StoredFailure) -> bool:
        """Tell whether the failure stands, so that the source is not asked again."""
        if self.failures_since is None or failure.run == self.run:
            return True
        if self.doi_fallback and failure.key.startswith(DOI_KEY):
            return False
        return failure.reason_code not in _OF_THE_MOMENT and failure.failed_at >= self.failures_since
