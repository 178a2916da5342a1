"""The engine behind every audit: plan, fetch, match over a run directory.

What differs between a command, a frame and a pipeline (where rows come from and where results go) stays
outside; this module brings a run from its table to the results of all buckets.
"""

from __future__ import annotations

import platform
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Protocol

import anyio
import polars as pl

from quotecheck import __version__
from quotecheck.batch.inputs import Fingerprint
from quotecheck.batch.intermediate import scan_results
from quotecheck.batch.interrupt import Interrupt
from quotecheck.batch.options import FetchOptions, OnBadRow, worker_count
from quotecheck.batch.parquet_files import scan_files
from quotecheck.batch.plan import TEXT_KEY, Plan, bucket_count, make_plan
from quotecheck.batch.progress import Progress
from quotecheck.batch.records import TableReader
from quotecheck.batch.rundir import RunDirectory, RunPaths
from quotecheck.batch.searching import bucket_parts, look_elsewhere, write_texts
from quotecheck.batch.shards import Shard
from quotecheck.batch.work import WorkDone, WorkSettings, fetch_and_match
from quotecheck.errors import InvalidInput
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import ReasonCode
from quotecheck.sources.reasons import REFUSED
from quotecheck.sources.store import Store, default_store_path
from quotecheck.sources.stored import FAILURE_MAX_AGE, Freshness

_LIBRARIES = ("polars", "rapidfuzz", "httpx", "selectolax", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How an audit is worked on, whatever its table."""

    near_threshold: float
    on_bad_row: OnBadRow = OnBadRow.REPORT
    workers: int | None = None
    shard: Shard | None = None
    fetch: FetchOptions = field(default_factory=FetchOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What one stage of the run cost this process: seconds on the clock and of CPU."""

    name: str
    seconds: float
    cpu_seconds: float


@dataclass(slots=True, kw_only=True)
class Clock:
    """Measures the stages of a run; `begins` is told the name of each."""

    begins: Callable[[str], None] | None = None
    stages: list[Stage] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure what is done inside, on the clock and in CPU time of this process."""
        if self.begins is not None:
            self.begins(name)
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.stages.append(
            Stage(name=name, seconds=time.perf_counter() - wall, cpu_seconds=time.process_time() - cpu)
        )


def versions() -> dict[str, str]:
    """Return the versions of everything that a result may depend on."""
    found = {"quotecheck": __version__, "extractor": EXTRACTOR_VERSION, "python": platform.python_version()}
    return found | {name: version(name) for name in _LIBRARIES}


def identity_of(inputs: Iterable[Fingerprint], options: dict[str, Any]) -> dict[str, Any]:
    """Return what a run is the run of, with a name of its own and the moment it began."""
    return {
        "run": secrets.token_hex(8),
        "started_at": datetime.now(UTC).isoformat(),
        "versions": versions(),
        "inputs": [{"name": item.name, "bytes": item.bytes, "sha256": item.sha256} for item in inputs],
        "options": options,
    }


class Process(Protocol):
    """What brings a run to the results of all its buckets: `process` here, or a cluster's own."""

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
        """Go on from wherever the run was. Raises Interrupted."""


def process(
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
    paths, workers = run.paths, worker_count(settings.workers)
    buckets = bucket_count(input_bytes, workers)
    plan = plan_run(run, table, settings, buckets=buckets, interrupt=interrupt, clock=clock)
    # Where nothing is to be fetched, no store has to exist.
    nothing_to_fetch = plan.sources == 0
    store_path = paths.empty_store if nothing_to_fetch else settings.fetch.store or default_store_path()
    work = WorkSettings(
        freshness=freshness_of(run.identity(), settings.fetch),
        fetch=settings.fetch,
        near_threshold=settings.near_threshold,
        workers=workers,
        shard=settings.shard,
    )
    with Store(store_path) as store:
        with clock.stage("fetch and match"):
            if settings.fetch.retry_unavailable:
                reopen_unavailable(paths, store)
            progress.expect_rows(plan.rows - plan.rejected, finished_rows(paths))
            done = anyio.run(
                lambda: fetch_and_match(paths, store, work, interrupt=interrupt, progress=progress)
            )
        with clock.stage("look elsewhere"):
            parts = bucket_parts(paths, store.path, work.freshness)
            if settings.shard is not None:
                write_texts(parts, paths)  # the other shards' sources are there when all are merged
            elif not paths.elsewhere.exists():
                cost = anyio.run(lambda: look_elsewhere(paths, parts, workers=workers, interrupt=interrupt))
                done.add_search(cost.cpu_seconds, cost.peak_bytes)
    return plan, done


def plan_run(
    run: RunDirectory,
    table: TableReader,
    settings: Settings,
    *,
    buckets: int,
    interrupt: Interrupt,
    clock: Clock,
) -> Plan:
    """Return the plan of a run, which is made unless it is there. Raises InvalidInput, Interrupted."""
    if (plan := Plan.load(run.paths)) is not None:
        return plan
    try:
        with clock.stage("plan"):
            return make_plan(
                table,
                run.paths,
                buckets=buckets,
                on_bad_row=settings.on_bad_row,
                interrupt=interrupt,
                shard=settings.shard,
            )
    except InvalidInput:
        run.forget()  # there is nothing that the same command could go on with
        raise


def freshness_of(identity: dict[str, Any], options: FetchOptions) -> Freshness:
    """Return which stored entries count, seen from the moment the run began, also when it is resumed."""
    if options.offline:
        return Freshness(identity["run"])
    started = datetime.fromisoformat(identity["started_at"])
    pages_since, failures_since = started - options.max_age, started - FAILURE_MAX_AGE
    if options.refresh:
        pages_since = failures_since = started
    return Freshness(identity["run"], pages_since, failures_since, doi_fallback=options.doi_fallback)


def reopen_unavailable(paths: RunPaths, store: Store) -> None:
    """Forget which sources could not be fetched, and the results of buckets that rest on that."""
    sources = scan_files(paths.sources).select("key", "bucket").collect()
    keys = sources.filter(~pl.col("key").str.starts_with(TEXT_KEY))["key"]
    store.forget_failures(keys)
    with Store(paths.texts) as of_the_run:
        of_the_run.forget_failures(keys)
    for bucket in paths.finished_buckets():
        reasons = scan_files(paths.part_sources(bucket)).select("reason_code").collect().to_series()
        if any(ReasonCode(reason) not in REFUSED for reason in reasons.drop_nulls()):
            paths.part(bucket).unlink()


def finished_rows(paths: RunPaths) -> int:
    """Return how many rows have their results."""
    return int(scan_results(paths).select(pl.len()).collect().item())
