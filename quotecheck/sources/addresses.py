"""Which IP addresses may be contacted: public unicast addresses and nothing else.

The table is our own. `ipaddress.is_global` changes between patch releases of Python and lets multicast,
6to4, NAT64 of loopback and cloud metadata addresses through. IPv4 is a deny list, IPv6 an allow list
(2000::/3 minus its special ranges), so an address block that nobody thought of is refused.
"""

from __future__ import annotations

import functools
import ipaddress

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import unavailable

Endpoint = tuple[str, int]

# Written by quotecheck._testing.allow_loopback_endpoints alone.
_exempt_endpoints: frozenset[Endpoint] = frozenset()

# https://www.iana.org/assignments/iana-ipv4-special-registry, and Azure's virtual host address, which is
# numerically public but always means the platform under this machine.
_IPV4_REFUSED = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared address space"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud platform"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "IETF protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
)

# https://www.iana.org/assignments/iana-ipv6-special-registry: what is special inside 2000::/3.
_IPV6_REFUSED = (
    ("2001::/23", "IETF protocol assignments"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("2620:4f:8000::/48", "AS112"),
    ("3fff::/20", "documentation"),
)

# Names for what lies outside 2000::/3; any other address there is refused without a name of its own.
_IPV6_NAMED = (
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", "IPv4-mapped"),
    ("::/96", "IPv4-compatible"),
    ("::ffff:0:0:0/96", "IPv4-translated"),
    ("64:ff9b:1::/48", "local-use NAT64"),
    ("100::/64", "discard-only"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)

Range = tuple[int, int, str]


def _ranges(table: tuple[tuple[str, str], ...]) -> tuple[Range, ...]:
    networks = [(ipaddress.ip_network(text), name) for text, name in table]
    return tuple((int(net.network_address), int(net.broadcast_address), name) for net, name in networks)


_IPV4_RANGES = _ranges(_IPV4_REFUSED)
_IPV6_RANGES = _ranges(_IPV6_REFUSED)
_IPV6_NAMED_RANGES = _ranges(_IPV6_NAMED)
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@functools.lru_cache(maxsize=65536)
def why_not_public(address: str) -> str | None:
    """Return None for the text of a public unicast address, else a few words that say what it is.

    >>> why_not_public("8.8.8.8"), why_not_public("10.0.0.1"), why_not_public("::ffff:8.8.8.8")
    (None, 'private', 'IPv4-mapped')
    """
    if "%" in address:
        return "zone id"
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an IP address"
    if isinstance(parsed, ipaddress.IPv4Address):
        return _named(int(parsed), _IPV4_RANGES)
    return _why_not_public_ipv6(parsed)


def _why_not_public_ipv6(address: ipaddress.IPv6Address) -> str | None:
    number = int(address)
    embedded = number & 0xFFFFFFFF
    if address in _NAT64:
        # Networks with IPv6 only reach every IPv4 site this way: the embedded address decides.
        why = _named(embedded, _IPV4_RANGES)
        return None if why is None else f"NAT64 of {why}"
    if address not in _GLOBAL_UNICAST:
        return _named(number, _IPV6_NAMED_RANGES) or "not global unicast"
    # RFC 5214: an interface identifier 0000:5efe or 0200:5efe means IPv4 in the last 32 bits.
    if (number >> 32) & 0xFDFFFFFF == 0x00005EFE:
        return "ISATAP"
    return _named(number, _IPV6_RANGES)


def _named(number: int, ranges: tuple[Range, ...]) -> str | None:
    for first, last, name in ranges:
        if first <= number <= last:
            return name
    return None


def is_exempt(address: str, port: int) -> bool:
    """Tell whether a test allowed exactly this endpoint; never true outside of tests."""
    return (address, port) in _exempt_endpoints


def require_public(address: str, port: int, *, host: str) -> None:
    """Raise SourceUnavailable (`address_not_public`) unless `address` may be contacted on `port`.

    `host` is the name that led to the address, for the message.
    """
    why = why_not_public(address)
    if why is not None and not is_exempt(address, port):
        raise address_refused(host, address, why)


def address_refused(host: str, address: str, why: str) -> SourceUnavailable:
    """Return the refusal of one address of `host`."""
    stands_for = f"{why} address" if host == address else f"it resolves to {address}, {why}"
    if address == "0.0.0.0" and host != address:
        stands_for += "; a DNS filter answers so for names that it blocks"
    return unavailable(ReasonCode.ADDRESS_NOT_PUBLIC, host, stands_for)
