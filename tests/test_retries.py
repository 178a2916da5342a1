"""When to try again, and after how long."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import TRANSIENT
from quotecheck.sources.retries import ATTEMPTS, retry_after_seconds, retry_delay


@pytest.mark.parametrize("code", sorted(TRANSIENT))
def test_transient_failure_is_tried_three_times(code: ReasonCode) -> None:
    """Two more attempts, the last of them is final."""
    assert retry_delay(code, attempt=1) is not None
    assert retry_delay(code, attempt=2) is not None
    assert retry_delay(code, attempt=ATTEMPTS) is None


@pytest.mark.parametrize("code", sorted(set(ReasonCode) - TRANSIENT))
def test_lasting_failure_is_not_tried_again(code: ReasonCode) -> None:
    """A missing page does not come back within minutes, and a refusal never does."""
    assert retry_delay(code, attempt=1) is None


def test_delay_is_random_up_to_a_doubling_bound() -> None:
    """Full jitter: many clients that failed together do not come back together."""
    first = [retry_delay(ReasonCode.CONNECTION_RESET, attempt=1) or 0.0 for _ in range(200)]
    second = [retry_delay(ReasonCode.CONNECTION_RESET, attempt=2) or 0.0 for _ in range(200)]
    assert 0.0 <= min(first) < 0.2
    assert 0.8 < max(first) <= 1.0 < max(second) <= 2.0


def test_delay_is_what_the_server_asks_for_up_to_two_minutes() -> None:
    """Beyond that the source is reported as rate_limited and the run goes on."""
    assert retry_delay(ReasonCode.RATE_LIMITED, attempt=1, retry_after=7.0) == 7.0
    assert retry_delay(ReasonCode.RATE_LIMITED, attempt=1, retry_after=120.0) == 120.0
    assert retry_delay(ReasonCode.RATE_LIMITED, attempt=1, retry_after=121.0) is None


@pytest.mark.parametrize("status", [408, 425])
def test_client_error_that_asks_for_another_try_gets_one(status: int) -> None:
    """Request Timeout and Too Early are 4xx and transient."""
    assert retry_delay(ReasonCode.HTTP_4XX_OTHER, attempt=1, status=status) is not None
    assert retry_delay(ReasonCode.HTTP_4XX_OTHER, attempt=1, status=400) is None


@pytest.mark.parametrize(
    ("header", "seconds"), [("0", 0.0), (" 30 ", 30.0), ("86400", 86400.0), (None, None), ("", None)]
)
def test_retry_after_in_seconds(header: str | None, seconds: float | None) -> None:
    """The usual form."""
    assert retry_after_seconds(header) == seconds


@pytest.mark.parametrize("header", ["soon", "-5", "1.5", "٣", "99999999999999", "Mon, 99 Foo 2020", "\x00"])
def test_retry_after_that_cannot_be_read_counts_as_absent(header: str) -> None:
    """A stranger's header never raises."""
    assert retry_after_seconds(header) is None


def test_retry_after_as_a_date() -> None:
    """A date in the future is the time until then, one in the past is now."""
    seconds = retry_after_seconds(formatdate(time.time() + 60, usegmt=True))
    assert seconds is not None
    assert 55 < seconds <= 60
    assert retry_after_seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0.0
