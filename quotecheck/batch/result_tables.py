"""Finished result tables read back, whatever their format, with the manifest that stands beside them.

Only tables that an audit wrote are taken: the manifest says which input, options and versions the rows rest
on, and without it nothing could be said about why two tables differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck.batch.columns import RESULT_SCHEMA, ROW
from quotecheck.batch.header import find_column
from quotecheck.batch.inputs import InputFile, open_bytes, reading, recognise
from quotecheck.batch.json_reader import LINES_FOR_NAMES, lines_of
from quotecheck.batch.manifest import MANIFEST_VERSION
from quotecheck.batch.outputs import MANIFEST, SOURCES, beside
from quotecheck.batch.parquet_files import read_files, scan_files
from quotecheck.batch.records import BATCH_ROWS, QUOTE, SOURCE
from quotecheck.batch.writers import streamed
from quotecheck.errors import InvalidInput

# The columns that `ResultTable.scan` gives: what a verdict is, what it rests on, and where the row stands.
_READ = (
    ROW,
    "qc_file",
    "qc_line",
    "qc_status",
    "qc_similarity",
    "qc_char_start",
    "qc_char_end",
    "qc_difference",
    "qc_flags",
    "qc_reason_code",
    "qc_source_key",
    "qc_final_url",
    "qc_text_sha256",
)
SCANNED_SCHEMA: dict[str, pl.DataType] = {
    QUOTE: pl.String(),
    SOURCE: pl.String(),
    **{name: RESULT_SCHEMA[name] for name in _READ},
}
_HEADER = re.compile(rb"qc_row([^\w\"])qc_file")
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table that an audit wrote.

    Attributes
    ----------
    path : the table.
    kind : `csv`, `json` or `parquet`.
    manifest : what stands in its manifest.
    columns : names of all its columns; those of a JSONL table are the ones of its first rows.
    """

    path: Path
    kind: str
    manifest: Mapping[str, Any]
    columns: tuple[str, ...]

    @property
    def options(self) -> Mapping[str, Any]:
        """The options of the audit."""
        options: Mapping[str, Any] = self.manifest["options"]
        return options

    def scan(self) -> pl.LazyFrame:
        """Return the rows in the order of the table, with the columns of `SCANNED_SCHEMA`."""
        match self.kind:
            case "csv":
                separator = csv_separator(self.path)
                cells = pl.scan_csv(self.path, separator=separator, infer_schema=False, glob=False)
                return cells.select(self._input_columns() + [_parsed(name) for name in _READ])
            case "parquet":
                cells = scan_files(self.path)
                kept = [pl.col(name).cast(RESULT_SCHEMA[name]) for name in _READ]
                return cells.select(self._input_columns() + kept)
            case _:
                return streamed(self._json_frames, SCANNED_SCHEMA)

    def collect(self, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
        """Return what a query over `scan` finds. Raises InvalidInput where the table is damaged."""
        try:
            return query(self.scan()).collect(engine="streaming")
        except InvalidInput:
            raise
        except (OSError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
            detail = str(error).strip().partition("\n")[0]
            raise InvalidInput(
                f"{self.path} cannot be read as a result table ({detail}): {_WRITE}"
            ) from error

    def sources(self) -> pl.DataFrame | None:
        """Return the table of sources beside this one, or None where it is gone. Raises InvalidInput."""
        path = beside(self.path, SOURCES)
        if not path.exists():
            return None
        try:
            return read_files(path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise InvalidInput(f"{path} cannot be read: {error}") from error

    def _input_columns(self) -> list[pl.Expr]:
        return [
            (pl.lit(None) if name is None else pl.col(name)).cast(pl.String).alias(alias)
            for alias, name in self._names().items()
        ]

    def _names(self) -> dict[str, str | None]:
        """Return the input's own columns of quotations and of sources."""
        options = self.options
        return {
            QUOTE: find_column(options["quote_col"], self.columns),
            SOURCE: find_column(options["source_col"], self.columns),
        }

    def _json_frames(self) -> Iterator[pl.DataFrame]:
        # Not with polars: an unusual number in a column of the input's own would end the whole scan.
        names = self._names()
        held: list[list[object]] = []
        for line in lines_of(InputFile(self.path, str(self.path), self.kind)):
            held.append(self._cells(json.loads(line.raw), names, line.number))
            if len(held) == BATCH_ROWS:
                yield _frame(held)
                held = []
        if held:
            yield _frame(held)

    def _cells(self, record: Mapping[str, Any], names: Mapping[str, str | None], line: int) -> list[object]:
        given = [None if name is None else record.get(name) for name in names.values()]
        texts = [value if isinstance(value, str) else None for value in given]
        try:
            return [*texts, *(record[name] for name in _READ)]
        except KeyError as error:
            raise InvalidInput(f"{self.path}, line {line} has no {error.args[0]}: {_WRITE}") from None


_WRITE = "give a table that `quotecheck batch -o FILE` wrote, unchanged"


def open_result(path: Path) -> ResultTable:
    """Open a result table. Raises InvalidInput where it is none, or has no manifest beside it."""
    if not path.is_file():
        raise InvalidInput(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}: {_WRITE}")
    kind = recognise(path, str(path))
    columns = _columns(path, kind)
    missing = [name for name in _READ if name not in columns]
    if missing and len(missing) < len(_READ):
        raise InvalidInput(f"{path} lacks the columns {', '.join(missing)}: {_WRITE}")
    if missing and not (kind == "json" and not columns):
        raise InvalidInput(f"{path} has no qc_ columns, so it is not the result of an audit: {_WRITE}")
    return ResultTable(path, kind, _manifest(path), columns)


def _manifest(table: Path) -> Mapping[str, Any]:
    path = beside(table, MANIFEST)
    try:
        content: Any = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InvalidInput(
            f"{path} is missing: the manifest says what {table.name} rests on; copy it here from where the "
            "audit wrote the table, or audit again with -o FILE"
        ) from None
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} cannot be read as a manifest: {error}") from error
    known = isinstance(content, dict) and content.get("manifest_version") == MANIFEST_VERSION
    if not known or not all(name in content for name in ("versions", "options", "inputs", "summary")):
        raise InvalidInput(f"{path} is no manifest of this version of quotecheck: audit again")
    found: Mapping[str, Any] = content
    return found


def _columns(path: Path, kind: str) -> tuple[str, ...]:
    """Return the names of all columns. Raises InvalidInput."""
    try:
        match kind:
            case "csv":
                cells = pl.scan_csv(path, separator=csv_separator(path), infer_schema=False, glob=False)
                return tuple(cells.collect_schema())
            case "parquet":
                return tuple(scan_files(path).collect_schema())
            case _:
                first = islice(lines_of(InputFile(path, str(path), kind)), LINES_FOR_NAMES)
                return tuple(dict.fromkeys(name for line in first for name in json.loads(line.raw)))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise InvalidInput(f"{path} cannot be read as a table: {error}") from error


def csv_separator(path: Path) -> str:
    """Return what parts the cells of a CSV result: it is written as the CSV that was read."""
    with open_bytes(path, str(path)) as stream, reading(str(path)):
        found = _HEADER.search(stream.read(_HEADER_BYTES))
    return "," if found is None else found.group(1).decode()


def _parsed(name: str) -> pl.Expr:
    """Return a cell of a CSV result with its type."""
    if name == "qc_flags":
        return pl.col(name).fill_null("").str.split(";").list.filter(pl.element() != "").alias(name)
    return pl.col(name).cast(RESULT_SCHEMA[name])


def _frame(rows: list[list[object]]) -> pl.DataFrame:
    columns = zip(*rows, strict=True)
    return pl.DataFrame(
        [
            pl.Series(name, values, dtype)
            for (name, dtype), values in zip(SCANNED_SCHEMA.items(), columns, strict=True)
        ]
    )
