"""Matching buckets in worker processes, and finding the source that kills them.

A worker that dies is replaced and its bucket tried again. A bucket that kills workers twice is gone through
source by source; whatever source kills a worker by itself is reported as `internal_error` on its own rows,
and all other rows get their verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from quotecheck.batch.match import BucketTask, MatchedBucket
from quotecheck.batch.parquet_files import scan_files
from quotecheck.batch.rundir import RunPaths, publish
from quotecheck.workers import WorkerDied, WorkerPool

_JOB = "match_bucket"


async def match_and_publish(pool: WorkerPool, task: BucketTask) -> MatchedBucket:
    """Match a bucket in a worker and put its results in place. Raises WorkerFailed."""
    try:
        matched = await _run(pool, task)
    except WorkerDied:
        matched = await _run(pool, replace(task, broken=tuple(await _find_broken(pool, task))))
    paths = RunPaths(task.root)
    publish(matched.sources, paths.part_sources(task.bucket))
    publish(matched.results, paths.part(task.bucket))
    return matched


async def _run(pool: WorkerPool, task: BucketTask) -> MatchedBucket:
    result = await pool.run(_JOB, task, retries=1)
    assert isinstance(result, MatchedBucket)
    return result


async def _find_broken(pool: WorkerPool, task: BucketTask) -> list[str]:
    """Return the sources of a bucket on which a worker dies."""
    broken = []
    for key in _keys(task):
        try:
            matched = await _run(pool, replace(task, only=key))
        except WorkerDied:
            broken.append(key)
        else:
            matched.results.unlink()
            matched.sources.unlink()
    return broken


def _keys(task: BucketTask) -> Iterable[str]:
    sources = scan_files(RunPaths(task.root).sources)
    return sources.filter(pl.col("bucket") == task.bucket).select("key").collect()["key"]
