"""How long fetching will still take: the slowest host decides, not the rate over all of them.

Pure bookkeeping: the caller gives the time. A host goes on at the pace that it has shown, and not faster than
its interval between two requests allows; all together go on no faster than they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from quotecheck.batch.hosts import HostWork
from quotecheck.sources.hosts import HostLimits, limits_for

_LEAST_SEEN = 5  # sources of a host that came before its pace is believed


class Slowest(NamedTuple):
    """The host that will be the last, how many of its sources are left, and seconds until then."""

    host: str
    left: int
    seconds: float


class Remaining:
    """What is left to fetch; `hosts` says how many sources each host has.

    >>> remaining = Remaining({"a.example.org": 10, "b.example.org": 100}, started=0.0)
    >>> for second in range(1, 11):
    ...     remaining.count("a.example.org", now=float(second))
    ...     remaining.count("b.example.org", now=float(second))
    >>> remaining.slowest()
    Slowest(host='b.example.org', left=90, seconds=90.0)
    """

    def __init__(self, hosts: Mapping[str, int], *, started: float) -> None:
        self._left = dict(hosts)
        self._seen: dict[str, HostWork] = {}
        self._started = started
        self._all = HostWork()

    def count(self, host: str, *, now: float) -> None:
        """Count a source of a host that came or failed."""
        left = self._left.get(host, 0) - 1
        if left > 0:
            self._left[host] = left
        else:
            self._left.pop(host, None)
        self._seen.setdefault(host, HostWork()).count(now)
        self._all.count(now)

    def seconds(self) -> float | None:
        """Return how many seconds are left; None before anything has come."""
        if not self._all.fetched:
            return None
        together = sum(self._left.values()) * (self._all.last - self._started) / self._all.fetched
        slowest = self.slowest()
        return together if slowest is None else max(together, slowest.seconds)

    def slowest(self) -> Slowest | None:
        """Return the host that will be the last by what is known; None when nothing is left."""
        hosts = (Slowest(host, left, left * self._pace(host)) for host, left in self._left.items())
        return max(hosts, key=lambda slow: (slow.seconds, slow.left), default=None)

    def _pace(self, host: str) -> float:
        """Return seconds for each further source of a host."""
        seen = self._seen.get(host)
        shown = 0.0 if seen is None or seen.fetched < _LEAST_SEEN else seen.seconds / (seen.fetched - 1)
        return max(shown, limits_for(host.partition(":")[0], HostLimits(1, 0.0)).interval)
