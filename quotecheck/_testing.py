"""For tests only: let the guard contact chosen endpoints on this machine's loopback interface.

Nothing else opens the guard. No option of the command line and no environment variable leads here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager

from quotecheck.sources import addresses


@contextmanager
def allow_loopback_endpoints(*endpoints: tuple[str, int]) -> Iterator[None]:
    """Exempt exact (ip, port) pairs from the address check while the context is open, in every thread.

    Contexts nest; each takes back what it added. Raises ValueError for an address that is not loopback.

    >>> with allow_loopback_endpoints(("127.0.0.1", 8080)):
    ...     addresses.is_exempt("127.0.0.1", 8080), addresses.is_exempt("127.0.0.1", 8081)
    (True, False)
    """
    for address, _ in endpoints:
        if not ipaddress.ip_address(address).is_loopback:
            raise ValueError(f"{address} is not a loopback address: only those can be exempted")
    before = addresses._exempt_endpoints
    addresses._exempt_endpoints = before | frozenset(endpoints)
    try:
        yield
    finally:
        addresses._exempt_endpoints = before
