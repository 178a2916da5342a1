"""One audit over many machines: the order of its stages, for an engine that brings blocks to tasks.

This is the public way in for pipelines such as `pipelines/ray_audit.py`. The engine says how tables are
parted, brought together and given to tasks (`Engine`); what a task does with a block is in
`quotecheck.batch.blocks`; planning, assembling and everything that is written are those of a local run, and
so is the result. Killed anywhere, the same command goes on, and nothing that is stored is fetched again.
"""

from __future__ import annotations

import argparse
import json
import queue
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import polars as pl

from quotecheck.batch.answers_arguments import refuse_other_options
from quotecheck.batch.arguments import add_arguments, count, options_from
from quotecheck.batch.blocks import (
    ClusterTask,
    hits_of,
    row_files,
    text_pieces,
    with_slots,
    write_texts_of_rows,
)
from quotecheck.batch.elsewhere import Hits, absent_rows, collected, wanted_quotes
from quotecheck.batch.engine import Clock, Settings, finished_rows, freshness_of, plan_run
from quotecheck.batch.hosts import first_host
from quotecheck.batch.interrupt import Interrupt
from quotecheck.batch.options import STDIN, STDOUT, BatchOptions
from quotecheck.batch.parquet_files import read_files
from quotecheck.batch.plan import Plan, bucket_count
from quotecheck.batch.progress import Progress
from quotecheck.batch.records import QUOTE, SOURCE, TableReader
from quotecheck.batch.run import BatchOutcome, run_batch
from quotecheck.batch.rundir import RunDirectory
from quotecheck.batch.searching import keep_findings
from quotecheck.batch.work import WorkDone
from quotecheck.errors import InvalidOption
from quotecheck.models import ReasonCode
from quotecheck.workers import WorkerFailed

_LOOK_SECONDS = 0.2  # how often Ctrl-C is looked for while tasks run


class Engine(Protocol):
    """What brings the blocks of a stage to tasks; each stage yields what its tasks return, as they end.

    Tables are parted as the engine likes, but for rows that must come together. Raises `EngineFailed` where a
    task failed for good.
    """

    @property
    def tasks(self) -> int:
        """Into how many tasks a stage is parted."""

    def fetch(self, task: ClusterTask, sources: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Stage 1: sources of one `slot` together, then `fetch_slots`."""

    def match(
        self, task: ClusterTask, files: pl.DataFrame, pieces: pl.DataFrame, buckets: Sequence[int]
    ) -> Iterator[pl.DataFrame]:
        """Stage 2: `mixed_rows` for `files`, `mixed_texts` for `pieces`; what that gives, rows and texts of
        one `bucket` together, then `match_buckets`.
        """

    def search(self, task: ClusterTask, pieces: pl.DataFrame, quotes: Path) -> Iterator[pl.DataFrame]:
        """Stage 3: `search_texts` for `pieces`."""


class EngineFailed(WorkerFailed):
    """A task failed however often the engine tried it; the same command goes on where the run stopped."""


def cluster_parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the arguments of `quotecheck batch`; the caller adds those of its engine."""
    parser = argparse.ArgumentParser(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.description, parser.epilog = description, None
    return parser


def add_tasks_argument(group: argparse._ArgumentGroup) -> None:
    """Add `--tasks N`."""
    group.add_argument(
        "--tasks",
        type=count,
        metavar="N",
        help="tasks of a stage (4 for each CPU); more need less memory each",
    )


def cluster_options(arguments: argparse.Namespace) -> BatchOptions:
    """Return the options of an audit on a cluster. Raises InvalidOption for what only one machine can do."""
    if arguments.kind != "quotes":
        raise InvalidOption("--kind answers has no meaning for a cluster: nothing is fetched for answers")
    refuse_other_options(arguments, cluster_parser(None).parse_args([STDIN]))
    options = options_from(arguments)
    fetch = options.fetch
    if options.output is None or options.output == STDOUT:
        raise InvalidOption("-o must name a file on storage that every machine of the cluster sees")
    if fetch.store is None or fetch.store.is_file():
        raise InvalidOption("--store must name a folder on storage that every machine of the cluster sees")
    for name, given, instead in (
        ("--shard", options.shard is not None, "the cluster takes all rows"),
        ("--workers", options.workers is not None, "the cluster has its own; --tasks parts the work"),
        ("--retry-unavailable", fetch.retry_unavailable, "a new run tries what failed in passing again"),
    ):
        if given:
            raise InvalidOption(f"{name} has no meaning for a cluster: {instead}")
    return options


def run_on_cluster(
    options: BatchOptions, engine: Engine, *, resume: str, progress: bool | None = None
) -> BatchOutcome:
    """Audit a table with an engine's tasks; see `run_batch`. `resume` is the command that goes on."""
    return run_batch(options, process=_ClusterRun(engine), resume=resume, progress=progress)


class _ClusterRun:
    """Does the work of a run; a `Process` of the engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __call__(
        self,
        run: RunDirectory,
        table: TableReader,
        settings: Settings,
        *,
        input_bytes: int,
        interrupt: Interrupt,
        progress: Progress,
        clock: Clock,
    ) -> tuple[Plan, WorkDone]:
        """Bring a run to the results of all its buckets, from wherever it was. Raises Interrupted."""
        buckets = max(bucket_count(input_bytes, 1), self._engine.tasks)
        plan = plan_run(run, table, settings, buckets=buckets, interrupt=interrupt, clock=clock)
        task = _task(run, settings)
        task.texts.mkdir(exist_ok=True)
        done = WorkDone()
        with clock.stage("fetch"):
            write_texts_of_rows(task)
            self._fetch(task, done, interrupt, progress)
        with clock.stage("match"):
            progress.expect_rows(plan.rows - plan.rejected, finished_rows(run.paths))
            self._match(task, done, interrupt, progress)
        with clock.stage("look elsewhere"):
            self._look_elsewhere(task, done, interrupt)
        return plan, done

    def _fetch(self, task: ClusterTask, done: WorkDone, interrupt: Interrupt, progress: Progress) -> None:
        sources = with_slots(read_files(task.paths.sources))
        slots = [slot for slot in sources["slot"].unique() if not task.texts_of(slot).exists()]
        sources = sources.filter(pl.col("slot").is_in(slots))
        progress.expect_sources(_hosts_of(sources))
        if sources.is_empty():
            return
        for block in _watched(self._engine.fetch(task, sources), interrupt):
            done.fetched += int(block["fetched"].sum())
            done.worker_cpu_seconds += float(block["cpu_seconds"].sum())
            _note_peak(done, block)
            for hosts in block["hosts"]:
                for host, (fetched, seconds) in json.loads(hosts).items():
                    done.add_host(host, fetched, seconds)
            for came in block["came"]:
                for host, reasons in json.loads(came).items():
                    for reason, number in reasons.items():
                        progress.fetched(host, ReasonCode(reason) if reason else None, count=number)

    def _match(self, task: ClusterTask, done: WorkDone, interrupt: Interrupt, progress: Progress) -> None:
        paths = task.paths
        finished = paths.finished_buckets()
        buckets = [bucket for bucket in paths.planned_buckets() if bucket not in finished]
        if not buckets:
            return
        paths.elsewhere.unlink(missing_ok=True)  # it rests on the results of all buckets
        files, pieces = row_files(task, buckets), text_pieces(task)
        for block in _watched(self._engine.match(task, files, pieces, buckets), interrupt):
            done.worker_cpu_seconds += float(block["cpu_seconds"].sum())
            done.matching_seconds += float(block["matching_seconds"].sum())
            _note_peak(done, block)
            for statuses in block["statuses"]:
                progress.matched(json.loads(statuses))
        missing = set(buckets) - paths.finished_buckets()
        if missing:
            raise EngineFailed(f"the engine brought no rows of {len(missing):,} of {len(buckets):,} buckets")

    def _look_elsewhere(self, task: ClusterTask, done: WorkDone, interrupt: Interrupt) -> None:
        """Look for the quotations that were not found in all texts, and keep what is found."""
        paths = task.paths
        if paths.elsewhere.exists():
            return
        absent = absent_rows(paths)
        quotes = wanted_quotes(absent)
        hits: list[Hits] = []
        if absent.height:
            # A task's process keeps the index of the last file it was given: each has a name of its own.
            path = paths.temporary / f"quotes-{uuid.uuid4().hex}.parquet"
            pl.DataFrame({QUOTE: quotes}).write_parquet(path)
            for block in _watched(self._engine.search(task, text_pieces(task), path), interrupt):
                hits += hits_of(block)
                done.add_search(float(block["cpu_seconds"].sum()), 0)
                _note_peak(done, block)
        keep_findings(paths, collected(absent, quotes, hits))


def _task(run: RunDirectory, settings: Settings) -> ClusterTask:
    """Return what tasks need to know, with paths that mean the same in every folder."""
    fetch = settings.fetch
    assert fetch.store is not None
    files_root = None if fetch.files_root is None else fetch.files_root.absolute()
    return ClusterTask(
        root=run.paths.root.absolute(),
        stores=fetch.store.absolute(),
        freshness=freshness_of(run.identity(), fetch),
        fetch=replace(fetch, files_root=files_root),
        near_threshold=settings.near_threshold,
    )


def _hosts_of(sources: pl.DataFrame) -> Counter[str]:
    """Count sources by first host."""
    return Counter(
        first_host(key, spelling) or "" for key, spelling in sources.select("key", SOURCE).iter_rows()
    )


def _note_peak(done: WorkDone, block: pl.DataFrame) -> None:
    done.worker_peak_bytes = max(done.worker_peak_bytes, int(block["peak_bytes"].max() or 0))  # type: ignore[arg-type]


def _watched(stage: Iterator[pl.DataFrame], interrupt: Interrupt) -> Iterator[pl.DataFrame]:
    """Yield the blocks of a stage, which come in a thread: a long task must not keep Ctrl-C waiting.

    Raises Interrupted, and what the stage raises.
    """
    blocks: queue.SimpleQueue[pl.DataFrame | BaseException | None] = queue.SimpleQueue()

    def run() -> None:
        try:
            for block in stage:
                blocks.put(block)
            blocks.put(None)
        except BaseException as error:
            blocks.put(error)

    threading.Thread(target=run, name="quotecheck-stage", daemon=True).start()
    while True:
        interrupt.check()
        try:
            block = blocks.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            continue
        if block is None:
            return
        if isinstance(block, BaseException):
            raise block
        yield block
