"""Result tables read back, and tables that are none."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from batch_runs import audited, work_inline, write_jsonl
from polars.testing import assert_frame_equal

from quotecheck.batch.result_tables import SCANNED_SCHEMA, open_result
from quotecheck.errors import InvalidInput

TEXT = "The grey fog lay over the weir; the mill stood still."
ROWS = [
    {"Sentence": 'grey fog lay "over" the weir;', "source": "a", "text": TEXT, "odd": float("nan")},
    {"Sentence": "grey fog\nlay over the weir", "source": "b", "text": TEXT, "odd": 10**40},
    {"Sentence": 5, "source": None, "text": TEXT, "odd": ["\ud800"]},
    {"Sentence": "no such words here", "source": "http://10.0.0.1/", "odd": {"qc_row": 7}},
]


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    work_inline(monkeypatch)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return audit(tmp_path, "results.jsonl")


def audit(folder: Path, name: str) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    audited(folder, str(path), output=str(folder / name), quote_col="sentence")
    return folder / name


def test_all_formats_give_the_same_rows(tmp_path: Path, table: Path) -> None:
    """Types, flags and the input's own columns are read alike from CSV, JSONL and Parquet."""
    expected = open_result(table).scan().collect()
    assert dict(expected.schema) == SCANNED_SCHEMA
    assert expected["quote"].to_list() == [*(row["Sentence"] for row in ROWS[:2]), None, ROWS[3]["Sentence"]]
    assert expected["qc_status"].to_list() == ["NEAR", "EXACT", "INVALID", "SOURCE_UNAVAILABLE"]
    for suffix in ("parquet", "csv"):
        found = open_result(audit(tmp_path, f"as-{suffix}.{suffix}")).scan().collect()
        # What is no text in JSON is written as text into a typed table.
        assert_frame_equal(found.drop("quote"), expected.drop("quote"))
        assert found["quote"].drop_nulls().to_list() == [*expected["quote"][:2], "5", expected["quote"][3]]


@pytest.mark.parametrize("delimiter", [";", "\t", ","])
def test_csv_is_read_with_the_delimiter_it_was_written_with(tmp_path: Path, delimiter: str) -> None:
    """A result is written like its input, byte order mark included."""
    rows = (
        delimiter.join(["quote", "source", "text"]) + "\n" + delimiter.join(["grey fog", "a", "a grey fog"])
    )
    (tmp_path / "rows.csv").write_bytes(b"\xef\xbb\xbf" + rows.encode())
    audited(tmp_path, str(tmp_path / "rows.csv"), output=str(tmp_path / "out.csv"))
    found = open_result(tmp_path / "out.csv").scan().collect()
    assert found.select("quote", "source", "qc_status").rows() == [("grey fog", "a", "EXACT")]


def test_table_without_rows_is_a_table(tmp_path: Path) -> None:
    """An audit of nothing has a result, which has no rows."""
    audited(tmp_path, str(write_jsonl(tmp_path / "rows.jsonl", [])), output=str(tmp_path / "out.jsonl"))
    assert open_result(tmp_path / "out.jsonl").scan().collect().height == 0


def test_table_without_our_columns_is_refused(tmp_path: Path) -> None:
    """The input of an audit is not its result."""
    rows = write_jsonl(tmp_path / "rows.jsonl", [{"quote": "a"}])
    with pytest.raises(InvalidInput, match=r"rows\.jsonl has no qc_ columns, so it is not the result"):
        open_result(rows)


def test_table_that_lost_columns_is_refused(tmp_path: Path) -> None:
    """What is missing is named."""
    pl.read_parquet(audit(tmp_path, "whole.parquet")).drop("odd", "qc_flags").write_parquet(
        tmp_path / "cut.parquet"
    )
    with pytest.raises(InvalidInput, match=r"cut\.parquet lacks the columns qc_flags"):
        open_result(tmp_path / "cut.parquet")


def test_missing_manifest_is_named(table: Path) -> None:
    """Without its manifest nobody knows what a table rests on."""
    table.with_suffix(".manifest.json").unlink()
    with pytest.raises(InvalidInput, match=r"results\.manifest\.json is missing: .* copy it here"):
        open_result(table)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"manifest_version": 99}', b"\xff", b'{"manifest_version": 1}']
)
def test_damaged_manifest_is_refused(table: Path, content: bytes) -> None:
    """A file of that name that is none is not taken for one."""
    table.with_suffix(".manifest.json").write_bytes(content)
    with pytest.raises(InvalidInput, match=r"results\.manifest\.json (cannot be read as a|is no) manifest"):
        open_result(table)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"qc_row":1,', "", r"line 2 has no qc_row"),
        ('"EXACT"', '"EXAKT"', r"cannot be read as a result table"),
        ('"qc_row":1,', '"qc_row":"x",', r"cannot be read as a result table"),
    ],
)
def test_damaged_row_is_refused(table: Path, old: str, new: str, message: str) -> None:
    """A row that an audit cannot have written ends the reading with the table's name."""
    table.write_text(table.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InvalidInput, match=message):
        open_result(table).collect(lambda rows: rows)


@pytest.mark.parametrize("name", ["missing.csv", "folder"])
def test_what_is_no_file_is_refused(tmp_path: Path, name: str) -> None:
    """A name that leads to no table is told as it was given."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match=f"{name} (does not exist|is a folder)"):
        open_result(tmp_path / name)
