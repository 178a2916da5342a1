"""Audit a table on a Ray cluster: for tables of tens of millions of rows, or of very many hosts.

    pip install 'quotecheck-audit[ray]'
    python pipelines/ray_audit.py rows.parquet -o /shared/results.parquet --store /shared/stores

Options are those of `quotecheck batch`. The output and the stores (a folder here) lie on a file system that
every machine sees, and this package is installed on each. Stage 1 brings distinct sources together by host
and fetches them into the stores; stage 2 brings rows and texts together by source and matches them; stage 3
looks for what was not found in all texts. The table is the one that `quotecheck batch` writes. Killed
anywhere, the same command goes on; what is stored is not fetched again. A host is asked by one task only, but
for redirects to it from other hosts.
"""

from __future__ import annotations

import logging
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from quotecheck import QuotecheckError
from quotecheck.batch.blocks import (
    ClusterTask,
    fetch_slots,
    match_buckets,
    mixed_rows,
    mixed_texts,
    search_texts,
)
from quotecheck.batch.cluster import (
    EngineFailed,
    add_tasks_argument,
    cluster_options,
    cluster_parser,
    run_on_cluster,
)

# Read when Ray is imported: after Ctrl-C a stage that still waits must not start another cluster; and tell
# nobody that Ray was used.
os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

try:
    import pyarrow as pa
    import ray
    from ray.data.context import DataContext, ShuffleStrategy
except ImportError as error:
    print(f"ray_audit: {error}: pip install 'quotecheck-audit[ray]'", file=sys.stderr)
    raise SystemExit(2) from None

_TASKS_PER_CPU = 4
_FETCH_CPUS = 0.5  # a task that fetches often waits, and asks many hosts at once


def main() -> int:
    """Run the audit and return the exit code of `quotecheck batch`."""
    parser = cluster_parser(__doc__)
    group = parser.add_argument_group("cluster")
    group.add_argument("--address", help="address of a running cluster (one on this machine is started)")
    add_tasks_argument(group)
    arguments = parser.parse_args()
    try:
        options = cluster_options(arguments)
        _start(arguments.address)
        engine = RayEngine(arguments.tasks or _TASKS_PER_CPU * int(ray.cluster_resources()["CPU"]))
        resume = shlex.join(["python", *sys.argv])
        outcome = run_on_cluster(
            options, engine, resume=resume, progress=False if arguments.no_progress else None
        )
        return int(outcome.exit_code)
    except QuotecheckError as error:
        print(f"ray_audit: {error}", file=sys.stderr)
        return 2


def _start(address: str | None) -> None:
    """Connect to a cluster, or start one on this machine."""
    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING)
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    context = DataContext.get_current()
    # The older hash shuffle keeps its parts in actors: one that dies takes the job along.
    context.shuffle_strategy = ShuffleStrategy.SHUFFLE_V2
    context.enable_progress_bars = False


class RayEngine:
    """Brings blocks to tasks with Ray Data; `tasks` is the number of parts of a stage."""

    def __init__(self, tasks: int) -> None:
        self.tasks = tasks

    def fetch(self, task: ClusterTask, sources: pl.DataFrame) -> Iterator[pl.DataFrame]:
        """Stage 1: distinct sources by host."""
        by_host = self._spread(sources).repartition(self.tasks, keys=["slot"], shuffle=True)
        return _frames(_mapped(by_host, fetch_slots, cpus=_FETCH_CPUS, task=task))

    def match(
        self, task: ClusterTask, files: pl.DataFrame, pieces: pl.DataFrame, buckets: Sequence[int]
    ) -> Iterator[pl.DataFrame]:
        """Stage 2: rows and texts by source, whose hash is the bucket."""
        rows = _mapped(self._spread(files), mixed_rows)
        texts = _mapped(self._spread(pieces), mixed_texts, buckets=buckets)
        by_source = rows.union(texts).repartition(self.tasks, keys=["bucket"], shuffle=True)
        return _frames(_mapped(by_source, match_buckets, task=task))

    def search(self, task: ClusterTask, pieces: pl.DataFrame, quotes: Path) -> Iterator[pl.DataFrame]:
        """Stage 3: quotations that were not found, in all texts."""
        return _frames(_mapped(self._spread(pieces), search_texts, quotes=quotes))

    def _spread(self, frame: pl.DataFrame) -> ray.data.Dataset:
        """Return the rows of a table in as many blocks as there are tasks."""
        blocks = [
            _table(frame.gather_every(self.tasks, start)) for start in range(min(self.tasks, len(frame)))
        ]
        return ray.data.from_arrow(blocks or [_table(frame)])


def _mapped(
    dataset: ray.data.Dataset, function: Callable[..., pl.DataFrame], *, cpus: float = 1.0, **given: Any
) -> ray.data.Dataset:
    """Apply a function of frames to each block as a whole."""

    def apply(block: pa.Table) -> pa.Table:
        if not block.column_names:  # an empty block of a shuffle
            return block
        frame = pl.from_arrow(block)
        assert isinstance(frame, pl.DataFrame)
        return _table(function(frame, **given))

    apply.__name__ = function.__name__  # what Ray calls its tasks
    return dataset.map_batches(apply, batch_size=None, batch_format="pyarrow", num_cpus=cpus)


def _table(frame: pl.DataFrame) -> pa.Table:
    return frame.to_arrow(compat_level=pl.CompatLevel.oldest())  # Ray shuffles no string views


def _frames(dataset: ray.data.Dataset) -> Iterator[pl.DataFrame]:
    try:
        for block in dataset.iter_batches(batch_size=None, batch_format="pyarrow"):
            if block.num_rows:
                frame = pl.from_arrow(block)
                assert isinstance(frame, pl.DataFrame)
                yield frame
    except ray.exceptions.RayError as error:
        raise EngineFailed(f"a task of the cluster failed: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
