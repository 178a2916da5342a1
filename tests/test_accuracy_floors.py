"""The floors of the accuracy benchmark: raised, never lowered, and bound to the content of their set."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
RIGHT = {"id": "a", "text": "A grey fog came.", "quote": "grey fog", "status": "EXACT", "flags": []}
WRONG = {**RIGHT, "id": "b", "status": "NOT_FOUND"}


@pytest.fixture
def accuracy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The benchmark, with its floors and its sets in an empty folder."""
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import accuracy

    monkeypatch.setattr(accuracy, "FLOORS", tmp_path / "floors.json")
    return accuracy


def run(accuracy: Any, folder: Path, rows: list[dict[str, Any]], *options: str) -> int:
    """Run the benchmark over one set."""
    (folder / "cases").mkdir(exist_ok=True)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "cases/peer_cases.jsonl").write_text(lines)
    return int(accuracy.main(["--data", str(folder), *options]))


def kept(folder: Path) -> dict[str, int]:
    """Return the one floor without its digest."""
    floor = json.loads((folder / "floors.json").read_text())["peer cases"]
    return {name: floor[name] for name in ("rows", "right")}


def test_set_without_a_floor_fails_until_updated(
    accuracy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A set that nobody has measured yet is no pass."""
    assert run(accuracy, tmp_path, [RIGHT, WRONG]) == 1
    assert "has no floor yet" in capsys.readouterr().out
    assert run(accuracy, tmp_path, [RIGHT, WRONG], "--update") == 0
    assert kept(tmp_path) == {"rows": 2, "right": 1}
    assert run(accuracy, tmp_path, [RIGHT, WRONG]) == 0


def test_set_below_its_floor_fails_and_is_not_lowered(
    accuracy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a run nor an update accepts fewer right rows than before."""
    assert run(accuracy, tmp_path, [RIGHT], "--update") == 0
    monkeypatch.setattr(accuracy, "is_as_stated", lambda row, result: False)
    assert run(accuracy, tmp_path, [RIGHT]) == 1
    assert run(accuracy, tmp_path, [RIGHT], "--update") == 1
    assert "0 of 1 right, and its floor is 1" in capsys.readouterr().out
    assert kept(tmp_path) == {"rows": 1, "right": 1}


def test_floor_rises_with_an_update_only(
    accuracy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A better result passes, and becomes the floor when that is wished."""
    with monkeypatch.context() as patch:
        patch.setattr(accuracy, "is_as_stated", lambda row, result: False)
        run(accuracy, tmp_path, [RIGHT], "--update")
    assert run(accuracy, tmp_path, [RIGHT]) == 0
    assert kept(tmp_path) == {"rows": 1, "right": 0}
    assert run(accuracy, tmp_path, [RIGHT], "--update") == 0
    assert kept(tmp_path) == {"rows": 1, "right": 1}


def test_changed_set_is_no_comparison(
    accuracy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A set with other rows fails until its new floor is accepted, which may be lower."""
    run(accuracy, tmp_path, [RIGHT, {**RIGHT, "id": "c"}], "--update")
    assert run(accuracy, tmp_path, [RIGHT]) == 1
    assert "peer cases: the set has changed" in capsys.readouterr().out
    assert run(accuracy, tmp_path, [RIGHT], "--update") == 0
    assert kept(tmp_path) == {"rows": 1, "right": 1}


def test_set_that_is_absent_keeps_its_floor(accuracy: Any, tmp_path: Path) -> None:
    """Nothing is concluded from a set that was not read, and reading none at all fails."""
    run(accuracy, tmp_path, [RIGHT], "--update")
    assert accuracy.main(["--data", str(tmp_path / "none"), "--update"]) == 1
    assert kept(tmp_path) == {"rows": 1, "right": 1}


def test_every_set_has_a_floor() -> None:
    """The floors of the repository are of whole sets, each named by its content."""
    floors = json.loads((BENCHMARKS / "accuracy_floors.json").read_text())
    assert {"peer cases", "user cases", "spans", "near", "articles", "novels"} <= set(floors)
    assert all(0 < floor["right"] <= floor["rows"] for floor in floors.values())
    assert all(len(floor["sha256"]) == 64 for floor in floors.values())
