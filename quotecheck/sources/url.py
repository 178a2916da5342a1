"""Web addresses, read strictly: what two parsers could read differently is refused, not guessed.

One parser serves the check and the request, so both see the same host. Refused are credentials, ports that
browsers block, host names that are not public DNS names, every spelling of an IPv4 address but the plain one,
and backslashes. Redirect targets go through the same door.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

import idna

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.addresses import require_public
from quotecheck.sources.reasons import unavailable

MAX_LENGTH = 8192

_DEFAULT_PORTS = {"http": 80, "https": 443}
_WEB_URL = re.compile(r"(https?)://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_AUTHORITY = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(?::([0-9]{0,5}))?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST_NAME = re.compile(rf"(?:{_LABEL}\.)+[a-z0-9](?:[a-z0-9-]{{0,61}}[a-z0-9])?")
# WHATWG URL: a host whose last label is a number is an IPv4 address in some spelling.
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_PLAIN_IPV4 = re.compile(r"(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})")

# RFC 6761 and its successors, ICANN's withheld names, and names that routers and hosts files use.
_SPECIAL_USE = frozenset(
    {
        "alt",
        "arpa",
        "corp",
        "example",
        "home",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "mail",
        "onion",
        "private",
        "test",
    }
)
# https://fetch.spec.whatwg.org/#port-blocking, those from 1024 on; below, only 80 and 443 pass.
_BLOCKED_PORTS = frozenset(
    {
        1719,
        1720,
        1723,
        2049,
        3659,
        4045,
        4190,
        5060,
        5061,
        6000,
        6566,
        6665,
        6666,
        6667,
        6668,
        6669,
        6679,
        6697,
    }
    | {10080}
)
# What browsers escape in a path and in a query.
_PATH_ESCAPED = re.compile("[^!$%&'()*+,\\-./0-9:;=@A-Z\\[\\]_a-z|~]+")
_QUERY_ESCAPED = re.compile("[^!$%&()*+,\\-./0-9:;=?@A-Z\\[\\\\\\]^_`a-z{|}~]+")
_UNRESERVED = re.compile(r"%(2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aAeE])")
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060\xad"


@dataclass(frozen=True, slots=True)
class WebUrl:
    """An http or https address whose syntax was checked; the text of it is `str(url)`.

    `host` is a lower-case ASCII name without a last dot, or an IP address without brackets. `target` is path
    and query as they are sent. A fragment is never part of it.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Host, and port where it is not the scheme's own: the value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def key(self) -> str:
        """The address with equivalent spellings of escapes made equal, to fetch each page once."""
        decoded = _UNRESERVED.sub(lambda match: chr(int(match.group(1), 16)), self.target)
        target = _ESCAPE.sub(lambda match: match.group().upper(), decoded)
        return f"{self.scheme}://{self.authority}{target}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def trimmed(text: str) -> str:
    """Return `text` without white space and invisible characters at its ends."""
    while (shorter := text.strip().strip(_INVISIBLE)) != text:
        text = shorter
    return text


def parse_url(text: str) -> WebUrl:
    """Return the checked form of an http(s) address.

    Raises SourceUnavailable with a code of the groups input and refused. Nothing is looked up: a host name
    passes here, and its addresses are checked when they are known.

    >>> str(parse_url("HTTPS://Example.ORG:443/a b#part"))
    'https://example.org/a%20b'
    """
    text = trimmed(text)
    if len(text) > MAX_LENGTH:
        raise unavailable(ReasonCode.BAD_URL, None, f"it is longer than {MAX_LENGTH} characters")
    scheme = _SCHEME.match(text)
    if scheme is None or scheme.group(1).lower() not in _DEFAULT_PORTS:
        name = scheme.group(1)[:40] if scheme else "none"
        raise unavailable(ReasonCode.SCHEME_NOT_ALLOWED, None, f"its scheme is {name}")
    parts = _WEB_URL.match(text)
    if parts is None:
        raise _bad_url(text, "the scheme must be followed by // and a host")
    if "@" in parts.group(2):
        # Never shown, not even in part: it may hold a password.
        raise unavailable(ReasonCode.CREDENTIALS_IN_URL, None)
    if "\\" in text.partition("#")[0].partition("?")[0]:
        raise _bad_url(text, "a backslash, which programs read in different ways")
    if control := _CONTROL.search(text):
        raise _bad_url(text, f"the control character U+{ord(control.group()):04X}")
    host, port = _host_and_port(text, parts.group(2), _DEFAULT_PORTS[parts.group(1).lower()])
    target = _target(parts.group(3), parts.group(4))
    return WebUrl(parts.group(1).lower(), host, port, target)


def resolve_url(base: WebUrl, location: str) -> WebUrl:
    """Return the checked address that `location` (a Location header, say) names when read at `base`.

    Raises SourceUnavailable as `parse_url` does.
    """
    location = trimmed(location)
    if _SCHEME.match(location):
        return parse_url(location)
    root = f"{base.scheme}://{base.authority}"
    if location.startswith("//"):
        return parse_url(f"{base.scheme}:{location}")
    if location.startswith("/"):
        return parse_url(root + location)
    path = base.target.partition("?")[0]
    if location.startswith("?"):
        return parse_url(root + path + location)
    if not location or location.startswith("#"):
        return base
    return parse_url(f"{root}{path.rpartition('/')[0]}/{location}")


def _bad_url(text: str, problem: str) -> SourceUnavailable:
    if "@" in text:  # what stands before it may be a password
        return unavailable(ReasonCode.BAD_URL, None, problem)
    return unavailable(ReasonCode.BAD_URL, None, f"{problem}, in {_shortened(text)!a}")


def _host_and_port(text: str, authority: str, default_port: int) -> tuple[str, int]:
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise _bad_url(text, "host and port cannot be told apart, or the port is not a number")
    port = int(match.group(2)) if match.group(2) else default_port
    if match.group(1).startswith("["):
        host = _ipv6(text, match.group(1)[1:-1])
    else:
        host = _name_or_ipv4(text, match.group(1))
    if not (port in (80, 443) or 1024 <= port <= 65535) or port in _BLOCKED_PORTS:
        raise unavailable(ReasonCode.PORT_NOT_ALLOWED, host, f"port {port}")
    if ":" in host or _PLAIN_IPV4.fullmatch(host):
        require_public(host, port, host=host)
    return host, port


def _ipv6(text: str, address: str) -> str:
    if "%" in address:
        raise unavailable(ReasonCode.HOST_NOT_PUBLIC, None, "an IPv6 address with a zone id")
    try:
        return str(ipaddress.IPv6Address(address))
    except ValueError:
        raise _bad_url(text, "not an IPv6 address between the brackets") from None


def _name_or_ipv4(text: str, written: str) -> str:
    host = written.lower()
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except UnicodeError:  # idna.IDNAError is one
            raise _bad_url(text, "the host is not a valid international name") from None
    if _ENDS_IN_NUMBER.fullmatch(host.removesuffix(".")):
        # 127.1, 0x7f.1, 2130706433, 127.0.0.1. and full-width digits: which address is meant depends on
        # the reader, so none of them is.
        if written == host and _PLAIN_IPV4.fullmatch(host) and max(map(int, host.split("."))) <= 255:
            return host
        raise unavailable(
            ReasonCode.HOST_NOT_PUBLIC, _shortened(host), "an IPv4 address that is not written plainly"
        )
    return _public_name(text, host.removesuffix("."))


def _public_name(text: str, host: str) -> str:
    if not host:
        raise _bad_url(text, "no host")
    if not re.fullmatch(r"[a-z0-9_.-]+", host) or ".." in host or host.startswith("."):
        raise _bad_url(text, "the host is not a valid name")
    if "." not in host:
        raise unavailable(ReasonCode.HOST_NOT_PUBLIC, host, "a name without a dot belongs to a local network")
    last = host.rpartition(".")[2]
    if last in _SPECIAL_USE:
        raise unavailable(ReasonCode.HOST_NOT_PUBLIC, host, f"names that end in .{last} are not public")
    if len(host) > 253 or not _HOST_NAME.fullmatch(host):
        raise _bad_url(text, "the host is not a valid name")
    return host


def _shortened(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "..."


def _target(path: str, query: str | None) -> str:
    target = _PATH_ESCAPED.sub(_escaped, _without_dot_segments(path or "/"))
    return target if query is None else f"{target}?{_QUERY_ESCAPED.sub(_escaped, query)}"


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8"))


def _without_dot_segments(path: str) -> str:
    """Resolve `.` and `..`, also as `%2e`, as browsers do before they send the path."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments, 1):
        plain = segment.replace("%2e", ".").replace("%2E", ".")
        if plain not in (".", ".."):
            kept.append(segment)
            continue
        if plain == ".." and kept:
            kept.pop()
        if number == len(segments):
            kept.append("")
    return "/" + "/".join(kept)
