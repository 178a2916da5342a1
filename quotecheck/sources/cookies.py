"""Cookies within one chain of redirects, as RFC 6265 says; never shared between sources.

Some publishers end a redirect loop only when their cookie comes back. A cookie for a whole domain would need
a list of public suffixes to be sound, or `evil.co.uk` could set one that `mill.co.uk` gets. Without one, it
goes to less than RFC 6265 allows: to the host that set it, hosts below that, and back to hosts that sent the
reader there. Hosts that only share a parent domain get nothing from each other on a first visit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from quotecheck.sources.url import WebUrl

_MAX_COOKIES = 50
_MAX_LENGTH = 4096
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class _Cookie:
    name: str
    value: str
    domain: str
    host_only: bool
    path: str
    secure: bool
    set_by: str
    seen_before: frozenset[str]  # hosts of the chain up to the one that set it

    def goes_to(self, url: WebUrl) -> bool:
        if self.secure and url.scheme != "https":
            return False
        domain_fits = url.host == self.domain if self.host_only else self._is_shared_with(url.host)
        return domain_fits and _path_fits(_path(url), self.path)

    def _is_shared_with(self, host: str) -> bool:
        if not _is_below(host, self.domain):
            return False
        is_same_site = host.removeprefix("www.") == self.set_by.removeprefix("www.")
        return is_same_site or _is_below(host, self.set_by) or host in self.seen_before


class CookieJar:
    """The cookies that servers set along one chain.

    >>> from quotecheck.sources.url import parse_url
    >>> jar = CookieJar()
    >>> jar.store(parse_url("https://a.example.org/"), ["seen=1; Path=/; HttpOnly"])
    >>> jar.header(parse_url("https://a.example.org/next")), jar.header(parse_url("https://b.example.org/"))
    ('seen=1', None)
    """

    def __init__(self) -> None:
        self._cookies: dict[tuple[str, str, str], _Cookie] = {}
        self._hosts: set[str] = set()

    def store(self, url: WebUrl, set_cookie: Iterable[str]) -> None:
        """Take in the Set-Cookie headers of an answer from `url`; malformed and foreign ones are ignored.

        To be called for each answer of the chain in turn, also for one that sets no cookie.
        """
        self._hosts.add(url.host)
        seen_before = frozenset(self._hosts)
        for header in set_cookie:
            parsed = _parse(url, header, seen_before)
            if parsed is None:
                continue
            cookie, keep = parsed
            key = (cookie.name, cookie.domain, cookie.path)
            if not keep:
                self._cookies.pop(key, None)
            elif key in self._cookies or len(self._cookies) < _MAX_COOKIES:
                self._cookies[key] = cookie

    def header(self, url: WebUrl) -> str | None:
        """Return the Cookie header of a request to `url`, longest paths first, or None."""
        fitting = [cookie for cookie in self._cookies.values() if cookie.goes_to(url)]
        fitting.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in fitting) or None


def _parse(url: WebUrl, header: str, seen_before: frozenset[str]) -> tuple[_Cookie, bool] | None:
    """Return the cookie and whether it is to be kept (an expired one deletes), or None."""
    pair, *fields = header.split(";")
    name, equals, value = (part.strip() for part in pair.partition("="))
    if not equals or not name or len(header) > _MAX_LENGTH or _UNSENDABLE.search(pair):
        return None
    attributes = {}
    for field in fields:
        key, _, text = field.partition("=")
        attributes[key.strip().lower()] = text.strip()
    domain = attributes.get("domain", "").removeprefix(".").lower()
    if domain and not (url.host == domain or ("." in domain and _is_below(url.host, domain))):
        return None
    path = attributes.get("path", "")
    cookie = _Cookie(
        name=name,
        value=value,
        domain=domain or url.host,
        host_only=not domain,
        path=path if path.startswith("/") else _default_path(url),
        secure="secure" in attributes,
        set_by=url.host,
        seen_before=seen_before,
    )
    return cookie, not _is_expired(attributes)


def _is_expired(attributes: dict[str, str]) -> bool:
    max_age = attributes.get("max-age", "")
    if re.fullmatch(r"-?[0-9]{1,18}", max_age):
        return int(max_age) <= 0
    try:
        return parsedate_to_datetime(attributes.get("expires", "")).timestamp() <= time.time()
    except (ValueError, TypeError, IndexError, OverflowError):
        return False


def _is_below(host: str, domain: str) -> bool:
    is_address = ":" in host or host.replace(".", "").isdigit()
    return host == domain or (host.endswith("." + domain) and not is_address)


def _path(url: WebUrl) -> str:
    return url.target.partition("?")[0]


def _default_path(url: WebUrl) -> str:
    return _path(url).rpartition("/")[0] or "/"


def _path_fits(path: str, cookie_path: str) -> bool:
    if not path.startswith(cookie_path):
        return False
    return path == cookie_path or cookie_path.endswith("/") or path[len(cookie_path)] == "/"
