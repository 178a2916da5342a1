"""Loopback servers with scripted answers, names that resolve as a test says, and a short way to fetch.

A server runs in a thread of its own on a real socket and counts what reaches it. An answer is raw bytes, or a
list of steps: bytes to send, seconds to sleep, and CLOSE to close the connection.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass
class Server:
    """A server on a free port of the loopback interface; use it with `with`."""

    routes: Mapping[str, Answer]
    tls: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    connections: int = 0
    requests: list[Request] = field(default_factory=list)
    open_now: int = 0
    busy_now: int = 0
    most_busy: int = 0
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._wait(
            asyncio.start_server(self._accept, self.host, 0, ssl=self.tls, backlog=512, limit=1 << 20)
        )
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._wait(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def endpoint(self) -> tuple[str, int]:
        """Address and port, as an exemption wants them."""
        return (self.host, self.port)

    @property
    def paths(self) -> list[str]:
        """The paths that were asked for, in order."""
        return [request.path for request in self.requests]

    def url(self, path: str = "/", host: str | None = None) -> str:
        """Return the address of `path`, under the name `host` or the literal address."""
        return f"http{'s' if self.tls else ''}://{host or self.host}:{self.port}{path}"

    def count_connections(self) -> int:
        """Return how many connections were made so far, also such as are not accepted yet."""
        # A probe of our own is accepted after all earlier connections; it is recognised by what it sends.
        with socket.create_connection(self.endpoint) as probe:
            probe.sendall(f"GET {_PROBE} HTTP/1.1\r\n\r\n".encode())
            probe.recv(1)
        self.connections -= 1
        return self.connections

    def _wait(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    async def _stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.transport.abort()
        await asyncio.sleep(0.001)  # for the aborted sockets to be closed

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        self._tasks.append(asyncio.get_running_loop().create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open_now += 1
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ssl.SSLError):
            pass
        finally:
            self.open_now -= 1
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        pairs = (line.partition(":") for line in head[1:] if line)
        request = Request(head[0].split(" ")[1], {name.lower(): value.strip() for name, _, value in pairs})
        if request.path == _PROBE:
            return await _play([b"!", CLOSE], writer)
        self.requests.append(request)
        answer = self.routes.get(request.path, self.routes.get("*", page("no such page", 404)))
        script = answer(request) if callable(answer) else answer
        self.busy_now += 1
        self.most_busy = max(self.most_busy, self.busy_now)
        try:
            return await _play([script] if isinstance(script, bytes) else script, writer)
        finally:
            self.busy_now -= 1


async def _play(steps: Sequence[bytes | float | _Close], writer: asyncio.StreamWriter) -> bool:
    """Send a script; False if the connection is to be closed."""
    for step in steps:
        if isinstance(step, _Close):
            writer.close()
            await writer.wait_closed()
            return False
        if isinstance(step, bytes):
            writer.write(step)
            await writer.drain()
        else:
            await asyncio.sleep(step)
    return True


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
