"""Assembling: results back in input order, beside the input's own cells.

The results of all buckets are read in windows of consecutive row numbers, so that memory does not grow with
the table. Every row is accounted for: a row without a result, or a result without a row, stops the run.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import polars as pl

from quotecheck.batch.columns import RESULT_SCHEMA, ROW
from quotecheck.batch.intermediate import PART_SCHEMA, scan_results
from quotecheck.batch.interrupt import Interrupt
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import Batch, TableReader
from quotecheck.batch.rundir import RunPaths
from quotecheck.batch.writers import Joined
from quotecheck.errors import InvalidInput

# Each window opens the file of every bucket, so there are at most as many windows as buckets.
_LEAST_WINDOW = 50_000
_MOST_WINDOWS = 128


class OrderedResults:
    """The results of all buckets, taken in row order."""

    def __init__(self, paths: RunPaths, records: int) -> None:
        self._scan = scan_results(paths)
        self._window = max(_LEAST_WINDOW, -(-records // _MOST_WINDOWS))
        self._held = pl.DataFrame(schema=PART_SCHEMA)
        self._loaded = 0

    def take(self, rows: pl.Series) -> pl.DataFrame:
        """Return the results of these rows, which follow those taken before. Raises InvalidInput."""
        if rows.is_empty():
            return self._held.clear()
        while self._loaded <= rows[-1]:
            window = self._scan.filter(
                pl.col(ROW).is_between(self._loaded, self._loaded + self._window, closed="left")
            )
            self._held = pl.concat([self._held, window.sort(ROW).collect()])
            self._loaded += self._window
        taken, self._held = self._held.head(len(rows)), self._held.slice(len(rows))
        if not taken[ROW].equals(rows):
            raise InvalidInput(
                f"the results of rows {rows[0]} to {rows[-1]} do not fit the input: it has changed since the "
                "run began; run again with --restart"
            )
        return taken

    def require_empty(self) -> None:
        """Raise InvalidInput if results are left whose rows have not come."""
        if self._held.height:
            raise InvalidInput("the input has fewer rows than when the run began: run again with --restart")


def joined_rows(
    table: TableReader,
    results: OrderedResults,
    *,
    output: TableFormat,
    rejected: Container[int],
    interrupt: Interrupt,
) -> Iterator[Joined]:
    """Yield the whole table in input order, in bounded pieces. Raises InvalidInput, Interrupted."""
    for batch in table.originals(output, rejected):
        interrupt.check()
        if batch.cells.height:
            yield Joined(batch.cells, _with_origin(batch, results.take(batch.rows)))
    results.require_empty()


def _with_origin(batch: Batch, results: pl.DataFrame) -> pl.DataFrame:
    return results.with_columns(qc_file=pl.lit(batch.file, pl.String), qc_line=batch.lines).select(
        list(RESULT_SCHEMA)
    )
