"""Comparing two audits: which rows changed their verdict, and whether the page or the tool did.

Rows are matched by number where both audits read the same input, else by quotation and source. A row takes
some hundred bytes of memory: quotations and keys are matched by two 64-bit hashes, and only the rows that are
listed are read whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck.batch.columns import ROW
from quotecheck.batch.drift import Cause, Change, ChangedRow, Comparison, Side, SourceDrift, Verdict, judge
from quotecheck.batch.plan import TEXT_KEY
from quotecheck.batch.records import QUOTE, SOURCE
from quotecheck.batch.report_page import ALARMS
from quotecheck.batch.result_tables import ResultTable, open_result
from quotecheck.console import ExitCode, write_summary
from quotecheck.errors import InvalidInput
from quotecheck.models import Difference, Flag, Status

_SIDES = ("old", "new")
_PAIR = ("pair", "pair_too")
_QUOTE_CHARACTERS = 80
# Options that a verdict rests on, besides the page; the others decide what is read and where it goes.
_DECISIVE = ("near_threshold",)
# Options that say which rows there are, not what is said of them.
_OF_PLACE = ("output", "store", "run_dir", "format")
_STANDING = {str(Status.EXACT): 0, str(Status.NEAR): 1, str(Status.NOT_FOUND): 2}
_SEVERITY = {str(difference): severity for severity, difference in enumerate(Difference)}


def run_compare(old: Path, new: Path, *, fail_on: tuple[str, ...] = (), listed: int = 1_000) -> ExitCode:
    """Compare two result tables; print JSON and lines for people, and return the exit code.

    Raises InvalidInput where a path is no result table, or its manifest is missing.
    """
    comparison = compare(open_result(old), open_result(new), listed=listed)
    comparison = replace(comparison, gates=judge(comparison, fail_on))
    write_summary(comparison.to_dict(), comparison.lines())
    return ExitCode.OK if all(gate.passed for gate in comparison.gates) else ExitCode.FAILED


def compare(old: ResultTable, new: ResultTable, *, listed: int) -> Comparison:
    """Return what changed between two audits, with the first `listed` rows that changed."""
    by_row = _same_input(old, new)
    versions = _differing(old.manifest["versions"], new.manifest["versions"])
    options = _differing(old.options, new.options, without=_OF_PLACE)
    tool_changed = bool(versions) or any(name in options for name in _DECISIVE)
    slim = [_slim(table, side, by_row=by_row) for table, side in zip((old, new), _SIDES, strict=True)]
    pair = [*_PAIR, "number"]
    both = slim[0].join(
        slim[1],
        left_on=["old_row"] if by_row else pair,
        right_on=["new_row"] if by_row else pair,
        coalesce=False,
    )
    rows = _judged(both, tool_changed=tool_changed)
    changed = rows.filter(pl.col("change") != str(Change.SAME))
    return Comparison(
        old=_side(old, slim[0].height),
        new=_side(new, slim[1].height),
        matched_by="row" if by_row else "pair",
        compared=both.height,
        only_old=slim[0].height - both.height,
        only_new=slim[1].height - both.height,
        changes={Change(name): count for name, count in _counted(rows["change"])},
        causes={Cause(name): count for name, count in _counted(changed["cause"])},
        transitions=_transitions(changed),
        moved=int(rows.select((pl.col("change") == str(Change.SAME)) & pl.col("moved")).to_series().sum()),
        versions=versions,
        options=options,
        sources=_source_drift(old, new),
        rows=_changed_rows(old, new, changed, listed),
        rows_total=changed.height,
        notices=_notices(old, new, slim, changed),
    )


def _same_input(old: ResultTable, new: ResultTable) -> bool:
    """Tell whether rows with one number are one record of one input, read by the same columns."""
    columns = ("quote_col", "source_col", "text_col")
    files = [[(item["bytes"], item["sha256"]) for item in table.manifest["inputs"]] for table in (old, new)]
    return files[0] == files[1] and all(old.options[name] == new.options[name] for name in columns)


def _differing(
    old: Mapping[str, Any], new: Mapping[str, Any], *, without: tuple[str, ...] = ()
) -> dict[str, tuple[object, object]]:
    names = [name for name in {**old, **new} if name not in without]
    return {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}


def _slim(table: ResultTable, side: str, *, by_row: bool) -> pl.DataFrame:
    """Return what is compared of each row, in fixed-size columns whose names begin with the side."""
    columns = [
        pl.col(ROW).alias("row"),
        pl.col("qc_status").alias("status"),
        pl.col("qc_char_start").alias("start"),
        pl.col("qc_char_end").alias("end"),
        pl.col("qc_difference").alias("difference"),
        pl.col("qc_flags").list.sort().list.join(";").alias("flags"),
        pl.col("qc_text_sha256").hash(seed=1).alias("text"),
        pl.col("qc_text_sha256").is_null().alias("no_text"),
        _came_with_row().alias("brought"),
        pl.col("qc_source_key").hash(seed=1).alias("key"),
    ]
    slim = table.collect(lambda rows: rows.select(*columns, *([] if by_row else _pair())))
    if slim["row"].n_unique() != slim.height:
        doubled = slim.filter(slim["row"].is_duplicated())["row"][0]
        raise InvalidInput(
            f"{table.path} has row {doubled} twice (qc_row): it is not the result of one audit"
        )
    slim = slim.join(_bodies(table), on="key", how="left", maintain_order="left").drop("key")
    slim = slim.rename({name: f"{side}_{name}" for name in slim.columns if name not in _PAIR})
    # Rows that are equal are matched in order.
    return slim if by_row else slim.with_columns(pl.int_range(pl.len()).over(_PAIR).alias("number"))


def _pair() -> list[pl.Expr]:
    """Return two hashes of quotation and source."""
    key = pl.col("qc_source_key")
    # The key of a text that came with its row changes with the text: the row's own word for it does not.
    named = pl.when(_came_with_row()).then(pl.coalesce(SOURCE, key)).otherwise(pl.coalesce(key, SOURCE))
    pair = pl.struct(QUOTE, named.alias(SOURCE))
    return [pair.hash(seed=seed).alias(name) for seed, name in enumerate(_PAIR, 1)]


def _came_with_row() -> pl.Expr:
    return pl.col("qc_source_key").str.starts_with(TEXT_KEY).fill_null(value=False)


def _bodies(table: ResultTable) -> pl.DataFrame:
    """Return the digest of what each source's server sent, by the hash of the source's key."""
    sources = table.sources()
    if sources is None:
        return pl.DataFrame(schema={"key": pl.UInt64, "body": pl.UInt64})
    known = sources.filter(pl.col("body_sha256").is_not_null())
    digests = {"key": "source_key", "body": "body_sha256"}
    return known.select(pl.col(name).hash(seed=1).alias(alias) for alias, name in digests.items())


def _judged(both: pl.DataFrame, *, tool_changed: bool) -> pl.DataFrame:
    """Return the rows with `change`, `cause`, and whether the passage `moved`."""
    verdict = ("status", "difference", "flags")
    same = pl.all_horizontal(_equal(name) for name in verdict)
    old_rank, new_rank = (_rank(side) for side in _SIDES)
    was_read, is_read = old_rank.is_not_null(), new_rank.is_not_null()
    gone, back = (_status(side) == Status.SOURCE_UNAVAILABLE for side in ("new", "old"))
    change = (
        pl.when(same).then(pl.lit(str(Change.SAME)))
        .when(was_read & gone).then(pl.lit(str(Change.UNAVAILABLE)))
        .when(is_read & back).then(pl.lit(str(Change.AVAILABLE)))
        .when(new_rank > old_rank).then(pl.lit(str(Change.WORSE)))
        .when(new_rank < old_rank).then(pl.lit(str(Change.BETTER)))
        .otherwise(pl.lit(str(Change.OTHER)))
    )  # fmt: skip
    return both.with_columns(
        change=change,
        cause=_cause(tool_changed=tool_changed),
        moved=~(_equal("start") & _equal("end")),
    )


def _equal(name: str) -> pl.Expr:
    return pl.col(f"old_{name}").eq_missing(pl.col(f"new_{name}"))


def _status(side: str) -> pl.Expr:
    return pl.col(f"{side}_status").cast(pl.String)


def _rank(side: str) -> pl.Expr:
    """Return how far a verdict is from a plain EXACT; null where nothing was judged.

    A passage outside the visible text counts as not found, as it does for the gates of an audit.
    """
    flags = pl.col(f"{side}_flags")
    hidden = flags.str.contains(Flag.OUTSIDE_VISIBLE_TEXT, literal=True)
    alarmed = pl.any_horizontal(flags.str.contains(flag, literal=True) for flag in sorted(ALARMS))
    standing = _status(side).replace_strict(_STANDING, default=None, return_dtype=pl.Int32)
    standing = pl.when(hidden).then(_STANDING[Status.NOT_FOUND]).otherwise(standing)
    severity = (
        pl.col(f"{side}_difference")
        .cast(pl.String)
        .replace_strict(_SEVERITY, default=0, return_dtype=pl.Int32)
    )
    is_near = standing == _STANDING[Status.NEAR]
    return standing * 1_000 + alarmed.cast(pl.Int32) * 100 + pl.when(is_near).then(severity).otherwise(0)


def _cause(*, tool_changed: bool) -> pl.Expr:
    """Return why a row's verdict changed, from what it rests on in the two audits."""
    same_text = _equal("text") & ~pl.col("old_no_text") & ~pl.col("new_no_text")
    one_read = pl.col("old_no_text") != pl.col("new_no_text")
    invalid = pl.any_horizontal(_status(side) == Status.INVALID for side in _SIDES)
    same_body = (pl.col("old_body") == pl.col("new_body")).fill_null(value=False)
    brought = pl.col("old_brought") & pl.col("new_brought")
    elsewhere = f";?{Flag.FOUND_ELSEWHERE}"
    beside = [pl.col(f"{side}_flags").str.replace(elsewhere, "").str.strip_prefix(";") for side in _SIDES]
    only_elsewhere = _equal("status") & _equal("difference") & (beside[0] == beside[1])
    unmoved = pl.lit(str(Cause.TOOL if tool_changed else Cause.UNKNOWN))
    return (
        pl.when(only_elsewhere).then(pl.lit(str(Cause.OTHER_SOURCES)))
        .when(invalid).then(unmoved)
        .when(one_read).then(pl.lit(str(Cause.AVAILABILITY)))
        .when(same_text).then(unmoved)
        .when(brought | (not tool_changed)).then(pl.lit(str(Cause.PAGE)))
        .when(same_body).then(pl.lit(str(Cause.TOOL)))
        .otherwise(pl.lit(str(Cause.PAGE_OR_TOOL)))
    )  # fmt: skip


def _counted(names: pl.Series) -> list[tuple[str, int]]:
    return [(name, count) for name, count in names.value_counts(sort=True).iter_rows()]


def _transitions(changed: pl.DataFrame) -> tuple[tuple[str, str, int], ...]:
    statuses = changed.select(_status(side).alias(side) for side in _SIDES)
    counted = statuses.group_by(_SIDES).len().sort("len", *_SIDES, descending=[True, False, False])
    return tuple((old, new, count) for old, new, count in counted.iter_rows())


def _side(table: ResultTable, rows: int) -> Side:
    return Side(table=str(table.path), rows=rows, finished_at=table.manifest.get("finished_at"))


def _source_drift(old: ResultTable, new: ResultTable) -> SourceDrift | None:
    tables = [table.sources() for table in (old, new)]
    if tables[0] is None or tables[1] is None:
        return None
    before, after = (table.select("source_key", "text_sha256") for table in tables if table is not None)
    both = before.join(after, on="source_key", suffix="_new")
    was, now = pl.col("text_sha256"), pl.col("text_sha256_new")
    counts = both.select(
        compared=pl.len(),
        text_changed=(was != now).sum(),
        unavailable=(was.is_not_null() & now.is_null()).sum(),
        available=(was.is_null() & now.is_not_null()).sum(),
    )
    return SourceDrift(**counts.row(0, named=True))


def _changed_rows(
    old: ResultTable, new: ResultTable, changed: pl.DataFrame, listed: int
) -> tuple[ChangedRow, ...]:
    order = pl.Enum([str(change) for change in Change])
    first = changed.with_columns(pl.col("change").cast(order)).sort("change", "new_row").head(listed)
    if first.is_empty():
        return ()
    before, after = (
        _read(table, first[f"{side}_row"]) for table, side in zip((old, new), _SIDES, strict=True)
    )
    return tuple(
        ChangedRow(
            change=Change(change),
            cause=Cause(cause),
            old_row=old_row,
            new_row=new_row,
            place=_place(after[new_row]),
            quote=_shortened(after[new_row][QUOTE] or ""),
            source=after[new_row][SOURCE] or after[new_row]["qc_source_key"] or "",
            old=_verdict(before[old_row]),
            new=_verdict(after[new_row]),
        )
        for change, cause, old_row, new_row in first.select(
            "change", "cause", "old_row", "new_row"
        ).iter_rows()
    )


def _read(table: ResultTable, rows: pl.Series) -> dict[int, dict[str, Any]]:
    found = table.collect(lambda all_rows: all_rows.filter(pl.col(ROW).is_in(rows.implode())))
    return {row[ROW]: row for row in found.iter_rows(named=True)}


def _verdict(row: Mapping[str, Any]) -> Verdict:
    return Verdict(
        status=row["qc_status"],
        difference=row["qc_difference"],
        similarity=row["qc_similarity"],
        flags=tuple(row["qc_flags"]),
        reason_code=row["qc_reason_code"],
    )


def _place(row: Mapping[str, Any]) -> str | None:
    return None if row["qc_file"] is None else f"{row['qc_file']}:{row['qc_line']}"


def _shortened(quote: str) -> str:
    words = " ".join(quote.split())
    return words if len(words) <= _QUOTE_CHARACTERS else words[: _QUOTE_CHARACTERS - 1] + "…"


def _notices(
    old: ResultTable, new: ResultTable, slim: list[pl.DataFrame], changed: pl.DataFrame
) -> tuple[str, ...]:
    notices = []
    for table, rows in zip((old, new), slim, strict=True):
        counts = table.manifest["summary"]["rows"]
        written = counts["read"] - counts["rejected"]
        if rows.height != written:
            notices.append(
                f"{table.path} has {rows.height:,} rows, its manifest says {written:,}: "
                "it was changed after its audit"
            )
        if table.sources() is None:
            notices.append(
                f"the table of sources of {table.path} is missing: a page that is read differently by "
                "another version cannot be told from a changed page"
            )
    unknown = changed.filter(pl.col("cause") == str(Cause.UNKNOWN)).height
    if unknown:
        notices.append(
            f"{unknown:,} rows changed although text, versions and options are the same: "
            "one of the tables was edited"
        )
    return tuple(notices)
