"""Matching buckets, with workers that die."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import polars as pl
import pytest
from batch_runs import bare_run

from quotecheck.batch import match
from quotecheck.batch.frame_reader import FrameTable
from quotecheck.batch.intermediate import read_sources, scan_results
from quotecheck.batch.interrupt import Interrupt
from quotecheck.batch.match import BucketTask, match_bucket
from quotecheck.batch.matching import match_and_publish
from quotecheck.batch.options import OnBadRow
from quotecheck.batch.plan import make_plan
from quotecheck.batch.records import ColumnNames
from quotecheck.batch.rundir import RunPaths
from quotecheck.models import CheckResult
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness
from quotecheck.text.match import PreparedText
from quotecheck.workers import WorkerDied, WorkerPool

ROWS = {
    "quote": ["fog", "mist", "fog", "", "fog"],
    "text": ["grey fog", "mist", "grey fog", "x", "deadly fog"],
}


@pytest.fixture
def task(tmp_path: Path) -> BucketTask:
    paths = bare_run(tmp_path)
    table = FrameTable(pl.DataFrame(ROWS), ColumnNames(quote="quote", source="source", text="text"))
    make_plan(table, paths, buckets=1, on_bad_row=OnBadRow.REPORT, interrupt=Interrupt())
    store = tmp_path / "store.sqlite"
    Store(store).close()
    return BucketTask(
        root=paths.root,
        store=store,
        bucket=0,
        freshness=Freshness("r"),
        extractor="1",
        near_threshold=0.9,
    )


class FragilePool:
    """Does jobs here, and dies like a killed worker on a bucket that holds the deadly source."""

    def __init__(self) -> None:
        self.deaths = 0

    async def run(self, job: str, task: BucketTask, *, retries: int = 0) -> Any:
        sources = pl.read_parquet(task.root / "sources.parquet")
        texts = Store(task.root / "texts.sqlite", read_only=True)
        keys = set(sources["key"]) - set(task.broken) if task.only is None else {task.only}
        deadly = any(texts.text(key.removeprefix("text:")) == "deadly fog" for key in keys)
        texts.close()
        if deadly:
            self.deaths += 1
            raise WorkerDied("a worker ended with status -9")
        return match_bucket(task)


def statuses(task: BucketTask) -> list[str]:
    return scan_results(RunPaths(task.root)).sort("qc_row").collect()["qc_status"].cast(pl.String).to_list()


def test_bucket_matched_in_a_worker_is_put_in_place(task: BucketTask) -> None:
    """Rows of all sources have their results; temporary files are gone."""

    async def run() -> None:
        async with WorkerPool(1) as pool:
            matched = await match_and_publish(pool, task)
            assert matched.statuses == {"EXACT": 4, "INVALID": 1}

    anyio.run(run)
    assert statuses(task) == ["EXACT", "EXACT", "EXACT", "INVALID", "EXACT"]
    assert not list((task.root / "temporary").iterdir())


def test_source_that_kills_workers_costs_only_its_own_rows(task: BucketTask) -> None:
    """It is found by trying each source alone, and reported as our fault."""
    pool = FragilePool()
    anyio.run(match_and_publish, pool, task)
    assert pool.deaths == 2
    assert statuses(task) == ["EXACT", "EXACT", "EXACT", "INVALID", "SOURCE_UNAVAILABLE"]
    sources = read_sources(RunPaths(task.root))
    assert sources["reason_code"].to_list() == [None, None, "internal_error"]
    assert not list((task.root / "temporary").iterdir())


def test_quotation_on_which_the_matcher_fails_costs_only_its_own_row(
    task: BucketTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours is reported on its row; the others of the same source have their verdict."""
    check_many = PreparedText.check_many

    def faulty(prepared: PreparedText, quotes: list[str], *, near_threshold: float) -> list[CheckResult]:
        if "mist" in quotes:
            raise ZeroDivisionError
        return check_many(prepared, quotes, near_threshold=near_threshold)

    monkeypatch.setattr(PreparedText, "check_many", faulty)
    matched = match_bucket(task)
    rows = pl.read_parquet(matched.results).sort("qc_row")
    assert rows["qc_status"][1] == "SOURCE_UNAVAILABLE"
    assert "matching failed with ZeroDivisionError" in rows["qc_reason"][1]
    assert matched.statuses == {"EXACT": 3, "INVALID": 1, "SOURCE_UNAVAILABLE": 1}


@pytest.mark.parametrize(("sources", "characters"), [(1, 10**6), (2, 10**6), (64, 1)])
def test_sources_found_ahead_keep_their_own_verdicts(
    task: BucketTask, monkeypatch: pytest.MonkeyPatch, sources: int, characters: int
) -> None:
    """However many sources are found before they are matched, no row gets another one's verdict."""
    monkeypatch.setattr(match, "_SOURCES_AHEAD", sources)
    monkeypatch.setattr(match, "_CHARACTERS_AHEAD", characters)
    rows = pl.read_parquet(match_bucket(task).results).sort("qc_row")
    assert rows["qc_snippet"].to_list() == ["fog", "mist", "fog", None, "fog"]
    assert rows["qc_char_start"].to_list() == [5, 0, 5, None, 7]
