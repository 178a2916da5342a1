"""Options of an audit, checked before anything is read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from quotecheck.batch.options import BatchOptions, FetchOptions, worker_count
from quotecheck.errors import InvalidOption


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": ()}, "no input"),
        ({"inputs": ("-", "rows.csv")}, "together with other inputs"),
        ({"inputs": ("-",)}, "give -o"),
        ({"inputs": ("rows.csv",), "output": ""}, "no name"),
        ({"inputs": ("rows.csv",), "output": "-"}, "--format"),
        ({"inputs": ("rows.csv",), "near_threshold": 0.4}, r"0\.5 to 1\.0"),
        ({"inputs": ("rows.csv",), "near_threshold": float("nan")}, r"0\.5 to 1\.0"),
        ({"inputs": ("rows.csv",), "workers": 0}, "workers is 0"),
    ],
)
def test_option_outside_its_range_is_refused(options: dict[str, Any], message: str) -> None:
    """The message names the option and what it can be."""
    with pytest.raises(InvalidOption, match=message):
        BatchOptions(**options)


@pytest.mark.parametrize(
    "options",
    [
        {"concurrency": 0},
        {"per_host": 0},
        {"max_age": timedelta(seconds=-1)},
        {"offline": True, "refresh": True},
        {"offline": True, "retry_unavailable": True},
    ],
)
def test_fetch_option_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    """Offline and fetching again exclude each other."""
    with pytest.raises(InvalidOption):
        FetchOptions(**options)


def test_workers_are_as_many_as_asked_for_else_one_for_each_core() -> None:
    """At least one, in any case."""
    assert worker_count(7) == 7
    assert worker_count(None) >= 1
