"""What does a guarded fetch cost, beside plain httpx and aiohttp?

One server process on the loopback interface plays all hosts; each client runs in a process of its own, which
resolves the hosts' names to it. CPU time of the client's process is what counts (the machine may be busy):
the best of several interleaved rounds, per request. Exits with 1 if we need more CPU than plain httpx in a
case, or more than 50 MB for 10,000 sources.

    python benchmarks/fetch_throughput.py [--rounds 3]

aiohttp is optional: pip install aiohttp
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import trustme

from quotecheck._testing import allow_loopback_endpoints

WORKERS = 32
PAGE = b"<!doctype html><title>Weir</title>" + b"<p>Fog lay on the weir, and nobody heard the mill." * 400
LARGEST_GROWTH = 50.0  # MB


@dataclass(frozen=True)
class Case:
    """So many requests over so many hosts."""

    name: str
    requests: int
    hosts: int
    tls: bool = False

    def urls(self, port: int) -> list[str]:
        scheme = "https" if self.tls else "http"
        return [
            f"{scheme}://h{number % self.hosts}.fixture.org:{port}/page/{number}"
            for number in range(self.requests)
        ]


CASES = (
    Case("keep-alive", 3000, 20),
    Case("new connections", 600, 600),
    Case("new connections, TLS", 200, 200, tls=True),
    Case("10,000 sources", 10_000, 1000),
)
CLIENTS = ("quotecheck", "httpx", "aiohttp")


def main() -> int:
    """Run every client on every case, print the table, and judge our figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    clients = [name for name in CLIENTS if _version(name)]
    print(", ".join(f"{name} {_version(name)}" for name in [*clients, "httpcore", "anyio"]))
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    best: dict[tuple[str, str], dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            for number in range(rounds if case.requests < 10_000 else 1):
                for client in clients[number % len(clients) :] + clients[: number % len(clients)]:
                    measured = _measure(client, case, Path(folder))
                    kept = best.setdefault((case.name, client), measured)
                    if measured["cpu"] < kept["cpu"]:
                        best[case.name, client] = measured
    return _report(clients, best)


def _version(name: str) -> str | None:
    try:
        return version("quotecheck-audit" if name == "quotecheck" else name)
    except PackageNotFoundError:
        return None


def _report(clients: Sequence[str], best: dict[tuple[str, str], dict[str, float]]) -> int:
    failures = []
    columns = f"{'CPU ms each':>12} {'to httpx':>9} {'each s':>7} {'growth MB':>10}"
    print(f"\n{'case':22} {'client':11} {columns}")
    for case in CASES:
        for client in clients:
            found = best[case.name, client]
            ratio = found["cpu"] / best[case.name, "httpx"]["cpu"]
            milliseconds = 1000 * found["cpu"] / case.requests
            speed = case.requests / found["wall"]
            figures = f"{milliseconds:12.2f} {ratio:9.2f} {speed:7.0f} {found['growth']:10.1f}"
            print(f"{case.name:22} {client:11} {figures}")
            if client == "quotecheck" and ratio > 1.0:
                failures.append(f"{case.name}: {ratio:.2f} times the CPU of plain httpx")
            if client == "quotecheck" and found["growth"] > LARGEST_GROWTH:
                failures.append(f"{case.name}: memory grew by {found['growth']:.0f} MB")
    print("\n" + ("; ".join(failures) or "No more CPU than plain httpx in any case, and memory stays small."))
    return 1 if failures else 0


def _measure(client: str, case: Case, folder: Path) -> dict[str, float]:
    """Run one client on one case, with a server of its own."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    authority.issue_cert("*.fixture.org").private_key_and_cert_chain_pem.write_to_path(
        str(folder / "server.pem")
    )
    here = [sys.executable, __file__]
    with subprocess.Popen(
        [*here, "--serve", str(folder), str(int(case.tls))], stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        port = server.stdout.readline().decode().strip()
        try:
            run = [*here, "--run", client, case.name, port, str(folder)]
            result: dict[str, float] = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)
        finally:
            server.terminate()
    return result


class _Pages(asyncio.Protocol):
    """The smallest server that answers each request with the page."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._head = b""

    def data_received(self, data: bytes) -> None:
        self._head += data
        while b"\r\n\r\n" in self._head:
            self._head = self._head.partition(b"\r\n\r\n")[2]
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(PAGE)
            self._transport.write(head + PAGE)


async def _serve(folder: Path, tls: bool) -> None:
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem")
    server = await asyncio.get_running_loop().create_server(_Pages, "127.0.0.1", 0, ssl=context, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _run(client: str, case: Case, port: int, folder: Path) -> dict[str, float]:
    """Fetch all pages of a case and return CPU and wall seconds, and the growth of memory in MB."""
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        is_ours = isinstance(name, str) and name.rstrip(".").endswith(".fixture.org")
        return real("127.0.0.1" if is_ours else host, *arguments, **options)

    socket.getaddrinfo = getaddrinfo
    context = ssl.create_default_context(cafile=str(folder / "authority.pem"))
    fetch = {"quotecheck": _quotecheck, "httpx": _httpx, "aiohttp": _aiohttp}[client]
    # Imports and first use are not what is measured.
    asyncio.run(fetch(case.urls(port)[:1], context, port))
    memory, cpu, wall = _peak(), time.process_time(), time.monotonic()
    asyncio.run(fetch(case.urls(port), context, port))
    return {
        "cpu": time.process_time() - cpu,
        "wall": time.monotonic() - wall,
        "growth": _peak() - memory,
    }


def _peak() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


async def _quotecheck(urls: Sequence[str], context: ssl.SSLContext, port: int) -> None:
    from quotecheck.sources.client import Fetcher
    from quotecheck.sources.fetched import Fetched, FetchRequest, Outcome
    from quotecheck.sources.reference import parse_reference

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        assert isinstance(outcome, Fetched), outcome
        assert len(outcome.body) == len(PAGE)

    requests = (FetchRequest(parse_reference(url)) for url in urls)
    with allow_loopback_endpoints(("127.0.0.1", port)):
        async with Fetcher(
            concurrency=WORKERS, per_host=WORKERS, host_interval=0.0, tls_context=context
        ) as fetcher:
            await fetcher.fetch_many(requests, handle)


async def _by_workers(urls: Sequence[str], get: Callable[[str], Awaitable[bytes]]) -> None:
    left = iter(urls)

    async def work() -> None:
        for url in left:
            assert len(await get(url)) == len(PAGE)

    await asyncio.gather(*[work() for _ in range(WORKERS)])


async def _httpx(urls: Sequence[str], context: ssl.SSLContext, port: int) -> None:
    import httpx

    async with httpx.AsyncClient(verify=context, trust_env=False) as client:

        async def get(url: str) -> bytes:
            return (await client.get(url)).content

        await _by_workers(urls, get)


async def _aiohttp(urls: Sequence[str], context: ssl.SSLContext, port: int) -> None:
    aiohttp = import_module("aiohttp")
    connector = aiohttp.TCPConnector(ssl=context, resolver=aiohttp.ThreadedResolver())
    async with aiohttp.ClientSession(connector=connector) as session:

        async def get(url: str) -> bytes:
            async with session.get(url) as response:
                body: bytes = await response.read()
                return body

        await _by_workers(urls, get)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(_serve(Path(sys.argv[2]), sys.argv[3] == "1"))
    elif sys.argv[1:2] == ["--run"]:
        _, _, name, case_name, port_text, folder_text = sys.argv
        (case,) = [case for case in CASES if case.name == case_name]
        print(json.dumps(_run(name, case, int(port_text), Path(folder_text))))
    else:
        sys.exit(main())
