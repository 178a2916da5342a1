"""`audit(frame)` and the pipeline around the command."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from batch_runs import work_inline
from polars.testing import assert_frame_equal

from quotecheck import audit
from quotecheck.batch.columns import RESULT_SCHEMA
from quotecheck.errors import InvalidInput, InvalidOption

ROOT = Path(__file__).parents[1]
FRAME = pl.DataFrame(
    {
        "id": [object(), 2, "x"],
        "said": ["grey fog", "no fog", None],
        "url": [None, None, "pmid:1"],
        "body": ["A grey fog came.", "A grey fog came.", None],
    },
    schema_overrides={"id": pl.Object},
)


def audited(frame: pl.DataFrame = FRAME) -> pl.DataFrame:
    return audit(frame, quote="said", source="url", text="body", offline=True)


def test_frame_comes_back_with_the_verdicts_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns as they were, of whatever type, then ours; the frame itself is not changed."""
    work_inline(monkeypatch)
    before = FRAME.clone()
    result = audited()
    assert result.columns == [*FRAME.columns, *RESULT_SCHEMA]
    assert {name: result.schema[name] for name in RESULT_SCHEMA} == RESULT_SCHEMA
    assert result["qc_status"].to_list() == ["EXACT", "NOT_FOUND", "INVALID"]
    assert result.columns[:4] == before.columns == FRAME.columns
    assert result["qc_file"].null_count() == 3


def test_frame_without_rows_has_no_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in, nothing out, in the same columns."""
    work_inline(monkeypatch)
    assert audited(FRAME.clear()).shape == (0, len(FRAME.columns) + len(RESULT_SCHEMA))


def test_text_column_is_used_only_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame's column named `text` may hold anything."""
    work_inline(monkeypatch)
    frame = pl.DataFrame({"quote": ["fog"], "source": ["pmid:1"], "text": ["fog"]})
    assert audit(frame, offline=True)["qc_reason_code"].item() == "not_in_store"
    assert audit(frame, text="text", offline=True)["qc_status"].item() == "EXACT"


def test_frame_that_cannot_be_audited_is_refused() -> None:
    """Missing columns, numbers for quotations, what is no frame, before any work."""
    with pytest.raises(InvalidInput, match="no column 'quote'"):
        audit(FRAME)
    with pytest.raises(InvalidInput, match="not text"):
        audit(pl.DataFrame({"quote": [1], "source": ["p"]}))
    with pytest.raises(InvalidOption, match="near_threshold"):
        audit(FRAME, near_threshold=2)
    with pytest.raises(InvalidOption, match="workers is 0"):
        audit(FRAME, quote="q", workers=0)
    with pytest.raises(InvalidInput, match="a LazyFrame is no polars DataFrame: collect"):
        audit(FRAME.lazy())  # type: ignore[arg-type]


def test_audit_works_inside_a_running_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook."""
    work_inline(monkeypatch)

    async def cell() -> pl.DataFrame:
        return audited()

    assert asyncio.run(cell())["qc_status"][0] == "EXACT"


def test_audit_works_with_workers_from_a_command_string() -> None:
    """Without a main guard, with real worker processes."""
    code = (
        "import polars as pl, quotecheck;"
        "frame = pl.DataFrame({'quote': ['grey fog'], 'text': ['A grey fog came.']});"
        "print(quotecheck.audit(frame, text='text')['qc_status'].item())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "EXACT\n"
    assert done.stderr == ""


def test_two_audits_of_equal_frames_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing depends on the moment or on the folder of the run."""
    work_inline(monkeypatch)
    assert_frame_equal(audited().drop("id"), audited().drop("id"))


def test_pipeline_audits_the_sample_offline(tmp_path: Path) -> None:
    """What a newcomer runs first: every status, in seconds, without network."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "pipelines" / "audit.py"), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    statuses = json.loads(done.stdout)["statuses"]
    assert all(statuses.values())
    assert pl.read_parquet(tmp_path / "out" / "results.parquet").height == sum(statuses.values())


def test_pipeline_audits_a_data_set(tmp_path: Path) -> None:
    """Any table, into one folder."""
    (tmp_path / "rows.csv").write_text("quote,text\ngrey fog,A grey fog came.\n")
    done = subprocess.run(
        [sys.executable, str(ROOT / "pipelines" / "audit.py"), "--dataset", "rows.csv", "--out", "out"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "results.manifest.json").exists()


def test_pipeline_names_what_is_wrong_with_a_data_set(tmp_path: Path) -> None:
    """A mistake in the input is one line, not a traceback."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "pipelines" / "audit.py"), "--dataset", "none.csv"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (2, "audit: none.csv does not exist\n")
