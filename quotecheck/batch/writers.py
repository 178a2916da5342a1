"""Writing result tables: CSV, JSONL and Parquet, from bounded batches.

The input's own cells come first and unchanged. A JSONL line of the input is copied byte for byte, with the
results added before its closing brace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from quotecheck.batch.columns import RESULT_SCHEMA, flat
from quotecheck.batch.json_reader import RAW
from quotecheck.batch.options import TableFormat
from quotecheck.errors import InvalidInput

_BOM = b"\xef\xbb\xbf"
ROW_GROUP = 50_000  # rows of a Parquet result that are read at once


@dataclass(frozen=True, slots=True)
class Joined:
    """Rows of the input with their results, equally many and in the same order."""

    cells: pl.DataFrame
    results: pl.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvStyle:
    """How a CSV result is written: as the CSV that was read, so that the same program opens it."""

    delimiter: str = ","
    bom: bool = False


def write_table(
    rows: Iterable[Joined],
    path: Path,
    form: TableFormat,
    *,
    schema: dict[str, pl.DataType],
    style: CsvStyle,
    metadata: dict[str, str] | None = None,
    row_group: int = ROW_GROUP,
) -> None:
    """Write rows to a new file; `schema` names the input's own columns. Raises OSError."""
    match form:
        case TableFormat.CSV:
            _write_csv(rows, path, schema, style)
        case TableFormat.JSONL:
            _write_jsonl(rows, path)
        case TableFormat.PARQUET:
            _write_parquet(rows, path, schema, metadata or {}, row_group=row_group)


def require_writable(schema: dict[str, pl.DataType], form: TableFormat) -> None:
    """Raise InvalidInput for cells that the format has no form for."""
    if form is TableFormat.PARQUET or list(schema) == [RAW]:
        return
    for name, dtype in schema.items():
        unwritable = [pl.Binary, pl.Object] + ([pl.Duration] if form is TableFormat.CSV else [])
        if any(_holds(dtype, wanted) for wanted in unwritable):
            raise InvalidInput(
                f"column {name!r} holds {dtype}, which {form.upper()} has no form for: write Parquet"
            )


def _holds(dtype: pl.DataType, wanted: type[pl.DataType]) -> bool:
    match dtype:
        case pl.List(inner=inner) | pl.Array(inner=inner):
            return _holds(inner, wanted)  # type: ignore[arg-type]
        case pl.Struct(fields=fields):
            return any(_holds(field.dtype, wanted) for field in fields)  # type: ignore[arg-type]
        case _:
            return dtype == wanted


def _write_csv(rows: Iterable[Joined], path: Path, schema: dict[str, pl.DataType], style: CsvStyle) -> None:
    header = pl.DataFrame(
        schema={**dict.fromkeys(schema, pl.String), **dict.fromkeys(RESULT_SCHEMA, pl.String)}
    )
    with path.open("wb") as stream:
        if style.bom:
            stream.write(_BOM)
        header.write_csv(stream, separator=style.delimiter)
        for joined in rows:
            frame = pl.concat([flat(joined.cells), flat(joined.results)], how="horizontal")
            frame.write_csv(stream, include_header=False, separator=style.delimiter)


def _write_jsonl(rows: Iterable[Joined], path: Path) -> None:
    with path.open("wb") as stream:
        for joined in rows:
            if joined.cells.columns == [RAW]:
                stream.writelines(_spliced(joined))
            else:
                pl.concat([joined.cells, joined.results], how="horizontal").write_ndjson(stream)


def _spliced(joined: Joined) -> Iterator[bytes]:
    """Yield each original line with the results added before its last brace."""
    encoded = joined.results.select(pl.struct(pl.all()).struct.json_encode()).to_series()
    for raw, results in zip(joined.cells[RAW], encoded, strict=True):
        end = raw.rindex(b"}")
        separator = b"" if raw[:end].strip() == b"{" else b","
        yield raw[:end] + separator + results[1:-1].encode() + raw[end:] + b"\n"


def _write_parquet(
    rows: Iterable[Joined],
    path: Path,
    schema: dict[str, pl.DataType],
    metadata: dict[str, str],
    *,
    row_group: int,
) -> None:
    frames = (pl.concat([joined.cells, joined.results], how="horizontal") for joined in rows)
    lazy = streamed(lambda: frames, {**schema, **RESULT_SCHEMA})
    lazy.sink_parquet(path, row_group_size=row_group, metadata=metadata)


def streamed(frames: Callable[[], Iterator[pl.DataFrame]], schema: dict[str, pl.DataType]) -> pl.LazyFrame:
    """Return frames that are made one after another as a lazy frame, so that polars can stream them."""

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        for frame in frames():
            selected = frame if with_columns is None else frame.select(with_columns)
            yield selected if predicate is None else selected.filter(predicate)

    return register_io_source(source, schema=schema)
