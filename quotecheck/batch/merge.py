"""Putting the shards of an audit together: the result is the one that a single run would have written.

Refused are shards that are missing, doubled, or of another audit. A quotation that its own source lacks is
looked for in the sources of all shards now, which a shard by itself could not do.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import polars as pl

from quotecheck.batch.columns import ROW
from quotecheck.batch.elsewhere import ABSENT_SCHEMA, FoundElsewhere
from quotecheck.batch.engine import Clock, Stage
from quotecheck.batch.gates import Gates, judge
from quotecheck.batch.interrupt import Interrupt, Interrupted
from quotecheck.batch.manifest import manifest
from quotecheck.batch.merge_tables import merge_rows
from quotecheck.batch.options import OnBadRow, worker_count
from quotecheck.batch.outputs import (
    FORMAT_OF_SUFFIX,
    MANIFEST,
    REJECTS,
    SOURCES,
    TEXTS,
    beside,
    require_place,
)
from quotecheck.batch.parquet_files import scan_files
from quotecheck.batch.plan import TEXT_KEY, write_rejects
from quotecheck.batch.records import QUOTE, SOURCE, Reject
from quotecheck.batch.result_tables import ResultTable, open_result
from quotecheck.batch.results import TEXTS_NOTICE, PendingFiles, summary_of, texts_notice
from quotecheck.batch.searching import SearchCost, TextsPart, search_everywhere
from quotecheck.batch.shards import Shard
from quotecheck.batch.summary import Summary, count_rows
from quotecheck.batch.tables import FORMAT_OF_KIND
from quotecheck.batch.work import WorkDone
from quotecheck.console import ExitCode, say, write_summary
from quotecheck.errors import InvalidInput, InvalidOption
from quotecheck.models import Status
from quotecheck.workers import WorkerFailed

# Options of the audit in which its shards may differ.
_OF_SHARD = ("shard", "output", "store")
_TEXTS_IN_PART = 2_048


@dataclass(frozen=True, slots=True, kw_only=True)
class Shards:
    """All shards of one audit, by number."""

    tables: tuple[ResultTable, ...]

    @property
    def first(self) -> ResultTable:
        """The shard that stands for what all have in common."""
        return self.tables[0]

    def columns(self) -> tuple[str, ...]:
        """Return the columns of all shards: a JSONL table without rows has none."""
        return tuple(dict.fromkeys(name for table in self.tables for name in table.columns))

    def total(self, name: str) -> int:
        """Return a count of rows over all shards, from their manifests."""
        return sum(table.manifest["summary"]["rows"][name] for table in self.tables)


def run_merge(
    shards: Sequence[Path], output: Path, *, gates: Gates | None = None, workers: int | None = None
) -> ExitCode:
    """Merge shards into `output` and print the summary; return the exit code.

    Raises InvalidInput where the shards are not all those of one audit, and InvalidOption.
    """
    try:
        with Interrupt() as interrupt:
            summary = merge(
                gather(shards), output, gates=gates or Gates(), workers=workers, interrupt=interrupt
            )
    except (Interrupted, KeyboardInterrupt):
        say("interrupted; nothing was written")
        return ExitCode.INTERRUPTED
    except (OSError, sqlite3.Error, pl.exceptions.PolarsError, WorkerFailed) as error:
        say(f"the merge did not finish, and nothing was written: {error}")
        return ExitCode.UNFINISHED
    write_summary(summary.to_dict(), summary.lines())
    return ExitCode.OK if all(gate.passed for gate in summary.gates) else ExitCode.FAILED


def gather(paths: Sequence[Path]) -> Shards:
    """Open the tables of all shards of an audit. Raises InvalidInput that names what does not fit."""
    found: dict[int, ResultTable] = {}
    first: ResultTable | None = None
    count = 0
    for path in paths:
        table = open_result(path)
        if (name := table.options.get("shard")) is None:
            raise InvalidInput(
                f"{path} is a whole result, not a shard: shards are made with batch --shard I/N"
            )
        shard = Shard.parse(name)
        first, count = first or table, count or shard.count
        if shard.count != count:
            raise InvalidInput(
                f"{path} is shard {shard}, {first.path} is one of {count}: merge one split only"
            )
        _require_same_audit(first, table)
        if shard.index in found:
            raise InvalidInput(f"shard {shard} comes twice: {found[shard.index].path} and {path}")
        _require_unchanged(table)
        found[shard.index] = table
    missing = [f"{index}/{count}" for index in range(count) if index not in found]
    if missing:
        listed = ", ".join(missing[:10])
        more = f" (first 10 of {len(missing):,})" if len(missing) > 10 else ""
        raise InvalidInput(f"missing: shard {listed}{more}; name the tables of all {count} shards")
    return Shards(tables=tuple(found[index] for index in range(count)))


def _require_same_audit(first: ResultTable, table: ResultTable) -> None:
    """Raise InvalidInput where two shards do not belong together."""
    inputs = [
        [(item["bytes"], item["sha256"]) for item in other.manifest["inputs"]] for other in (first, table)
    ]
    names = {**first.options, **table.options}
    options = [
        f"{name} {first.options.get(name)} and {table.options.get(name)}"
        for name in names
        if name not in _OF_SHARD and first.options.get(name) != table.options.get(name)
    ]
    versions = [
        f"{name} {version} and {table.manifest['versions'].get(name)}"
        for name, version in first.manifest["versions"].items()
        if table.manifest["versions"].get(name) != version
    ]
    for what, differs in (
        ("another input", ["its files differ"] if inputs[0] != inputs[1] else []),
        ("other options", options),
        ("other versions", versions),
        ("another format", ["write all as one"] if first.kind != table.kind else []),
    ):
        if differs:
            raise InvalidInput(
                f"{table.path} does not belong to {first.path}: it has {what} ({', '.join(differs)})"
            )


def _require_unchanged(table: ResultTable) -> None:
    rows = table.manifest["summary"]["rows"]
    written = table.collect(lambda cells: cells.select(pl.len())).item()
    if written != rows["read"] - rows["rejected"]:
        raise InvalidInput(
            f"{table.path} has {written:,} rows, its manifest says {rows['read'] - rows['rejected']:,}: "
            "audit this shard again"
        )


def merge(
    shards: Shards, output: Path, *, gates: Gates, workers: int | None, interrupt: Interrupt
) -> Summary:
    """Write the merged table and all that stands beside it; return the summary.

    Raises InvalidInput, InvalidOption, Interrupted, OSError; then no output is touched.
    """
    _check_output(shards, output)
    clock = Clock()
    done = WorkDone(fetched=sum(table.manifest["summary"]["fetched"] for table in shards.tables))
    with clock.stage("look elsewhere"):
        found, cost = _look_elsewhere(shards, worker_count(workers), interrupt)
        done.add_search(cost.cpu_seconds, cost.peak_bytes)
    identity = _identity(shards, output)
    with PendingFiles() as pending:
        with clock.stage("assemble"):
            table = pending.file(output)
            metadata = {
                "quotecheck.version": identity["versions"]["quotecheck"],
                "quotecheck.run": identity["run"],
            }
            written = merge_rows(shards.tables, table, found.rows, metadata)
            if written != shards.total("read") - shards.total("rejected"):
                raise InvalidInput("the shards do not make up the whole input: audit them again")
        interrupt.check()
        sources = _sources(shards)
        with clock.stage("summary"):
            merged = ResultTable(table, shards.first.kind, {"options": identity["options"]}, shards.columns())
            files = [beside(output, name) for name in (SOURCES, REJECTS)] + [output, beside(output, MANIFEST)]
            summary = _summary(merged, shards, sources, found, gates, files, clock, fetched=done.fetched)
        sources.write_parquet(pending.file(beside(output, SOURCES)))
        write_rejects(_rejects(shards), pending.file(beside(output, REJECTS)))
        content = manifest(
            identity=identity,
            finished_at=datetime.now(UTC).isoformat(),
            sources=sources,
            summary=summary,
            stages=_stages(shards, clock),
            workers=_workers(shards, done),
            shards=[_shown(table) for table in shards.tables],
        )
        pending.file(beside(output, MANIFEST)).write_bytes(content)
    return summary


def _check_output(shards: Shards, output: Path) -> None:
    form = FORMAT_OF_KIND[shards.first.kind]
    if FORMAT_OF_SUFFIX.get(output.suffix.lower()) is not form:
        raise InvalidOption(f"{output}: the shards are {form}, so give the merged table a name in .{form}")
    if output.resolve() in {table.path.resolve() for table in shards.tables}:
        raise InvalidOption(f"{output} is a shard: it would be replaced; give the merged table another name")
    for path in (output, *(beside(output, name) for name in (SOURCES, REJECTS, MANIFEST))):
        require_place(path)


def _look_elsewhere(shards: Shards, workers: int, interrupt: Interrupt) -> tuple[FoundElsewhere, SearchCost]:
    """Look for the quotations that were not found in the sources of all shards."""
    absent = pl.concat([pl.DataFrame(schema=ABSENT_SCHEMA), *map(_absent_rows, shards.tables)]).sort(ROW)
    texts = [beside(table.path, TEXTS) for table in shards.tables]
    there = [path for path in texts if path.exists()]
    parts = [
        TextsPart(path=path, start=start, rows=_TEXTS_IN_PART)
        for path in there
        for start in range(0, _rows_of(path), _TEXTS_IN_PART)
    ]
    with tempfile.TemporaryDirectory(prefix="quotecheck-") as folder:

        async def search() -> tuple[FoundElsewhere, SearchCost]:
            return await search_everywhere(
                absent, parts, temporary=Path(folder), workers=workers, interrupt=interrupt
            )

        found, cost = anyio.run(search)
    gone = [str(path) for path in texts if path not in there]
    if gone:
        listed = ", ".join(gone[:3]) + (f" (first 3 of {len(gone):,})" if len(gone) > 3 else "")
        notice = f"quotations were not looked for in the sources of shards whose texts are missing: {listed}"
        found = FoundElsewhere(found.rows, (*found.notices, notice))
    return found, cost


def _absent_rows(table: ResultTable) -> pl.DataFrame:
    absent = pl.col("qc_status").cast(pl.String) == Status.NOT_FOUND
    return table.collect(lambda cells: cells.filter(absent).select(list(ABSENT_SCHEMA)))


def _rows_of(texts: Path) -> int:
    try:
        return int(scan_files(texts).select(pl.len()).collect().item())
    except pl.exceptions.PolarsError as error:
        raise InvalidInput(f"{texts} cannot be read as texts of a shard: {error}") from error


def _identity(shards: Shards, output: Path) -> dict[str, Any]:
    manifests = [table.manifest for table in shards.tables]
    options = {**shards.first.options, "shard": None, "store": None, "output": str(output.absolute())}
    return {
        "run": secrets.token_hex(8),
        "started_at": min(content["started_at"] for content in manifests),
        "versions": shards.first.manifest["versions"],
        "inputs": shards.first.manifest["inputs"],
        "options": options,
    }


def _sources(shards: Shards) -> pl.DataFrame:
    """Return the sources of all shards in order of first appearance. Raises InvalidInput."""
    tables = []
    for table in shards.tables:
        sources = table.sources()
        if sources is None:
            raise InvalidInput(f"{beside(table.path, SOURCES)} is missing: copy it here, beside its table")
        tables.append(sources)
    return pl.concat(tables).sort("first_row")


def _rejects(shards: Shards) -> Iterator[Reject]:
    """Yield the rejected records of all shards in order. Raises InvalidInput."""
    found = []
    for table in shards.tables:
        path = beside(table.path, REJECTS)
        try:
            with path.open(encoding="utf-8") as lines:
                found += [Reject(**json.loads(line)) for line in lines]
        except FileNotFoundError:
            raise InvalidInput(f"{path} is missing: copy it here, beside its table") from None
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"{path} is damaged: {error}") from error
    return iter(sorted(found, key=lambda reject: reject.row))


def _summary(
    merged: ResultTable,
    shards: Shards,
    sources: pl.DataFrame,
    found: FoundElsewhere,
    gates: Gates,
    files: Sequence[Path],
    clock: Clock,
    *,
    fetched: int,
) -> Summary:
    results = merged.scan()
    counts = count_rows(results, rows=shards.total("read"), rejected=shards.total("rejected"))
    planned = results.select(
        pl.col(ROW).alias("row"),
        pl.col("qc_file").alias("file"),
        pl.col("qc_line").alias("line"),
        QUOTE,
        SOURCE,
    )
    texts = results.select(pl.col("qc_source_key").str.starts_with(TEXT_KEY).sum()).collect().item()
    return summary_of(
        results,
        planned,
        sources,
        counts=counts,
        gates=judge(gates, counts, rejects_fail=merged.options["on_bad_row"] != OnBadRow.SKIP),
        fetched=fetched,
        work=None,
        notices=[*_notices(shards), *texts_notice(texts), *found.notices],
        files=files,
        clock=clock,
    )


def _notices(shards: Shards) -> Iterator[str]:
    """Yield what the shards said about the input; what each says about its own rows is said of all rows."""
    for table in shards.tables:
        for notice in table.manifest["summary"]["notices"]:
            if not notice.startswith(TEXTS_NOTICE):
                yield notice


def _stages(shards: Shards, clock: Clock) -> list[Stage]:
    """Return what the stages of all shards cost together, and then those of the merge."""
    totals: dict[str, Stage] = {}
    for table in shards.tables:
        for stage in table.manifest["stages"]:
            known = totals.get(stage["name"], Stage(name=stage["name"], seconds=0.0, cpu_seconds=0.0))
            totals[known.name] = Stage(
                name=known.name,
                seconds=known.seconds + stage["seconds"],
                cpu_seconds=known.cpu_seconds + stage["cpu_seconds"],
            )
    merging = [Stage(**{**asdict(stage), "name": f"merge: {stage.name}"}) for stage in clock.stages]
    return [*totals.values(), *merging]


def _workers(shards: Shards, done: WorkDone) -> WorkDone:
    """Return what the workers of all shards and of the merge cost together."""
    costs: list[Mapping[str, Any]] = [table.manifest["workers"] for table in shards.tables]
    return WorkDone(
        fetched=done.fetched,
        worker_cpu_seconds=done.worker_cpu_seconds + sum(cost["cpu_seconds"] for cost in costs),
        matching_seconds=sum(cost["matching_cpu_seconds"] for cost in costs),
        searching_seconds=done.searching_seconds + sum(cost["searching_cpu_seconds"] for cost in costs),
        worker_peak_bytes=max([done.worker_peak_bytes, *(cost["peak_bytes"] for cost in costs)]),
    )


def _shown(table: ResultTable) -> dict[str, Any]:
    content = table.manifest
    return {
        "shard": table.options["shard"],
        "table": str(table.path),
        "started_at": content["started_at"],
        "finished_at": content["finished_at"],
        "rows": content["summary"]["rows"],
        "stages": content["stages"],
        "workers": content["workers"],
    }
