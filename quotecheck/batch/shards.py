"""Shards: one audit split over processes or machines that know nothing of each other.

A row belongs to the shard that its source hashes to, so each source is fetched in one shard only, and all of
a host's sources spread over the shards, each of which keeps to its part of the host's rate.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from quotecheck.errors import InvalidOption

MOST_SHARDS = 10_000
_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` of `count`, counted from 0.

    >>> shard = Shard.parse("1/3")
    >>> [row for row in range(6) if shard.holds(None, row)]
    [1, 4]
    >>> str(shard)
    '1/3'
    """

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `I/N`, with I from 0 to N - 1. Raises InvalidOption."""
        match = _FORM.fullmatch(text.strip())
        shard = None if match is None else cls(int(match[1]), int(match[2]))
        if shard is None or not 1 <= shard.count <= MOST_SHARDS:
            raise InvalidOption(
                f"{text!r} is no shard: give I/N with N up to {MOST_SHARDS:,}, for example 0/4"
            )
        if shard.index >= shard.count:
            last = shard.count - 1
            raise InvalidOption(
                f"{text!r} is no shard: they are counted from 0, so those of {shard.count:,} are "
                f"0/{shard.count} to {last}/{shard.count}"
            )
        return shard

    def holds(self, key: str | None, row: int) -> bool:
        """Tell whether a row is in this shard: by its source's key, and by its number where it has none."""
        number = row if key is None else zlib.crc32(key.encode("utf-8", "surrogatepass"))
        return number % self.count == self.index

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"
