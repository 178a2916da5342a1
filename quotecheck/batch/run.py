"""The audit of a table from input to results: the command's and the library's way into the engine."""

from __future__ import annotations

import concurrent.futures
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from quotecheck.batch.arguments import command_line
from quotecheck.batch.assemble import OrderedResults
from quotecheck.batch.columns import RESULT_SCHEMA
from quotecheck.batch.engine import Clock, Process, Settings, identity_of, process
from quotecheck.batch.frame_reader import FrameTable
from quotecheck.batch.inputs import InputFile, expand_inputs, fingerprint, recognise
from quotecheck.batch.interrupt import Interrupt, Interrupted
from quotecheck.batch.options import (
    STDIN,
    STDOUT,
    BatchOptions,
    FetchOptions,
    check_threshold,
    require_positive,
)
from quotecheck.batch.outputs import Outputs, plan_outputs, write_json_file
from quotecheck.batch.progress import Progress
from quotecheck.batch.records import ColumnNames
from quotecheck.batch.results import Finished, write_results
from quotecheck.batch.rundir import RunDirectory, RunPaths
from quotecheck.batch.summary import Summary
from quotecheck.batch.tables import open_table
from quotecheck.batch.writers import require_writable
from quotecheck.console import ExitCode, say, say_lines, write_bytes, write_summary
from quotecheck.errors import InvalidInput, InvalidOption
from quotecheck.workers import WorkerFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """How an audit ended; without a summary it did not finish."""

    exit_code: ExitCode
    summary: Summary | None = None
    outputs: Outputs | None = None


def run_batch(
    options: BatchOptions,
    *,
    progress: bool | None = None,
    process: Process = process,
    resume: str | None = None,
) -> BatchOutcome:
    """Audit a table and write the results; print the summary, and how to go on where it did not finish.

    `progress` shows bars (True), nothing (False), or what suits standard error (None). Raises InvalidInput
    and InvalidOption before anything is written; a full disk or Ctrl-C is an outcome with its exit code, and
    the same call goes on from there. `process` does the work between the table and its results;
    `resume` is the command that a message names for going on.
    """
    again = resume or command_line(options)
    try:
        with Interrupt() as interrupt, Progress(shown=progress) as shown:
            summary, outputs = _audit_files(options, interrupt, shown, process)
    except (Interrupted, KeyboardInterrupt):
        say(f"interrupted; to go on where it stopped: {again}")
        return BatchOutcome(exit_code=ExitCode.INTERRUPTED)
    except (OSError, sqlite3.Error, pl.exceptions.PolarsError, WorkerFailed) as error:
        say(f"the audit did not finish: {error}")
        say(f"when that is mended, go on where it stopped: {again}")
        return BatchOutcome(exit_code=ExitCode.UNFINISHED)
    _show(summary, options)
    passed = all(gate.passed for gate in summary.gates)
    code = ExitCode.OK if passed else ExitCode.FAILED
    return BatchOutcome(exit_code=code, summary=summary, outputs=outputs)


def _show(summary: Summary, options: BatchOptions) -> None:
    if options.summary_json is not None:
        write_json_file(options.summary_json, summary.to_dict())
    if options.output != STDOUT:
        write_summary(summary.to_dict(), summary.lines())
        return
    say_lines(summary.lines())


def _audit_files(
    options: BatchOptions, interrupt: Interrupt, progress: Progress, process: Process
) -> tuple[Summary, Outputs]:
    files = [] if STDIN in options.inputs else expand_inputs(options.inputs)
    outputs = plan_outputs(options, files)
    clock = Clock(begins=progress.stage)
    with _run_directory(outputs) as run:
        files = files or [_spooled(run.paths)]
        fingerprints = [fingerprint(file) for file in files]
        table = open_table(files, _names(options))
        require_writable(table.schema(outputs.format), outputs.format)
        run.begin(identity_of(fingerprints, _decisive(options, outputs)), restart=options.restart)
        settings = Settings(
            near_threshold=options.near_threshold,
            on_bad_row=options.on_bad_row,
            workers=options.workers,
            shard=options.shard,
            fetch=options.fetch,
        )
        plan, done = process(
            run,
            table,
            settings,
            input_bytes=sum(item.bytes for item in fingerprints),
            interrupt=interrupt,
            progress=progress,
            clock=clock,
        )
        if [fingerprint(file) for file in files] != fingerprints:
            raise InvalidInput("the input has changed during the run: run again with --restart")
        finished = Finished(run=run, table=table, plan=plan, done=done)
        summary, table_path = write_results(finished, options, outputs, interrupt=interrupt, clock=clock)
        if table_path is not None:
            _copy_to_stdout(table_path)
        run.forget()
    return summary, outputs


def _names(options: BatchOptions) -> ColumnNames:
    return ColumnNames(
        quote=options.quote_col,
        source=options.source_col,
        text=options.text_col,
        replace_qc=options.replace_qc,
    )


@contextmanager
def _run_directory(outputs: Outputs) -> Iterator[RunDirectory]:
    """Yield the run's folder; a result that goes to standard output has a folder for this call only."""
    with (
        tempfile.TemporaryDirectory(prefix="quotecheck-") as folder,
        RunDirectory(outputs.run_dir or Path(folder, "run")) as run,
    ):
        try:
            yield run
        except (InvalidInput, InvalidOption):
            if not run.is_resumed and not run.paths.finished_buckets():
                run.forget()  # the mended command may differ, and is not to be refused for this one
            raise


def _decisive(options: BatchOptions, outputs: Outputs) -> dict[str, object]:
    """Return the options that decide what is in the results; a run is never resumed with others."""
    fetch = options.fetch
    return {
        "output": None if outputs.table is None else str(outputs.table.absolute()),
        "format": str(outputs.format),
        "quote_col": options.quote_col,
        "source_col": options.source_col,
        "text_col": options.text_col,
        "near_threshold": options.near_threshold,
        "on_bad_row": str(options.on_bad_row),
        "replace_qc": options.replace_qc,
        "shard": None if options.shard is None else str(options.shard),
        "store": None if fetch.store is None else str(fetch.store),
        "offline": fetch.offline,
        "refresh": fetch.refresh,
        "max_age_seconds": fetch.max_age.total_seconds(),
        "files_root": None if fetch.files_root is None else str(fetch.files_root.resolve()),
        "doi_fallback": fetch.doi_fallback,
    }


def _spooled(paths: RunPaths) -> InputFile:
    """Write standard input into the run's folder and return it as a file. Raises InvalidInput."""
    if sys.stdin is None:
        raise InvalidInput("standard input is closed: there is nothing to read for '-'")
    with paths.incoming.open("wb") as spool:
        shutil.copyfileobj(sys.stdin.buffer, spool, 1 << 20)
    return InputFile(paths.incoming, None, recognise(paths.incoming, "standard input"))


def _copy_to_stdout(path: Path) -> None:
    with path.open("rb") as table:
        while piece := table.read(1 << 20):
            write_bytes(piece)


def audit(
    frame: pl.DataFrame,
    *,
    quote: str = "quote",
    source: str = "source",
    text: str | None = None,
    near_threshold: float = 0.90,
    store: Path | str | None = None,
    offline: bool = False,
    workers: int | None = None,
    concurrency: int = 32,
    per_host: int = 4,
    contact: str | None = None,
    progress: bool = False,
) -> pl.DataFrame:
    """Return the frame with the verdict on every row in columns that begin with `qc_`.

    `quote`, `source` and `text` name columns; rows whose text is not null are checked against it and nothing
    is fetched for them. Each distinct source is fetched once, into `store` (the user's cache by default).
    Works with or without a running event loop, and blocks the caller. Raises InvalidInput for what is no
    DataFrame and for a column that is missing or not text, and InvalidOption.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"quote": ["grey fog"], "source": ["notes"], "text": ["A grey fog came."]})
    >>> audit(frame, text="text").select("qc_status", "qc_char_start", "qc_char_end").row(0)
    ('EXACT', 2, 10)
    """
    if not isinstance(frame, pl.DataFrame):
        raise InvalidInput(f"a {type(frame).__name__} is no polars DataFrame: collect or convert it first")
    check_threshold(near_threshold)
    if workers is not None:
        require_positive("workers", workers)
    settings = Settings(
        near_threshold=near_threshold,
        workers=workers,
        fetch=FetchOptions(
            store=None if store is None else Path(store),
            offline=offline,
            concurrency=concurrency,
            per_host=per_host,
            contact=contact,
        ),
    )
    table = FrameTable(frame, ColumnNames(quote=quote, source=source, text=text))
    interrupt = Interrupt()

    def work() -> pl.DataFrame:
        with tempfile.TemporaryDirectory(prefix="quotecheck-") as folder:
            return _audit_frame(table, Path(folder, "run"), settings, interrupt, shown=progress)

    # The engine needs an event loop of its own, and the caller's thread may be running one.
    with concurrent.futures.ThreadPoolExecutor(1, "quotecheck-audit") as thread:
        future = thread.submit(work)
        try:
            results = future.result()
        except BaseException:
            interrupt.ask()
            raise
    return pl.concat([frame, results], how="horizontal")


def _audit_frame(
    table: FrameTable, folder: Path, settings: Settings, interrupt: Interrupt, *, shown: bool
) -> pl.DataFrame:
    with RunDirectory(folder) as run, Progress(shown=shown) as progress:
        run.begin(identity_of([], {}))
        plan, _ = process(
            run,
            table,
            settings,
            input_bytes=table.estimated_bytes(),
            interrupt=interrupt,
            progress=progress,
            clock=Clock(),
        )
        rows = pl.int_range(plan.records, dtype=pl.UInt64, eager=True)
        results = OrderedResults(run.paths, plan.records).take(rows)
    origin = results.with_columns(qc_file=pl.lit(None, pl.String), qc_line=pl.lit(None, pl.UInt64))
    return origin.select(list(RESULT_SCHEMA))
