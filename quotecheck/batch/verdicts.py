"""Results as columns: from the objects that the matcher returns to the verdict columns of a table.

Nested columns are built flat and grouped by polars: made value by value they cost 100 µs a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

import polars as pl

from quotecheck.batch.columns import CLOSEST, DIFFERENCE, VERDICT_SCHEMA
from quotecheck.models import CheckResult

# Results that are held as objects before they become columns.
HELD = 4_096
_INDEX = "index"


class Verdicts:
    """Collects results and turns them into columns, some thousands at a time."""

    def __init__(self) -> None:
        self._results: list[CheckResult] = []
        self._sources: list[tuple[str, datetime | None, int]] = []  # of the results, with their number
        self._frames = [pl.DataFrame(schema=VERDICT_SCHEMA)]

    def add(self, results: Sequence[CheckResult], *, source_key: str, fetched_at: datetime | None) -> None:
        """Take results on one source."""
        self._results += results
        self._sources.append((source_key, fetched_at, len(results)))
        if len(self._results) >= HELD:
            self._flush()

    def frame(self) -> pl.DataFrame:
        """Return all results in the order in which they were added."""
        self._flush()
        return pl.concat(self._frames)

    def _flush(self) -> None:
        self._frames.append(_columns(self._results, self._sources))
        self._results, self._sources = [], []


def _columns(
    results: Sequence[CheckResult], sources: Sequence[tuple[str, datetime | None, int]]
) -> pl.DataFrame:
    plain = [
        pl.Series(name, values, VERDICT_SCHEMA[name]) for name, values in _plain_columns(results).items()
    ]
    columns = pl.DataFrame([*plain, *_source_columns(sources)]).with_row_index(_INDEX)
    for grouped in (_flags(results), _differences(results), _segments(results)):
        columns = columns.join(grouped, on=_INDEX, how="left", maintain_order="left")
    lists = [name for name, dtype in VERDICT_SCHEMA.items() if isinstance(dtype, pl.List)]
    columns = columns.with_columns(_closest(results), qc_found_in=pl.lit(None, VERDICT_SCHEMA["qc_found_in"]))
    return columns.with_columns(pl.col(lists).fill_null([])).select(list(VERDICT_SCHEMA))


def _plain_columns(results: Sequence[CheckResult]) -> dict[str, list[Any]]:
    return {
        "qc_status": [result.status.value for result in results],
        "qc_similarity": [result.similarity for result in results],
        "qc_char_start": [result.char_start for result in results],
        "qc_char_end": [result.char_end for result in results],
        "qc_snippet": [result.snippet for result in results],
        "qc_difference": [result.difference and result.difference.value for result in results],
        "qc_occurrences": [result.occurrences for result in results],
        "qc_region": [result.region for result in results],
        "qc_page": [result.page for result in results],
        "qc_reason_code": [result.reason_code and result.reason_code.value for result in results],
        "qc_reason": [result.reason for result in results],
        "qc_final_url": [result.source_final_url for result in results],
        "qc_passage_url": [result.passage_url for result in results],
        "qc_text_sha256": [result.text_sha256 for result in results],
    }


def _source_columns(sources: Sequence[tuple[str, datetime | None, int]]) -> list[pl.Series]:
    """Return what is the same for all results on one source, made once for each: times are dear to make."""
    schema = {name: VERDICT_SCHEMA[name] for name in ("qc_source_key", "qc_fetched_at")}
    each = pl.DataFrame(sources, schema={**schema, "number": pl.Int64}, orient="row")
    return each.select(pl.col(name).repeat_by("number").explode() for name in schema).get_columns()


def _grouped(
    values: Iterable[Sequence[Any]], schema: dict[str, Any], name: str, item: pl.Expr
) -> pl.DataFrame:
    """Return one list for each index: `values` are (index, ...) in order, `item` makes one of them."""
    flat = pl.DataFrame(list(values), schema={_INDEX: pl.UInt32, **schema}, orient="row")
    return flat.group_by(_INDEX, maintain_order=True).agg(item.alias(name))


def _flags(results: Sequence[CheckResult]) -> pl.DataFrame:
    values = [(index, flag.value) for index, result in enumerate(results) for flag in result.flags]
    return _grouped(values, {"flag": pl.String}, "qc_flags", pl.col("flag"))


_beside_kind = attrgetter("quote", "source", "quote_start", "quote_end", "source_start", "source_end")


def _differences(results: Sequence[CheckResult]) -> pl.DataFrame:
    values = [
        (index, item.kind.value, *_beside_kind(item))
        for index, result in enumerate(results)
        for item in result.differences
    ]
    schema = dict(DIFFERENCE.to_schema())
    return _grouped(values, schema, "qc_differences", pl.struct(list(schema)))


def _segments(results: Sequence[CheckResult]) -> pl.DataFrame:
    values = [(index, *segment) for index, result in enumerate(results) for segment in result.segments]
    schema = {"start": pl.Int64, "end": pl.Int64}
    return _grouped(values, schema, "qc_segments", pl.concat_list("start", "end"))


def _closest(results: Sequence[CheckResult]) -> pl.Series:
    hints = [result.closest for result in results]
    values = [(hint and hint.char_start, hint and hint.char_end, hint and hint.text) for hint in hints]
    flat = pl.DataFrame(values, schema=dict(CLOSEST.to_schema()), orient="row")
    is_there = pl.col("text").is_not_null()
    return flat.select(pl.when(is_there).then(pl.struct(pl.all())).alias("qc_closest")).to_series()
