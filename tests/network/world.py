"""The world outside: a name server, web servers at public-looking addresses, listeners at private ones."""

from __future__ import annotations

import socket
import ssl
import struct
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import trustme
from servers import CLOSE, Request, Script, Server, page, redirect

NAME_SERVER = "9.9.9.9"
CLIENT = "93.184.215.20"  # the client's own address looks public, too
WEB, OTHER = "93.184.216.34", "93.184.216.35"
WEB_6 = "2606:2800:21f::34"
BLACK_HOLE = "2606:2800:dead::1"
PRIVATE = ("10.0.0.5", "192.168.1.1", "169.254.169.254", "100.64.0.7", "fd00::5")
PORTS = (80, 443, 8080)

TEXT = "Fog lay on the weir, and nobody heard the mill."
RECORD = f"1. J Mill. 1830.\n\nOn fog.\n\nOak A(1).\n\n{TEXT}\n\nPMID: 7\n"

# Name: its addresses; a list of lists is one answer after the other, the last one again and again.
NAMES: dict[str, Sequence[str] | Sequence[Sequence[str]]] = {
    "www.mill-quotes.org": [WEB],
    "other.mill-quotes.org": [OTHER],
    "dual.mill-quotes.org": [WEB_6, WEB],
    "hole.mill-quotes.org": [BLACK_HOLE, WEB],
    "slow.mill-quotes.org": [WEB],
    "busy.mill-quotes.org": [WEB],
    "elsewhere.mill-quotes.org": [WEB],
    "rebind.mill-quotes.org": [[WEB], ["10.0.0.5"]],
    "bind.mill-quotes.org": [["10.0.0.5"], [WEB]],
    "mixed.mill-quotes.org": [WEB, "192.168.1.1"],
    "private.mill-quotes.org": ["10.0.0.5"],
    "metadata.mill-quotes.org": ["169.254.169.254"],
    "loopback.mill-quotes.org": ["127.0.0.1"],
    "local6.mill-quotes.org": ["fd00::5"],
    "mapped.mill-quotes.org": ["::ffff:10.0.0.5"],
    "me.mill-quotes.org": [CLIENT],
    "intranet.corp.mill-quotes.org": ["10.0.0.5"],
    "doi.org": [WEB],
    "eutils.ncbi.nlm.nih.gov": [OTHER],
} | {f"good{number}.mill-quotes.org": [WEB] for number in range(40)}
SILENT = "dead"  # names that begin so are never answered

_private: list[Server] = []
_asked: Counter[str] = Counter()


@contextmanager
def running() -> Iterator[Path]:
    """Run the world in this network namespace; yield a folder with the authority's certificate."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        _take_addresses()
        _use_own_name_server(directory)
        stack.enter_context(_name_server())
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(directory / "authority.pem"))
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certified = [name for name in NAMES if name != "elsewhere.mill-quotes.org"]
        authority.issue_cert(*certified).configure_cert(tls)
        for address in (WEB, OTHER, WEB_6):
            stack.enter_context(Server({"*": _answer}, address=(address, 80)))
            stack.enter_context(Server({"*": _answer}, tls=tls, address=(address, 443)))
        stack.enter_context(Server({"*": page(TEXT)}, address=("10.0.0.5", 8082)))  # for the control
        for address in PRIVATE:
            for port in PORTS:
                server = Server({"*": page(TEXT)}, address=(address, port))
                _private.append(stack.enter_context(server))
        yield directory


def connect(client: int) -> None:
    """Lay a cable to the network namespace of the process `client`."""
    _ip("link add cable type veth peer name home")
    _ip(f"link set home netns {client}")
    _ip("addr add 93.184.215.1/24 dev cable")
    _ip("-6 addr add 2606:2800:215::1/64 dev cable nodad")
    _ip("link set cable up")


def left_private_hosts_alone() -> bool:
    """Tell whether no private listener was contacted, and say so."""
    contacted = [server.endpoint for server in _private if server.connections]
    count = sum(server.connections for server in _private)
    print(f"connections to {len(_private)} private listeners: {count} {contacted or ''}")
    return not contacted


def _ip(command: str) -> None:
    subprocess.run(["ip", *command.split()], check=True)


def _take_addresses() -> None:
    _ip("link set lo up")
    for address in (NAME_SERVER, WEB, OTHER, WEB_6, *PRIVATE):
        _ip(f"addr add {address}/128 dev lo nodad" if ":" in address else f"addr add {address}/32 dev lo")
    # Packets that are forwarded to a black hole get lost without a word.
    Path("/proc/sys/net/ipv6/conf/all/forwarding").write_text("1", "ascii")
    _ip(f"-6 route add blackhole {BLACK_HOLE}/128")


def _use_own_name_server(directory: Path) -> None:
    settings = f"nameserver {NAME_SERVER}\nsearch corp.mill-quotes.org\noptions timeout:2 attempts:1\n"
    (directory / "resolv.conf").write_text(settings, "ascii")
    subprocess.run(["mount", "--bind", str(directory / "resolv.conf"), "/etc/resolv.conf"], check=True)


@contextmanager
def _name_server() -> Iterator[None]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind((NAME_SERVER, 53))
        threading.Thread(target=_serve_names, args=(server,), daemon=True).start()
        yield


def _serve_names(server: socket.socket) -> None:
    while True:
        try:
            query, client = server.recvfrom(512)
        except OSError:
            return
        reply = _reply(query)
        if reply is not None:
            server.sendto(reply, client)


def _reply(query: bytes) -> bytes | None:
    """Answer a query of type A or AAAA as RFC 1035 says, with a time to live of 0."""
    labels, place = [], 12
    while length := query[place]:
        labels.append(query[place + 1 : place + 1 + length].decode("ascii").lower())
        place += 1 + length
    name = ".".join(labels)
    question = query[12 : place + 5]
    (kind,) = struct.unpack(">H", query[place + 1 : place + 3])
    if name.startswith(SILENT):
        return None
    addresses = [address for address in _addresses(name, kind) if (":" in address) == (kind == 28)]
    family = socket.AF_INET6 if kind == 28 else socket.AF_INET
    data = [socket.inet_pton(family, address) for address in addresses]
    records = b"".join(struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(item)) + item for item in data)
    missing = 0 if name in NAMES else 3
    header = query[:2] + struct.pack(">HHHHH", 0x8180 | missing, 1, len(data), 0, 0)
    return header + question + records


def _addresses(name: str, kind: int) -> Sequence[str]:
    answers = NAMES.get(name, ())
    if not answers or isinstance(answers[0], str):
        return [answer for answer in answers if isinstance(answer, str)]
    if kind == 1:
        _asked[name] += 1
    turn = max(0, min(_asked[name], len(answers)) - 1)
    return answers[turn]  # type: ignore[return-value]


_seen: Counter[str] = Counter()


def _answer(request: Request) -> Script:
    """One web server plays all hosts; the Host header tells which is meant."""
    host = request.headers["host"]
    if host == "slow.mill-quotes.org":
        return [b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n", *[b"x", 2.0] * 30, CLOSE]
    if host == "busy.mill-quotes.org":
        _seen[request.path] += 1
        return page("", 429, retry_after="1") if _seen[request.path] == 1 else page(f"<p>{TEXT}")
    if host == "doi.org":
        known = request.path.startswith("/10.1000/fog")
        return redirect("http://other.mill-quotes.org/article") if known else page("", 404)
    if host == "eutils.ncbi.nlm.nih.gov":
        return page(RECORD if "id=7&" in request.path else "", content_type="text/plain")
    if request.path.startswith("/to/"):
        return redirect(request.path[4:])
    return page(f"<p>{TEXT}")
