"""One request and its answer, within limits: what is declared, what arrives, and what it decodes to.

A body over the limit is refused, never cut: half a page proves nothing about a quotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

import anyio.lowlevel

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.content import STEP, ContentDecoder, ContentError
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.transport import Header, Headers, Response, Transport
from quotecheck.sources.url import WebUrl

REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Part of a page, or what has changed of it: no request asks for either.
PARTIAL = frozenset({206, 226})
# Of an answer that is no page this much is read: it shows a bot wall, and a body that was read to its end
# leaves the connection usable.
GLANCE_BYTES = 20_000
# The decoder works in steps of 64 KiB; after so many of them other fetches get their turn.
_STEPS_AT_ONCE = 16
# A body that does not come is not waited for either: a redirect may declare one and never send it.
_GLANCE_SECONDS = 1.0
# One step may go over what a glance takes.
_GLANCE_LIMIT = GLANCE_BYTES + STEP


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer: the decoded body, and how many bytes it took on the wire.

    `body` is the beginning only where the answer is no page: a redirect, an error, part of a page.
    """

    url: WebUrl
    status: int
    headers: Headers
    body: bytes
    wire_bytes: int

    @property
    def may_be_page(self) -> bool:
        """Tell whether the status is that of a whole page."""
        return _is_page(self.status)

    @property
    def location(self) -> str | None:
        """Where a redirect leads, as it was sent."""
        return self.headers.get("location") if self.status in REDIRECTS else None


async def exchange(transport: Transport, url: WebUrl, headers: Sequence[Header], *, max_bytes: int) -> Answer:
    """Send one GET request and read its answer. Raises SourceUnavailable."""
    async with transport.get(url, headers) as response:
        if _is_page(response.status):
            body, wire_bytes = await _whole_body(response, max_bytes)
        else:
            body, wire_bytes = await _glance(response)
        return Answer(url, response.status, response.headers, body, wire_bytes)


def _is_page(status: int) -> bool:
    return 200 <= status < 300 and status not in PARTIAL


async def _whole_body(response: Response, max_bytes: int) -> tuple[bytes, int]:
    host = response.url.host
    limit = f"the limit is {max_bytes / 1e6:g} MB"
    declared = response.headers.get("content-length") or ""
    if declared.isascii() and declared.isdigit() and int(declared) > max_bytes:
        raise unavailable(ReasonCode.TOO_LARGE_DECLARED, host, f"{int(declared) / 1e6:.1f} MB; {limit}")
    pieces: list[bytes] = []
    wire_bytes = steps = 0
    try:
        decoder = ContentDecoder(_encodings(response), max_bytes=max_bytes)
        async with aclosing(response.raw_body()) as raw_body:
            async for raw in raw_body:
                wire_bytes += len(raw)
                if wire_bytes > max_bytes:
                    raise unavailable(ReasonCode.TOO_LARGE_STREAMED, host, limit)
                for piece in decoder.feed(raw):
                    pieces.append(piece)
                    steps += 1
                    if steps % _STEPS_AT_ONCE == 0:
                        await anyio.lowlevel.checkpoint()
        decoder.finish()
    except ContentError as error:
        raise unavailable(error.code, host, error.detail) from None
    return b"".join(pieces), wire_bytes


async def _glance(response: Response) -> tuple[bytes, int]:
    """Return the first bytes of a body that matters only as evidence, decoded where that is possible."""
    body = bytearray()
    wire_bytes = 0
    try:
        decoder = ContentDecoder(_encodings(response), max_bytes=_GLANCE_LIMIT)
        with anyio.move_on_after(_GLANCE_SECONDS):
            async with aclosing(response.raw_body()) as raw_body:
                async for raw in raw_body:
                    wire_bytes += len(raw)
                    for piece in decoder.feed(raw):
                        body += piece
                    # What takes so much to say nothing will not say it later.
                    if len(body) >= GLANCE_BYTES or wire_bytes > _GLANCE_LIMIT:
                        break
    except (ContentError, SourceUnavailable):
        pass  # the status says enough
    return bytes(body[:GLANCE_BYTES]), wire_bytes


def _encodings(response: Response) -> str:
    return ",".join(response.headers.get_all("content-encoding"))
