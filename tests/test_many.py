"""Many sources: each once, fair, bounded, whatever is wrong with one of them."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from servers import Request, Server, make_fetcher, page, redirect

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import efetch, endpoints, many, retries, session
from quotecheck.sources.fetched import Fetched, FetchRequest, NotModified, Outcome
from quotecheck.sources.reference import parse_reference

Outcomes = list[tuple[str, Outcome]]


@pytest.fixture(autouse=True)
def short_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow at once, unless the server says otherwise."""
    monkeypatch.setattr(retries, "_FIRST_BACKOFF", 0.01)


def _fetch_many(server: Server, sources: Iterable[str], **options: Any) -> Outcomes:
    """Return (source, outcome) in the order in which they came in."""
    outcomes: Outcomes = []

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        outcomes.append((request.reference.source, outcome))

    async def run() -> None:
        async with make_fetcher(**options) as fetcher:
            requests = (FetchRequest(parse_reference(source)) for source in sources)
            await fetcher.fetch_many(requests, handle)

    with allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
    return outcomes


def _codes(outcomes: Outcomes) -> dict[str, object]:
    return {
        source: outcome.reason_code if isinstance(outcome, SourceUnavailable) else type(outcome)
        for source, outcome in outcomes
    }


def test_every_source_is_handled_once_within_the_limits() -> None:
    """Three hundred sources over ten hosts."""
    with Server({"*": [0.002, page()]}) as server:
        sources = [server.url(f"/{number}", f"h{number % 10}.fixture.org") for number in range(300)]
        outcomes = _fetch_many(server, sources, concurrency=7, per_host=3)
        assert sorted(source for source, _ in outcomes) == sorted(sources)
        assert all(isinstance(outcome, Fetched) for _, outcome in outcomes)
        assert server.most_busy <= 7
        assert len(server.requests) == 300


def test_failures_do_not_stop_the_others() -> None:
    """Refused, unknown, missing, broken: each has its own outcome."""
    with Server({"/gone": page("", 404), "/page": page(), "/bad": [b"nonsense\r\n\r\n"]}) as server:
        sources = ["ftp://mill.org/", "http://nowhere.org/", "http://10.0.0.1/"]
        sources += [server.url("/gone"), server.url("/page"), server.url("/bad")]
        codes = _codes(_fetch_many(server, sources))
    assert [codes[source] for source in sources] == [
        ReasonCode.SCHEME_NOT_ALLOWED,
        ReasonCode.DNS_NOT_FOUND,
        ReasonCode.ADDRESS_NOT_PUBLIC,
        ReasonCode.HTTP_404_NOT_FOUND,
        Fetched,
        ReasonCode.HTTP_PROTOCOL_ERROR,
    ]


def test_fault_of_ours_costs_one_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported as internal_error with what it was, and the run goes on."""
    real = session.failure_of

    def failing(answer: Any) -> Any:
        if answer.url.target == "/1":
            raise KeyError("fault")
        return real(answer)

    monkeypatch.setattr(session, "failure_of", failing)
    with Server({"*": page()}) as server:
        outcomes = _fetch_many(server, [server.url(f"/{number}") for number in range(3)])
    codes = [outcome for _, outcome in outcomes if isinstance(outcome, SourceUnavailable)]
    assert [code.reason_code for code in codes] == [ReasonCode.INTERNAL_ERROR]
    assert "KeyError: 'fault'" in codes[0].reason


def test_slow_host_does_not_starve_the_others() -> None:
    """Three hundred pages of one slow host stand first in the list; twenty other hosts do not wait."""

    def answer(request: Request) -> Sequence[bytes | float]:
        return [0.05 if request.headers["host"].startswith("slow") else 0.0, page()]

    with Server({"*": answer}) as server:
        sources = [server.url(f"/{number}", "slow.fixture.org") for number in range(60)]
        sources += [server.url("/", f"h{number}.fixture.org") for number in range(20)]
        outcomes = _fetch_many(server, sources, concurrency=8, per_host=2)
    places = [place for place, (source, _) in enumerate(outcomes) if "slow" not in source]
    assert len(outcomes) == 80
    assert max(places) < 40


def test_redirects_to_a_slow_host_do_not_starve_the_others() -> None:
    """Thirty identifiers lead to one slow publisher; they wait there, not at the resolver's place."""

    def answer(request: Request) -> Any:
        host = request.headers["host"]
        if host.startswith("doi."):
            return redirect(server.url(request.path, host="publisher.fixture.org"))
        return [0.05 if host.startswith("publisher.") else 0.0, page()]

    with Server({"*": answer}) as server:
        sources = [server.url(f"/{number}", "doi.fixture.org") for number in range(30)]
        sources += [server.url("/", f"h{number}.fixture.org") for number in range(30)]
        outcomes = _fetch_many(server, sources, concurrency=6, per_host=2)
    places = [place for place, (source, _) in enumerate(outcomes) if "doi." not in source]
    assert len(outcomes) == 60
    assert max(places) < 45


def test_dead_names_do_not_delay_good_ones() -> None:
    """Forty names whose lookup hangs stand before forty that answer at once."""
    release = threading.Event()

    def lookup(host: str) -> list[str]:
        if host.startswith("dead"):
            release.wait(20)
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return ["127.0.0.1"]

    done: list[str] = []

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        done.append(request.reference.source)
        if len(done) == 40:
            release.set()

    async def run() -> None:
        names = [f"{kind}{number}.org" for kind in ("dead", "good") for number in range(40)]
        requests = [FetchRequest(parse_reference(server.url(host=name))) for name in names]
        async with make_fetcher(lookup=lookup) as fetcher:
            await fetcher.fetch_many(requests, handle)

    with Server({"*": page()}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
    assert len(done) == 80
    assert all("good" in source for source in done[:40])


def test_slow_handler_slows_the_fetching_down() -> None:
    """No more pages are held in memory than run at once."""
    held = most = 0

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        nonlocal held, most
        held += 1
        most = max(most, held)
        await asyncio.sleep(0.01)
        held -= 1

    async def run() -> None:
        requests = [FetchRequest(parse_reference(server.url(f"/{number}"))) for number in range(100)]
        async with make_fetcher(concurrency=5, per_host=5) as fetcher:
            await fetcher.fetch_many(requests, handle)

    with Server({"*": page()}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
    assert most <= 6


def test_handler_that_fails_ends_the_call() -> None:
    """A full disk, say: going on would fetch for nothing."""

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        raise OSError("disk full")

    async def run() -> None:
        async with make_fetcher() as fetcher:
            await fetcher.fetch_many([FetchRequest(parse_reference(server.url()))], handle)

    with (
        Server({"*": page()}) as server,
        allow_loopback_endpoints(server.endpoint),
        pytest.raises(ExceptionGroup) as caught,
    ):
        asyncio.run(run())
    assert caught.group_contains(OSError, match="disk full")


def test_requests_are_read_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator of a million is not drained at once."""
    monkeypatch.setattr(many, "_WAITING", 20)
    monkeypatch.setattr(many, "_PLACES_PER_HOST", 2)
    taken = most = 0

    def sources() -> Iterable[str]:
        nonlocal taken
        for number in range(200):
            taken += 1
            yield server.url(f"/{number}")

    def answer(request: Request) -> bytes:
        nonlocal most
        most = max(most, taken - len(server.requests))
        return page()

    with Server({"*": answer}) as server:
        assert len(_fetch_many(server, sources())) == 200
    assert most <= 30


def test_rate_limit_pauses_its_host_alone() -> None:
    """The others of that host wait, those of other hosts go on; in the end all are in."""

    def answer(request: Request) -> bytes:
        host = request.headers["host"]
        first = host.startswith("busy") and not any(seen[:-1])
        seen.append(host.startswith("busy"))
        return page("", 429, retry_after="1") if first else page()

    seen: list[bool] = [False]
    with Server({"*": answer}) as server:
        sources = [server.url(f"/{number}", "busy.fixture.org") for number in range(6)]
        sources += [server.url("/", f"h{number}.fixture.org") for number in range(20)]
        began = time.monotonic()
        outcomes = _fetch_many(server, sources, per_host=1)
        assert time.monotonic() - began >= 1.0
    assert all(isinstance(outcome, Fetched) for _, outcome in outcomes)
    assert all("busy" not in source for source, _ in outcomes[:20])


def test_host_that_asks_for_hours_fails_all_its_sources_at_once() -> None:
    """One request tells it; the run is not held up, and the host is left alone."""
    with Server({"*": page("", 429, retry_after="7200")}) as server:
        outcomes = _fetch_many(server, [server.url(f"/{number}") for number in range(30)], per_host=1)
        assert set(_codes(outcomes).values()) == {ReasonCode.RATE_LIMITED}
        assert len(server.requests) == 1


def test_each_attempt_has_the_whole_deadline() -> None:
    """Three attempts of 0.3 s each, other than for a single check."""
    with Server({"*": [5.0, page()]}) as server:
        began = time.monotonic()
        outcomes = _fetch_many(server, [server.url()], deadline=0.3)
        assert time.monotonic() - began >= 0.9
        assert len(server.requests) == 3
    assert list(_codes(outcomes).values()) == [ReasonCode.DEADLINE_EXCEEDED]


def test_unchanged_page_is_handed_over_as_such() -> None:
    """A request with validators of an earlier fetch."""
    outcomes: list[Outcome] = []

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        outcomes.append(outcome)

    async def run() -> None:
        request = FetchRequest(parse_reference(server.url()), etag='"1"')
        async with make_fetcher() as fetcher:
            await fetcher.fetch_many([request], handle)

    with Server({"*": page("", 304)}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
    assert [type(outcome) for outcome in outcomes] == [NotModified]


def _record(number: str) -> str:
    abstract = "" if number == "5" else "Flour burns, and so do mills.\n\n"
    return f"1. J Mill. 1830.\n\nOn flour.\n\nOak A(1).\n\n{abstract}PMID: {number}\n"


class _Ncbi:
    """An efetch that knows the numbers below 900, one of them without an abstract; 666 spoils a call."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, request: Request) -> bytes:
        numbers = request.path.partition("id=")[2].partition("&")[0].split(",")
        self.calls.append(numbers)
        if "666" in numbers:
            return page("Bad request", 400)
        known = [_record(number) for number in numbers if int(number) < 900]
        return page("\n\n\n".join(known), content_type="text/plain")


def _fetch_records(
    numbers: Iterable[int], monkeypatch: pytest.MonkeyPatch
) -> tuple[_Ncbi, dict[str, object]]:
    ncbi = _Ncbi()
    with Server({"*": ncbi}) as server:
        monkeypatch.setattr(endpoints, "EFETCH", server.url("/efetch"))
        outcomes = _fetch_many(server, [f"pmid:{number}" for number in numbers])
    for source, outcome in outcomes:
        if isinstance(outcome, Fetched):
            assert outcome.body.endswith(f"PMID: {source[5:]}".encode())
            assert outcome.abstract_only
    assert len(outcomes) == len(numbers)
    return ncbi, _codes(outcomes)


def test_pubmed_records_travel_200_in_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three calls for 450 records, each record its own outcome."""
    ncbi, codes = _fetch_records(range(10, 460), monkeypatch)
    assert set(codes.values()) == {Fetched}
    assert sorted(len(call) for call in ncbi.calls) == [50, 200, 200]


def test_pubmed_number_that_is_missing_is_asked_for_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the single call says whether there is no such record."""
    ncbi, codes = _fetch_records([1, 5, 999], monkeypatch)
    assert codes == {
        "pmid:1": Fetched,
        "pmid:5": ReasonCode.NO_ABSTRACT,
        "pmid:999": ReasonCode.PMID_NOT_FOUND,
    }
    assert ncbi.calls == [["1", "5", "999"], ["999"]]


def test_pubmed_number_that_spoils_a_call_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halves are asked for until the one is alone."""
    _, codes = _fetch_records(range(660, 670), monkeypatch)
    assert codes.pop("pmid:666") is ReasonCode.HTTP_4XX_OTHER
    assert set(codes.values()) == {Fetched}


def test_pubmed_call_that_fails_for_now_fails_its_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """After three attempts; asking for each alone would be two hundred times as impolite."""
    with Server({"*": page("", 500)}) as server:
        monkeypatch.setattr(endpoints, "EFETCH", server.url("/efetch"))
        outcomes = _fetch_many(server, [f"pmid:{number}" for number in range(1, 20)])
        assert set(_codes(outcomes).values()) == {ReasonCode.HTTP_5XX_SERVER_ERROR}
        assert len(server.requests) == 3


def test_number_of_ids_a_call_is_what_ncbi_allows() -> None:
    """Above it NCBI wants POST."""
    assert efetch.IDS_PER_CALL == 200
