"""A run that is killed, interrupted or starved goes on where it stopped, and loses nothing."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loopback_pages import Pages, serving

HOSTS = 12
SOURCES = 60
ROWS = 600
DRIVER = Path(__file__).with_name("batch_driver.py")


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving(Pages(HOSTS)) as server:
        yield server


def write_rows(path: Path, pages: Pages) -> list[str]:
    """Write rows over all sources in random order; return the lines."""
    order = random.Random(7)
    lines = []
    for row in range(ROWS):
        number = order.randrange(SOURCES)
        quote = ("grey fog over weir number", "gray fog over weir number", "no such words at all")[row % 3]
        record = {"id": f"{row:04}", "quote": f"{quote} {number}", "source": pages.url(number)}
        lines.append(json.dumps(record, ensure_ascii=row % 2 == 0))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return lines


def start(
    folder: Path, pages: Pages, *arguments: str, limit_bytes: int | None = None
) -> subprocess.Popen[str]:
    def limit() -> None:
        if limit_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    command = [sys.executable, str(DRIVER), str(pages.port), str(HOSTS), "batch", "rows.jsonl"]
    return subprocess.Popen(
        [*command, "-o", "out.jsonl", "--store", "store.sqlite", "--workers", "1", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=limit,
    )


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for a moment in the life of a process that is still running."""
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


def children_of(process: int) -> set[int]:
    """Return the processes that a process has started."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True)
    return {int(number) for number in listed.stdout.split()}


def stored(folder: Path) -> set[str]:
    """Return the paths of the sources that the store holds, read or failed."""
    path = folder / "store.sqlite"
    if not path.exists():
        return set()
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        try:
            keys = store.execute("SELECT key FROM page UNION SELECT key FROM failure").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return set()
    return {"/" + key.rsplit("/", 1)[1] for (key,) in keys}


def require_complete(folder: Path, lines: list[str]) -> None:
    """Each line of the input is in the result once, in order and byte for byte, before what was added."""
    results = (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(results) == len(lines)
    assert all(result.startswith(line[:-1] + ",") for result, line in zip(results, lines, strict=True))


def test_run_killed_at_random_moments_loses_nothing_and_fetches_nothing_stored_again(
    tmp_path: Path, pages: Pages
) -> None:
    """However often a run is killed, each row comes out once, in order; no stored page is fetched again."""
    lines = write_rows(tmp_path / "rows.jsonl", pages)
    moments = random.Random(11)
    kills = 0
    while kills < 10:
        known, mark = stored(tmp_path), len(pages.asked)
        process = start(tmp_path, pages)
        try:
            process.communicate(timeout=moments.uniform(0.4, 1.6))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            kills += 1
        assert not known & set(pages.asked[mark:])
    process = start(tmp_path, pages)
    process.communicate()
    assert process.returncode == 0
    require_complete(tmp_path, lines)
    assert len(pages.asked) < 2 * SOURCES


def test_run_whose_workers_are_killed_still_finishes(tmp_path: Path, pages: Pages) -> None:
    """A worker that is killed from outside is replaced and its bucket matched again."""
    lines = write_rows(tmp_path / "rows.jsonl", pages)
    process = start(tmp_path, pages)
    killed: set[int] = set()
    while process.poll() is None and len(killed) < 2:
        for worker in children_of(process.pid) - killed:
            killed.add(worker)
            with contextlib.suppress(ProcessLookupError):  # it has ended by itself
                os.kill(worker, signal.SIGKILL)
        time.sleep(0.01)
    process.communicate()
    assert killed
    assert process.returncode == 0
    require_complete(tmp_path, lines)


def test_second_process_on_the_same_run_is_refused(tmp_path: Path, pages: Pages) -> None:
    """While one process works on a run, another one is told to wait."""
    write_rows(tmp_path / "rows.jsonl", pages)
    pages.delay = 5.0
    first = start(tmp_path, pages)
    wait_until((tmp_path / "out.run" / "plan.json").exists, first)
    second = start(tmp_path, pages)
    errors = second.communicate()[1]
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    assert second.returncode == 2
    assert "another process is working on out.run" in errors


def test_run_interrupted_says_how_to_go_on_and_goes_on(tmp_path: Path, pages: Pages) -> None:
    """Ctrl-C ends a run with 130 and the command that resumes it; that command finishes it."""
    lines = write_rows(tmp_path / "rows.jsonl", pages)
    pages.delay = 0.2
    process = start(tmp_path, pages)
    wait_until(lambda: len(stored(tmp_path)) >= 5, process)
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=20)[1]
    assert process.returncode == 130
    resume = "quotecheck batch rows.jsonl -o out.jsonl --store store.sqlite --workers 1"
    assert errors.splitlines()[-1] == f"interrupted; to go on where it stopped: {resume}"
    known, mark = stored(tmp_path), len(pages.asked)
    pages.delay = 0.0
    again = start(tmp_path, pages)
    again.communicate()
    assert again.returncode == 0
    assert not known & set(pages.asked[mark:])
    require_complete(tmp_path, lines)


def test_run_interrupted_twice_ends_at_once(tmp_path: Path, pages: Pages) -> None:
    """A second Ctrl-C does not wait for anything."""
    write_rows(tmp_path / "rows.jsonl", pages)
    pages.delay = 30.0
    process = start(tmp_path, pages)
    wait_until(lambda: bool(pages.asked), process)
    os.killpg(process.pid, signal.SIGINT)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("stopping")  # two signals at once would be one
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130


@pytest.mark.parametrize("limit_bytes", [9_000, 60_000, 150_000])
def test_run_on_a_full_disk_goes_on_when_there_is_room(
    tmp_path: Path, pages: Pages, limit_bytes: int
) -> None:
    """Where nothing more can be written, the run stops with 3, and finishes when it can write again."""
    lines = write_rows(tmp_path / "rows.jsonl", pages)
    starved = start(tmp_path, pages, limit_bytes=limit_bytes)
    errors = starved.communicate()[1]
    assert (starved.returncode, errors.splitlines()[-1][:30]) == (3, "when that is mended, go on whe")
    assert not (tmp_path / "out.jsonl").exists()
    again = start(tmp_path, pages)
    again.communicate()
    assert again.returncode == 0
    require_complete(tmp_path, lines)
