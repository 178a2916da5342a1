"""The single check: fetch, then match, for asynchronous and synchronous callers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import Server, page

import quotecheck
from quotecheck import Client, InvalidOption, InvalidQuote, InvalidSource, Status
from quotecheck._testing import allow_loopback_endpoints

FOG = "<title>Log</title><p>The fog was <b>not</b> grey.<p>Nobody asked the keeper."


@pytest.fixture
def server() -> Iterator[Server]:
    """Serve one page from an exempted loopback server."""
    routes = {"/fog": page(FOG), "/moved": page("", 302, location="/fog")}
    with Server(routes) as server, allow_loopback_endpoints(server.endpoint):
        yield server


def test_check_finds_the_words(server: Server) -> None:
    """A quotation that stands in the page is EXACT, with offsets into the fetched text."""
    result = quotecheck.check(server.url("/moved"), "fog was not grey")
    text = quotecheck.fetch_source(server.url("/fog")).text
    assert (result.status, result.source_final_url) == (Status.EXACT, server.url("/fog"))
    assert text[result.char_start : result.char_end] == result.snippet == "fog was not grey"


def test_check_works_inside_a_running_loop(server: Server) -> None:
    """A synchronous check in a coroutine blocks it and gives the verdict."""

    async def inside() -> Status:
        return quotecheck.check(server.url("/fog"), "Nobody asked the keeper.").status

    assert asyncio.run(inside()) is Status.EXACT


def test_check_returns_an_unreadable_source_as_a_verdict(server: Server) -> None:
    """A page that is not there is SOURCE_UNAVAILABLE with its code, never NOT_FOUND."""
    result = quotecheck.check(server.url("/gone"), "fog was not grey")
    assert (result.status, result.reason_code) == (Status.SOURCE_UNAVAILABLE, "http_404_not_found")
    assert result.reason is not None
    assert "127.0.0.1" in result.reason


def test_fetch_source_raises_what_failed(server: Server) -> None:
    """The library call for the text raises, with the reason code."""
    with pytest.raises(quotecheck.SourceUnavailable) as caught:
        quotecheck.fetch_source(server.url("/gone"))
    assert caught.value.reason_code == "http_404_not_found"


@pytest.mark.parametrize("quote", ["", " \n", "\u200b", "...", "—"])
def test_check_refuses_a_quote_of_nothing_before_fetching(server: Server, quote: str) -> None:
    """A blank quotation raises, and nothing is fetched for it."""
    with pytest.raises(InvalidQuote):
        quotecheck.check(server.url("/fog"), quote)
    assert server.count_connections() == 0


@pytest.mark.parametrize("source", ["", "  ", "the minutes", "rows.jsonl"])
def test_check_refuses_what_is_no_source(source: str) -> None:
    """A string that is none of the source forms raises."""
    with pytest.raises(InvalidSource):
        quotecheck.check(source, "fog was not grey")


@pytest.mark.parametrize("threshold", [0.49, 1.01, float("nan")])
def test_check_refuses_a_threshold_out_of_range(threshold: float) -> None:
    """The threshold of NEAR lies in 0.5 to 1.0."""
    with pytest.raises(InvalidOption, match="near_threshold"):
        quotecheck.check("https://example.org/", "fog was grey", near_threshold=threshold)


def test_client_checks_many_quotes_at_once(server: Server) -> None:
    """Concurrent checks through one client give each its own verdict."""

    async def verdicts() -> list[Status]:
        async with Client(near_threshold=0.8) as client:
            quotes = ("fog was not grey", "fog was grey", "the lamp burned out")
            checks = (client.check(server.url("/fog"), quote) for quote in quotes)
            return [result.status for result in await asyncio.gather(*checks)]

    assert asyncio.run(verdicts()) == [Status.EXACT, Status.NEAR, Status.NOT_FOUND]


def test_client_with_a_store_fetches_once(server: Server, tmp_path: Path) -> None:
    """A second client takes the page from the store; a page that is gone is remembered too."""
    for _ in range(2):
        statuses = asyncio.run(_stored_statuses(server, tmp_path / "store.sqlite"))
        assert statuses == [Status.EXACT, Status.SOURCE_UNAVAILABLE]
    assert server.paths == ["/fog", "/gone"]


async def _stored_statuses(server: Server, store: Path) -> list[Status]:
    async with Client(store=store) as client:
        urls = (server.url("/fog"), server.url("/gone"))
        return [(await client.check(url, "fog was not grey")).status for url in urls]


def test_client_reads_files_below_its_own_folder_only(tmp_path: Path) -> None:
    """A store that another client has read a file into answers nobody who may not read it."""
    for name in ("mill", "weir"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").write_text(f"Grey fog at the {name}.", "utf-8")

    async def status(root: Path | None) -> Status:
        async with Client(files_root=root, store=tmp_path / "store.sqlite") as client:
            return (await client.check("file:notes.txt", "fog at the mill")).status

    roots = (tmp_path / "mill", tmp_path / "weir", None)
    statuses = [asyncio.run(status(root)) for root in roots]
    assert statuses == [Status.EXACT, Status.NOT_FOUND, Status.SOURCE_UNAVAILABLE]


def test_client_tries_a_transient_failure_again(tmp_path: Path) -> None:
    """What failed for the moment only is fetched again by the next client."""
    answers = [page("busy", 503)] * 3
    routes = {"/fog": lambda request: answers.pop() if answers else page(FOG)}
    with Server(routes) as server, allow_loopback_endpoints(server.endpoint):
        store = tmp_path / "store.sqlite"
        while answers:
            asyncio.run(_stored_statuses(server, store))
        assert asyncio.run(_stored_statuses(server, store))[0] is Status.EXACT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_check_works_in_a_forked_child(server: Server) -> None:
    """A child that inherited a used module starts an event loop of its own."""
    quotecheck.check(server.url("/fog"), "fog was not grey")
    child = os.fork()
    if child == 0:
        status = quotecheck.check(server.url("/fog"), "fog was not grey").status
        os._exit(0 if status is Status.EXACT else 1)
    assert os.waitpid(child, 0)[1] == 0
