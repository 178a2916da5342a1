"""Results back in input order."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from batch_runs import bare_run

from quotecheck.batch import assemble
from quotecheck.batch.assemble import OrderedResults, joined_rows
from quotecheck.batch.intermediate import PART_SCHEMA
from quotecheck.batch.interrupt import Interrupt, Interrupted
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import Batch
from quotecheck.batch.rundir import RunPaths
from quotecheck.errors import InvalidInput


def with_results(folder: Path, rows: list[int], buckets: int = 3) -> RunPaths:
    """Scatter results of rows over the parts of buckets."""
    paths = bare_run(folder)
    shuffled = random.Random(5).sample(rows, len(rows))
    for bucket in range(buckets):
        part = pl.DataFrame({"qc_row": sorted(shuffled[bucket::buckets])}, schema={"qc_row": pl.UInt64})
        nulls = [pl.lit(None, dtype).alias(name) for name, dtype in PART_SCHEMA.items() if name != "qc_row"]
        part.select("qc_row", *nulls).write_parquet(paths.part(bucket))
    return paths


def batch_of(rows: list[int]) -> Batch:
    numbers = pl.Series(rows, dtype=pl.UInt64)
    return Batch("rows.csv", numbers, numbers + 2, pl.DataFrame({"n": rows}))


class Table:
    """Yields batches of given row numbers."""

    def __init__(self, *batches: list[int]) -> None:
        self._batches = batches

    def originals(self, output: TableFormat, rejected: object) -> list[Batch]:
        return [batch_of(rows) for rows in self._batches]


def joined(paths: RunPaths, table: Table, interrupt: Interrupt | None = None) -> list[tuple[int, int, int]]:
    results = OrderedResults(paths, 100)
    pieces = joined_rows(
        table,  # type: ignore[arg-type]
        results,
        output=TableFormat.CSV,
        rejected=(),
        interrupt=interrupt or Interrupt(),
    )
    return [
        row
        for piece in pieces
        for row in zip(piece.cells["n"], piece.results["qc_row"], piece.results["qc_line"], strict=True)
    ]


@pytest.mark.parametrize("window", [1, 3, 50_000])
def test_each_row_meets_its_result_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    """However buckets, windows and batches cut the table; gaps are rejected records."""
    monkeypatch.setattr(assemble, "_LEAST_WINDOW", window)
    rows = [row for row in range(40) if row % 7]
    table = Table(rows[:3], [], rows[3:20], rows[20:])
    assert joined(with_results(tmp_path, rows), table) == [(row, row, row + 2) for row in rows]


@pytest.mark.parametrize(
    ("have", "come"), [([0, 1, 2], [0, 1, 2, 3]), ([0, 2], [0, 1]), ([0, 1, 2], [0, 2]), ([0, 1, 1], [0, 1])]
)
def test_row_without_result_or_result_without_row_stops_the_run(
    tmp_path: Path, have: list[int], come: list[int]
) -> None:
    """Nothing is ever put beside the wrong row."""
    with pytest.raises(InvalidInput, match="run again with --restart"):
        joined(with_results(tmp_path, have), Table(come))


def test_interrupted_assembly_stops_between_batches(tmp_path: Path) -> None:
    """A long table can be left in the middle."""
    interrupt = Interrupt()
    interrupt.ask()
    with pytest.raises(Interrupted):
        joined(with_results(tmp_path, [0]), Table([0]), interrupt)
