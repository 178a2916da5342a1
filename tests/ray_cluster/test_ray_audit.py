"""Audits by pipelines/ray_audit.py on a real Ray of this machine, whose workers fetch from real servers."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest
from cluster_rows import Texts, everything, rows_over, write_table
from loopback_pages import serving

pytestmark = [
    pytest.mark.skipif(
        next(distributions(name="ray"), None) is None, reason="Ray is not installed: make test-ray"
    ),
    pytest.mark.timeout(900),
]

HOSTS = 6
SOURCES = 40
ROWS = 300
DRIVERS = {
    "local": Path(__file__).parents[1] / "batch_driver.py",
    "ray": Path(__file__).with_name("ray_driver.py"),
}


@pytest.fixture
def pages() -> Iterator[Texts]:
    with serving(Texts(HOSTS)) as server:
        assert isinstance(server, Texts)
        yield server


def start(how: str, table: Path, pages: Texts, *options: str) -> subprocess.Popen[str]:
    """Start an audit of a table, here or on Ray, in a process group of its own."""
    words = ["batch"] if how == "local" else []
    store = "store.sqlite" if how == "local" else "stores"
    output = f"{how}{table.suffix}"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    command = [sys.executable, str(DRIVERS[how]), str(pages.port), str(HOSTS), *words, table.name]
    return subprocess.Popen(
        [*command, "-o", output, "--store", store, *options],
        cwd=table.parent,
        env={**environment, "RAY_AUTH_MODE": "disabled", "RAY_ENABLE_AUTO_CONNECT": "0"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    """Wait until an audit has ended well; return what it said."""
    errors = process.communicate()[1]
    assert process.returncode == 0, errors
    return errors


def processes() -> dict[int, tuple[int, str]]:
    """Return parent and title of every process."""
    listed = subprocess.run(["ps", "-ewwo", "pid=,ppid=,args="], capture_output=True, text=True, check=True)
    found = {}
    for line in listed.stdout.splitlines():
        process, parent, title = line.split(maxsplit=2)
        found[int(process)] = (int(parent), title)
    return found


def below(process: int) -> dict[int, str]:
    """Return the titles of all that a process has started, and of what those have."""
    known = processes()
    found: dict[int, str] = {}
    wanted = {process}
    while wanted:
        wanted = {child for child, (parent, _) in known.items() if parent in wanted and child not in found}
        found |= {child: known[child][1] for child in wanted}
    return found


def kill(numbers: Iterator[int] | set[int]) -> None:
    """End processes at once; one that has ended by itself is no error."""
    for number in numbers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def kill_tasks(process: subprocess.Popen[str], name: str) -> None:
    """Kill every process of Ray that works on a task of this name, as soon as there is one."""
    tasks: set[int] = set()
    while not tasks:
        assert process.poll() is None, process.communicate()[1]
        tasks = {
            number
            for number, title in below(process.pid).items()
            if title.startswith("ray::") and name in title
        }
    kill(tasks)


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for a moment in the life of an audit that is still running."""
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


def stored(folder: Path) -> set[str]:
    """Return the paths of the pages that the stores hold, read or failed."""
    found: set[str] = set()
    for path in folder.glob("*.sqlite"):
        with (
            contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store,
            contextlib.suppress(sqlite3.OperationalError),  # killed before the tables were made
        ):
            keys = store.execute("SELECT key FROM page UNION SELECT key FROM failure").fetchall()
            found |= {"/" + key.rsplit("/", 1)[1] for (key,) in keys}
    return found


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.parquet"])
def test_table_is_that_of_the_local_run(tmp_path: Path, pages: Texts, name: str) -> None:
    """Row by row, every column, with sources, rejects, counts and digest; each fetches a page once."""
    table = write_table(tmp_path / name, rows_over(pages, SOURCES, ROWS))
    finish(start("local", table, pages))
    finish(start("ray", table, pages))
    local, ray = (everything(tmp_path / f"{how}{table.suffix}") for how in ("local", "ray"))
    assert ray == local
    assert sorted(pages.asked) == sorted(2 * list(set(pages.asked)))


def test_workers_killed_in_mid_fetch_and_in_mid_match_cost_nothing_but_time(
    tmp_path: Path, pages: Texts
) -> None:
    """Their tasks are tried again, and no stored page is asked for twice."""
    table = write_table(tmp_path / "rows.parquet", rows_over(pages, SOURCES, 10 * ROWS))
    finish(start("local", table, pages))
    pages.asked.clear()
    pages.delay = 0.5
    process = start("ray", table, pages)
    wait_until(lambda: len(stored(tmp_path / "stores")) >= 4, process)
    known, mark = stored(tmp_path / "stores"), len(pages.asked)
    kill_tasks(process, "fetch_slots")
    kill_tasks(process, "match_buckets")
    finish(process)
    assert everything(tmp_path / "ray.parquet") == everything(tmp_path / "local.parquet")
    assert not known & set(pages.asked[mark:])


def test_audit_killed_whole_goes_on_and_fetches_nothing_stored_again(tmp_path: Path, pages: Texts) -> None:
    """Driver and cluster are gone at once; the same command finishes, with the table of the local run."""
    table = write_table(tmp_path / "rows.jsonl", rows_over(pages, SOURCES, ROWS))
    finish(start("local", table, pages))
    pages.asked.clear()
    pages.delay = 0.5
    first = start("ray", table, pages)
    wait_until(lambda: len(stored(tmp_path / "stores")) >= 10, first)
    cluster = {first.pid, *below(first.pid)}
    kill(cluster)
    first.communicate()
    wait_until_gone(cluster)
    known, mark = stored(tmp_path / "stores"), len(pages.asked)
    assert 10 <= len(known) < SOURCES
    pages.delay = 0.0
    finish(start("ray", table, pages))
    assert everything(tmp_path / "ray.jsonl") == everything(tmp_path / "local.jsonl")
    assert not known & set(pages.asked[mark:])
    assert set(pages.asked) == {f"/{number}" for number in range(SOURCES)}


def test_interrupted_audit_ends_soon_and_goes_on(tmp_path: Path, pages: Texts) -> None:
    """Ctrl-C ends it with 130 and the command that resumes it, though tasks wait; nothing is left running."""
    table = write_table(tmp_path / "rows.jsonl", rows_over(pages, SOURCES, ROWS))
    pages.delay = 3.0
    process = start("ray", table, pages)
    wait_until(lambda: len(pages.asked) >= 5, process)
    cluster = set(below(process.pid))
    os.killpg(process.pid, signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "ray_audit.py rows.jsonl -o ray.jsonl --store stores" in errors
    wait_until_gone(cluster)
    pages.delay = 0.0
    finish(start("ray", table, pages))
    assert len(everything(tmp_path / "ray.jsonl")["rows"]) == ROWS + 9


def wait_until_gone(numbers: set[int]) -> None:
    """Wait until none of the processes is left."""
    while numbers & {number for number, (_, title) in processes().items() if "<defunct>" not in title}:
        time.sleep(0.05)


def test_refused_option_is_named_before_ray_starts(tmp_path: Path) -> None:
    """The mistake costs no start of a cluster."""
    pipeline = Path(__file__).parents[2] / "pipelines" / "ray_audit.py"
    words = [
        sys.executable,
        str(pipeline),
        "rows.csv",
        "-o",
        "out.csv",
        "--store",
        "stores",
        "--workers",
        "2",
    ]
    run = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert (run.returncode, "--workers has no meaning for a cluster" in run.stderr) == (2, True)
