"""Where results go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quotecheck.batch.inputs import InputFile
from quotecheck.batch.options import BatchOptions, FetchOptions, TableFormat
from quotecheck.batch.outputs import Outputs, plan_outputs
from quotecheck.errors import InvalidInput, InvalidOption


def planned(given: str, kind: str = "json", *, first: str | None = None, **options: object) -> Outputs:
    path = first or given
    return plan_outputs(
        BatchOptions(inputs=(given,), **options),  # type: ignore[arg-type]
        [InputFile(Path(path), path, kind)],
    )


@pytest.mark.parametrize(
    ("given", "kind", "first", "table"),
    [
        ("rows.jsonl", "json", None, "rows.quotecheck.jsonl"),
        ("rows.json", "json", None, "rows.quotecheck.jsonl"),
        ("rows.csv.gz", "csv", None, "rows.quotecheck.csv"),
        ("rows.tsv", "csv", None, "rows.quotecheck.tsv"),
        ("rows.txt", "csv", None, "rows.quotecheck.csv"),
        ("my.rows.parquet", "parquet", None, "my.rows.quotecheck.parquet"),
        ("p*.csv", "csv", "p1.csv", "p1.quotecheck.csv"),
        ("data", "parquet", "data/a.parquet", "data.quotecheck.parquet"),
    ],
)
def test_name_is_derived_from_the_first_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str, kind: str, first: str | None, table: str
) -> None:
    """The same format, beside the input; a folder's result lies beside the folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    assert planned(given, kind, first=first).table == Path(table)


def test_other_files_are_named_after_the_table(tmp_path: Path) -> None:
    """Whoever finds one finds all."""
    outputs = planned("rows.jsonl", output=str(tmp_path / "r.v2.parquet"))
    assert [path.name for path in outputs.paths()] == [
        "r.v2.sources.parquet",
        "r.v2.rejects.jsonl",
        "r.v2.parquet",
        "r.v2.manifest.json",
    ]
    assert outputs.run_dir == tmp_path / "r.v2.run"


@pytest.mark.parametrize(
    ("output", "form", "expected"),
    [
        ("r.csv", None, TableFormat.CSV),
        ("r.TSV", None, TableFormat.CSV),
        ("r.ndjson", None, TableFormat.JSONL),
        ("r.pq", None, TableFormat.PARQUET),
        ("r.dat", TableFormat.CSV, TableFormat.CSV),
        ("r.csv", TableFormat.JSONL, TableFormat.JSONL),
        ("-", TableFormat.PARQUET, TableFormat.PARQUET),
    ],
)
def test_format_is_given_or_known_by_name(
    output: str, form: TableFormat | None, expected: TableFormat
) -> None:
    """What is said goes before what the name says."""
    assert planned("rows.jsonl", output=output, format=form).format is expected


@pytest.mark.parametrize("output", ["r", "r.xlsx", "r.csv.gz"])
def test_name_that_tells_no_format_is_refused(output: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(InvalidOption, match="does not tell the format"):
        planned("rows.jsonl", output=output)


def test_output_that_is_an_input_is_refused(tmp_path: Path) -> None:
    """Also under another spelling, also as one of the other files."""
    (tmp_path / "x").mkdir()
    for name in ("rows.jsonl", "r.rejects.jsonl"):
        with pytest.raises(InvalidOption, match="is an input"):
            planned(str(tmp_path / name), output=str(tmp_path / "x" / ".." / name.replace(".rejects", "")))


def test_output_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    """A folder, or a place that does not exist."""
    with pytest.raises(InvalidInput, match="does not exist"):
        planned("rows.jsonl", output=str(tmp_path / "none" / "r.csv"))
    (tmp_path / "r.csv").mkdir()
    with pytest.raises(InvalidInput, match="is a folder"):
        planned("rows.jsonl", output=str(tmp_path / "r.csv"))


def test_output_that_would_replace_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A result is renamed into its place, which would put a file where a link, a pipe or a device was."""
    (tmp_path / "link.csv").symlink_to("elsewhere.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    for name, message in (("link.csv", "is a link"), ("pipe.csv", "no regular file")):
        with pytest.raises(InvalidInput, match=message):
            planned("rows.jsonl", output=str(tmp_path / name))
    table = str(tmp_path / "r.csv")
    for name, message in ((tmp_path / "link.csv", "is a link"), (Path("-"), "for -o alone")):
        with pytest.raises(InvalidInput, match=message):
            planned("rows.jsonl", output=table, summary_json=name)


def test_store_in_the_place_of_another_file_is_refused(tmp_path: Path) -> None:
    """It would be replaced by the result, or is the input."""
    table = tmp_path / "r.csv"
    with pytest.raises(InvalidOption, match="two results would be written"):
        planned("rows.jsonl", output=str(table), fetch=FetchOptions(store=table))
    with pytest.raises(InvalidOption, match="give the store another name"):
        planned("rows.jsonl", output=str(table), fetch=FetchOptions(store=Path("rows.jsonl")))


def test_two_results_in_one_file_are_refused(tmp_path: Path) -> None:
    """The one would overwrite the other."""
    table = str(tmp_path / "r.csv")
    for options in ({"only_problems": Path(table)}, {"summary_json": tmp_path / "r.manifest.json"}):
        with pytest.raises(InvalidOption, match="two results would be written"):
            planned("rows.jsonl", output=table, **options)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_output_in_a_folder_without_permission_is_refused(tmp_path: Path) -> None:
    """The message names the folder."""
    tmp_path.chmod(0o500)
    with pytest.raises(InvalidInput, match="no permission"):
        planned("rows.jsonl", output=str(tmp_path / "r.csv"))
