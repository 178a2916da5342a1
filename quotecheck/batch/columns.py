"""The columns that an audit adds to a table: names, types, and how results become them.

The order is fixed. Lists and structs stay such in Parquet and JSONL; `flat` turns them into text for CSV.
"""

from __future__ import annotations

import polars as pl

from quotecheck.models import Difference, Status

PREFIX = "qc_"
ROW = "qc_row"

DIFFERENCE = pl.Struct(
    {
        "kind": pl.String,
        "quote": pl.String,
        "source": pl.String,
        "quote_start": pl.Int64,
        "quote_end": pl.Int64,
        "source_start": pl.Int64,
        "source_end": pl.Int64,
    }
)
CLOSEST = pl.Struct({"char_start": pl.Int64, "char_end": pl.Int64, "text": pl.String})

# Where the record came from.
ORIGIN_SCHEMA: dict[str, pl.DataType] = {
    ROW: pl.UInt64(),  # never null: 0-based over the whole input, rejected records counted
    "qc_file": pl.String(),  # null for a frame
    "qc_line": pl.UInt64(),  # first line of the record (CSV, JSONL), else its number in the file, from 1
}

# The verdict, as it leaves a worker.
VERDICT_SCHEMA: dict[str, pl.DataType] = {
    "qc_status": pl.Enum([str(status) for status in Status]),  # never null
    "qc_similarity": pl.Float64(),  # null where no text was read
    "qc_char_start": pl.Int64(),  # null unless EXACT or NEAR, as are end, snippet and difference
    "qc_char_end": pl.Int64(),
    "qc_snippet": pl.String(),
    "qc_difference": pl.Enum([str(difference) for difference in Difference]),
    "qc_flags": pl.List(pl.String()),  # never null, as are differences, segments and found_in
    "qc_differences": pl.List(DIFFERENCE),
    "qc_segments": pl.List(pl.List(pl.Int64())),
    "qc_occurrences": pl.Int64(),  # never null
    "qc_region": pl.String(),  # null for the visible text
    "qc_page": pl.Int64(),  # null unless PDF
    "qc_closest": CLOSEST,  # null unless NOT_FOUND with a hint
    "qc_reason_code": pl.String(),  # null unless SOURCE_UNAVAILABLE or INVALID, as is reason
    "qc_reason": pl.String(),
    "qc_source_key": pl.String(),  # null where the row names no source
    "qc_final_url": pl.String(),  # null where nothing was fetched
    "qc_passage_url": pl.String(),  # null unless the passage stands in a web page
    "qc_text_sha256": pl.String(),  # null where no text was read
    "qc_fetched_at": pl.Datetime("us", "UTC"),  # null where nothing was fetched
    "qc_found_in": pl.List(pl.String()),
}

RESULT_SCHEMA = {**ORIGIN_SCHEMA, **VERDICT_SCHEMA}


def flat(frame: pl.DataFrame) -> pl.DataFrame:
    """Return columns as plain text for CSV: flags joined by `;`, times as ISO 8601, nested values as JSON."""
    return frame.with_columns(_flat(name, dtype) for name, dtype in frame.schema.items())


def _flat(name: str, dtype: pl.DataType) -> pl.Expr:
    if name == "qc_flags":
        joined = pl.col(name).list.join(";")
        return pl.when(joined != "").then(joined).alias(name)
    if name == "qc_fetched_at":
        return pl.col(name).dt.strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00")
    return json_text(name) if dtype.is_nested() else pl.col(name)


def json_text(name: str) -> pl.Expr:
    """Return an expression that writes a nested column as JSON text; null stays null."""
    # json_encode takes structs only, so the value is wrapped: {"":value}
    wrapped = pl.struct(pl.col(name).alias("")).struct.json_encode()
    inner = wrapped.str.slice(4, wrapped.str.len_chars() - 5)
    return pl.when(pl.col(name).is_not_null()).then(inner).alias(name)
