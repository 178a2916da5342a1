"""Small tables on disk for tests of reading: files with given bytes, and what a reader makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quotecheck.batch.inputs import expand_inputs
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import Batch, ColumnNames, Reject
from quotecheck.batch.tables import Table, open_table

NAMES = ColumnNames(quote="quote", source="source", text="text")


def opened(path: Path, data: bytes | str, names: ColumnNames = NAMES) -> Table:
    """Write a file and open it as a table."""
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return open_table(expand_inputs((str(path),)), names)


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    """Return quotation, source and text of each row that could be read."""
    return [row[:3] for batch in table.wanted() for row in batch.cells.iter_rows()]


def places_of(table: Table) -> list[tuple[int, int]]:
    """Return number and line of each row that could be read."""
    return [place for batch in table.wanted() for place in zip(batch.rows, batch.lines, strict=True)]


def rejects_of(table: Table) -> list[tuple[int, int, str]]:
    """Return number, line and reason of each record that could not be read."""
    rejects: Sequence[Reject] = [reject for batch in table.wanted() for reject in batch.rejects]
    return [(reject.row, reject.line, reject.reason) for reject in rejects]


def originals_of(table: Table, output: TableFormat) -> list[dict[str, Any]]:
    """Return the cells of each row that could be read, as they are written in the format `output`."""
    rejected = {number for number, _, _ in rejects_of(table)}
    batches: Sequence[Batch] = list(table.originals(output, rejected))
    return [row for batch in batches for row in batch.cells.iter_rows(named=True)]
