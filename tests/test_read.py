"""From a source string to the text in it."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from servers import Server, make_fetcher, page, redirect
from shared_data import shared_rows

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.models import Flag, ReasonCode, Source
from quotecheck.sources import endpoints
from quotecheck.sources.read import read_source
from quotecheck.sources.reference import parse_reference

CHALLENGE = "<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
RECORD = "1. J Mill. 1830.\n\nOn flour.\n\nOak A(1).\n\nFlour burns.\n\nPMID: 7\n"


def _read(server: Server, source: str) -> Source:
    async def run() -> Source:
        async with make_fetcher() as fetcher:
            return await read_source(fetcher, parse_reference(source))

    with allow_loopback_endpoints(server.endpoint):
        return asyncio.run(run())


def _failure(answer: Any) -> SourceUnavailable:
    with Server({"*": answer}) as server, pytest.raises(SourceUnavailable) as caught:
        _read(server, server.url(host="a.fixture.org"))
    assert "a.fixture.org" in caught.value.reason
    assert caught.value.final_url == server.url(host="a.fixture.org")
    return caught.value


def test_page_is_read_as_its_reader_sees_it() -> None:
    """Text, address after redirects, type and time."""
    routes = {"/a": redirect("/b"), "/b": page("<title>Weir</title><p>Fog on <b>the</b> weir.")}
    with Server(routes) as server:
        source = _read(server, server.url("/a"))
    assert source.text.startswith("Fog on the weir.")
    assert (source.final_url, source.title) == (server.url("/b"), "Weir")
    assert source.content_type == "text/html; charset=utf-8"
    assert source.fetched_at is not None


def test_pubmed_record_is_marked_as_an_abstract(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict on it is not one on the paper."""
    with Server({"*": page(RECORD, content_type="text/plain")}) as server:
        monkeypatch.setattr(endpoints, "EFETCH", server.url("/efetch"))
        source = _read(server, "pmid:7")
    assert source.text.startswith("J Mill. 1830.")
    assert Flag.ABSTRACT_ONLY in source.flags


@pytest.mark.parametrize("body", [CHALLENGE, CHALLENGE + "<p>Verifying you are human."])
def test_bot_check_with_an_ordinary_status_is_no_source(body: str) -> None:
    """Reading it as the page would make every true quotation NOT_FOUND."""
    error = _failure(page(body))
    assert error.reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION
    assert "Cloudflare, HTTP 200" in error.reason


def test_long_page_is_never_a_bot_check() -> None:
    """Whatever its scripts: what holds the text of an article is the article."""
    with Server({"*": page(CHALLENGE + "<p>Fog on the weir." * 200)}) as server:
        assert _read(server, server.url()).text.startswith("Fog on the weir.")


@pytest.mark.parametrize(
    "body", ["<p>Access denied.", "<p>Are you a robot?", "<title>Just a moment...</title><p>A poem.", "Fog."]
)
def test_short_real_page_is_never_refused(body: str) -> None:
    """Words are no evidence."""
    with Server({"*": page(body)}) as server:
        assert _read(server, server.url()).text


def test_page_that_needs_javascript_says_so() -> None:
    """A NOT_FOUND on it means little."""
    body = "<div id=root>Loading</div><script src=app.js></script><script>start()</script>"
    with Server({"*": page(body)}) as server:
        assert Flag.NEEDS_JAVASCRIPT in _read(server, server.url()).flags


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (page("<div id=root></div><script src=app.js></script>"), ReasonCode.NO_TEXT),
        (page(b"PK\x03\x04" + bytes(60)), ReasonCode.BINARY_CONTENT),
        (page("x", content_type="image/png"), ReasonCode.CONTENT_TYPE_UNSUPPORTED),
        (page(b"%PDF-1.7\n1 0 obj\n", content_type="text/html"), ReasonCode.PDF_DAMAGED),
    ],
)
def test_content_without_text_names_its_host(answer: bytes, code: ReasonCode) -> None:
    """The extraction knows no host; the reason does."""
    assert _failure(answer).reason_code is code


def test_shared_bodies() -> None:
    """Bodies of the shared cases: what is no text is unavailable, what is text is read."""
    cases = [row for row in shared_rows("cases/user_cases.jsonl") if row["input"]["type"] == "response"]
    for case in [case for case in cases if case["layer"] == "fetch"]:
        body = base64.b64decode(case["input"]["body_b64"])
        answer = page(body, content_type=case["input"]["content_type"])
        if case["want"]["status"] == "SOURCE_UNAVAILABLE":
            assert case["want"]["reason_mentions"].lower() in _failure(answer).reason.lower(), case["id"]
        else:
            with Server({"*": answer}) as server:
                assert case["quote"] in _read(server, server.url()).text, case["id"]
