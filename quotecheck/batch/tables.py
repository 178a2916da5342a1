"""Opening the input of an audit as one table, whatever its format."""

from __future__ import annotations

from collections.abc import Sequence

from quotecheck.batch.csv_reader import CsvTable
from quotecheck.batch.frame_reader import ParquetTable
from quotecheck.batch.inputs import InputFile
from quotecheck.batch.json_reader import JsonTable
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import ColumnNames

Table = CsvTable | JsonTable | ParquetTable

FORMAT_OF_KIND = {"csv": TableFormat.CSV, "json": TableFormat.JSONL, "parquet": TableFormat.PARQUET}


def open_table(files: Sequence[InputFile], names: ColumnNames) -> Table:
    """Return the files as one table. Raises InvalidInput where they are no table with the named columns."""
    match files[0].kind:
        case "csv":
            return CsvTable(files, names)
        case "json":
            return JsonTable(files, names)
        case _:
            return ParquetTable(files, names)
