"""When to try again, and after how long. Pure: the caller sleeps."""

from __future__ import annotations

import random
import re
import time
from email.utils import parsedate_to_datetime

from quotecheck.models import ReasonCode
from quotecheck.sources.hosts import LONGEST_PAUSE
from quotecheck.sources.reasons import TRANSIENT

ATTEMPTS = 3
_FIRST_BACKOFF = 1.0
_LONGEST_BACKOFF = 30.0
# Not a server's fault in the sense of the 5xx codes, but "try again" all the same (RFC 9110, RFC 8470).
_TRANSIENT_STATUSES = frozenset({408, 425})


def retry_after_seconds(header: str | None) -> float | None:
    """Return what a Retry-After header (seconds or a date) asks for, or None where there is none."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def retry_delay(
    code: ReasonCode, *, attempt: int, status: int | None = None, retry_after: float | None = None
) -> float | None:
    """Return after how many seconds to try again after attempt number `attempt` (from 1), or None.

    Full jitter: a random delay up to a bound that doubles with every attempt, unless the server says how
    long. Nothing is tried again when it asks for more than two minutes.
    """
    if attempt >= ATTEMPTS or not (code in TRANSIENT or status in _TRANSIENT_STATUSES):
        return None
    if retry_after is not None:
        return retry_after if retry_after <= LONGEST_PAUSE else None
    return random.uniform(0.0, min(_LONGEST_BACKOFF, _FIRST_BACKOFF * 2 ** (attempt - 1)))
