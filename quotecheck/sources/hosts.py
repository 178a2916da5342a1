"""Whose turn it is: limits, intervals and pauses per host, fair over all hosts.

Pure bookkeeping without clock, sockets or tasks: the caller gives the time and asks who is next. Hosts take
turns however long their queues are, so one host with thousands of pages does not starve the others.
"""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from quotecheck.errors import SourceUnavailable

T = TypeVar("T")

# A host that asks for a longer pause is given up for the run: its sources are reported as rate_limited.
LONGEST_PAUSE = 120.0
# So many requests in a row without any connection, and a host counts as down for a while.
FAILURES_UNTIL_DOWN = 5
DOWN_SECONDS = 60.0
_FORGET_HOSTS = 1000  # from so many on, idle hosts are forgotten


@dataclass(frozen=True, slots=True)
class HostLimits:
    """At most `connections` requests at once, and `interval` seconds between the starts of two."""

    connections: int
    interval: float


# What operators publish or are known to enforce; a name stands for the hosts below it, too.
# NCBI: 3 requests a second without a key, over all E-utilities (NBK25497).
# arXiv: one request every 3 seconds over one connection (info.arxiv.org/help/api/tou.html).
# Wikimedia: few requests at once from an identified agent (Robot policy).
# Crossref: 5 requests a second, one at a time, from anonymous clients (its page on access).
PRESETS: dict[str, HostLimits] = {
    "eutils.ncbi.nlm.nih.gov": HostLimits(3, 0.34),
    "arxiv.org": HostLimits(1, 3.0),
    "doi.org": HostLimits(4, 0.1),
    "api.crossref.org": HostLimits(1, 0.2),
    "wikipedia.org": HostLimits(2, 0.1),
    "web.archive.org": HostLimits(1, 1.0),
}


def limits_for(host: str, default: HostLimits) -> HostLimits:
    """Return the limits of `host`: the stricter of `default` and of the preset for it or a domain above."""
    name = host
    while name:
        if (preset := PRESETS.get(name)) is not None:
            connections = min(preset.connections, default.connections)
            return HostLimits(connections, max(preset.interval, default.interval))
        name = name.partition(".")[2]
    return default


@dataclass(slots=True)
class _Host(Generic[T]):
    name: str
    limits: HostLimits
    allowed: int  # falls at each complaint of the host, is earned back one by one
    queue: deque[T] = field(default_factory=deque)
    active: int = 0
    ready_at: float = 0.0
    ticket: int | None = None  # of its valid entry among the ready hosts
    order: int = 0  # among hosts that are ready at the same time
    in_row: int = 0  # items taken since it got that order
    failures: int = 0
    closed_until: float = 0.0
    closed_by: SourceUnavailable | None = None


class HostQueues(Generic[T]):
    """Items that wait for their host's turn.

    `concurrency` limits the items that are out at once, `per_host` those of one host. `share` is this
    process's part of every host's rate, for runs that are split over machines. `in_row` items of a host are
    taken before the next host has its turn. All times are seconds of one monotonic clock.

    >>> queues = HostQueues[str](concurrency=2, per_host=1, interval=0.0)
    >>> for item in ("a1", "a2", "b1"):
    ...     queues.add(item[0], item)
    >>> queues.take(0.0), queues.take(0.0), queues.take(0.0)
    ('a1', 'b1', None)
    """

    def __init__(
        self,
        *,
        concurrency: int,
        per_host: int,
        interval: float,
        presets: bool = True,
        share: float = 1.0,
        in_row: int = 1,
    ) -> None:
        self._concurrency = concurrency
        self._default = HostLimits(per_host, interval)
        self._presets = presets
        self._share = share
        self._in_row = in_row
        self._hosts: dict[str, _Host[T]] = {}
        self._forget_at = _FORGET_HOSTS
        self._ready: list[tuple[float, int, int, _Host[T]]] = []
        self._tickets = itertools.count(1)
        self._out = 0
        self.waiting = 0

    def add(self, host: str, item: T) -> None:
        """Let `item` wait at `host`."""
        state = self._host(host)
        state.queue.append(item)
        self.waiting += 1
        self._list(state)

    def discard(self, host: str, item: T) -> bool:
        """Take `item` out of the queue; False if it is not there, since its turn has come."""
        state = self._hosts.get(host)
        if state is None or item not in state.queue:
            return False
        state.queue.remove(item)
        self.waiting -= 1
        return True

    def take(self, now: float) -> T | None:
        """Return the next item whose turn it is; it is out until `release`. None if nobody's turn is now."""
        while self._ready and self._out < self._concurrency:
            ready_at, _, ticket, host = self._ready[0]
            if ticket == host.ticket and ready_at == host.ready_at and ready_at > now:
                return None
            heapq.heappop(self._ready)
            if ticket != host.ticket:
                continue  # the host was listed anew
            host.ticket = None
            if ready_at != host.ready_at:
                self._list(host)  # it was paused after it was listed
            elif host.queue and host.active < host.allowed:
                return self._take_from(host, now)
        return None

    def _take_from(self, host: _Host[T], now: float) -> T:
        item = host.queue.popleft()
        self.waiting -= 1
        self._out += 1
        host.active += 1
        host.in_row += 1
        if host.limits.interval and now >= host.closed_until:
            host.ready_at = max(host.ready_at, now + host.limits.interval / self._share)
        self._list(host)
        return item

    def seconds_until_ready(self, now: float) -> float | None:
        """Return when `take` may give something if nothing else happens; None if only an event can tell."""
        if not self._ready or self._out >= self._concurrency:
            return None
        return max(0.0, self._ready[0][0] - now)

    def release(self, host: str, now: float) -> None:
        """An item of `host` is done with its turn."""
        state = self._hosts[host]
        state.active -= 1
        self._out -= 1
        self._list(state)
        if len(self._hosts) > self._forget_at:
            self._hosts = {name: kept for name, kept in self._hosts.items() if not _is_idle(kept, now)}
            self._forget_at = max(_FORGET_HOSTS, 2 * len(self._hosts))

    def hold(self) -> None:
        """Count one item more as out, of no host: what it brought is still being handled."""
        self._out += 1

    def let_go(self) -> None:
        """Undo one `hold`."""
        self._out -= 1

    def pause(self, host: str, seconds: float, now: float) -> None:
        """Start nothing at `host` for some seconds, and less at once afterwards: it complained."""
        state = self._host(host)
        state.allowed = max(1, state.allowed // 2)
        state.ready_at = max(state.ready_at, now + seconds)

    def close(self, host: str, seconds: float, error: SourceUnavailable, now: float) -> None:
        """Give `host` up for some seconds: its items get their turns at once, to fail with `error`."""
        state = self._host(host)
        state.closed_until, state.closed_by = now + seconds, error
        state.ready_at = now
        state.ticket = None
        self._list(state)

    def succeeded(self, host: str) -> None:
        """A request to `host` was answered: earn back one connection."""
        state = self._host(host)
        state.failures = 0
        state.allowed = min(state.allowed + 1, state.limits.connections)

    def not_connected(self, host: str, error: SourceUnavailable, now: float) -> None:
        """A request to `host` found no connection; after some in a row the host counts as down."""
        state = self._host(host)
        state.failures += 1
        if state.failures >= FAILURES_UNTIL_DOWN:
            state.failures = 0
            self.close(host, DOWN_SECONDS, error, now)

    def closed_by(self, host: str, now: float) -> SourceUnavailable | None:
        """Return why `host` is given up at this time, or None."""
        state = self._hosts.get(host)
        return state.closed_by if state is not None and now < state.closed_until else None

    def paused_for(self, host: str, now: float) -> float:
        """Return for how many seconds nothing will be started at `host`."""
        state = self._hosts.get(host)
        return max(0.0, state.ready_at - now) if state is not None else 0.0

    def _host(self, name: str) -> _Host[T]:
        host = self._hosts.get(name)
        if host is None:
            limits = limits_for(name, self._default) if self._presets else self._default
            host = self._hosts[name] = _Host(name, limits, limits.connections)
        return host

    def _list(self, host: _Host[T]) -> None:
        """Put the host among the ready ones if it has something to do."""
        if not host.queue or host.active >= host.allowed or host.ticket is not None:
            return
        host.ticket = next(self._tickets)
        if not host.order or host.in_row >= self._in_row:
            host.order, host.in_row = host.ticket, 0
        heapq.heappush(self._ready, (host.ready_at, host.order, host.ticket, host))


def _is_idle(host: _Host[T], now: float) -> bool:
    """Tell whether nothing about the host needs to be remembered."""
    busy = host.queue or host.active or host.ready_at > now or host.closed_until > now
    return not busy and not host.failures and host.allowed == host.limits.connections
