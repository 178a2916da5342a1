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

    def isatty(self) -> bool:
        return True


def work(shown: bool | None) -> None:
    with Progress(shown=shown) as running:
        running.expect_rows(10, 4)
        running.expect_sources(2)
        running.fetched(None)
        running.fetched(ReasonCode.HTTP_404_NOT_FOUND)
        running.matched({"EXACT": 5, "NEAR": 1})


def test_terminal_sees_bars_that_begin_at_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resumed run does not start at zero."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    work(None)
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "4/10" in shown
    assert "0/2" in shown


def test_log_sees_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where nobody looks, bars would fill the log."""
    work(None)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.0)
    work(None)
    assert capsys.readouterr().err.splitlines()[-1] == "fetched 2 of 2 sources, matched 10 of 10 rows"


def test_nobody_sees_anything_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even on a terminal."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "_QUIET_SECONDS", 0.0)
    work(False)
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_process_without_standard_error_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon has none."""
    monkeypatch.setattr(sys, "stderr", None)
    work(None)
