"""How long fetching will still take."""

from __future__ import annotations

from quotecheck.batch.remaining import Remaining, Slowest


def test_slowest_host_decides_and_not_the_rate_over_all() -> None:
    """A thousand quick hosts do not make the one that has most of the sources quicker."""
    hosts = {f"h{number}.example.org": 1 for number in range(1000)} | {"slow.example.org": 500}
    remaining = Remaining(hosts, started=0.0)
    for number in range(1000):
        remaining.count(f"h{number}.example.org", now=number / 100)
    for second in range(1, 11):
        remaining.count("slow.example.org", now=float(second))
    assert remaining.slowest() == Slowest("slow.example.org", 490, 490.0)
    assert remaining.seconds() == 490.0


def test_interval_of_a_host_bounds_it_before_it_has_shown_a_pace() -> None:
    """arXiv wants three seconds between two requests, also when the first came at once."""
    remaining = Remaining({"arxiv.org": 100, "a.example.org": 1}, started=0.0)
    remaining.count("a.example.org", now=1.0)
    assert remaining.slowest() == Slowest("arxiv.org", 100, 300.0)
    remaining.count("arxiv.org", now=1.0)
    assert remaining.seconds() == 297.0


def test_many_hosts_go_on_at_the_pace_of_all_together() -> None:
    """Where no host has many sources, the limit on all decides."""
    remaining = Remaining({f"h{number}.example.org": 1 for number in range(100)}, started=0.0)
    for number in range(10):
        remaining.count(f"h{number}.example.org", now=2.0 * number + 2.0)
    assert remaining.seconds() == 180.0


def test_a_few_sources_of_a_host_show_no_pace() -> None:
    """Two that came ten seconds apart do not mean an hour for the other four hundred."""
    remaining = Remaining({"a.example.org": 400}, started=0.0)
    for second in (1.0, 11.0):
        remaining.count("a.example.org", now=second)
    assert remaining.slowest() == Slowest("a.example.org", 398, 0.0)


def test_nothing_is_known_before_anything_came_and_nothing_left_at_the_end() -> None:
    """No number is better than a made-up one."""
    remaining = Remaining({"a.example.org": 1}, started=0.0)
    assert remaining.seconds() is None
    remaining.count("a.example.org", now=4.0)
    assert (remaining.seconds(), remaining.slowest()) == (0.0, None)


def test_host_with_a_port_has_the_interval_of_its_name() -> None:
    """The port is no part of the name that presets know."""
    remaining = Remaining({"arxiv.org:8080": 2}, started=0.0)
    assert remaining.slowest() == Slowest("arxiv.org:8080", 2, 6.0)
