"""The guard as a whole: which sources may be contacted, and where the connections really go."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from servers import CLOSE, Names, Request, Server, fetch, make_fetcher, page, redirect
from shared_data import shared_rows

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import InvalidSource, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import addresses, dial
from quotecheck.sources.dial import connect as real_connect
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reasons import REFUSED
from quotecheck.sources.reference import parse_reference

Vector = dict[str, Any]

OWN_VECTORS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "address_vectors.jsonl").read_text("utf-8").split("\n")
    if line
]
NOT_CONTACTED = REFUSED | {
    ReasonCode.REDIRECT_NOT_ALLOWED,
    ReasonCode.REDIRECT_INVALID,
    ReasonCode.DNS_NOT_FOUND,
    ReasonCode.FILE_OUTSIDE_ROOT,
}


class _Elsewhere(socket.socket):
    """A real connection to a loopback server that says it leads to the address that was dialled."""

    claimed: tuple[str, int]

    def getpeername(self) -> tuple[str, int]:
        return self.claimed

    def getsockname(self) -> tuple[str, int]:
        return ("93.184.216.1", 40000)


async def _connect_elsewhere(server: Server, claimed: tuple[str, int]) -> socket.socket:
    connection = _Elsewhere(fileno=(await real_connect("127.0.0.1", server.port)).detach())
    connection.setblocking(False)
    connection.claimed = claimed
    return connection


@dataclass(frozen=True)
class Authority:
    """A certificate authority of our own, and a client context that trusts it alone."""

    root: trustme.CA
    trusting: ssl.SSLContext

    def server_context(self, *names: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.root.issue_cert(*names).configure_cert(context)
        return context


@pytest.fixture(scope="module")
def authority() -> Authority:
    root = trustme.CA()
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    root.configure_trust(trusting)
    return Authority(root, trusting)


def _server_for(vector: Vector, authority: Authority) -> Server:
    location = vector.get("needs_redirect")
    redirect = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()

    def answer(request: Request) -> bytes:
        return page("arrived") if location is None or len(server.requests) > 1 else redirect

    tls = None
    if vector["url"].lower().startswith("https") and vector["must"] == "allow":
        tls = authority.server_context(*vector.get("needs_dns", ["2606:4700:4700::1111"]))
    server = Server({"*": answer}, tls=tls)
    return server


def _run(
    vector: Vector, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> tuple[Fetched | Exception, list[str]]:
    """Fetch a vector's URL; return the outcome and the addresses to which connections were opened."""
    dialled: list[str] = []

    async def run(server: Server) -> Fetched:
        async def connect(address: str, port: int) -> socket.socket:
            dialled.append(address)
            return await _connect_elsewhere(server, (address, port))

        monkeypatch.setattr(dial, "connect", connect)
        lookup = Names(vector.get("needs_dns"))
        async with make_fetcher(lookup=lookup, tls_context=authority.trusting) as fetcher:
            return await fetcher.fetch(parse_reference(vector["url"]))

    with _server_for(vector, authority) as server:
        try:
            return asyncio.run(run(server)), dialled
        except (SourceUnavailable, InvalidSource) as error:
            return error, dialled


def _check(vector: Vector, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome, dialled = _run(vector, authority, monkeypatch)
    if vector["must"] == "refuse":
        code = getattr(outcome, "reason_code", None)
        assert isinstance(outcome, InvalidSource) or code in NOT_CONTACTED, outcome
        assert len(dialled) == (1 if "needs_redirect" in vector else 0)
    else:
        assert isinstance(outcome, Fetched), outcome
        assert dialled
        assert set(dialled) <= set(vector.get("connects_only_to", dialled))


@pytest.mark.parametrize("vector", OWN_VECTORS, ids=lambda vector: f"{vector['why']}: {vector['url'][:40]!a}")
def test_vector(vector: Vector, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused source causes no connection, a refused redirect exactly the one that delivered it."""
    _check(vector, authority, monkeypatch)


def test_shared_vectors(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shared list of addresses behaves as it says, too."""
    for vector in shared_rows("cases/ssrf_vectors.jsonl"):
        with monkeypatch.context() as patch:
            _check(vector, authority, patch)


def _refusal(url: str, *servers: Server, **options: Any) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        fetch(url, *servers, **options)
    return caught.value


def test_loopback_literal_is_refused_without_exemption() -> None:
    """An address of this machine is refused before a packet is sent, and the sentence says which."""
    with Server({"*": page()}) as server:
        error = _refusal(server.url("/page"))
        assert (error.reason_code, server.count_connections()) == (ReasonCode.ADDRESS_NOT_PUBLIC, 0)
        assert "127.0.0.1" in error.reason


def test_loopback_literal_is_fetched_inside_its_exemption() -> None:
    """A test may let the guard contact exactly one endpoint."""
    with Server({"/page": page("Fog.")}) as server:
        assert fetch(server.url("/page"), server).body == b"Fog."


def test_exemption_is_for_one_port_only() -> None:
    """A second server on the same address stays refused."""
    with Server({"*": page()}) as exempt, Server({"*": page()}) as other:
        error = _refusal(other.url(), exempt)
        assert (error.reason_code, other.count_connections()) == (ReasonCode.ADDRESS_NOT_PUBLIC, 0)


def test_redirect_to_a_server_without_exemption_is_refused() -> None:
    """An exemption does not extend to where an exempted server redirects."""
    with Server({"*": page()}) as other, Server({"*": redirect(other.url("/secret"))}) as exempt:
        error = _refusal(exempt.url("/from"), exempt)
        assert error.reason_code is ReasonCode.REDIRECT_NOT_ALLOWED
        assert (exempt.count_connections(), other.count_connections()) == (1, 0)
        assert error.final_url == exempt.url("/from")


def test_redirect_to_a_name_of_a_server_without_exemption_is_refused() -> None:
    """A name that leads to this machine is no way around the check."""
    with Server({"*": page()}) as other:
        with Server({"*": redirect(other.url(host="evil.fixture.org"))}) as exempt:
            error = _refusal(exempt.url(), exempt)
        assert (error.reason_code, other.count_connections()) == (ReasonCode.REDIRECT_NOT_ALLOWED, 0)
        assert "127.0.0.1" in error.reason


def test_meta_refresh_to_a_server_without_exemption_is_refused() -> None:
    """A refresh in the markup passes the same door as a Location header."""
    with Server({"*": page()}) as other:
        body = f'<meta http-equiv="refresh" content="0;url={other.url()}">'
        with Server({"*": page(body)}) as exempt:
            error = _refusal(exempt.url(), exempt)
        assert (error.reason_code, other.count_connections()) == (ReasonCode.REDIRECT_NOT_ALLOWED, 0)


def test_name_that_changes_its_address_cannot_move_a_later_connection() -> None:
    """The first answer is kept: a second one, private by now, is never asked for (DNS rebinding)."""
    names = Names({"mill.org": [["127.0.0.1"], ["10.0.0.1"]]})

    async def run() -> None:
        async with make_fetcher(lookup=names) as fetcher:
            for path in ("/1", "/2"):
                await fetcher.fetch(parse_reference(server.url(path, host="mill.org")))

    with Server({"*": [page(), CLOSE]}) as server, allow_loopback_endpoints(server.endpoint):
        asyncio.run(run())
        assert (names.asked, server.count_connections()) == (["mill.org"], 2)


def test_kept_answer_is_checked_at_every_use() -> None:
    """An answer that passed under an exemption does not pass once that is over."""

    async def run() -> None:
        async with make_fetcher() as fetcher:
            with allow_loopback_endpoints(server.endpoint):
                await fetcher.fetch(parse_reference(server.url("/1", host="a.fixture.org")))
            await fetcher.fetch(parse_reference(server.url("/2", host="a.fixture.org")))

    with Server({"*": page()}) as server:
        with pytest.raises(SourceUnavailable) as caught:
            asyncio.run(run())
        assert caught.value.reason_code is ReasonCode.ADDRESS_NOT_PUBLIC
        assert server.paths == ["/1"]


def test_connection_to_this_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even an address that passes the table is refused when it turns out to be our own; nothing is sent."""
    monkeypatch.setattr(addresses, "why_not_public", lambda address: None)
    with Server({"*": page()}) as server:
        error = _refusal(server.url(host="me.fixture.org"))
        assert (error.reason_code, server.requests) == (ReasonCode.ADDRESS_NOT_PUBLIC, [])
        assert "this machine" in error.reason


def test_connection_that_leads_elsewhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The peer of the open socket must be one of the addresses that were checked."""
    names = Names({"mill.org": ["93.184.216.34"]})

    with Server({"*": page()}) as server:

        async def connect(address: str, port: int) -> socket.socket:
            return await _connect_elsewhere(server, ("93.184.216.35", port))

        monkeypatch.setattr(dial, "connect", connect)
        error = _refusal("http://mill.org/", lookup=names)
        assert (error.reason_code, server.requests) == (ReasonCode.ADDRESS_NOT_PUBLIC, [])


def test_proxy_variables_and_netrc_are_ignored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither a proxy nor credentials of the environment are used."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine a.fixture.org login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    with Server({"/page": page("Fog.")}) as server:
        assert fetch(server.url("/page", host="a.fixture.org"), server).body == b"Fog."
        assert "authorization" not in server.requests[0].headers


def test_only_one_module_opens_sockets() -> None:
    """Everything above the dialling module goes through it."""
    package = Path(dial.__file__).parents[1]
    calls = "connect_tcp create_connection sock_connect open_connection urlopen AsyncClient http.client"
    opening = re.compile("|".join(rf"{re.escape(call)}\b" for call in calls.split()))
    found = {path.name for path in package.rglob("*.py") if opening.search(path.read_text("utf-8"))}
    assert found <= {"dial.py", "transport.py"}
    transport = (package / "sources" / "transport.py").read_text("utf-8")
    assert opening.findall(transport) == ["connect_tcp"]  # the method that httpcore calls


def test_nothing_but_tests_opens_the_guard() -> None:
    """The exemption is written by the testing module alone, and no other module mentions that one."""
    package = Path(dial.__file__).parents[1]
    for path in package.rglob("*.py"):
        if path.name not in ("_testing.py", "addresses.py"):
            text = path.read_text("utf-8")
            assert "_exempt_endpoints" not in text, path
            assert "_testing" not in text, path


def test_exemption_takes_loopback_addresses_only() -> None:
    """Not even a test can open the guard towards another machine."""
    exemption = allow_loopback_endpoints(("10.0.0.1", 80))
    with pytest.raises(ValueError, match=r"10\.0\.0\.1 is not a loopback address"), exemption:
        pass


def test_exemptions_nest_and_end() -> None:
    """Leaving the inner context keeps the outer exemption, leaving that ends it."""
    with allow_loopback_endpoints(("127.0.0.1", 1111)):
        with allow_loopback_endpoints(("127.0.0.1", 2222)):
            assert addresses.is_exempt("127.0.0.1", 1111)
        assert not addresses.is_exempt("127.0.0.1", 2222)
        assert addresses.is_exempt("127.0.0.1", 1111)
    assert not addresses.is_exempt("127.0.0.1", 1111)
