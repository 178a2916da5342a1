"""The tables `answers`, `citations` and `sentences`: columns, frames, and putting parts together.

Columns are the fields of the records in `quotecheck.citations.bulk`, in their order. Lists stay such in
Parquet and JSONL and are JSON text in CSV.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TypeAlias

import polars as pl

from quotecheck.batch.columns import flat
from quotecheck.batch.options import TableFormat
from quotecheck.batch.parquet_files import read_files, scan_files
from quotecheck.citations.bulk import AnswerRecord, CitationRecord, SentenceRecord

Record: TypeAlias = AnswerRecord | CitationRecord | SentenceRecord

TABLES: dict[str, type[Record]] = {
    "answers": AnswerRecord,
    "citations": CitationRecord,
    "sentences": SentenceRecord,
}
_TYPES: dict[str, pl.DataType] = {
    "int": pl.Int64(),
    "str": pl.String(),
    "bool": pl.Boolean(),
    "float": pl.Float64(),
    "tuple[int, ...]": pl.List(pl.Int64()),
    "tuple[str, ...]": pl.List(pl.String()),
}
# Polars refuses a whole column for one of these; a replacement keeps every offset right.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ROW_GROUP = 50_000


def schema_of(table: str) -> dict[str, pl.DataType]:
    """Return names and types of a table's columns.

    >>> list(schema_of("sentences"))[:5]
    ['row', 'id', 'ordinal', 'start', 'end']
    """
    return {field.name: _TYPES[str(field.type).removesuffix(" | None")] for field in fields(TABLES[table])}


def frame_of(table: str, records: Sequence[Record]) -> pl.DataFrame:
    """Return records of one kind as a frame; lone surrogates become U+FFFD."""
    columns = {
        name: pl.Series(name, [_cell(getattr(record, name)) for record in records], dtype)
        for name, dtype in schema_of(table).items()
    }
    return pl.DataFrame(columns)


def _cell(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else _LONE_SURROGATE.sub("\ufffd", value)
    return list(value) if isinstance(value, tuple) else value


def write_parts(parts: Iterable[Path], table: str, path: Path, form: TableFormat) -> None:
    """Write the parts of a table, Parquet files in order, as one file. Raises OSError."""
    paths = list(parts)
    match form:
        case TableFormat.PARQUET if paths:
            scan_files(*paths).sink_parquet(path, row_group_size=_ROW_GROUP)
        case TableFormat.PARQUET:
            pl.DataFrame(schema=schema_of(table)).write_parquet(path)
        case TableFormat.JSONL:
            with path.open("wb") as stream:
                for part in paths:
                    read_files(part).write_ndjson(stream)
        case TableFormat.CSV:
            with path.open("wb") as stream:
                pl.DataFrame(schema=dict.fromkeys(schema_of(table), pl.String)).write_csv(stream)
                for part in paths:
                    flat(read_files(part)).write_csv(stream, include_header=False)
