"""The guarded client: from a reference to the bytes of its page.

Each hop of a chain of redirects passes the whole guard again. One deadline covers everything that is done
for a source: names, connections, redirects and the body.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import anyio

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import tls
from quotecheck.sources.agent import request_headers
from quotecheck.sources.exchange import Answer, exchange
from quotecheck.sources.reasons import REFUSED, unavailable
from quotecheck.sources.reference import Reference, require_fetchable
from quotecheck.sources.resolver import Lookup, Resolver
from quotecheck.sources.statuses import status_failure
from quotecheck.sources.transport import Transport
from quotecheck.sources.url import WebUrl, parse_url, resolve_url

DEADLINE_SECONDS = 15.0
MAX_BYTES = 5_000_000
MAX_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes of a source and how they came.

    Attributes
    ----------
    reference : what was asked for.
    final_url : the address that delivered the body.
    body : the body, decoded from its Content-Encoding, at most `max_bytes`.
    wire_bytes : its size as it was sent.
    hops : addresses that redirected, in order, before `final_url`.
    etag, last_modified : what the server gives to ask later whether the page has changed.
    """

    reference: Reference
    final_url: str
    status: int
    content_type: str | None
    body: bytes
    wire_bytes: int
    hops: tuple[str, ...]
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None


@dataclass(slots=True)
class _Chain:
    """Where the reading of one source stands."""

    reference: Reference
    url: WebUrl
    hops: list[WebUrl] = field(default_factory=list)


class Fetcher:
    """Fetches sources under the guard; use it with `async with`.

    Parameters
    ----------
    deadline : seconds for everything that is done for one source.
    max_bytes : limit of a body, as declared, as streamed and as decompressed.
    contact : mail address or URL that servers get in the User-Agent.
    concurrency, per_host : how many requests run at once, in all and on one host.
    files_root : folder below which `file:` sources may be read.
    lookup : resolves host names, for tests; every address it gives is checked like any other.
    tls_context : verifies servers, in place of the default one. Raises InvalidOption if it does not.
    """

    def __init__(
        self,
        *,
        deadline: float = DEADLINE_SECONDS,
        max_bytes: int = MAX_BYTES,
        contact: str | None = None,
        concurrency: int = 32,
        per_host: int = 4,
        files_root: Path | None = None,
        lookup: Lookup | None = None,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._headers = request_headers(contact)
        context = None if tls_context is None else tls.verifying(tls_context)
        self._transport = Transport(Resolver(lookup), context=context, idle_origins=concurrency)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._transport.aclose()

    async def fetch(self, reference: Reference) -> Fetched:
        """Return the bytes of the page that `reference` names, after redirects. Raises SourceUnavailable."""
        chain = _Chain(reference, parse_url(require_fetchable(reference)))
        try:
            with anyio.move_on_after(self._deadline):
                return await self._follow(chain)
        except SourceUnavailable as error:
            raise _located(error, chain) from None
        detail = f"the deadline is {self._deadline:g} s"
        raise unavailable(ReasonCode.DEADLINE_EXCEEDED, chain.url.host, detail, final_url=str(chain.url))

    async def _follow(self, chain: _Chain) -> Fetched:
        while True:
            answer = await exchange(self._transport, chain.url, self._headers, max_bytes=self._max_bytes)
            if answer.location is None:
                return _fetched(chain, answer)
            _redirect(chain, answer.location)


def _redirect(chain: _Chain, location: str) -> None:
    """Move the chain on to `location`. Raises SourceUnavailable where that is refused."""
    if len(chain.hops) >= MAX_REDIRECTS:
        raise unavailable(ReasonCode.TOO_MANY_REDIRECTS, chain.url.host, f"the limit is {MAX_REDIRECTS}")
    try:
        target = resolve_url(chain.url, location)
    except SourceUnavailable as error:
        raise _refused_redirect(chain.url.host, error) from None
    chain.hops.append(chain.url)
    chain.url = target


def _refused_redirect(host: str, error: SourceUnavailable) -> SourceUnavailable:
    invalid = error.reason_code is ReasonCode.BAD_URL
    code = ReasonCode.REDIRECT_INVALID if invalid else ReasonCode.REDIRECT_NOT_ALLOWED
    return unavailable(code, host, error.reason.removesuffix("."))


def _located(error: SourceUnavailable, chain: _Chain) -> SourceUnavailable:
    """Return the error with the last address that was contacted.

    An address that is refused after a redirect is the redirect's fault.
    """
    if error.reason_code not in REFUSED:
        return SourceUnavailable(error.reason_code, error.reason, final_url=str(chain.url))
    if not chain.hops:
        return error
    error = _refused_redirect(chain.hops[-1].host, error)
    return SourceUnavailable(error.reason_code, error.reason, final_url=str(chain.hops[-1]))


def _fetched(chain: _Chain, answer: Answer) -> Fetched:
    failure = status_failure(answer.status, answer.url.host)
    if failure is not None:
        raise failure
    if not answer.body.strip():
        raise unavailable(ReasonCode.EMPTY_BODY, answer.url.host)
    return Fetched(
        reference=chain.reference,
        final_url=str(answer.url),
        status=answer.status,
        content_type=answer.headers.get("content-type"),
        body=answer.body,
        wire_bytes=answer.wire_bytes,
        hops=tuple(map(str, chain.hops)),
        fetched_at=datetime.now(UTC),
        etag=answer.headers.get("etag"),
        last_modified=answer.headers.get("last-modified"),
    )
