"""What an answer that is no page means for a source."""

from __future__ import annotations

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.exchange import PARTIAL, Answer
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.retries import retry_after_seconds
from quotecheck.sources.walls import wall_in_body, wall_in_headers

_CODES = {
    204: ReasonCode.EMPTY_BODY,
    205: ReasonCode.EMPTY_BODY,
    **dict.fromkeys(PARTIAL, ReasonCode.HTTP_PROTOCOL_ERROR),  # half a page proves nothing
    304: ReasonCode.HTTP_PROTOCOL_ERROR,  # nobody asked whether the page has changed
    401: ReasonCode.HTTP_401_LOGIN_REQUIRED,
    402: ReasonCode.HTTP_401_LOGIN_REQUIRED,
    403: ReasonCode.HTTP_403_FORBIDDEN,
    404: ReasonCode.HTTP_404_NOT_FOUND,
    407: ReasonCode.HTTP_401_LOGIN_REQUIRED,
    410: ReasonCode.HTTP_410_GONE,
    451: ReasonCode.HTTP_451_LEGAL,
    999: ReasonCode.BLOCKED_BY_BOT_PROTECTION,  # LinkedIn's own
}
# The sentences of these codes name the status already.
_NAMED = frozenset({403, 404, 410, 451})
# Statuses with which bot checks are served; a 404 or 500 page is never one.
_WALL_STATUSES = frozenset({202, 401, 403, 405, 406, 429, 503})
_NEVER_TEXT = ("image/", "audio/", "video/", "font/")


def failure_of(answer: Answer) -> SourceUnavailable | None:
    """Return why an answer is not the page that was asked for, or None where it may be.

    A bot check with an ordinary status is recognised later, when the page's text is known.
    """
    host = answer.url.host
    walled = answer.status in _WALL_STATUSES and wall_in_body(answer.body, is_error=True)
    vendor = wall_in_headers(answer.headers) or walled
    if vendor:
        detail = f"{vendor}, HTTP {answer.status}"
        return unavailable(ReasonCode.BLOCKED_BY_BOT_PROTECTION, host, detail)
    retry_after = retry_after_seconds(answer.headers.get("retry-after"))
    code = ReasonCode.RATE_LIMITED if is_rate_limited(answer) else _code(answer.status)
    if code is not None:
        return unavailable(code, host, _detail(answer.status, retry_after))
    if not answer.body.strip():
        return unavailable(ReasonCode.EMPTY_BODY, host)
    content_type = (answer.headers.get("content-type") or "").strip().lower()
    if content_type.startswith(_NEVER_TEXT) and not content_type.startswith("image/svg"):
        return unavailable(ReasonCode.CONTENT_TYPE_UNSUPPORTED, host, content_type[:60])
    return None


def is_rate_limited(answer: Answer) -> bool:
    """Tell whether the answer asks to come back later: 429, or 503 that says when."""
    retry_after = answer.headers.get("retry-after")
    return answer.status == 429 or (answer.status == 503 and retry_after_seconds(retry_after) is not None)


def _code(status: int) -> ReasonCode | None:
    if status in _CODES:
        return _CODES[status]
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return ReasonCode.REDIRECT_INVALID
    if 400 <= status < 500:
        return ReasonCode.HTTP_4XX_OTHER
    return ReasonCode.HTTP_5XX_SERVER_ERROR if 500 <= status < 600 else ReasonCode.HTTP_PROTOCOL_ERROR


def _detail(status: int, retry_after: float | None) -> str:
    if status in _NAMED:
        return ""
    if status in PARTIAL:
        return f"HTTP {status}, a part of the page in place of the whole, which was asked for"
    return f"HTTP {status}" + (f", asking for a pause of {retry_after:.0f} s" if retry_after else "")
