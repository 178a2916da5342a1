"""The stages of an audit on a cluster, with an engine that runs all tasks in this process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from batch_driver import address
from batch_runs import InlinePool, audited, results_of, work_inline
from cluster_rows import Texts, everything, rows_over, write_table
from loopback_pages import serving

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.batch import blocks
from quotecheck.batch.blocks import (
    ClusterTask,
    fetch_slots,
    match_buckets,
    mixed_rows,
    mixed_texts,
    search_texts,
    with_slots,
)
from quotecheck.batch.cluster import EngineFailed, cluster_options, cluster_parser, run_on_cluster
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.run import BatchOutcome
from quotecheck.console import ExitCode
from quotecheck.errors import InvalidOption

ROOT = Path(__file__).resolve().parents[1]
HOSTS = 6
SOURCES = 30


class HereEngine:
    """Does the tasks of all stages here, one after the other."""

    tasks = 5

    def fetch(self, task: ClusterTask, sources: pl.DataFrame) -> Iterator[pl.DataFrame]:
        for block in _parted(sources, "slot"):
            yield fetch_slots(block, task=task)

    def match(
        self, task: ClusterTask, files: pl.DataFrame, pieces: pl.DataFrame, buckets: Sequence[int]
    ) -> Iterator[pl.DataFrame]:
        mixed = pl.concat([mixed_texts(pieces, buckets=buckets), mixed_rows(files)])
        for block in _parted(mixed.sample(fraction=1.0, shuffle=True, seed=3), "bucket"):
            yield match_buckets(block, task=task)

    def search(self, task: ClusterTask, pieces: pl.DataFrame, quotes: Path) -> Iterator[pl.DataFrame]:
        for block in pieces.iter_slices(2):
            yield search_texts(block, quotes=quotes)


class ElsewhereEngine(HereEngine):
    """Fetches in another working directory."""

    def fetch(self, task: ClusterTask, sources: pl.DataFrame) -> Iterator[pl.DataFrame]:
        os.chdir("/")
        return super().fetch(task, sources)


class LosingEngine(HereEngine):
    """Loses the texts on the way to where they are needed."""

    def match(
        self, task: ClusterTask, files: pl.DataFrame, pieces: pl.DataFrame, buckets: Sequence[int]
    ) -> Iterator[pl.DataFrame]:
        yield match_buckets(mixed_rows(files), task=task)


class StoppingEngine(HereEngine):
    """Fails for good after the first task of matching, as a cluster that goes away does."""

    def match(
        self, task: ClusterTask, files: pl.DataFrame, pieces: pl.DataFrame, buckets: Sequence[int]
    ) -> Iterator[pl.DataFrame]:
        yield next(super().match(task, files, pieces, buckets))
        raise EngineFailed("the cluster went away")


def _parted(table: pl.DataFrame, column: str) -> list[pl.DataFrame]:
    tasks = HereEngine.tasks
    return [table.filter(pl.col(column) % tasks == number) for number in range(tasks)]


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[Texts]:
    work_inline(monkeypatch)
    monkeypatch.setattr(blocks, "WorkerPool", InlinePool)
    with serving(Texts(HOSTS)) as server:
        endpoints = [(address(number), server.port) for number in range(HOSTS)]
        with allow_loopback_endpoints(*endpoints):
            assert isinstance(server, Texts)
            yield server


def on_cluster(folder: Path, table: Path, engine: HereEngine, **options: Any) -> BatchOutcome:
    """Audit a table on a cluster into `folder`."""
    words = [str(table), "-o", str(folder / f"cluster{table.suffix}"), "--store", str(folder / "stores")]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    arguments = cluster_parser(None).parse_args(words)
    return run_on_cluster(cluster_options(arguments), engine, resume="again", progress=False)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_cluster_writes_what_a_local_run_writes(tmp_path: Path, pages: Texts, name: str) -> None:
    """Row by row, every column, with sources, rejects, counts, digest and cards of the report."""
    table = write_table(tmp_path / name, rows_over(pages, SOURCES, 150))
    store = FetchOptions(store=tmp_path / "local.sqlite")
    output = str(tmp_path / f"local{table.suffix}")
    local = audited(tmp_path, str(table), output=output, fetch=store, report=True)
    cluster = on_cluster(tmp_path, table, HereEngine(), report=True)
    assert cluster.exit_code is local.exit_code is ExitCode.OK
    assert everything(tmp_path / f"cluster{table.suffix}") == everything(tmp_path / f"local{table.suffix}")
    assert len(pages.asked) == 2 * len(set(pages.asked))
    reports = [
        (tmp_path / f"{name}.report.html").read_text(encoding="utf-8") for name in ("local", "cluster")
    ]
    cards = [report[report.index("<main>") : report.index("</main>")] for report in reports]
    assert cards[0] == cards[1]


def test_table_has_every_kind_of_row(tmp_path: Path, pages: Texts) -> None:
    """What is compared with the local run is worth comparing."""
    table = write_table(tmp_path / "rows.jsonl", rows_over(pages, SOURCES, 150))
    outcome = on_cluster(tmp_path, table, HereEngine())
    assert outcome.summary is not None
    counts = outcome.summary.counts
    assert all(
        counts.statuses[status] for status in ("EXACT", "NEAR", "NOT_FOUND", "SOURCE_UNAVAILABLE", "INVALID")
    )
    assert (counts.rejected, counts.flags["found_elsewhere"] > 10) == (2, True)
    assert set(outcome.summary.reasons) == {"address_not_public", "http_404_not_found", "scheme_not_allowed"}
    assert outcome.summary.equal_pages_total == 0
    fetched = [host.fetched or 0 for host in outcome.summary.sources_by_host]
    assert sum(fetched) == outcome.summary.fetched == SOURCES


def test_run_that_stopped_goes_on_without_fetching_again(tmp_path: Path, pages: Texts) -> None:
    """Buckets that have their results are not matched again either."""
    table = write_table(tmp_path / "rows.parquet", rows_over(pages, SOURCES, 150))
    stopped = on_cluster(tmp_path, table, StoppingEngine())
    assert stopped.exit_code is ExitCode.UNFINISHED
    done = {path: path.stat().st_mtime_ns for path in (tmp_path / "cluster.run/parts").iterdir()}
    asked = list(pages.asked)
    assert done
    again = on_cluster(tmp_path, table, HereEngine())
    assert again.exit_code is ExitCode.OK
    assert pages.asked == asked
    assert len(results_of(tmp_path / "cluster.parquet")) == 159


def test_second_audit_with_the_same_stores_fetches_nothing(tmp_path: Path, pages: Texts) -> None:
    """Missing pages are not asked for again within their day either."""
    table = write_table(tmp_path / "rows.parquet", rows_over(pages, SOURCES, 60))
    on_cluster(tmp_path, table, HereEngine())
    first, asked = everything(tmp_path / "cluster.parquet"), list(pages.asked)
    on_cluster(tmp_path, table, HereEngine())
    assert (everything(tmp_path / "cluster.parquet"), pages.asked) == (first, asked)


def test_files_are_read_below_the_folder_that_was_named(
    tmp_path: Path, pages: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative name means the folder of the command, wherever a task runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/weir.txt").write_text("The weir was mended in spring.")
    rows = [{"id": "a", "quote": "weir was mended", "source": "file:weir.txt", "text": None}]
    on_cluster(tmp_path, write_table(tmp_path / "rows.parquet", rows), ElsewhereEngine(), files_root="notes")
    assert [row["qc_status"] for row in results_of(tmp_path / "cluster.parquet")] == ["EXACT"]


def test_host_is_asked_by_one_task_only(tmp_path: Path, pages: Texts) -> None:
    """All its sources have one slot, so that its limits hold in one process."""
    urls = [pages.url(number) for number in range(SOURCES)]
    slots = with_slots(pl.DataFrame({"key": urls, "source": urls}))["slot"]
    assert len({(number % HOSTS, slot) for number, slot in enumerate(slots)}) == HOSTS


def test_block_that_came_incomplete_is_refused(
    tmp_path: Path, pages: Texts, capsys: pytest.CaptureFixture[str]
) -> None:
    """An engine that loses rows or texts must not make a verdict of it."""
    table = write_table(tmp_path / "rows.parquet", rows_over(pages, SOURCES, 60))
    with pytest.raises(RuntimeError, match=r"of its .* rows and 0 of its"):
        on_cluster(tmp_path, table, LosingEngine())
    assert not (tmp_path / "cluster.parquet").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "-o must name a file"),
        (["-o", "-", "--format", "csv"], "-o must name a file"),
        (["-o", "out.csv"], "--store must name a folder"),
        (["-o", "out.csv", "--store", "s", "--shard", "0/2"], "--shard has no meaning for a cluster"),
        (["-o", "out.csv", "--store", "s", "--workers", "2"], "--workers has no meaning for a cluster"),
        (["-o", "out.csv", "--store", "s", "--retry-unavailable"], "a new run tries what failed"),
        (["-o", "out.csv", "--store", "s", "--kind", "answers"], "--kind answers has no meaning"),
        (
            ["-o", "out.csv", "--store", "s", "--first-number", "0"],
            "--first-number has no meaning for quotations",
        ),
    ],
)
def test_options_of_one_machine_are_refused(words: list[str], message: str) -> None:
    """Each says what to do instead."""
    arguments = cluster_parser(None).parse_args(["rows.csv", *words])
    with pytest.raises(InvalidOption, match=message):
        cluster_options(arguments)


def test_store_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """The store of a local run is one; a cluster has a folder of them."""
    (tmp_path / "store.sqlite").touch()
    words = ["rows.csv", "-o", "out.csv", "--store", str(tmp_path / "store.sqlite")]
    with pytest.raises(InvalidOption, match="--store must name a folder"):
        cluster_options(cluster_parser(None).parse_args(words))


def test_pipeline_without_ray_names_the_extra() -> None:
    """Before anything else is done."""
    code = "import sys, runpy; sys.modules['ray'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
    pipeline = ROOT / "pipelines" / "ray_audit.py"
    run = subprocess.run([sys.executable, "-c", code, str(pipeline)], capture_output=True, text=True)
    assert run.returncode == ExitCode.USAGE
    assert "pip install 'quotecheck-audit[ray]'" in run.stderr
