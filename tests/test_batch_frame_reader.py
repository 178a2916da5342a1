"""Reading Parquet files and frames."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from batch_tables import NAMES, places_of, rows_of
from polars.testing import assert_frame_equal

from quotecheck.batch import frame_reader
from quotecheck.batch.frame_reader import FrameTable
from quotecheck.batch.inputs import expand_inputs
from quotecheck.batch.options import TableFormat
from quotecheck.batch.tables import Table, open_table
from quotecheck.errors import InvalidInput

ROWS = pl.DataFrame(
    {
        "quote": ["a", None, "c"],
        "source": pl.Series(["p", "p", "q"], dtype=pl.Categorical),
        "when": [datetime(2024, 5, 1, tzinfo=UTC)] * 3,
        "tags": [["x"], [], None],
        "more": [{"n": 1}, {"n": None}, None],
        "raw": [b"\xff", b"", None],
        "none": [None, None, None],
    }
)


def table_of(folder: Path, **frames: pl.DataFrame) -> Table:
    for name, frame in frames.items():
        frame.write_parquet(folder / f"{name}.parquet")
    return open_table(expand_inputs((str(folder),)), NAMES)


def originals(table: Table) -> pl.DataFrame:
    return pl.concat([batch.cells for batch in table.originals(TableFormat.PARQUET, ())])


def test_columns_of_every_type_come_out_unchanged(tmp_path: Path) -> None:
    """What was in the file is what is written."""
    table = table_of(tmp_path, a=ROWS)
    assert rows_of(table) == [("a", "p", None), (None, "p", None), ("c", "q", None)]
    assert_frame_equal(originals(table), ROWS)
    assert table.schema(TableFormat.PARQUET) == dict(ROWS.schema)


def test_numbers_go_on_over_files_and_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are counted over the whole input, records from 1 in each file."""
    monkeypatch.setattr(frame_reader, "BATCH_ROWS", 64)
    long = pl.DataFrame({"quote": [str(number) for number in range(200)], "source": "p"})
    table = table_of(tmp_path, a=long, b=long.head(2))
    assert places_of(table) == [(row, row % 200 + 1) for row in range(202)]
    assert len(list(table.wanted())) > 2


def test_columns_of_all_files_come_out_and_null_where_a_file_has_none(tmp_path: Path) -> None:
    """Two files with different columns are one table."""
    first = pl.DataFrame({"quote": ["a"], "source": ["p"], "n": [1]})
    second = pl.DataFrame({"source": ["p"], "quote": ["b"]})
    assert originals(table_of(tmp_path, a=first, b=second)).rows() == [("a", "p", 1), ("b", "p", None)]


def test_files_that_disagree_about_a_type_are_refused(tmp_path: Path) -> None:
    """One column has one type."""
    first = pl.DataFrame({"quote": ["a"], "source": ["p"], "n": [1]})
    with pytest.raises(InvalidInput, match=r"b\.parquet: column 'n' is String"):
        table_of(tmp_path, a=first, b=first.cast({"n": pl.String})).schema(TableFormat.PARQUET)


def test_column_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """A number is no quotation."""
    with pytest.raises(InvalidInput, match="column 'quote' holds Int64, not text"):
        table_of(tmp_path, a=pl.DataFrame({"quote": [1], "source": ["p"]}))


def test_column_of_nulls_is_read(tmp_path: Path) -> None:
    """A column without any value has no type that could be wrong."""
    assert rows_of(table_of(tmp_path, a=pl.DataFrame({"quote": [None], "source": ["p"]}))) == [
        (None, "p", None)
    ]


def test_damaged_file_is_refused(tmp_path: Path) -> None:
    """A file that was cut short is no table."""
    ROWS.write_parquet(tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(data[:-20])
    with pytest.raises(InvalidInput, match="cannot be read as Parquet"):
        open_table(expand_inputs((str(tmp_path),)), NAMES)


def test_folder_named_like_a_column_adds_none(tmp_path: Path) -> None:
    """A path of the form k=v is no part of the file."""
    (tmp_path / "year=2024").mkdir()
    ROWS.select("quote", "source").write_parquet(tmp_path / "year=2024" / "a.parquet")
    table = open_table(expand_inputs((str(tmp_path),)), NAMES)
    assert list(table.schema(TableFormat.PARQUET)) == ["quote", "source"]


def test_frame_is_read_in_bounded_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame has no file, and its rows are numbered from 0."""
    monkeypatch.setattr(frame_reader, "BATCH_ROWS", 2)
    batches = list(FrameTable(ROWS, NAMES).wanted())
    assert [batch.rows.to_list() for batch in batches] == [[0, 1], [2]]
    assert batches[0].file is None


def test_frame_with_columns_of_an_earlier_audit_is_refused() -> None:
    """As in a file."""
    with pytest.raises(InvalidInput, match="qc_row"):
        FrameTable(ROWS.with_columns(qc_row=1), NAMES)
