"""One source, from its first address to its page: turns, hops, failures, retries.

A hop is one request: look the host up, wait for its turn, exchange. Looking up comes before the turn, so that
dead names hold no turns. Between hops nothing is held, so a chain that waits for a slow host delays nobody.
"""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass
from datetime import UTC, datetime

import anyio

from quotecheck.errors import InvalidOption, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import efetch
from quotecheck.sources.agent import request_headers
from quotecheck.sources.chain import Chain, Manner, redirect_target
from quotecheck.sources.exchange import Answer, exchange
from quotecheck.sources.fetched import Fetched, FetchRequest, NotModified
from quotecheck.sources.hosts import LONGEST_PAUSE, HostQueues
from quotecheck.sources.lookups import Lookup
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import SourceKind, doi_hint, require_fetchable
from quotecheck.sources.resolver import Resolver
from quotecheck.sources.retries import retry_after_seconds, retry_delay
from quotecheck.sources.statuses import failure_of, is_rate_limited
from quotecheck.sources.transport import Header, Transport
from quotecheck.sources.turns import Turns
from quotecheck.sources.url import parse_url

# After these the host itself may be gone, so its other sources need not each wait for the same.
_NO_CONNECTION = frozenset(
    {
        ReasonCode.DNS_TEMPORARY_FAILURE,
        ReasonCode.DNS_TIMEOUT,
        ReasonCode.CONNECT_FAILED,
        ReasonCode.CONNECT_REFUSED,
    }
)
# Of a host that sends 429 without saying how long.
_PAUSE_SECONDS = 1.0
_LONGEST_CLOSURE = 3600.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a session may use; see `Fetcher`. Raises InvalidOption for a value that is out of range."""

    deadline: float
    max_bytes: int
    concurrency: int
    per_host: int
    host_interval: float
    rate_share: float

    def __post_init__(self) -> None:
        for name in ("deadline", "max_bytes", "concurrency", "per_host"):
            if getattr(self, name) <= 0:
                raise InvalidOption(f"{name} is {getattr(self, name)!r}: it must be greater than 0")
        if self.host_interval < 0:
            raise InvalidOption(f"host_interval is {self.host_interval!r}: it must not be negative")
        if not 0 < self.rate_share <= 1:
            raise InvalidOption(f"rate_share is {self.rate_share!r}: it must be above 0 and at most 1")


class Session:
    """Connections, names and turns that all fetches of one client share."""

    def __init__(
        self,
        limits: Limits,
        *,
        contact: str | None,
        lookup: Lookup | None,
        tls_context: ssl.SSLContext | None,
    ) -> None:
        self.limits = limits
        self.contact = contact
        self._headers = request_headers(contact)
        self._resolver = Resolver(lookup)
        self._transport = Transport(self._resolver, context=tls_context)
        self.turns = Turns(
            HostQueues(
                concurrency=limits.concurrency,
                per_host=limits.per_host,
                interval=limits.host_interval,
                share=limits.rate_share,
            )
        )

    async def aclose(self) -> None:
        """Close every connection."""
        self.turns.stop()
        await self._transport.aclose()

    async def read(self, request: FetchRequest, manner: Manner) -> Fetched | NotModified:
        """Fetch one source. Raises SourceUnavailable."""
        left = self.limits.deadline
        attempt = 1
        while True:
            chain = self._chain(request, manner, left)
            try:
                return await self._follow(chain)
            except SourceUnavailable as error:
                delay = _delay_after(error, chain, attempt)
                if delay is None or (not manner.patient and delay >= chain.left):
                    raise chain.located(error) from None
            await anyio.sleep(delay)
            self._resolver.forget_failure(chain.url.host)
            attempt += 1
            left = self.limits.deadline if manner.patient else chain.left - delay

    def _chain(self, request: FetchRequest, manner: Manner, left: float) -> Chain:
        url = require_fetchable(request.reference)
        if request.reference.kind in (SourceKind.PUBMED, SourceKind.PMC):
            url = efetch.introduced(url, self.contact)
        return Chain(request, manner, parse_url(url), left, self.limits.deadline)

    async def _follow(self, chain: Chain) -> Fetched | NotModified:
        while True:
            try:
                answer = chain.answer = await self._hop(chain)
            finally:
                chain.manner.left_host()
            if answer.status == 304 and chain.is_conditional:
                return NotModified(chain.request.reference, str(answer.url), datetime.now(UTC))
            target = redirect_target(answer, chain.hops)
            if target is None:
                return _fetched(chain, answer)
            chain.redirect(answer, target)

    async def _hop(self, chain: Chain) -> Answer:
        host = chain.url.host
        chain.answer = None
        self._require_open(chain)
        try:
            await self._look_up(chain)
            async with self.turns.turn(host):
                self._require_open(chain)
                with chain.on_the_clock():
                    headers = self._headers_for(chain)
                    answer = await exchange(
                        self._transport, chain.url, headers, max_bytes=chain.manner.max_bytes
                    )
                self._note(answer)
        except SourceUnavailable as error:
            if error.reason_code in _NO_CONNECTION:
                self.turns.queues.not_connected(host, error, time.monotonic())
            raise
        return answer

    async def _look_up(self, chain: Chain) -> None:
        """Look the chain's host up, at the cost of its deadline."""
        began = time.monotonic()
        try:
            chain.left -= await self._resolver.prepare(chain.url.host, chain.url.port, within=chain.left)
        except SourceUnavailable:
            chain.left -= time.monotonic() - began
            raise

    def _require_open(self, chain: Chain) -> None:
        """Raise SourceUnavailable where the host was given up, or asked for a longer pause than is left."""
        host, now = chain.url.host, time.monotonic()
        if (closed := self.turns.queues.closed_by(host, now)) is not None:
            raise SourceUnavailable(closed.reason_code, closed.reason)
        pause = self.turns.queues.paused_for(host, now)
        if not chain.manner.patient and pause > chain.left:
            detail = f"it asked for a pause that has {pause:.0f} s to go"
            raise unavailable(ReasonCode.RATE_LIMITED, host, detail)

    def _note(self, answer: Answer) -> None:
        """Remember how the host took the request, before the next one may start."""
        host, queues, now = answer.url.host, self.turns.queues, time.monotonic()
        if not is_rate_limited(answer):
            queues.succeeded(host)
            return
        pause = retry_after_seconds(answer.headers.get("retry-after"))
        if pause is None:
            queues.pause(host, _PAUSE_SECONDS, now)
        elif pause <= LONGEST_PAUSE:
            queues.pause(host, pause, now)
        else:
            detail = f"it asked for a pause of {pause:.0f} s"
            error = unavailable(ReasonCode.RATE_LIMITED, host, detail)
            queues.close(host, min(pause, _LONGEST_CLOSURE), error, now)

    def _headers_for(self, chain: Chain) -> list[Header]:
        headers = list(self._headers)
        if (cookies := chain.cookies.header(chain.url)) is not None:
            headers.append((b"Cookie", cookies.encode()))
        if not chain.is_conditional:
            return headers
        if chain.request.etag is not None:
            headers.append((b"If-None-Match", chain.request.etag.encode()))
        if chain.request.last_modified is not None:
            headers.append((b"If-Modified-Since", chain.request.last_modified.encode()))
        return headers


def _delay_after(error: SourceUnavailable, chain: Chain, attempt: int) -> float | None:
    """Return after how many seconds a failed attempt is worth another one, or None."""
    if chain.answer is None:
        return retry_delay(error.reason_code, attempt=attempt)
    return retry_delay(
        error.reason_code,
        attempt=attempt,
        status=chain.answer.status,
        retry_after=retry_after_seconds(chain.answer.headers.get("retry-after")),
    )


def _fetched(chain: Chain, answer: Answer) -> Fetched:
    """Return the page that ends a chain. Raises SourceUnavailable where the answer is none."""
    reference = chain.request.reference
    failure = _failure_of_identifier(chain, answer) or failure_of(answer)
    if failure is not None:
        raise failure
    introduced = reference.kind in (SourceKind.PUBMED, SourceKind.PMC)
    fetched = Fetched(
        reference=reference,
        # An efetch address is shown without what introduces us there.
        final_url=reference.url if introduced and reference.url else str(answer.url),
        status=answer.status,
        content_type=answer.headers.get("content-type"),
        body=answer.body,
        wire_bytes=answer.wire_bytes,
        hops=tuple(map(str, chain.hops)),
        fetched_at=datetime.now(UTC),
        etag=answer.headers.get("etag"),
        last_modified=answer.headers.get("last-modified"),
    )
    if reference.kind is not SourceKind.PUBMED:
        return fetched
    return efetch.record_fetched(fetched, efetch.records_of(fetched).get(efetch.pmid(reference)), reference)


def _failure_of_identifier(chain: Chain, answer: Answer) -> SourceUnavailable | None:
    """Return the error where the answer says that the DOI or the PubMed number does not exist."""
    reference = chain.request.reference
    if reference.kind is SourceKind.PUBMED and efetch.says_unknown(answer.status, answer.body):
        return efetch.not_found(reference)
    if reference.kind is SourceKind.DOI and not chain.hops and answer.status == 404:
        return unavailable(ReasonCode.DOI_NOT_FOUND, answer.url.host, doi_hint(reference))
    return None
