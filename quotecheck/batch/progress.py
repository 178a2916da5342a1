"""Progress on stderr: bars on a terminal, a plain line every 30 seconds elsewhere, or nothing.

Bars begin at what is already done. The time that is left is what the slowest host needs (`remaining`).
"""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from quotecheck.batch.remaining import Remaining
from quotecheck.console import say
from quotecheck.models import ReasonCode, Status

_QUIET_SECONDS = 30.0
_NEWS_SECONDS = 0.5  # what stands behind a bar is written anew so often


class Progress:
    """Counts what is done; `shown=None` shows bars on a terminal and lines elsewhere, False shows nothing."""

    def __init__(self, *, shown: bool | None = None) -> None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bars_wanted = shown is True or (shown is None and terminal)
        self._lines_wanted = shown is None and not terminal
        self._fetch_bar: Any = None
        self._match_bar: Any = None
        self._stage_bar: Any = None
        self._sources = self._fetched = self._rows = self._matched = self._matched_before = 0
        self._reasons: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._remaining: Remaining | None = None
        self._matching_since = self._said = self._news = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close_bars()

    def _close_bars(self) -> None:
        for bar in (self._match_bar, self._fetch_bar, self._stage_bar):  # from the lowest line up
            if bar is not None:
                bar.close()
        self._stage_bar = self._match_bar = self._fetch_bar = None

    def stage(self, name: str) -> None:
        """Say what is done now; the bars of the stage before are over."""
        self._close_bars()
        if self._bars_wanted:
            self._stage_bar = _bar("{desc}", None, 0, f"{name} ...", position=0)

    def expect_rows(self, rows: int, done: int) -> None:
        """Say how many rows there are, and how many of them have their result already."""
        self._rows, self._matched, self._matched_before = rows, done, done
        self._matching_since = time.monotonic()
        if self._bars_wanted:
            self._match_bar = _bar(_form("match"), rows, done, self._match_news(), position=2)

    def expect_sources(self, hosts: Mapping[str, int]) -> None:
        """Say how many sources of each host are to be made ready."""
        self._sources = sum(hosts.values())
        self._remaining = Remaining(hosts, started=time.monotonic())
        if self._bars_wanted and self._sources:
            self._fetch_bar = _bar(_form("fetch"), self._sources, 0, self._fetch_news(), position=1)

    def fetched(self, host: str, reason: ReasonCode | None, *, count: int = 1) -> None:
        """Count sources of a host that are ready, or unavailable for a reason."""
        self._fetched += count
        if reason is not None:
            self._reasons[str(reason)] += count
        if self._remaining is not None:
            now = time.monotonic()
            for _ in range(count):
                self._remaining.count(host, now=now)
        self._advance(self._fetch_bar, count)

    def matched(self, statuses: Mapping[str, int]) -> None:
        """Count the rows of a bucket that has its results."""
        self._statuses.update(statuses)
        rows = sum(statuses.values())
        self._matched += rows
        self._advance(self._match_bar, rows)

    def _advance(self, bar: Any, count: int) -> None:
        now = time.monotonic()
        if bar is not None:
            if now - self._news >= _NEWS_SECONDS:
                self._news = now
                self._tell()
            bar.update(count)
        if self._lines_wanted and now - self._said >= _QUIET_SECONDS:
            self._said = now
            say(self._line())

    def _tell(self) -> None:
        for bar, news in ((self._fetch_bar, self._fetch_news), (self._match_bar, self._match_news)):
            if bar is not None:
                bar.set_description_str(news())

    def _line(self) -> str:
        done = []
        if self._sources:
            done.append(f"fetched {self._fetched:,} of {self._sources:,} sources")
        if self._rows:
            done.append(f"matched {self._matched:,} of {self._rows:,} rows")
        return ", ".join(done) + self._left()

    def _fetch_news(self) -> str:
        reasons = _listed(self._reasons.most_common(3))
        unavailable = self._reasons.total()
        news = f"{self._fetched:,} of {self._sources:,} sources{self._left_of_fetching()}"
        return news + (f", {unavailable:,} unavailable: {reasons}" if unavailable else "")

    def _match_news(self) -> str:
        shares = _listed(self._shares())
        left = "" if self._left_of_fetching() else self._left_of_matching()
        return f"{self._matched:,} of {self._rows:,} rows{left}" + (f", {shares}" if shares else "")

    def _left(self) -> str:
        return self._left_of_fetching() or self._left_of_matching()

    def _left_of_fetching(self) -> str:
        """Return how long it will take, and which host that is the fault of."""
        if self._remaining is None or self._fetched >= self._sources:
            return ""
        seconds, slowest = self._remaining.seconds(), self._remaining.slowest()
        if seconds is None or slowest is None:
            return ""
        host = f" (last: {slowest.host}, {slowest.left:,} to go)" if slowest.seconds else ""
        return f", about {duration(seconds)} left{host}"

    def _left_of_matching(self) -> str:
        done = self._matched - self._matched_before
        if not done or self._matched >= self._rows:
            return ""
        pace = (time.monotonic() - self._matching_since) / done
        return f", about {duration(pace * (self._rows - self._matched))} left"

    def _shares(self) -> list[tuple[str, str]]:
        total = sum(self._statuses.values())
        return [
            (str(status), f"{self._statuses[status] / total:.0%}")
            for status in Status
            if self._statuses[status]
        ]


def duration(seconds: float) -> str:
    """Return a length of time for people.

    >>> duration(12.2), duration(200), duration(7500)
    ('13 s', '4 min', '2 h 05 min')
    """
    whole = math.ceil(seconds)
    if whole < 90:
        return f"{whole} s"
    minutes = math.ceil(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def _form(name: str) -> str:
    return name + " {percentage:3.0f}% |{bar:20}| {desc}"


def _bar(form: str, total: int | None, done: int, text: str, *, position: int) -> Any:
    from tqdm import tqdm

    return tqdm(
        total=total,
        initial=done,
        desc=text,
        position=position,
        file=sys.stderr,
        leave=False,
        dynamic_ncols=True,
        bar_format=form,
    )


def _listed(counts: list[tuple[str, Any]]) -> str:
    return " ".join(f"{name} {count}" for name, count in counts)
