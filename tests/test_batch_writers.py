"""Writing result tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from quotecheck.batch.columns import RESULT_SCHEMA
from quotecheck.batch.interrupt import Interrupted
from quotecheck.batch.json_reader import RAW
from quotecheck.batch.options import TableFormat
from quotecheck.batch.writers import CsvStyle, Joined, require_writable, write_table
from quotecheck.errors import InvalidInput


def joined(cells: pl.DataFrame) -> Joined:
    nulls = [pl.Series(name, [None] * cells.height, dtype) for name, dtype in RESULT_SCHEMA.items()]
    return Joined(cells, pl.DataFrame(nulls))


def written(path: Path, form: TableFormat, cells: pl.DataFrame, style: CsvStyle | None = None) -> bytes:
    rows = [joined(cells.head(1)), joined(cells.slice(1))]
    write_table(rows, path, form, schema=dict(cells.schema), style=style or CsvStyle(), metadata={"k": "v"})
    return path.read_bytes()


def test_csv_has_one_header_and_the_style_that_was_read(tmp_path: Path) -> None:
    """A spreadsheet opens what it wrote."""
    cells = pl.DataFrame({"a": ["x;y", "z"], "b": [1, None]})
    data = written(tmp_path / "r.csv", TableFormat.CSV, cells, CsvStyle(delimiter=";", bom=True))
    lines = data.decode("utf-8-sig").splitlines()
    assert data.startswith(b"\xef\xbb\xbfa;b;qc_row;")
    assert [line.split(";qc" if number == 0 else ";;")[0] for number, line in enumerate(lines)] == [
        "a;b",
        '"x;y";1',
        "z",
    ]


@pytest.mark.parametrize(
    ("raw", "start"),
    [
        (b'{"a": 1}', b'{"a": 1,"qc_row":null,'),
        (b'{"a": "}" }', b'{"a": "}" ,"qc_row":null,'),
        (b'{"a": {"b": {}}  }', b'{"a": {"b": {}}  ,"qc_row":null,'),
        (b"{ }", b'{ "qc_row":null,'),
    ],
)
def test_results_are_added_before_the_last_brace_of_a_line(tmp_path: Path, raw: bytes, start: bytes) -> None:
    """The line stays an object, and what it held stays as it was."""
    data = written(tmp_path / "r.jsonl", TableFormat.JSONL, pl.DataFrame({RAW: [raw]}))
    assert data.startswith(start)
    assert set(json.loads(data)) == {*json.loads(raw), *RESULT_SCHEMA}


def test_parquet_says_what_wrote_it(tmp_path: Path) -> None:
    """The metadata travels with the file."""
    written(tmp_path / "r.parquet", TableFormat.PARQUET, pl.DataFrame({"a": [1, 2]}))
    assert pl.read_parquet_metadata(tmp_path / "r.parquet")["k"] == "v"
    assert pl.read_parquet(tmp_path / "r.parquet")["a"].to_list() == [1, 2]


@pytest.mark.parametrize("form", list(TableFormat))
@pytest.mark.parametrize("error", [Interrupted(), InvalidInput("changed"), OSError(28, "full")])
def test_what_stops_the_rows_comes_through_the_writer(
    tmp_path: Path, form: TableFormat, error: Exception
) -> None:
    """A caller sees why writing stopped, and not an error of the library that writes."""

    def rows() -> Iterator[Joined]:
        yield joined(pl.DataFrame({"a": [1]}))
        raise error

    with pytest.raises(type(error)) as caught:
        write_table(rows(), tmp_path / "r", form, schema={"a": pl.Int64()}, style=CsvStyle())
    assert caught.value is error


@pytest.mark.parametrize(
    ("dtype", "forms"),
    [
        (pl.Binary(), {"parquet"}),
        (pl.List(pl.Binary()), {"parquet"}),
        (pl.Struct({"x": pl.Array(pl.Binary(), 2)}), {"parquet"}),
        (pl.Duration("ms"), {"parquet", "jsonl"}),
        (pl.List(pl.Struct({"x": pl.Int8()})), {"parquet", "jsonl", "csv"}),
        (pl.Null(), {"parquet", "jsonl", "csv"}),
        (pl.Decimal(10, 2), {"parquet", "jsonl", "csv"}),
    ],
)
def test_cells_without_a_form_are_refused_before_any_work(dtype: pl.DataType, forms: set[str]) -> None:
    """What a format cannot hold is known from the types."""
    for form in TableFormat:
        if form in forms:
            require_writable({"a": dtype}, form)
        else:
            with pytest.raises(InvalidInput, match="write Parquet"):
                require_writable({"a": dtype}, form)
