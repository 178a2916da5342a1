"""Whole audits for tests: rows that bring their text, work done in this process, results read back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl
import pytest

from quotecheck.batch import searching, work
from quotecheck.batch.options import BatchOptions, FetchOptions
from quotecheck.batch.run import BatchOutcome, run_batch
from quotecheck.batch.rundir import RunPaths
from quotecheck.workers.jobs import JOBS, load_function


class InlinePool:
    """Does the jobs of a worker pool in this process."""

    def __init__(self, size: int) -> None: ...

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def run(self, job: str, payload: object, *, retries: int = 0) -> object:
        """Run a job here."""
        return load_function(JOBS[job])(payload)


def work_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let audits work without processes of their own, for tests of everything else."""
    monkeypatch.setattr(work, "WorkerPool", InlinePool)
    monkeypatch.setattr(searching, "WorkerPool", InlinePool)


def bare_run(folder: Path) -> RunPaths:
    """Return a run's folder with nothing in it, without a lock."""
    paths = RunPaths(folder / "run")
    paths.temporary.mkdir(parents=True)
    paths.parts.mkdir()
    return paths


def write_jsonl(path: Path, rows: Iterable[object]) -> Path:
    """Write rows as JSONL."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def audited(folder: Path, *inputs: str, fetch: FetchOptions | None = None, **options: Any) -> BatchOutcome:
    """Audit inputs with a store in `folder`, quietly."""
    fetch = fetch or FetchOptions(store=folder / "cache" / "store.sqlite", offline=True)
    return run_batch(BatchOptions(inputs=inputs, fetch=fetch, **options), progress=False)


def results_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a result table."""
    match path.suffix:
        case ".jsonl":
            return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]
        case ".csv":
            return pl.read_csv(path, infer_schema=False).to_dicts()
        case _:
            return pl.read_parquet(path).to_dicts()
