"""Writing what an audit found: the table, its sources, the rejects, the manifest, the summary.

Everything is written under temporary names first and put in place at the end, the manifest last: where it
stands, the other files belong to it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from quotecheck.batch.assemble import OrderedResults, joined_rows
from quotecheck.batch.csv_reader import CsvTable
from quotecheck.batch.engine import Clock
from quotecheck.batch.gates import Counts, GateResult, judge
from quotecheck.batch.hosts import HostWork
from quotecheck.batch.intermediate import read_notices, read_sources, scan_plan, scan_results
from quotecheck.batch.interrupt import Interrupt
from quotecheck.batch.manifest import manifest
from quotecheck.batch.options import BatchOptions, OnBadRow, TableFormat
from quotecheck.batch.outputs import FORMAT_OF_SUFFIX, Outputs
from quotecheck.batch.plan import Plan, read_rejects, write_rejects
from quotecheck.batch.rundir import RunDirectory, RunPaths, publish
from quotecheck.batch.source_summary import find_equal_pages, sources_by_host
from quotecheck.batch.summary import Summary, count_rows, count_sources, find_examples, find_hosts
from quotecheck.batch.tables import Table
from quotecheck.batch.views import junit_report, report_html, workflow_annotations
from quotecheck.batch.work import WorkDone
from quotecheck.batch.writers import ROW_GROUP, CsvStyle, Joined, write_table
from quotecheck.console import say_lines
from quotecheck.models import Flag, Status

TEXTS_NOTICE = "checked against the text that came with the row, not fetched"
_LEAST_ROW_GROUP = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run whose buckets all have their results."""

    run: RunDirectory
    table: Table
    plan: Plan
    done: WorkDone


class PendingFiles:
    """Files that are written under temporary names, and put in place together at the end.

    Left by an exception, it removes them and touches no output.
    """

    def __init__(self) -> None:
        self._written: dict[Path, Path] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for path, written in self._written.items():
            if error is None:
                publish(written, path)
            else:
                written.unlink(missing_ok=True)

    def file(self, path: Path) -> Path:
        """Return where to write what will be at `path`; files are put in place in the order of the calls."""
        self._written[path] = path.with_name(path.name + ".tmp")
        return self._written[path]


def write_results(
    finished: Finished, options: BatchOptions, outputs: Outputs, *, interrupt: Interrupt, clock: Clock
) -> tuple[Summary, Path | None]:
    """Write all outputs; return the summary, and the table's path where it goes to standard output.

    Raises InvalidInput, Interrupted, OSError. Until everything is written, no output is touched.
    """
    paths = finished.run.paths
    table = None if outputs.table else paths.root / "table"
    with PendingFiles() as pending:
        with clock.stage("assemble"):
            target = table or pending.file(outputs.table or Path())
            _write(finished, target, outputs.format, interrupt)
            if (problems := outputs.only_problems) is not None:
                form = FORMAT_OF_SUFFIX.get(problems.suffix.lower(), outputs.format)
                _write(finished, pending.file(problems), form, interrupt, only_problems=True)
        with clock.stage("summary"):
            sources = read_sources(paths)
            summary = summarise(finished, options, outputs, sources, clock)
        with clock.stage("report"):
            _write_views(paths, options, outputs, summary, pending)
        if outputs.texts is not None:
            shutil.copyfile(paths.kept_texts, pending.file(outputs.texts))
        if outputs.sources is not None:
            sources.write_parquet(pending.file(outputs.sources))
        if outputs.rejects is not None:
            write_rejects(read_rejects(paths, options.shard), pending.file(outputs.rejects))
        if outputs.manifest is not None:
            content = _manifest(finished, sources, summary, clock)
            pending.file(outputs.manifest).write_bytes(content)
    if options.annotations:
        say_lines(workflow_annotations(paths, summary))
    return summary, table


def _write_views(
    paths: RunPaths, options: BatchOptions, outputs: Outputs, summary: Summary, pending: PendingFiles
) -> None:
    if outputs.report is not None:
        pending.file(outputs.report).write_bytes(report_html(paths, options, summary))
    if outputs.junit is not None:
        pending.file(outputs.junit).write_bytes(junit_report(paths, options, summary))


def _manifest(finished: Finished, sources: pl.DataFrame, summary: Summary, clock: Clock) -> bytes:
    return manifest(
        identity=finished.run.identity(),
        finished_at=datetime.now(UTC).isoformat(),
        sources=sources,
        summary=summary,
        stages=clock.stages,
        workers=finished.done,
    )


def _write(
    finished: Finished,
    path: Path,
    form: TableFormat,
    interrupt: Interrupt,
    *,
    only_problems: bool = False,
) -> None:
    rejected = frozenset(reject.row for reject in read_rejects(finished.run.paths))
    plan = finished.plan
    own = plan.rows - plan.rejected if plan.others else None
    results = OrderedResults(finished.run.paths, plan.records, own=own)
    rows = joined_rows(finished.table, results, output=form, rejected=rejected, interrupt=interrupt)
    write_table(
        _problems(rows) if only_problems else rows,
        path,
        form,
        schema=finished.table.schema(form),
        style=_style(finished.table, path),
        metadata=_metadata(finished.run),
        # The groups of all shards together are about as many rows: merge reads one of each at a time.
        row_group=max(_LEAST_ROW_GROUP, ROW_GROUP * plan.rows // max(1, plan.records)),
    )


def _problems(rows: Iterator[Joined]) -> Iterator[Joined]:
    """Keep the rows that are not EXACT, or only outside the visible text."""
    for joined in rows:
        exact = joined.results["qc_status"].cast(pl.String) == Status.EXACT
        hidden = joined.results["qc_flags"].list.contains(str(Flag.OUTSIDE_VISIBLE_TEXT))
        wanted = ~exact | hidden
        yield Joined(joined.cells.filter(wanted), joined.results.filter(wanted))


def _style(table: Table, path: Path) -> CsvStyle:
    """Return how a CSV result is written: as the CSV that was read, unless the name says tabs."""
    tabs = ".tsv" in path.suffixes
    if not isinstance(table, CsvTable):
        return CsvStyle(delimiter="\t" if tabs else ",")
    encoding = table.dialect.encoding
    from_spreadsheet = encoding.has_bom or encoding.charset != "utf-8"
    return CsvStyle(delimiter="\t" if tabs else table.dialect.delimiter, bom=from_spreadsheet)


def _metadata(run: RunDirectory) -> dict[str, str]:
    identity = run.identity()
    return {"quotecheck.version": identity["versions"]["quotecheck"], "quotecheck.run": identity["run"]}


def texts_notice(rows: int) -> list[str]:
    """Return what is to be said about rows that brought their text, if any did."""
    return [f"{TEXTS_NOTICE}: {rows:,} rows"] if rows else []


def summarise(
    finished: Finished, options: BatchOptions, outputs: Outputs, sources: pl.DataFrame, clock: Clock
) -> Summary:
    """Return the summary of a finished run."""
    paths: RunPaths = finished.run.paths
    plan, results = finished.plan, scan_results(paths)
    counts = count_rows(results, rows=plan.rows, rejected=plan.rejected)
    gates = judge(
        options.gates,
        counts,
        rejects_fail=options.on_bad_row is not OnBadRow.SKIP,
        is_shard=options.shard is not None,
    )
    notices = [*plan.notices, *texts_notice(plan.texts), *read_notices(paths), *finished.table.notices()]
    return summary_of(
        results,
        scan_plan(paths),
        sources,
        counts=counts,
        gates=gates,
        fetched=finished.done.fetched,
        work=finished.done.hosts,
        notices=notices,
        files=outputs.paths(),
        clock=clock,
    )


def summary_of(
    results: pl.LazyFrame,
    planned: pl.LazyFrame,
    sources: pl.DataFrame,
    *,
    counts: Counts,
    gates: tuple[GateResult, ...],
    fetched: int,
    work: Mapping[str, HostWork] | None,
    notices: Iterable[str],
    files: Iterable[Path],
    clock: Clock,
) -> Summary:
    """Return the summary of result rows, of the rows as they were planned, and of their sources table.

    `work` says what was fetched from each host, where that is known. Each notice is given once.
    """
    states, reasons = count_sources(sources)
    hosts, hosts_total = find_hosts(results)
    by_host, by_host_total = sources_by_host(sources, work)
    equal_pages, equal_pages_total = find_equal_pages(sources)
    examples, examples_total = find_examples(results, planned)
    return Summary(
        counts=counts,
        sources=states,
        reasons=reasons,
        fetched=fetched,
        hosts=hosts,
        hosts_total=hosts_total,
        sources_by_host=by_host,
        sources_by_host_total=by_host_total,
        equal_pages=equal_pages,
        equal_pages_total=equal_pages_total,
        examples=examples,
        examples_total=examples_total,
        gates=gates,
        notices=tuple(dict.fromkeys(notices)),
        files=tuple(map(str, files)),
        seconds=sum(stage.seconds for stage in clock.stages),
    )
