"""Parquet files by their names as they are: brackets are no pattern, and a folder `k=v` is no column."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from quotecheck.errors import InvalidInput


def scan_files(*paths: Path) -> pl.LazyFrame:
    """Return the rows of one or more files with the same columns."""
    return pl.scan_parquet(list(paths), glob=False, hive_partitioning=False)


def read_files(*paths: Path) -> pl.DataFrame:
    """Return the rows of one or more files with the same columns."""
    return scan_files(*paths).collect()


def require_name(path: Path) -> None:
    """Raise InvalidInput for a name with bytes that are not UTF-8: polars takes none."""
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{path} holds bytes that are not UTF-8: rename it, or give the result another name with -o"
        ) from error
