"""Progress on stderr: bars on a terminal, a plain line every 30 seconds elsewhere, or nothing."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from quotecheck.console import say
from quotecheck.models import ReasonCode, Status

_QUIET_SECONDS = 30.0


class Progress:
    """Counts what is done; `shown=None` shows bars on a terminal and lines elsewhere, False shows nothing."""

    def __init__(self, *, shown: bool | None = None) -> None:
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._bars_wanted = shown is True or (shown is None and terminal)
        self._lines_wanted = shown is None and not terminal
        self._fetch_bar: Any = None
        self._match_bar: Any = None
        self._sources = self._fetched = self._rows = self._matched = 0
        self._reasons: Counter[str] = Counter()
        self._statuses: Counter[str] = Counter()
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for bar in (self._fetch_bar, self._match_bar):
            if bar is not None:
                bar.close()

    def expect_rows(self, rows: int, done: int) -> None:
        """Say how many rows there are, and how many of them have their result already."""
        self._rows, self._matched = rows, done
        if self._bars_wanted:
            self._match_bar = _bar("match", rows, done, "rows", position=1)

    def expect_sources(self, sources: int) -> None:
        """Say how many sources are to be made ready."""
        self._sources = sources
        if self._bars_wanted and sources:
            self._fetch_bar = _bar("fetch", sources, 0, "src", position=0)

    def fetched(self, reason: ReasonCode | None) -> None:
        """Count a source that is ready, or unavailable for a reason."""
        self._fetched += 1
        if reason is not None:
            self._reasons[str(reason)] += 1
        if self._fetch_bar is not None:
            self._fetch_bar.update(1)
            self._fetch_bar.set_postfix_str(_listed(self._reasons.most_common(3)), refresh=False)
        self._say_sometimes()

    def matched(self, statuses: Mapping[str, int]) -> None:
        """Count the rows of a bucket that has its results."""
        self._statuses.update(statuses)
        rows = sum(statuses.values())
        self._matched += rows
        if self._match_bar is not None:
            self._match_bar.update(rows)
            self._match_bar.set_postfix_str(_listed(self._shares()), refresh=False)
        self._say_sometimes()

    def _shares(self) -> list[tuple[str, str]]:
        total = sum(self._statuses.values())
        return [
            (str(status), f"{self._statuses[status] / total:.0%}")
            for status in Status
            if self._statuses[status]
        ]

    def _say_sometimes(self) -> None:
        now = time.monotonic()
        if self._lines_wanted and now - self._said >= _QUIET_SECONDS:
            self._said = now
            say(
                f"fetched {self._fetched:,} of {self._sources:,} sources, "
                f"matched {self._matched:,} of {self._rows:,} rows"
            )


def _bar(name: str, total: int, done: int, unit: str, *, position: int) -> Any:
    from tqdm import tqdm

    return tqdm(
        total=total, initial=done, desc=name, unit=f" {unit}", position=position, file=sys.stderr, leave=False
    )


def _listed(counts: list[tuple[str, Any]]) -> str:
    return " ".join(f"{name} {count}" for name, count in counts)
