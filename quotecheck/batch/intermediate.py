"""The tables inside a run's folder, read lazily; a table without files is an empty one."""

from __future__ import annotations

import json

import polars as pl

from quotecheck.batch.columns import ROW, VERDICT_SCHEMA
from quotecheck.batch.parquet_files import read_files, scan_files
from quotecheck.batch.records import QUOTE, SOURCE, WRONG, WRONG_CODE
from quotecheck.batch.rundir import RunPaths
from quotecheck.models import Flag

PLAN_SCHEMA: dict[str, pl.DataType] = {
    "row": pl.UInt64(),
    "file": pl.String(),
    "line": pl.UInt64(),
    QUOTE: pl.String(),
    SOURCE: pl.String(),  # as spelled in the row
    "key": pl.String(),  # equal for spellings of one source; null for a row without a usable source
    WRONG_CODE: pl.String(),  # not null: the row is INVALID
    WRONG: pl.String(),
}
NOTICES = "quotecheck.notices"  # in the metadata of `RunPaths.elsewhere`
# Which other sources hold the quotation of a row.
FOUND_SCHEMA: dict[str, pl.DataType] = {ROW: pl.UInt64(), "found_in": pl.List(pl.String())}
PART_SCHEMA: dict[str, pl.DataType] = {ROW: pl.UInt64(), **VERDICT_SCHEMA}
SOURCE_SCHEMA: dict[str, pl.DataType] = {
    "source_key": pl.String(),  # equals qc_source_key of the source's rows
    "source": pl.String(),  # as its first row spells it
    "state": pl.Enum(["read", "unavailable", "text"]),  # text: it came with the rows
    "rows": pl.Int64(),
    "first_row": pl.UInt64(),  # qc_row of the first of them
    "reason_code": pl.String(),
    "reason": pl.String(),
    "final_url": pl.String(),
    "hops": pl.List(pl.String()),
    "http_status": pl.Int64(),
    "content_type": pl.String(),
    "charset": pl.String(),
    "fetched_at": pl.Datetime("us", "UTC"),
    "bytes": pl.Int64(),
    "characters": pl.Int64(),
    "body_sha256": pl.String(),
    "text_sha256": pl.String(),
    "title": pl.String(),
}


def scan_plan(paths: RunPaths) -> pl.LazyFrame:
    """Return all planned rows with their bucket."""
    return pl.concat(
        [
            pl.LazyFrame(schema={**PLAN_SCHEMA, "bucket": pl.UInt32()}),
            *(
                scan_files(*paths.pieces(bucket)).with_columns(bucket=pl.lit(bucket, pl.UInt32))
                for bucket in paths.planned_buckets()
            ),
        ]
    )


def scan_results(paths: RunPaths) -> pl.LazyFrame:
    """Return the results of all finished buckets, in no order."""
    finished = [paths.part(bucket) for bucket in sorted(paths.finished_buckets())]
    results = scan_files(*finished) if finished else pl.LazyFrame(schema=PART_SCHEMA)
    if not paths.elsewhere.exists():
        return results
    return with_findings(results, scan_files(paths.elsewhere))


def read_notices(paths: RunPaths) -> list[str]:
    """Return what is to be said about the search for quotations in other sources."""
    if not paths.elsewhere.exists():
        return []
    notices: list[str] = json.loads(pl.read_parquet_metadata(paths.elsewhere).get(NOTICES, "[]"))
    return notices


def with_findings(results: pl.LazyFrame, found: pl.LazyFrame) -> pl.LazyFrame:
    """Return results with the flag and the names of the other sources that hold a row's quotation.

    `found` has the columns of `FOUND_SCHEMA`.
    """
    flagged = pl.concat_list("qc_flags", pl.lit([str(Flag.FOUND_ELSEWHERE)]))
    is_found = pl.col("found_in").is_not_null()
    return (
        results.join(found, on=ROW, how="left")
        .with_columns(
            qc_flags=pl.when(is_found).then(flagged).otherwise("qc_flags"),
            qc_found_in=pl.coalesce("found_in", "qc_found_in"),
        )
        .drop("found_in")
    )


def read_sources(paths: RunPaths) -> pl.DataFrame:
    """Return the distinct sources as they were found, in order of first appearance."""
    found = pl.concat(
        [
            pl.DataFrame(schema=SOURCE_SCHEMA),
            *(read_files(paths.part_sources(bucket)) for bucket in sorted(paths.finished_buckets())),
        ]
    )
    return found.sort("first_row")
