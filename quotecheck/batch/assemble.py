"""Assembling: results back in input order, beside the input's own cells.

The results of all buckets are read in windows of consecutive row numbers, so that memory does not grow with
the table. Every row is accounted for: a row without a result, or a result without a row, stops the run.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace

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
    """The results of all buckets, taken in row order.

    `records` is how many rows the input has; in a shard, `own` is how many of them have a result.
    """

    def __init__(self, paths: RunPaths, records: int, *, own: int | None = None) -> None:
        self._scan = scan_results(paths)
        self._window = max(_LEAST_WINDOW, -(-records // _MOST_WINDOWS))
        self._own = own
        self._taken = 0
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
        count = len(rows) if self._own is None else int(self._held[ROW].search_sorted(rows[-1], "right"))
        taken, self._held = self._held.head(count), self._held.slice(count)
        self._taken += count
        if not (taken[ROW].equals(rows) if self._own is None else taken[ROW].is_in(rows.implode()).all()):
            raise InvalidInput(
                f"the results of rows {rows[0]} to {rows[-1]} do not fit the input: it has changed since the "
                "run began; run again with --restart"
            )
        return taken

    def require_all_taken(self) -> None:
        """Raise InvalidInput if results are left whose rows have not come."""
        if self._held.height or self._own not in (None, self._taken):
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
        taken = results.take(batch.rows)
        own = batch if taken.height == batch.cells.height else _only(batch, taken[ROW])
        if own.cells.height:
            yield Joined(own.cells, _with_origin(own, taken))
    results.require_all_taken()


def _only(batch: Batch, rows: pl.Series) -> Batch:
    """Return the records of a batch that have these numbers."""
    kept = batch.rows.is_in(rows.implode())
    return replace(
        batch, rows=batch.rows.filter(kept), lines=batch.lines.filter(kept), cells=batch.cells.filter(kept)
    )


def _with_origin(batch: Batch, results: pl.DataFrame) -> pl.DataFrame:
    return results.with_columns(qc_file=pl.lit(batch.file, pl.String), qc_line=batch.lines).select(
        list(RESULT_SCHEMA)
    )
