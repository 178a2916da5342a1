"""Parquet files by their names as they are."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from quotecheck.batch.parquet_files import read_files, require_name
from quotecheck.errors import InvalidInput


@pytest.mark.parametrize("name", ["[x].parquet", "a*b?.parquet", "year=2026/a.parquet", "50%20.parquet"])
def test_name_is_no_pattern_and_no_column(tmp_path: Path, name: str) -> None:
    """What polars would expand, or read a column from, is a name like any other."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    pl.DataFrame({"a": [1]}).write_parquet(path)
    assert read_files(path, path).to_dict(as_series=False) == {"a": [1, 1]}


def test_name_that_is_not_utf8_is_refused() -> None:
    """The message says what to do."""
    with pytest.raises(InvalidInput, match="not UTF-8: rename it"):
        require_name(Path(os.fsdecode(b"\xff.parquet")))
