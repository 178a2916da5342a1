"""Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from quotecheck.batch.interrupt import Interrupt, Interrupted


def test_signal_asks_once_and_is_handed_back_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    """Inside, Ctrl-C sets the request; outside, it is Python's own again."""
    before = signal.getsignal(signal.SIGINT)
    with Interrupt() as interrupt:
        interrupt.check()
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(Interrupted):
            interrupt.check()
    assert signal.getsignal(signal.SIGINT) is before
    assert "once more to stop at once" in capsys.readouterr().err


def test_termination_asks_too() -> None:
    """A scheduler that ends a job gets the same orderly stop."""
    with Interrupt() as interrupt:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupt.is_asked


def test_other_threads_take_no_signals() -> None:
    """In a thread only a call asks."""
    before = signal.getsignal(signal.SIGINT)
    interrupt = Interrupt()

    def work() -> None:
        with interrupt:
            interrupt.ask()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert interrupt.is_asked
    assert signal.getsignal(signal.SIGINT) is before
