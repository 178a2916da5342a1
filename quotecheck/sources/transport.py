"""One request over a guarded connection: httpcore's pools on a network backend of our own.

Every connection is made by `GuardedBackend`, to an address that was checked; the name in the certificate,
SNI and the Host header stays the URL's, since httpcore takes them from the request. A pooled connection
belongs to one origin and to the peer that was checked, so reusing it is safe. This is the only module that
knows httpcore; its errors are mapped to reason codes here.
"""

from __future__ import annotations

import select
import socket
import ssl
from collections import OrderedDict, defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpcore
from anyio.abc import ByteStream, SocketAttribute, SocketStream
from anyio.streams.tls import TLSAttribute, TLSStream

from quotecheck.models import ReasonCode
from quotecheck.sources import tls
from quotecheck.sources.dial import dial
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.resolver import Resolver
from quotecheck.sources.url import WebUrl

Header = tuple[bytes, bytes]

_BROKEN = (anyio.BrokenResourceError, anyio.ClosedResourceError, ssl.SSLError, OSError)
_KEEP_ALIVE_SECONDS = 10.0
# More than event loops read from a socket at once (asyncio and uvloop: 256 KiB); anyio keeps what is over
# the size that was asked for in a queue of its own.
_WHOLE = 1 << 20
# Few enough for the 256 descriptors that macOS gives a process.
IDLE_ORIGINS = 128


class GuardedStream(httpcore.AsyncNetworkStream):
    """A connection whose peer was checked, as httpcore wants to see one.

    httpcore asks every idle connection at every request whether it is readable, and drops one that is: what
    came after the end of an answer must never be read as the answer to the next request. Here that is one
    `poll` on a descriptor; anyio's own stream looks up all socket attributes, which topped the profile.

    Bytes that were received together with an answer's end count, too. Each piece is therefore handed over
    without its last byte, which follows by itself: httpcore asks for it only while the answer is incomplete,
    so an answer that ends earlier leaves it here.
    """

    def __init__(
        self, stream: ByteStream, host: str, raw: socket.socket, secured: ssl.SSLObject | None = None
    ) -> None:
        self._stream = stream
        self._host = host
        self._raw = raw
        self._secured = secured
        self._poll: select.poll | None = None
        self._last_byte = b""
        self.ended = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if self._last_byte:
            last, self._last_byte = self._last_byte, b""
            return last
        try:
            piece = await self._stream.receive(_WHOLE)
        except anyio.EndOfStream:
            self.ended = True
            return b""
        except _BROKEN as error:
            raise httpcore.ReadError(str(error)) from error
        if len(piece) == 1:
            return piece
        self._last_byte = piece[-1:]
        return piece[:-1]

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if not buffer:
            return
        try:
            await self._stream.send(buffer)
        except _BROKEN as error:
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        await self._stream.aclose()  # never waits for the peer: no TLS goodbye, see start_tls

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> GuardedStream:
        try:
            # Not standard compatible: real servers end TLS without a goodbye; HTTP has its own end of a body.
            secured = await TLSStream.wrap(
                _Whole(self._stream),
                ssl_context=ssl_context,
                hostname=server_hostname,
                standard_compatible=False,
            )
        except BaseException as error:
            await self.aclose()
            if isinstance(error, (anyio.EndOfStream, *_BROKEN)):
                raise tls.handshake_failure(self._host, error) from None
            raise
        return GuardedStream(secured, self._host, self._raw, secured.extra(TLSAttribute.ssl_object))

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return self._is_readable()
        if info == "ssl_object":
            return self._secured
        return None

    def _is_readable(self) -> bool:
        if self._last_byte:
            return True
        try:
            if self._secured is not None and _holds_more(self._secured):
                return True
            if self._poll is None:
                self._poll = select.poll()
                self._poll.register(self._raw, select.POLLIN)
            return bool(self._poll.poll(0))
        except (OSError, ValueError):
            return True  # closed: a read would return at once


class _Whole(ByteStream):
    """A stream that hands over whatever it received: none of it waits where nobody sees it."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream

    async def receive(self, max_bytes: int = 0) -> bytes:
        return await self._stream.receive(_WHOLE)

    async def send(self, item: bytes) -> None:
        await self._stream.send(item)

    async def send_eof(self) -> None:
        await self._stream.send_eof()

    async def aclose(self) -> None:
        await self._stream.aclose()


def _holds_more(secured: ssl.SSLObject) -> bool:
    """Tell whether data that arrived on an idle connection is waiting to be deciphered, or its end."""
    try:
        secured.read(1)
    except ssl.SSLWantReadError:
        return False  # session tickets may have come, which are no data
    except ssl.SSLError:
        return True
    return True


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections for httpcore, to checked addresses only."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> GuardedStream:
        addresses = await self._resolver.addresses(host, port)
        try:
            stream: SocketStream = await dial(host, addresses, port)
        except BaseException:
            self._resolver.forget(host)
            raise
        return GuardedStream(stream, host, stream.extra(SocketAttribute.raw_socket))

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> GuardedStream:
        raise NotImplementedError("sources are never read from Unix sockets")

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


class Headers:
    """The headers of an answer; names are compared without case."""

    def __init__(self, pairs: Iterable[Header] = ()) -> None:
        self._values: defaultdict[bytes, list[bytes]] = defaultdict(list)
        for name, value in pairs:
            self._values[name.lower()].append(value)

    def get(self, name: str) -> str | None:
        """Return the first header of that name, read as UTF-8 where it is, else as Latin-1."""
        return next(iter(self.get_all(name)), None)

    def get_all(self, name: str) -> list[str]:
        """Return every header of that name, in order."""
        return [_header_text(value) for value in self._values.get(name.lower().encode("ascii"), ())]


class Response:
    """Status and headers of an answer, and its body as raw bytes, still encoded."""

    def __init__(self, url: WebUrl, response: httpcore.Response) -> None:
        self.url = url
        self.status = response.status
        self.headers = Headers(response.headers)
        self._response = response

    async def raw_body(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives. Raises SourceUnavailable where it breaks off."""
        stream: GuardedStream = self._response.extensions["network_stream"]
        with _explained(self.url.host, stream):
            async for piece in self._response.aiter_stream():
                yield piece


@dataclass(eq=False, slots=True)
class _Origin:
    """The connections of one origin, and how many requests use them now."""

    pool: httpcore.AsyncConnectionPool
    busy: int = 0
    retired: bool = False


class Transport:
    """Sends requests; keeps the connections of the last used origins open.

    httpcore's pools loop over all their connections at each request, so each origin has a pool of its own.
    Limits of concurrency are the scheduler's: with `max_connections` set, httpcore leaks the slots of
    cancelled requests until none is left. Without it, it still keeps the connection of a request that was
    cancelled at the wrong moment, so a pool that saw a cancellation is retired: it takes no new requests and
    is closed with its last one.
    """

    def __init__(
        self, resolver: Resolver, *, context: ssl.SSLContext | None = None, idle_origins: int = IDLE_ORIGINS
    ) -> None:
        self._backend = GuardedBackend(resolver)
        self._context = context
        self._idle_origins = idle_origins
        self._origins: OrderedDict[str, _Origin] = OrderedDict()

    @asynccontextmanager
    async def get(self, url: WebUrl, headers: Sequence[Header]) -> AsyncIterator[Response]:
        """Send a GET request and yield the answer, whose body can be read inside the context.

        Raises SourceUnavailable. The Host header comes from the URL.
        """
        request = httpcore.Request(
            "GET",
            httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target),
            headers=[(b"Host", url.authority.encode("ascii")), *headers],
        )
        name = f"{url.scheme}://{url.authority}"
        origin = self._origin(name, url.scheme)
        origin.busy += 1
        try:
            with _explained(url.host, None):
                response = await origin.pool.handle_async_request(request)
            try:
                yield Response(url, response)
            finally:
                with anyio.CancelScope(shield=True):
                    await response.aclose()
        except anyio.get_cancelled_exc_class():
            origin.retired = True
            if self._origins.get(name) is origin:
                del self._origins[name]
            raise
        finally:
            origin.busy -= 1
            await self._close_unused(origin)

    async def aclose(self) -> None:
        """Close every connection."""
        with anyio.CancelScope(shield=True):
            while self._origins:
                _, origin = self._origins.popitem()
                await origin.pool.aclose()

    def _origin(self, name: str, scheme: str) -> _Origin:
        if name in self._origins:
            self._origins.move_to_end(name)
            return self._origins[name]
        context = None
        if scheme == "https":
            context = tls.default_context() if self._context is None else self._context
        pool = httpcore.AsyncConnectionPool(
            ssl_context=context,
            max_connections=None,
            keepalive_expiry=_KEEP_ALIVE_SECONDS,
            network_backend=self._backend,
        )
        self._origins[name] = _Origin(pool)
        return self._origins[name]

    async def _close_unused(self, last: _Origin) -> None:
        """Close the pool that was used last if it is retired, and idle ones beyond the limit."""
        unused = [last] if last.retired and not last.busy else []
        surplus = max(0, len(self._origins) - self._idle_origins)
        if surplus:
            idle = [name for name, origin in self._origins.items() if not origin.busy]
            unused += [self._origins.pop(name) for name in idle[:surplus]]
        if unused:
            with anyio.CancelScope(shield=True):
                for origin in unused:
                    await origin.pool.aclose()


def _header_text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


@contextmanager
def _explained(host: str, stream: GuardedStream | None) -> Iterator[None]:
    """Map httpcore's errors to reason codes; `stream` is the connection once an answer has begun.

    What it says of broken HTTP quotes the server's bytes, so it stays out of the reason.
    """
    try:
        yield
    except (httpcore.ReadError, httpcore.WriteError) as error:
        raise unavailable(ReasonCode.CONNECTION_RESET, host, str(error)) from None
    except httpcore.RemoteProtocolError as error:
        if stream is not None and stream.ended:
            raise unavailable(ReasonCode.BODY_TRUNCATED, host) from None
        if "without sending a response" in str(error):
            raise unavailable(ReasonCode.CONNECTION_RESET, host) from None
        raise unavailable(ReasonCode.HTTP_PROTOCOL_ERROR, host) from None
    except (httpcore.ProtocolError, httpcore.NetworkError, httpcore.TimeoutException):
        raise unavailable(ReasonCode.HTTP_PROTOCOL_ERROR, host) from None
