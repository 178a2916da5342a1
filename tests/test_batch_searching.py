"""The search in other sources as work of processes, and what is kept of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import polars as pl
import pytest
from batch_runs import bare_run

from quotecheck.batch import searching
from quotecheck.batch.engine import Clock, Settings, identity_of, process
from quotecheck.batch.found import TEXT_SCHEMA, FoundSource
from quotecheck.batch.frame_reader import FrameTable
from quotecheck.batch.intermediate import read_notices, scan_results
from quotecheck.batch.interrupt import Interrupt, Interrupted
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.progress import Progress
from quotecheck.batch.records import ColumnNames
from quotecheck.batch.rundir import RunDirectory, RunPaths
from quotecheck.batch.searching import TextsPart, bucket_parts, search_everywhere, write_texts
from quotecheck.models import Region, Source
from quotecheck.sources.stored import Freshness
from quotecheck.workers import WorkerDied

ROWS = {
    "quote": ["grey fog lay", "sheep graze", "grey fog lay", "10⁶"],
    "source": ["a", "b", "c", "d"],
    "text": ["Some sheep graze.", "A grey fog lay here.", "Nothing.", "One million."],
}
FOUND = [(0, ["b"]), (1, ["a"]), (2, ["b"]), (3, [])]


def worked(folder: Path, **settings: Any) -> RunPaths:
    """Bring a run to its results in two processes; return its folder, with the run still in it."""
    with RunDirectory(folder / "run") as run, Progress(shown=False) as progress:
        run.begin(identity_of([], {}))
        process(
            run,
            FrameTable(pl.DataFrame(ROWS), ColumnNames(quote="quote", source="source", text="text")),
            Settings(near_threshold=0.9, workers=2, fetch=FetchOptions(offline=True), **settings),
            input_bytes=1,
            interrupt=Interrupt(),
            progress=progress,
            clock=Clock(),
        )
        return run.paths


def found_in(paths: RunPaths) -> list[tuple[int, list[str]]]:
    return scan_results(paths).select("qc_row", "qc_found_in").sort("qc_row").collect().rows()


def test_worker_processes_find_what_stands_elsewhere(tmp_path: Path) -> None:
    """Findings and notices are kept beside the results of the buckets."""
    paths = worked(tmp_path)
    assert found_in(paths) == FOUND
    assert [notice[:29] for notice in read_notices(paths)] == ["1 quotations of raised digits"]
    assert not list(paths.temporary.iterdir())


def test_resumed_run_searches_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is not looked for again."""
    worked(tmp_path)
    monkeypatch.setattr(searching, "search_everywhere", None)
    assert found_in(worked(tmp_path)) == FOUND


def test_findings_that_rest_on_lost_results_are_looked_for_again(tmp_path: Path) -> None:
    """A bucket that is matched anew may change what was not found."""
    paths = worked(tmp_path)
    pl.DataFrame({"qc_row": [0], "found_in": [["nonsense"]]}).write_parquet(paths.elsewhere)
    paths.part(max(paths.finished_buckets())).unlink()
    assert found_in(worked(tmp_path)) == FOUND


class DeadlyPool:
    """Dies on every job, like a worker that is killed twice."""

    def __init__(self, size: int) -> None: ...

    async def __aenter__(self) -> DeadlyPool:
        return self

    async def __aexit__(self, *error: object) -> None: ...

    async def run(self, job: str, payload: object, *, retries: int = 0) -> object:
        raise WorkerDied("a worker ended with status -9")


def test_part_whose_worker_dies_is_left_out_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A finding is not worth a run."""
    monkeypatch.setattr(searching, "WorkerPool", DeadlyPool)
    paths = worked(tmp_path)
    assert all(not names for _, names in found_in(paths))
    assert "parts of the sources were not searched" in read_notices(paths)[0]


def test_interrupted_search_keeps_nothing(tmp_path: Path) -> None:
    """It begins anew when the run goes on."""
    paths = worked(tmp_path)
    paths.elsewhere.unlink()
    interrupt = Interrupt()
    interrupt.ask()
    parts = bucket_parts(paths, paths.root / "store.sqlite", Freshness("r"))
    with pytest.raises(Interrupted):
        anyio.run(lambda: searching.look_elsewhere(paths, parts, workers=1, interrupt=interrupt))
    assert not paths.elsewhere.exists()


def test_texts_are_written_as_a_table_and_searched_there(tmp_path: Path) -> None:
    """A table of texts gives the same findings as the stores that it was written from."""
    paths = worked(tmp_path)
    write_texts(bucket_parts(paths, paths.root / "store.sqlite", Freshness("r")), paths)
    texts = pl.read_parquet(paths.kept_texts)
    assert dict(texts.schema) == TEXT_SCHEMA
    assert sorted(texts["text"]) == sorted(ROWS["text"])
    parts = [TextsPart(path=paths.kept_texts, start=start, rows=2) for start in (0, 2)]
    absent = pl.DataFrame({"qc_row": [4], "quote": ["grey fog"]}, schema_overrides={"qc_row": pl.UInt64})
    folder = bare_run(tmp_path / "merge").temporary

    async def search() -> list[tuple[int, list[str]]]:
        found, _ = await search_everywhere(absent, parts, temporary=folder, workers=1, interrupt=Interrupt())
        return found.rows.rows()

    assert anyio.run(search) == [(4, ["b"])]


def test_source_survives_the_table_of_texts() -> None:
    """Everything that matching needs comes back, and so does the reason where there is no text."""
    source = Source("Grey\nfog ½", (Region("title", 5, 8),), ((0, 2),), ((2, 3),), (0,), title="Fog")
    row = dict.fromkeys(TEXT_SCHEMA) | {"source_key": "k", "state": "read", "first_row": 3}
    found = FoundSource(
        "k", source, None, {name: row[name] for name in row if name not in ("details", "text")}
    )
    frame = pl.DataFrame([found.text_row()], schema=TEXT_SCHEMA)
    assert FoundSource.of_text_row(frame.row(0, named=True)).source == source
    dead = frame.with_columns(
        text=pl.lit(None, pl.String), reason_code=pl.lit("http_410_gone"), reason=pl.lit("gone")
    )
    again = FoundSource.of_text_row(dead.row(0, named=True))
    assert again.source is None
    assert again.failure is not None
    assert (str(again.failure.reason_code), again.failure.reason) == ("http_410_gone", "gone")
