"""Which host a source lies on, and what was fetched from each host."""

from __future__ import annotations

import re
from dataclasses import dataclass

import polars as pl

from quotecheck.sources import endpoints
from quotecheck.sources.reference import parse_reference

# Refused sources are named as they were spelled: in capitals, or with a password that no summary repeats.
_HOST = re.compile(r"(?i)https?://(?:[^/?#]*@)?([^/?#@]+)")
# Where reading begins of sources that no web address names.
_SERVICES = {
    "doi:": endpoints.DOI_PROXY,
    "pmid:": endpoints.EFETCH,
    "pmcid:": endpoints.EFETCH,
    "arxiv:": endpoints.ARXIV,
}


@dataclass(slots=True)
class HostWork:
    """What one host was asked for: how many sources came or failed, and when the first and the last did.

    Times are seconds of one monotonic clock.
    """

    fetched: int = 0
    first: float = 0.0
    last: float = 0.0

    def count(self, now: float) -> None:
        """Count a source that came or failed now."""
        self.first = self.first if self.fetched else now
        self.fetched, self.last = self.fetched + 1, now

    @property
    def seconds(self) -> float:
        """From the first to the last."""
        return self.last - self.first


def host_of_url(url: str | None) -> str | None:
    """Return host and port of a web address; None for anything else.

    >>> host_of_url("https://www.example.org:8443/a")
    'www.example.org:8443'
    """
    found = _HOST.match(url or "")
    return None if found is None else found[1].lower()


def first_host(key: str, spelling: str) -> str | None:
    """Return the host at which reading a source begins; None for a file, and where the guard refuses it."""
    return host_of_url(key) or host_of_url(parse_reference(spelling).url)


def host_column(final_url: str, key: str) -> pl.Expr:
    """Return the host of sources from the columns of their final address and, where there is none, their key.

    Null for texts that came with their rows, and for files.
    """
    services = (
        pl.col(key)
        .str.extract(r"^([a-z]+:)")
        .replace_strict(
            {prefix: host_of_url(url) for prefix, url in _SERVICES.items()},
            default=None,
            return_dtype=pl.String,
        )
    )
    named = (pl.col(name).str.extract(_HOST.pattern).str.to_lowercase() for name in (final_url, key))
    return pl.coalesce(*named, services)
