"""The user's machine: what is fetched there, what is refused, and how long it takes."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from quotecheck import Client
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched, FetchRequest, Outcome
from quotecheck.sources.reference import parse_reference

QUOTE = "nobody heard the mill"
HOSTS = "mill-quotes.org"
OWN = "93.184.215.20"

# What is asked for, and the status or reason code that must come out.
EXACT, REFUSED, REDIRECT = "EXACT", "address_not_public", "redirect_not_allowed"
CASES = [
    (f"http://www.{HOSTS}/", EXACT),
    (f"https://www.{HOSTS}/", EXACT),
    (f"http://www.{HOSTS}/to/https://other.{HOSTS}/", EXACT),
    (f"https://dual.{HOSTS}/", EXACT),
    (f"http://hole.{HOSTS}/", EXACT),
    (f"http://busy.{HOSTS}/1", EXACT),
    ("http://93.184.216.34/", EXACT),
    ("http://[2606:2800:21f::34]/", EXACT),
    ("doi:10.1000/fog", EXACT),
    ("pmid:7", EXACT),
    (f"https://elsewhere.{HOSTS}/", "tls_hostname_mismatch"),
    ("doi:10.1000/nothing", "doi_not_found"),
    ("pmid:8", "pmid_not_found"),
    (f"http://nosuch.{HOSTS}/", "dns_not_found"),
    (f"http://www.{HOSTS}:8081/", "connect_refused"),
    (f"http://private.{HOSTS}/", REFUSED),
    (f"https://private.{HOSTS}/", REFUSED),
    (f"http://private.{HOSTS}:8080/", REFUSED),
    (f"http://metadata.{HOSTS}/latest/meta-data/", REFUSED),
    (f"http://loopback.{HOSTS}/", REFUSED),
    (f"http://local6.{HOSTS}/", REFUSED),
    (f"http://mapped.{HOSTS}/", REFUSED),
    (f"http://mixed.{HOSTS}/", REFUSED),
    (f"http://bind.{HOSTS}/", REFUSED),
    (f"http://me.{HOSTS}/", REFUSED),
    (f"http://{OWN}/", REFUSED),
    ("http://127.0.0.1/", REFUSED),
    ("http://10.0.0.5/", REFUSED),
    ("http://169.254.169.254/", REFUSED),
    ("http://100.64.0.7/", REFUSED),
    ("http://[fd00::5]/", REFUSED),
    ("http://[::ffff:10.0.0.5]/", REFUSED),
    ("http://167772165/", "host_not_public"),
    ("http://intranet/", "host_not_public"),
    (f"http://intranet.{HOSTS}/", "dns_not_found"),  # the search domain would have made it a private host
    (f"http://www.{HOSTS}/to/http://10.0.0.5/", REDIRECT),
    (f"http://www.{HOSTS}/to/http://private.{HOSTS}/", REDIRECT),
    (f"http://www.{HOSTS}/to/http://169.254.169.254/", REDIRECT),
    (f"https://www.{HOSTS}/to/http://loopback.{HOSTS}/", REDIRECT),
    (f"http://www.{HOSTS}/to/http://[fd00::5]:8080/", REDIRECT),
]


@dataclass
class Report:
    """What went as it must, and what did not."""

    passed: int = 0
    failed: int = 0

    def note(self, what: str, expected: object, found: object) -> None:
        if expected == found:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {what}: expected {expected}, found {found}")


@dataclass
class Listener:
    """Servers of the user's own machine, on every address of it; counts the bytes that reach them."""

    received: int = 0
    sockets: list[socket.socket] = field(default_factory=list)

    def start(self) -> None:
        for port in (80, 443, 8080):
            self.sockets.append(
                socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True)
            )
            threading.Thread(target=self._serve, args=(self.sockets[-1],), daemon=True).start()

    def _serve(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            self.received += len(connection.recv(65536))
            connection.close()


def main(directory: str) -> int:
    """Wait for the cable, run everything, print a summary; return the exit code."""
    Path(directory, "client-is-there").touch()
    assert sys.stdin.readline() == "connected\n"
    for command in (
        "link set lo up",
        f"addr add {OWN}/24 dev home",
        "-6 addr add 2606:2800:215::20/64 dev home nodad",
        "link set home up",
        "route add default via 93.184.215.1",
        "-6 route add default via 2606:2800:215::1",
    ):
        subprocess.run(["ip", *command.split()], check=True)
    # As a person would who has an authority of her own; it switches nothing off.
    os.environ["SSL_CERT_FILE"] = f"{directory}/authority.pem"
    report, listener = Report(), Listener()
    listener.start()
    _control(report)
    asyncio.run(_library(report))
    asyncio.run(_dead_names(report))
    _command_line(report)
    report.note("bytes sent to servers of one's own machine", 0, listener.received)
    print(f"test-network: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


def _control(report: Report) -> None:
    """Show that the private hosts would be reached without the guard: their zero means something."""
    with urlopen(f"http://private.{HOSTS}:8082/", timeout=5) as answer:
        report.note("private host without the guard", 200, answer.status)
    report.note("name in the search domain", "10.0.0.5", socket.gethostbyname("intranet"))
    report.note("silent name server", True, _is_silent(f"dead.{HOSTS}"))


def _is_silent(name: str) -> bool:
    try:
        socket.getaddrinfo(name, 80)
    except socket.gaierror as error:
        return error.errno == socket.EAI_AGAIN
    return False


async def _library(report: Report) -> None:
    """Check every case, the slow host beside them, and a name that changes its address."""
    async with Client() as client:
        slow = asyncio.create_task(_timed(client, f"http://slow.{HOSTS}/"))
        for source, expected in CASES:
            found, seconds = await _timed(client, source)
            report.note(source, expected, found)
            if "hole" in source:
                report.note(f"{source} in less than 3 s, not {seconds:.1f} s", True, seconds < 3)
        for scheme in ("http", "https"):  # two connections; the second answer would be 10.0.0.5
            found, _ = await _timed(client, f"{scheme}://rebind.{HOSTS}/")
            report.note(f"{scheme}, name that changes its address", EXACT, found)
        found, seconds = await slow
        report.note("a byte every two seconds", "deadline_exceeded", found)
        report.note(f"deadline after 15 s, not {seconds:.1f} s", True, 15 <= seconds < 17)


async def _timed(client: Client, source: str) -> tuple[str, float]:
    began = time.monotonic()
    result = await client.check(source, QUOTE)
    return str(result.reason_code or result.status), time.monotonic() - began


async def _dead_names(report: Report) -> None:
    """Forty names whose servers are silent stand before forty good ones."""
    order: list[Outcome] = []

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        order.append(outcome)

    names = [f"{kind}{number}.{HOSTS}" for kind in ("dead", "good") for number in range(40)]
    requests = [FetchRequest(parse_reference(f"http://{name}/")) for name in names]
    async with Fetcher() as fetcher:
        began = time.monotonic()
        await fetcher.fetch_many(requests, handle)
    print(f"40 dead and 40 good names: {time.monotonic() - began:.1f} s in all")
    report.note("good names come first", [Fetched] * 40, [type(outcome) for outcome in order[:40]])
    report.note("all names come in", 80, len(order))


def _command_line(report: Report) -> None:
    """The same from the shell: what a person sees, and the exit code."""
    for source, expected in (
        (f"https://www.{HOSTS}/", EXACT),
        (f"http://private.{HOSTS}/", REFUSED),
        (f"http://www.{HOSTS}/to/http://10.0.0.5/", REDIRECT),
    ):
        command = [sys.executable, "-m", "quotecheck", QUOTE, source]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        record = json.loads(run.stdout)
        report.note(
            f"quotecheck {source}", (0, expected), (run.returncode, record["reason_code"] or record["status"])
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
