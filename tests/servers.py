"""Loopback servers with scripted answers, names that resolve as a test says, and a short way to fetch.

A server runs in threads of its own on real sockets and counts what reaches it. An answer is raw bytes, or a
list of steps: bytes to send, seconds to sleep, and CLOSE to close the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reference import parse_reference


class _Close:
    """Closes the connection after what was sent."""


CLOSE = _Close()
_PROBE = "/-probe-"

Script = bytes | Sequence[bytes | float | _Close]


@dataclass(frozen=True, slots=True)
class Request:
    """One request as the server saw it; header names in lower case."""

    path: str
    headers: Mapping[str, str]


Answer = Script | Callable[[Request], Script]


def page(body: bytes | str = b"<p>Fog on the weir.</p>", status: int = 200, **headers: str) -> bytes:
    """Return a complete answer; `content_type="..."` sets or replaces the header Content-Type."""
    data = body.encode() if isinstance(body, str) else body
    fields = {"content-type": "text/html; charset=utf-8", "content-length": str(len(data))}
    fields |= {name.replace("_", "-").lower(): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode("latin-1") + data


def redirect(location: str, status: int = 302, **headers: str) -> bytes:
    """Return a redirect to `location`."""
    return page(b"", status, location=location, **headers)


class Server:
    """A server, on a free port of the loopback interface by default; use it with `with`.

    `routes` maps paths to answers; the path `*` stands for all others. `tls` makes it an HTTPS server.
    `address` is where it listens; port 0 is a free one.
    """

    def __init__(
        self,
        routes: Mapping[str, Answer],
        *,
        tls: ssl.SSLContext | None = None,
        address: tuple[str, int] = ("127.0.0.1", 0),
    ) -> None:
        self._routes = routes
        self._tls = tls
        self._address = address
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.connections = 0
        self.requests: list[Request] = []
        self.busy_now = 0
        self.most_busy = 0

    def __enter__(self) -> Self:
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        self._listener = socket.create_server(self._address, family=family, backlog=512)
        self.endpoint: tuple[str, int] = self._listener.getsockname()[:2]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self.endpoint[1]

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [request.path for request in self.requests]

    @property
    def open_connections(self) -> int:
        """How many connections are open now."""
        return len(self._open)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """Return the address of `path`, under the name `host` or the literal address."""
        return f"http{'s' if self._tls else ''}://{host}:{self.port}{path}"

    def count_connections(self) -> int:
        """Return how many connections were made so far, also such as the server has not accepted yet."""
        # A probe of our own is accepted after all earlier connections; it is recognised by what it sends.
        with socket.create_connection(self.endpoint) as probe:
            probe.sendall(f"GET {_PROBE} HTTP/1.1\r\n\r\n".encode())
            probe.recv(1)
        self.connections -= 1
        return self.connections

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self._over.is_set():
                connection.close()
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with self._secured(connection) as stream:
            with self._lock:
                self._open.add(stream)
            try:
                if isinstance(stream, ssl.SSLSocket):
                    stream.do_handshake()
                while self._answer(stream):
                    pass
            except (OSError, EOFError):
                pass  # the client went away, or did not like our certificate
            finally:
                with self._lock:
                    self._open.discard(stream)

    def _secured(self, connection: socket.socket) -> socket.socket:
        if self._tls is None:
            return connection
        return self._tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)

    def _answer(self, stream: socket.socket) -> bool:
        request = _read_request(stream)
        if request.path == _PROBE:
            stream.sendall(b"!")
            return False
        answer = self._routes.get(request.path, self._routes.get("*", page("no such page", 404)))
        with self._lock:
            self.requests.append(request)
            self.busy_now += 1
            self.most_busy = max(self.most_busy, self.busy_now)
        script = answer(request) if callable(answer) else answer
        steps = [script] if isinstance(script, bytes) else list(script)
        try:
            goes_on = self._play(steps[:-1], stream)
        finally:
            # Before the last step: a client that has all of an answer may ask again before this thread runs.
            with self._lock:
                self.busy_now -= 1
        return goes_on and self._play(steps[-1:], stream)

    def _play(self, steps: Sequence[bytes | float | _Close], stream: socket.socket) -> bool:
        """Send a script; False if the connection is to be closed."""
        for step in steps:
            if isinstance(step, _Close) or self._over.is_set():
                return False
            if isinstance(step, bytes):
                stream.sendall(step)
            else:
                self._over.wait(step)
        return True


def _read_request(stream: socket.socket) -> Request:
    head = b""
    while b"\r\n\r\n" not in head:
        more = stream.recv(65536)
        if not more:
            raise EOFError
        head += more
        if head.startswith(b"\x16"):  # a TLS greeting: answer as plain HTTP servers do, without understanding
            return Request("", {})
    lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines[1:] if line)
    return Request(lines[0].split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs})


class Names:
    """A lookup that answers from a table, and counts.

    A list of addresses answers every time; a list of lists answers one after the other, the last one again
    and again. A name that is not in the table does not exist, except below `fixture.org`: there every name
    stands for 127.0.0.1.
    """

    def __init__(self, table: Mapping[str, Sequence[Any]] | None = None) -> None:
        self._table = {name: list(answers) for name, answers in (table or {}).items()}
        self.asked: list[str] = []

    def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        answers = self._table.get(host)
        if answers is None:
            if host.endswith(".fixture.org"):
                return ["127.0.0.1"]
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        if answers and isinstance(answers[0], list):
            return list(answers.pop(0) if len(answers) > 1 else answers[0])
        return list(answers)


def make_fetcher(**options: Any) -> Fetcher:
    """Return a Fetcher for tests: no pause between requests to one host, names as in `Names`."""
    return Fetcher(**({"host_interval": 0.0, "lookup": Names()} | options))


def fetch(url: str, *servers: Server, **options: Any) -> Fetched:
    """Fetch one source with the given servers exempted, and no others."""

    async def run() -> Fetched:
        async with make_fetcher(**options) as fetcher:
            return await fetcher.fetch(parse_reference(url))

    with allow_loopback_endpoints(*[server.endpoint for server in servers]):
        return asyncio.run(run())


def escaped(text: str) -> str:
    """Escape a string for use inside a path."""
    return quote(text, safe="")
