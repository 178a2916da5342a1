"""The folder of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from quotecheck.batch.rundir import RunDirectory, publish, write_atomically
from quotecheck.errors import InvalidInput

IDENTITY = {"run": "a1", "started_at": "noon", "inputs": ["x"], "options": {"o": 1}, "versions": {"v": "1"}}


def test_new_run_keeps_its_identity(tmp_path: Path) -> None:
    """What was begun is known to whoever goes on with it."""
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        assert not run.is_resumed
    with RunDirectory(tmp_path / "run") as again:
        again.begin({**IDENTITY, "run": "b2", "started_at": "later"})
        assert again.is_resumed
        assert again.identity() == IDENTITY


@pytest.mark.parametrize(
    ("name", "message"),
    [("inputs", "another input"), ("options", "other options"), ("versions", "another version")],
)
def test_run_with_another_identity_is_refused_and_kept(tmp_path: Path, name: str, message: str) -> None:
    """The message says what differs; the run is not touched."""
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
    with RunDirectory(tmp_path / "run") as other, pytest.raises(InvalidInput, match=message):
        other.begin({**IDENTITY, name: "changed"})
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        assert run.is_resumed


def test_restart_drops_everything_of_the_run(tmp_path: Path) -> None:
    """Nothing of the old run is left for the new one."""
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        (run.paths.parts / "00001.parquet").write_bytes(b"old")
    with RunDirectory(tmp_path / "run") as run:
        run.begin({**IDENTITY, "inputs": ["y"]}, restart=True)
        assert not run.is_resumed
        assert run.paths.finished_buckets() == set()


def test_run_in_use_is_refused(tmp_path: Path) -> None:
    """Two processes never work on one run."""
    with RunDirectory(tmp_path / "run"), pytest.raises(InvalidInput, match="another process is working on"):
        RunDirectory(tmp_path / "run")


def test_folder_of_something_else_is_refused_and_kept(tmp_path: Path) -> None:
    """A folder that holds anything but a run is never cleared."""
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "weir.jpg").write_bytes(b"x")
    with pytest.raises(InvalidInput, match=r"it holds weir\.jpg"):
        RunDirectory(tmp_path / "photos")
    assert (tmp_path / "photos" / "weir.jpg").exists()


def test_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    """A file in its place is named."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(InvalidInput, match="cannot hold the state of the run"):
        RunDirectory(tmp_path / "file" / "run")


def test_finished_run_leaves_no_folder(tmp_path: Path) -> None:
    """As does one that was never begun."""
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        run.forget()
    RunDirectory(tmp_path / "other").close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("left", [["lock"], ["lock", "parts/00001.parquet"], []])
def test_run_killed_while_it_was_removed_is_begun_anew(tmp_path: Path, left: list[str]) -> None:
    """A folder without identity is no run to go on with."""
    for name in left:
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).touch()
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        assert not run.is_resumed
        assert run.paths.finished_buckets() == set()


def test_files_being_written_are_dropped_at_the_next_start(tmp_path: Path) -> None:
    """Only what was put in place counts."""
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        (run.paths.temporary / "00001.77.parquet").write_bytes(b"half")
    with RunDirectory(tmp_path / "run") as run:
        run.begin(IDENTITY)
        assert not list(run.paths.temporary.iterdir())


def test_spooled_input_survives_the_beginning_of_a_run(tmp_path: Path) -> None:
    """Standard input is spooled before the run is known to be new."""
    with RunDirectory(tmp_path / "run") as run:
        run.paths.incoming.write_bytes(b"rows")
        run.begin(IDENTITY)
        assert run.paths.incoming.read_bytes() == b"rows"
        run.forget()
    assert not (tmp_path / "run").exists()


def test_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """The old content stands until the new one is complete."""
    write_atomically(tmp_path / "a", b"one")
    (tmp_path / "a.new").write_bytes(b"two")
    publish(tmp_path / "a.new", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
