"""What an HTTP status means for a source."""

from __future__ import annotations

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import unavailable

_CODES = {
    204: ReasonCode.EMPTY_BODY,
    205: ReasonCode.EMPTY_BODY,
    401: ReasonCode.HTTP_401_LOGIN_REQUIRED,
    402: ReasonCode.HTTP_401_LOGIN_REQUIRED,
    403: ReasonCode.HTTP_403_FORBIDDEN,
    404: ReasonCode.HTTP_404_NOT_FOUND,
    407: ReasonCode.HTTP_401_LOGIN_REQUIRED,
    410: ReasonCode.HTTP_410_GONE,
    429: ReasonCode.RATE_LIMITED,
    451: ReasonCode.HTTP_451_LEGAL,
    999: ReasonCode.BLOCKED_BY_BOT_PROTECTION,  # LinkedIn's own
}
# The sentence of these codes names the status already.
_NAMED = frozenset({404, 410, 403, 451})


def status_failure(status: int, host: str, *, retry_after: float | None = None) -> SourceUnavailable | None:
    """Return why an answer with `status` holds no page, or None where it does."""
    code = _code(status, limited=retry_after is not None)
    if code is None:
        return None
    detail = "" if status in _NAMED else f"HTTP {status}"
    if code is ReasonCode.RATE_LIMITED and retry_after is not None:
        detail += f", to be asked again in {retry_after:.0f} s"
    return unavailable(code, host, detail)


def _code(status: int, *, limited: bool) -> ReasonCode | None:
    if status in _CODES:
        return _CODES[status]
    if status == 503 and limited:
        return ReasonCode.RATE_LIMITED
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return ReasonCode.REDIRECT_INVALID
    if 400 <= status < 500:
        return ReasonCode.HTTP_4XX_OTHER
    return ReasonCode.HTTP_5XX_SERVER_ERROR if 500 <= status < 600 else ReasonCode.HTTP_PROTOCOL_ERROR
