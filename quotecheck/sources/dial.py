"""Connect to an address that was checked: the only place of the package that opens a socket.

Several addresses of one host are tried as RFC 8305 (happy eyeballs) says: the next one after 250 ms or as
soon as the previous one failed, so a dead IPv6 route costs a quarter of a second and not the fetch. After
connecting, the peer must be one of the checked addresses and must not be this machine.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Sequence
from itertools import zip_longest

import anyio
from anyio.abc import SocketStream

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.addresses import address_refused, is_exempt
from quotecheck.sources.reasons import unavailable

NEXT_ADDRESS_SECONDS = 0.25
MAX_ADDRESSES = 6


async def dial(host: str, addresses: Sequence[str], port: int) -> SocketStream:
    """Return a connection to one of the checked `addresses` of `host`.

    Raises SourceUnavailable: `connect_refused` or `connect_failed` where none answers, `address_not_public`
    where the connection ended up somewhere else.
    """
    candidates = interleaved(addresses)[:MAX_ADDRESSES]
    if len(candidates) == 1:
        try:
            connection = await connect(candidates[0], port)
        except OSError as error:
            raise _not_connected(host, port, [(candidates[0], error)]) from None
    else:
        connection = await _race(host, candidates, port)
    try:
        _check_peer(connection, host, addresses, port)
        return await SocketStream.from_socket(connection)
    except BaseException:
        connection.close()
        raise


async def connect(address: str, port: int) -> socket.socket:
    """Connect to one IP address. Raises OSError.

    Not `anyio.connect_tcp`, which loses the connection of a call that is cancelled while it succeeds.
    """
    connection = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, (address, port))
    except BaseException:
        connection.close()
        raise
    return connection


def interleaved(addresses: Sequence[str]) -> list[str]:
    """Return the addresses with the two families taking turns, beginning with the first one's family."""
    first = [address for address in addresses if (":" in address) == (":" in addresses[0])]
    second = [address for address in addresses if (":" in address) != (":" in addresses[0])]
    pairs = zip_longest(first, second)
    return [address for pair in pairs for address in pair if address is not None]


async def _race(host: str, candidates: Sequence[str], port: int) -> socket.socket:
    connected: list[socket.socket] = []
    failures: list[tuple[str, OSError]] = []

    async def attempt(address: str, over: anyio.Event) -> None:
        try:
            connected.append(await connect(address, port))
            attempts.cancel_scope.cancel()
        except OSError as error:
            failures.append((address, error))
        finally:
            over.set()

    try:
        async with anyio.create_task_group() as attempts:
            for address in candidates:
                over = anyio.Event()
                attempts.start_soon(attempt, address, over)
                with anyio.move_on_after(NEXT_ADDRESS_SECONDS):
                    await over.wait()
    except BaseException:
        for connection in connected:
            connection.close()
        raise
    for connection in connected[1:]:
        connection.close()
    if not connected:
        raise _not_connected(host, port, failures)
    return connected[0]


def _check_peer(connection: socket.socket, host: str, addresses: Sequence[str], port: int) -> None:
    peer = str(connection.getpeername()[0])
    if peer not in addresses:
        raise address_refused(host, peer, "the connection led to an address that was not checked")
    if peer == connection.getsockname()[0] and not is_exempt(peer, port):
        raise address_refused(host, peer, "this machine itself")


def _not_connected(host: str, port: int, failures: list[tuple[str, OSError]]) -> SourceUnavailable:
    refused = all(error.errno == errno.ECONNREFUSED for _, error in failures)
    code = ReasonCode.CONNECT_REFUSED if refused else ReasonCode.CONNECT_FAILED
    tried = ", ".join(address for address, _ in failures)
    return unavailable(code, host, f"tried port {port} at {tried}")
