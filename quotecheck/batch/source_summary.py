"""What a summary says about the hosts that sources lie on: what was fetched there, and walls.

A wall answers different addresses with the same page: a login, a consent question, an error page with status
200. No check of one page can tell; only a table of many sources can.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from quotecheck.batch.hosts import HostWork, host_column

LISTED = 10
# Two addresses of one page are common (a print view, a DOI and the page it leads to), three are not.
LEAST_ALIKE = 3


@dataclass(frozen=True, slots=True)
class HostSources:
    """The sources of one host: how many there are, were fetched in this run, and are unavailable.

    `seconds` passed between the first and the last that was fetched. Null where it is not known: shards
    fetched at different times.
    """

    host: str
    sources: int
    fetched: int | None
    unavailable: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class EqualPages:
    """Sources of one host that have the same text, its length, how many rows cite them, and one address."""

    host: str
    sources: int
    rows: int
    characters: int
    example: str


def sources_by_host(
    sources: pl.DataFrame, work: Mapping[str, HostWork] | None
) -> tuple[tuple[HostSources, ...], int]:
    """Return the slowest hosts, then those with most sources, and how many hosts there are.

    `work` tells what was fetched; without it that is not known.
    """
    found = (
        sources.with_columns(host=host_column("final_url", "source_key"))
        .filter(pl.col("host").is_not_null())
        .group_by("host")
        .agg(pl.len().alias("sources"), (pl.col("state") == "unavailable").sum().alias("unavailable"))
    )
    known = {} if work is None else work
    done = pl.DataFrame(
        {
            "host": list(known),
            "fetched": [done.fetched for done in known.values()],
            "seconds": [round(done.seconds, 3) for done in known.values()],
        },
        schema={"host": pl.String, "fetched": pl.Int64, "seconds": pl.Float64},
    )
    joined = found.join(done, on="host", how="left")
    if work is not None:
        joined = joined.with_columns(pl.col("fetched").fill_null(0), pl.col("seconds").fill_null(0.0))
    order = joined.sort("seconds", "sources", "host", descending=[True, True, False], nulls_last=True)
    listed = order.select("host", "sources", "fetched", "unavailable", "seconds").head(LISTED)
    return tuple(HostSources(*row) for row in listed.iter_rows()), joined.height


def find_equal_pages(sources: pl.DataFrame) -> tuple[tuple[EqualPages, ...], int]:
    """Return which hosts answered different addresses with the same text, most rows first, and how many.

    Addresses that differ in scheme and host alone are one: such a page stands under both by intent.
    """
    address = pl.col("source_key").str.replace(r"^https?://[^/?#]+", "").str.strip_suffix("/")
    alike = (
        sources.filter(pl.col("state") == "read")
        .with_columns(host=host_column("final_url", "source_key"), address=address)
        .filter(pl.col("host").is_not_null())
        .sort("first_row")
        .group_by("host", "text_sha256", maintain_order=True)
        .agg(
            pl.col("address").n_unique().alias("addresses"),
            pl.len().alias("sources"),
            pl.col("rows").sum(),
            pl.col("characters").first(),
            pl.col("final_url").first().alias("example"),
        )
        .filter(pl.col("addresses") >= LEAST_ALIKE)
        .sort("rows", "host", descending=[True, False], maintain_order=True)
        .drop("addresses", "text_sha256")
    )
    return tuple(EqualPages(*row) for row in alike.head(LISTED).iter_rows()), alike.height
