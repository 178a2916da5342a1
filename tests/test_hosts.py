"""Turns per host: limits, fairness, intervals, pauses; a clock that the test sets."""

from __future__ import annotations

import random

import pytest

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.hosts import DOWN_SECONDS, FAILURES_UNTIL_DOWN, HostLimits, HostQueues, limits_for

ERROR = SourceUnavailable(ReasonCode.RATE_LIMITED, "mill.org limits how often it may be asked.")


def _queues(
    *items: str, concurrency: int = 9, per_host: int = 9, interval: float = 0.0, share: float = 1.0
) -> HostQueues[str]:
    """Return queues with items like `a1`, whose first letter is the host."""
    queues = HostQueues[str](concurrency=concurrency, per_host=per_host, interval=interval, share=share)
    for item in items:
        queues.add(item[0], item)
    return queues


def _take_all(queues: HostQueues[str], now: float = 0.0) -> list[str]:
    taken = []
    while (item := queues.take(now)) is not None:
        taken.append(item)
    return taken


def test_hosts_take_turns() -> None:
    """Round robin over hosts, first come first served within one."""
    assert _take_all(_queues("a1", "a2", "a3", "b1", "c1", "b2")) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_items_of_a_host_can_come_in_a_row() -> None:
    """A few of one host before the next one has its turn; then it waits for its own."""
    queues = HostQueues[str](concurrency=9, per_host=9, interval=0.0, in_row=2)
    for item in ("a1", "a2", "a3", "b1", "b2", "b3", "c1"):
        queues.add(item[0], item)
    assert _take_all(queues) == ["a1", "a2", "b1", "b2", "c1", "a3", "b3"]


def test_concurrency_limits_all_hosts_together() -> None:
    """Each release makes room for one."""
    queues = _queues("a1", "b1", "c1", concurrency=2)
    assert _take_all(queues) == ["a1", "b1"]
    queues.release("a", 0.0)
    assert _take_all(queues) == ["c1"]


def test_per_host_limits_one_host() -> None:
    """A host at its limit does not hold up another."""
    queues = _queues("a1", "a2", "a3", "b1", per_host=2)
    assert _take_all(queues) == ["a1", "b1", "a2"]
    queues.release("a", 0.0)
    assert _take_all(queues) == ["a3"]


def test_interval_parts_the_starts_at_one_host() -> None:
    """Other hosts start meanwhile; the queues say when to come back."""
    queues = _queues("a1", "a2", "b1", interval=0.5)
    assert _take_all(queues, 10.0) == ["a1", "b1"]
    assert queues.seconds_until_ready(10.1) == pytest.approx(0.4)
    assert _take_all(queues, 10.4) == []
    assert _take_all(queues, 10.5) == ["a2"]


def test_share_stretches_the_interval() -> None:
    """A run that is split over four machines asks each host a quarter as often from each."""
    queues = _queues("a1", "a2", interval=0.5, share=0.25)
    assert _take_all(queues, 0.0) == ["a1"]
    assert _take_all(queues, 1.9) == []
    assert _take_all(queues, 2.0) == ["a2"]


def test_pause_stops_one_host_and_halves_what_it_gets_at_once() -> None:
    """Earned back one by one as requests succeed."""
    queues = _queues("a1", "b1", per_host=4)
    queues.pause("a", 30.0, 0.0)
    assert _take_all(queues, 0.0) == ["b1"]
    assert queues.paused_for("a", 10.0) == 20.0
    for item in ("a2", "a3", "a4"):
        queues.add("a", item)
    assert _take_all(queues, 30.0) == ["a1", "a2"]
    queues.succeeded("a")
    queues.release("a", 31.0)
    assert _take_all(queues, 31.0) == ["a3", "a4"]


def test_pause_never_shortens_an_earlier_one() -> None:
    """Answers arrive out of order; the longest wish counts."""
    queues = _queues("a1")
    queues.pause("a", 30.0, 0.0)
    queues.pause("a", 5.0, 1.0)
    assert queues.paused_for("a", 1.0) == 29.0


def test_closed_host_lets_its_items_go_at_once() -> None:
    """They are to fail with the same reason, not to wait for hours."""
    queues = _queues("a1", "a2", "a3", per_host=1, interval=60.0)
    queues.pause("a", 100.0, 0.0)
    queues.close("a", 3600.0, ERROR, 1.0)
    taken = []
    while (item := queues.take(1.0)) is not None:
        assert queues.closed_by("a", 1.0) is ERROR
        taken.append(item)
        queues.release("a", 1.0)
    assert taken == ["a1", "a2", "a3"]
    assert queues.closed_by("a", 3602.0) is None


def test_host_without_connections_counts_as_down_for_a_while() -> None:
    """Only failures in a row count, and only for this host."""
    queues = _queues("a1", "b1")
    for _ in range(FAILURES_UNTIL_DOWN - 1):
        queues.not_connected("a", ERROR, 0.0)
    queues.succeeded("a")
    for _ in range(FAILURES_UNTIL_DOWN):
        assert queues.closed_by("a", 0.0) is None
        queues.not_connected("a", ERROR, 0.0)
    assert queues.closed_by("a", 0.0) is ERROR
    assert queues.closed_by("b", 0.0) is None
    assert queues.closed_by("a", DOWN_SECONDS) is None


def test_discard_tells_whether_the_turn_had_come() -> None:
    """A caller that is cancelled must give back a turn that it was just granted."""
    queues = _queues("a1", "a2", per_host=1)
    assert queues.take(0.0) == "a1"
    assert queues.discard("a", "a2")
    assert not queues.discard("a", "a1")
    assert queues.waiting == 0


def test_held_turns_count_as_running() -> None:
    """What is still being handled keeps others from starting."""
    queues = _queues("a1", "b1", concurrency=1)
    queues.hold()
    assert queues.take(0.0) is None
    queues.let_go()
    assert queues.take(0.0) == "a1"


@pytest.mark.parametrize(
    ("host", "limits"),
    [
        ("eutils.ncbi.nlm.nih.gov", HostLimits(3, 0.34)),
        ("export.arxiv.org", HostLimits(1, 3.0)),
        ("de.wikipedia.org", HostLimits(2, 0.2)),
        ("en.m.wikipedia.org", HostLimits(2, 0.2)),
        ("doi.org", HostLimits(4, 0.2)),
        ("notwikipedia.org", HostLimits(4, 0.2)),
        ("mill.org", HostLimits(4, 0.2)),
    ],
)
def test_presets_for_hosts_that_publish_limits(host: str, limits: HostLimits) -> None:
    """The stricter of preset and default; everybody else gets the default."""
    assert limits_for(host, HostLimits(4, 0.2)) == limits


def test_random_use_loses_nothing_and_keeps_the_limits() -> None:
    """A thousand random steps: each item comes out once, no limit is ever exceeded."""
    rng = random.Random(3)
    queues = _queues(concurrency=6, per_host=2, interval=0.3)
    expected, taken, out, now = [], [], [], 0.0
    for number in range(1000):
        now += rng.random() / 5
        host = rng.choice("abcdefgh")
        expected.append(f"{host}{number}")
        queues.add(host, expected[-1])
        if rng.random() < 0.1:
            queues.pause(host, rng.random() * 3, now)
        while (item := queues.take(now)) is not None:
            out.append(item)
        assert len(out) <= 6
        assert all([item[0] for item in out].count(name) <= 2 for name in "abcdefgh")
        while out and rng.random() < 0.6:
            taken.append(out.pop(rng.randrange(len(out))))
            queues.release(taken[-1][0], now)
    while queues.waiting or out:
        now += 1.0
        out += _take_all(queues, now)
        for item in out:
            queues.release(item[0], now)
        taken += out
        out = []
    assert sorted(taken) == sorted(expected)


def test_idle_hosts_are_forgotten() -> None:
    """A run over a million hosts does not keep a record of each."""
    queues = _queues()
    for number in range(5000):
        queues.add(f"h{number}", "x")
        queues.take(float(number))
        queues.release(f"h{number}", float(number))
    assert len(queues._hosts) < 2100
