"""What an answer that is no page means."""

from __future__ import annotations

import pytest

from quotecheck.models import ReasonCode
from quotecheck.sources.exchange import Answer
from quotecheck.sources.statuses import failure_of, is_rate_limited
from quotecheck.sources.transport import Headers
from quotecheck.sources.url import parse_url

URL = parse_url("https://mill.org/page")


def _answer(status: int = 200, body: bytes = b"<p>Fog.", **headers: str) -> Answer:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Answer(URL, status, Headers(pairs), body, len(body))


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (204, ReasonCode.EMPTY_BODY),
        (206, ReasonCode.HTTP_PROTOCOL_ERROR),
        (226, ReasonCode.HTTP_PROTOCOL_ERROR),
        (300, ReasonCode.REDIRECT_INVALID),
        (302, ReasonCode.REDIRECT_INVALID),
        (304, ReasonCode.HTTP_PROTOCOL_ERROR),
        (400, ReasonCode.HTTP_4XX_OTHER),
        (401, ReasonCode.HTTP_401_LOGIN_REQUIRED),
        (402, ReasonCode.HTTP_401_LOGIN_REQUIRED),
        (403, ReasonCode.HTTP_403_FORBIDDEN),
        (404, ReasonCode.HTTP_404_NOT_FOUND),
        (405, ReasonCode.HTTP_4XX_OTHER),
        (407, ReasonCode.HTTP_401_LOGIN_REQUIRED),
        (410, ReasonCode.HTTP_410_GONE),
        (429, ReasonCode.RATE_LIMITED),
        (451, ReasonCode.HTTP_451_LEGAL),
        (500, ReasonCode.HTTP_5XX_SERVER_ERROR),
        (503, ReasonCode.HTTP_5XX_SERVER_ERROR),
        (599, ReasonCode.HTTP_5XX_SERVER_ERROR),
        (700, ReasonCode.HTTP_PROTOCOL_ERROR),
        (999, ReasonCode.BLOCKED_BY_BOT_PROTECTION),
    ],
)
def test_status_has_its_code_and_is_named(status: int, code: ReasonCode) -> None:
    """The sentence names the host and the status."""
    failure = failure_of(_answer(status))
    assert failure is not None
    assert failure.reason_code is code
    assert "mill.org" in failure.reason
    assert str(status) in failure.reason or status == 204


@pytest.mark.parametrize("status", [200, 201, 202, 203])
def test_answer_with_a_body_is_a_page(status: int) -> None:
    """Anything successful that holds something may be the page."""
    assert failure_of(_answer(status)) is None


@pytest.mark.parametrize("body", [b"", b" \r\n\t"])
def test_blank_body_is_no_page(body: bytes) -> None:
    """An empty page is not one without the quotation."""
    failure = failure_of(_answer(200, body))
    assert failure is not None
    assert failure.reason_code is ReasonCode.EMPTY_BODY


@pytest.mark.parametrize(
    ("content_type", "refused"),
    [
        ("image/png", True),
        ("VIDEO/mp4", True),
        ("font/woff2", True),
        ("image/svg+xml", False),
        ("application/octet-stream", False),
        ("text/plain", False),
    ],
)
def test_type_that_never_holds_text_is_refused(content_type: str, refused: bool) -> None:
    """What may hold text under any name is left to the extraction, which looks at the bytes."""
    failure = failure_of(_answer(content_type=content_type))
    assert (failure is not None and failure.reason_code is ReasonCode.CONTENT_TYPE_UNSUPPORTED) == refused


def test_503_that_says_when_to_come_back_is_rate_limiting() -> None:
    """A bare 503 is a fault of the server."""
    assert is_rate_limited(_answer(503, retry_after="20"))
    assert not is_rate_limited(_answer(503))
    assert not is_rate_limited(_answer(503, retry_after="soon"))


def test_pause_that_a_server_asks_for_is_named() -> None:
    """A person sees how long it would take."""
    failure = failure_of(_answer(429, retry_after="3600"))
    assert failure is not None
    assert "HTTP 429, asking for a pause of 3600 s" in failure.reason


@pytest.mark.parametrize("status", [202, 403, 429, 503])
def test_challenge_is_a_wall_whatever_its_status(status: int) -> None:
    """It is neither forbidden nor rate limited: a retry would meet it again."""
    failure = failure_of(_answer(status, b"<title>Just a moment...</title>"))
    assert failure is not None
    assert failure.reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION
    assert f"Cloudflare, HTTP {status}" in failure.reason


def test_challenge_header_is_a_wall_also_with_status_200() -> None:
    """The protection itself says so."""
    failure = failure_of(_answer(200, cf_mitigated="challenge"))
    assert failure is not None
    assert failure.reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION


def test_missing_page_of_a_protected_site_is_missing() -> None:
    """A 404 is a 404, even where the page mentions the vendor."""
    failure = failure_of(_answer(404, b"<title>Just a moment...</title>"))
    assert failure is not None
    assert failure.reason_code is ReasonCode.HTTP_404_NOT_FOUND
