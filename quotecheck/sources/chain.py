"""The chain of redirects from a source's first address to its page. No network here.

Every address of a chain passes the same door as the first one. A refresh of a few seconds, in a header or
in a `<meta http-equiv=refresh>`, is a redirect like any other, unless it leads back to a page that a reader
sees on the way.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.decode import decode
from quotecheck.extract.html import expand_empty_elements, meta_refresh, parse_refresh
from quotecheck.extract.kinds import Kind, kind_of
from quotecheck.extract.metatags import base_address
from quotecheck.models import ReasonCode
from quotecheck.sources.cookies import CookieJar
from quotecheck.sources.exchange import Answer
from quotecheck.sources.fetched import FetchRequest
from quotecheck.sources.reasons import REFUSED, unavailable
from quotecheck.sources.url import WebUrl, resolve_url

MAX_REDIRECTS = 5
# Pages that say "you will be redirected"; a longer delay is a page to read that happens to reload.
LONGEST_REFRESH_SECONDS = 5
_REFRESH_HEAD_BYTES = 65536
_SCHEME = re.compile(r"\s*([a-z][a-z0-9+.-]*):", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a source is fetched.

    Attributes
    ----------
    patient : each attempt has a deadline of its own, and pauses between attempts are free, as a batch wants
        it; otherwise attempts and pauses share one deadline.
    max_bytes : limit of the body.
    left_host : called when the first host has answered or failed.
    """

    patient: bool
    max_bytes: int
    left_host: Callable[[], None] = lambda: None


@dataclass(slots=True)
class Chain:
    """Where the reading of one source stands.

    `left` is what remains of the deadline, in seconds; it runs only inside `on_the_clock`.
    """

    request: FetchRequest
    manner: Manner
    url: WebUrl
    left: float
    deadline: float
    hops: list[WebUrl] = field(default_factory=list)
    cookies: CookieJar = field(default_factory=CookieJar)
    answer: Answer | None = None

    @property
    def is_conditional(self) -> bool:
        """Tell whether the page at this address need not be sent again if it is unchanged."""
        return self.request.is_conditional and self.request.final_url in (None, str(self.url))

    @contextmanager
    def on_the_clock(self) -> Iterator[None]:
        """Let the deadline run. Raises SourceUnavailable (`deadline_exceeded`) when it is over."""
        began = time.monotonic()
        try:
            with anyio.move_on_after(self.left) as scope:
                yield
        finally:
            self.left -= time.monotonic() - began
        if scope.cancelled_caught:
            detail = f"the deadline is {self.deadline:g} s"
            raise unavailable(ReasonCode.DEADLINE_EXCEEDED, self.url.host, detail)

    def redirect(self, answer: Answer, location: str) -> None:
        """Go on to `location`, keeping the answer's cookies. Raises SourceUnavailable where it is refused."""
        if len(self.hops) >= MAX_REDIRECTS:
            detail = f"the limit is {MAX_REDIRECTS} redirects"
            raise unavailable(ReasonCode.TOO_MANY_REDIRECTS, self.url.host, detail)
        try:
            target = resolve_url(self.url, location)
        except SourceUnavailable as error:
            raise _refused_redirect(self.url.host, error) from None
        self.cookies.store(self.url, answer.headers.get_all("set-cookie"))
        self.hops.append(self.url)
        self.url = target

    def located(self, error: SourceUnavailable) -> SourceUnavailable:
        """Return the error with the last address that was contacted.

        An address that is refused after a redirect is the redirect's fault.
        """
        if error.reason_code not in REFUSED:
            return SourceUnavailable(error.reason_code, error.reason, final_url=str(self.url))
        if not self.hops:
            return error
        error = _refused_redirect(self.hops[-1].host, error)
        return SourceUnavailable(error.reason_code, error.reason, final_url=str(self.hops[-1]))


def _refused_redirect(host: str, error: SourceUnavailable) -> SourceUnavailable:
    invalid = error.reason_code is ReasonCode.BAD_URL
    code = ReasonCode.REDIRECT_INVALID if invalid else ReasonCode.REDIRECT_NOT_ALLOWED
    return unavailable(code, host, error.reason.removesuffix("."))


def redirect_target(answer: Answer, hops: Sequence[WebUrl] = ()) -> str | None:
    """Return where an answer sends its reader, as written: by its status or by a refresh.

    `hops` are the addresses that the chain has left. A page that reloads itself, or comes up again after it
    sent its reader round, is what a reader sees: it is the source. Where no page of the round is shown for a
    second, nobody can read any of them, and the limit of redirects ends the chain.
    """
    if answer.location is not None or not answer.may_be_page:
        return answer.location
    seconds, target = _refresh(answer) or (0, "")
    if not target or seconds > LONGEST_REFRESH_SECONDS or not _may_be_web_address(target):
        return None
    key = _key_of_target(answer.url, target)
    left = {url.key for url in hops}
    goes_round = seconds > 0 and {answer.url.key, key} <= left
    return None if goes_round or key == answer.url.key else target


def _refresh(answer: Answer) -> tuple[int, str] | None:
    if (in_header := parse_refresh(answer.headers.get("refresh") or "")) is not None:
        return in_header
    head = answer.body[:_REFRESH_HEAD_BYTES]
    if b"http-equiv" not in head.lower():
        return None
    content_type = answer.headers.get("content-type")
    markup = decode(head, content_type).text
    kind = kind_of(markup, content_type)
    if kind is Kind.XHTML:
        markup = expand_empty_elements(markup)
    found = meta_refresh(markup) if kind in (Kind.HTML, Kind.XHTML) else None
    base = base_address(markup) if found and not _SCHEME.match(found[1]) else None
    return found if found is None or base is None else (found[0], _at_base(answer.url, base, found[1]))


def _at_base(url: WebUrl, base: str, target: str) -> str:
    """Return what a relative address means behind `<base>`; where that is refused, the address to refuse."""
    try:
        return str(resolve_url(resolve_url(url, base), target))
    except SourceUnavailable:
        return base


def _may_be_web_address(target: str) -> bool:
    """Tell whether a target names a web address, or no scheme: at `javascript:` or `mailto:` a page stays."""
    scheme = _SCHEME.match(target)
    return scheme is None or scheme[1].lower() in ("http", "https")


def _key_of_target(url: WebUrl, target: str) -> str | None:
    try:
        return resolve_url(url, target).key
    except SourceUnavailable:
        return None  # refused where it is followed
