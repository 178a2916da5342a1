"""Progress on standard error."""

from __future__ import annotations

import io
import sys

import pytest

from quotecheck.batch import progress
from quotecheck.batch.progress import Progress
from quotecheck.models import ReasonCode


class Terminal(io.StringIO):
    """A standard error that people look at."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Time:
    """A clock that goes on by a second whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now


def look_at(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put a terminal and a clock in place; a fixture could not: capturing comes after it."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "time", Time())
    monkeypatch.setenv("COLUMNS", "200")  # lines are cut at the width of the terminal
    return shown


def work(shown: bool | None) -> None:
    with Progress(shown=shown) as running:
        running.stage("fetch and match")
        running.expect_rows(10, 4)
        running.expect_sources({"a.example.org": 1, "arxiv.org": 3})
        running.fetched("a.example.org", None)
        running.fetched("arxiv.org", ReasonCode.HTTP_404_NOT_FOUND)
        running.matched({"EXACT": 4, "NEAR": 1})


def test_terminal_sees_the_stage_and_bars_that_begin_at_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run does not start at zero."""
    terminal = look_at(monkeypatch)
    work(None)
    assert "fetch and match ..." in terminal.getvalue()
    assert "match  40% |████████            | 4 of 10 rows" in terminal.getvalue()
    assert "fetch   0% |                    | 0 of 4 sources" in terminal.getvalue()


def test_terminal_sees_which_host_will_be_the_last_and_what_went_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time left is that of the slowest host: two papers of arXiv, three seconds each."""
    terminal = look_at(monkeypatch)
    work(None)
    left = "2 of 4 sources, about 6 s left (last: arxiv.org, 2 to go), 1 unavailable: http_404_not_found 1"
    assert left in terminal.getvalue()
    assert "9 of 10 rows, EXACT 80% NEAR 20%" in terminal.getvalue()


def test_terminal_is_left_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the bars stays when the summary comes."""
    terminal = look_at(monkeypatch)
    work(None)
    assert terminal.getvalue().endswith("\r")


def test_rows_have_a_time_of_their_own_when_all_sources_are_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that were done before say nothing about the pace."""
    terminal = look_at(monkeypatch)
    with Progress() as running:
        running.expect_rows(1_000, 800)
        running.matched({"EXACT": 10})
        running.matched({"EXACT": 90})
    assert "900 of 1,000 rows, about " in terminal.getvalue()


def test_log_sees_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody looks, bars would fill the log."""
    work(None)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.0)
    work(None)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == (
        "fetched 2 of 4 sources, matched 9 of 10 rows, about 6 s left (last: arxiv.org, 2 to go)"
    )


def test_nobody_sees_anything_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even on a terminal."""
    terminal = look_at(monkeypatch)
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.0)
    work(False)
    assert terminal.getvalue() == ""


def test_process_without_standard_error_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon has none."""
    monkeypatch.setattr(sys, "stderr", None)
    work(None)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "1 s"),
        (89, "89 s"),
        (90, "2 min"),
        (5_340, "89 min"),
        (5_401, "1 h 31 min"),
        (7_200, "2 h 00 min"),
    ],
)
def test_duration_is_rounded_up(seconds: float, text: str) -> None:
    """People wait longer than they were told otherwise."""
    assert progress.duration(seconds) == text
