"""Reads Parquet files and polars frames in bounded batches; their types stay as they are."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

import polars as pl

from quotecheck.batch.columns import PREFIX
from quotecheck.batch.header import check_names, find_columns
from quotecheck.batch.inputs import InputFile
from quotecheck.batch.options import TableFormat
from quotecheck.batch.parquet_files import require_name, scan_files
from quotecheck.batch.records import (
    BATCH_CHARACTERS,
    BATCH_ROWS,
    QUOTE,
    SOURCE,
    TEXT,
    WANTED_SCHEMA,
    Batch,
    ColumnNames,
    Columns,
)
from quotecheck.errors import InvalidInput

_TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Null)
# Compressed bytes of text grow about threefold when read.
_UNPACKED = 3


class ParquetTable:
    """A table of one or more Parquet files, read as one; columns that a file lacks are null in its rows."""

    def __init__(self, files: Sequence[InputFile], names: ColumnNames) -> None:
        self._files = files
        self._schemas = [_schema_of(file) for file in files]
        self._columns = [
            _text_columns(schema, names, file.shown)
            for file, schema in zip(files, self._schemas, strict=True)
        ]
        self._names = names

    def notices(self) -> list[str]:
        """Return nothing: Parquet says what its columns are."""
        return []

    def schema(self, output: TableFormat) -> dict[str, pl.DataType]:
        """Return names and types of the input's own columns. Raises InvalidInput where files disagree."""
        union: dict[str, pl.DataType] = {}
        for file, schema in zip(self._files, self._schemas, strict=True):
            for name, dtype in schema.items():
                if self._names.replace_qc and name.startswith(PREFIX):
                    continue
                if union.setdefault(name, dtype) != dtype:
                    raise InvalidInput(
                        f"{file.shown}: column {name!r} is {dtype}, in {self._files[0].shown} it is "
                        f"{union[name]}: give it one type in all files"
                    )
        return union

    def wanted(self) -> Iterator[Batch]:
        """Yield batches with the columns that an audit needs."""
        start = 0
        for file, columns in zip(self._files, self._columns, strict=True):
            for batch in _batches(file, start, wanted_columns(columns)):
                yield batch
                start += batch.cells.height

    def originals(self, output: TableFormat, rejected: Container[int]) -> Iterator[Batch]:
        """Yield batches with all columns of the input."""
        union = self.schema(output)
        start = 0
        for file, schema in zip(self._files, self._schemas, strict=True):
            select = [
                pl.col(name) if name in schema else pl.lit(None, dtype).alias(name)
                for name, dtype in union.items()
            ]
            for batch in _batches(file, start, select):
                yield batch
                start += batch.cells.height


class FrameTable:
    """A polars frame as a table; only the columns that an audit needs are read."""

    def __init__(self, frame: pl.DataFrame, names: ColumnNames) -> None:
        self._frame = frame
        self._columns = _text_columns(frame.schema, names, "the frame")

    def estimated_bytes(self) -> int:
        """Return about how much text the audited columns hold."""
        return int(self._frame.select(wanted_columns(self._columns)).estimated_size())

    def notices(self) -> list[str]:
        """Return nothing."""
        return []

    def schema(self, output: TableFormat) -> dict[str, pl.DataType]:
        """Return names and types of the frame's columns."""
        return dict(self._frame.schema)

    def wanted(self) -> Iterator[Batch]:
        """Yield batches with the columns that an audit needs."""
        selected = self._frame.select(wanted_columns(self._columns))
        for start in range(0, selected.height, BATCH_ROWS):
            yield _batch(None, start, 0, selected.slice(start, BATCH_ROWS))

    def originals(self, output: TableFormat, rejected: Container[int]) -> Iterator[Batch]:
        """Yield the frame."""
        yield _batch(None, 0, 0, self._frame)


def wanted_columns(columns: Columns) -> list[pl.Expr]:
    """Return expressions for the columns of `WANTED_SCHEMA`."""
    found = {QUOTE: columns.quote, SOURCE: columns.source, TEXT: columns.text}
    return [
        pl.lit(None, dtype).alias(name)
        if (column := found.get(name)) is None
        else pl.col(column).cast(pl.String).alias(name)
        for name, dtype in WANTED_SCHEMA.items()
    ]


def _text_columns(schema: pl.Schema, names: ColumnNames, shown: str) -> Columns:
    check_names(list(schema), shown, replace_qc=names.replace_qc)
    columns = find_columns(list(schema), names, shown=shown)
    for column in (columns.quote, columns.source, columns.text):
        if column is not None and schema[column].base_type() not in _TEXT_TYPES:
            raise InvalidInput(
                f"{shown}: column {column!r} holds {schema[column]}, not text: name another one, or cast it"
            )
    return columns


def _schema_of(file: InputFile) -> pl.Schema:
    require_name(file.path)
    try:
        return scan_files(file.path).collect_schema()
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InvalidInput(f"{file.shown} cannot be read as Parquet: {error}") from error


def _batches(file: InputFile, start: int, select: Sequence[pl.Expr]) -> Iterator[Batch]:
    in_file = 0
    try:
        scan = scan_files(file.path)
        height = scan.select(pl.len()).collect().item()
        each = file.path.stat().st_size * _UNPACKED // max(height, 1)
        size = max(min(BATCH_ROWS, BATCH_CHARACTERS // max(each, 1)), 64)
        frames = (
            scan_files(file.path)
            .select(select)
            .collect_batches(chunk_size=size, maintain_order=True, lazy=True)
        )
        for frame in frames:
            if frame.height:
                yield _batch(file.name, start + in_file, in_file, frame)
                in_file += frame.height
    except pl.exceptions.PolarsError as error:
        raise InvalidInput(f"{file.shown} cannot be read as Parquet: {error}") from error


def _batch(file: str | None, start: int, in_file: int, frame: pl.DataFrame) -> Batch:
    rows = pl.int_range(start, start + frame.height, dtype=pl.UInt64, eager=True)
    return Batch(file, rows, rows - start + in_file + 1, frame)
