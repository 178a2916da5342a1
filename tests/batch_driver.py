"""Runs `quotecheck ...` in a process of its own, with chosen loopback addresses exempted from the guard.

    python batch_driver.py PORT HOSTS batch rows.jsonl -o results.parquet

HOSTS addresses from 127.0.1.1 on are exempted at PORT.
"""

from __future__ import annotations

import sys

from quotecheck import cli
from quotecheck._testing import allow_loopback_endpoints


def address(number: int) -> str:
    """Return the loopback address of host `number`."""
    return f"127.0.1.{number + 1}"


if __name__ == "__main__":
    port, hosts = int(sys.argv[1]), int(sys.argv[2])
    with allow_loopback_endpoints(*((address(number), port) for number in range(hosts))):
        sys.exit(cli.main(sys.argv[3:]))
