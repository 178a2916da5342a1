"""A run that is killed, interrupted or starved goes on where it stopped, and loses nothing."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import polars as pl
import pytest
from batch_driver import address

HOSTS = 12
SOURCES = 60
ROWS = 600
DRIVER = Path(__file__).with_name("batch_driver.py")


class Pages(ThreadingHTTPServer):
    """Serves page N at /N on every loopback address, and logs what is asked for."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("0.0.0.0", 0), _Handler)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def url(self, number: int) -> str:
        return f"http://{address(number % HOSTS)}:{self.port}/{number}"


class _Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        body = f"<p>Page {self.path[1:]} tells of the grey fog over weir number {self.path[1:]}.".encode()
        self.send_response(404 if int(self.path[1:]) % 10 == 9 else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


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


def start(folder: Path, pages: Pages, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(DRIVER), str(pages.port), str(HOSTS), "batch", "rows.jsonl"]
    return subprocess.Popen(
        [*command, "-o", "out.jsonl", "--store", "store.sqlite", "--workers", "1", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def stored(folder: Path) -> set[str]:
    """Return the paths of the sources that the store holds, read or failed."""
    path = folder / "store.sqlite"
    if not path.exists():
        return set()
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        try:
            keys = store.execute("SELECT key FROM page UNION SELECT key FROM failure").fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return set()
    return {"/" + key.rsplit("/", 1)[1] for (key,) in keys}


def test_run_killed_at_random_moments_loses_nothing_and_fetches_nothing_stored_again(
    tmp_path: Path, pages: Pages
) -> None:
    """However often a run is killed, the table has each row once, in order, and no stored page is refetched."""
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
        if process.returncode == 0:  # finished before it could be killed: begin once more
            (tmp_path / "out.jsonl").unlink()
    process = start(tmp_path, pages)
    assert process.communicate()[1] and process.returncode == 0
    results = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    assert [result[: len(line) - 1] for result, line in zip(results, lines, strict=True)] == [
        line[:-1] for line in lines
    ]
    assert len(pages.asked) < 2 * SOURCES
