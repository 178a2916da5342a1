"""What every table reader yields: batches of records with their place in the input, and rejected records."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from typing import Protocol

import polars as pl

from quotecheck.batch.options import TableFormat

# Columns of the frames that `TableReader.wanted` yields.
QUOTE, SOURCE, TEXT, WRONG_CODE, WRONG = "quote", "source", "text", "wrong_code", "wrong"
WANTED_SCHEMA: dict[str, pl.DataType] = {
    QUOTE: pl.String(),
    SOURCE: pl.String(),
    TEXT: pl.String(),  # the source's own text; null where the source is to be fetched
    WRONG_CODE: pl.String(),  # a value of the wrong type makes its row INVALID: reason code and sentence
    WRONG: pl.String(),
}

# A batch is closed when it holds this many rows or about this many characters, so that a table of huge cells
# needs no more memory than one of small cells.
BATCH_ROWS = 20_000
BATCH_CHARACTERS = 16_000_000


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that cannot be read as a row: its number in the input, its place, and why."""

    row: int
    file: str | None
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive records of one file, in order.

    Attributes
    ----------
    file : name of the file, None for standard input and frames.
    rows : number of each record in the whole input, from 0, rejected records counted (UInt64).
    lines : first line of each record in its file, from 1; its number where the format has no lines (UInt64).
    cells : the records, one row each.
    rejects : records among them that could not be read.
    """

    file: str | None
    rows: pl.Series
    lines: pl.Series
    cells: pl.DataFrame
    rejects: tuple[Reject, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNames:
    """The names that the caller gave for the columns, and whether an earlier audit's columns are dropped."""

    quote: str
    source: str
    text: str | None
    replace_qc: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which columns of one file hold quotation, source and the source's own text."""

    quote: str
    source: str | None
    text: str | None


class TableReader(Protocol):
    """A table that can be read any number of times, in bounded batches, always the same rows in order."""

    def wanted(self) -> Iterator[Batch]:
        """Yield batches whose cells have the columns of `WANTED_SCHEMA`. Raises InvalidInput."""

    def originals(self, output: TableFormat, rejected: Container[int]) -> Iterator[Batch]:
        """Yield batches whose cells are the input's own, ready to be written in the format `output`.

        `rejected` are the numbers of the records that `wanted` rejected. Raises InvalidInput.
        """

    def notices(self) -> list[str]:
        """Return what was assumed or changed while reading, for people."""

    def schema(self, output: TableFormat) -> dict[str, pl.DataType]:
        """Return names and types of the cells that `originals` yields."""
