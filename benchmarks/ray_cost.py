"""What a cluster costs a row beside a local run: CPU, memory and time of all processes together.

    make test-ray                                          # once: makes the environment with Ray
    .venv-ray/bin/python benchmarks/ray_cost.py            # 200, 20,000 and 100,000 rows

Rows, sources and texts are those of `batch_scale.py`; the texts are in the stores, so nothing is fetched.
Both run on this machine with the same cores: what differs is what Ray adds by bringing blocks to tasks. The
smallest table shows what starting costs.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import ray
from batch_scale import ROWS_PER_SOURCE, fill_store, pss_bytes, text_of, url_of, write_rows

from quotecheck.batch.blocks import slot_store, with_slots
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import Source
from quotecheck.sources.store import Store

PIPELINE = Path(__file__).resolve().parents[1] / "pipelines" / "ray_audit.py"
_SAMPLE_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """What all processes of one audit cost together; shared memory counts once."""

    cpu_seconds: float
    seconds: float
    peak_bytes: int


def main() -> None:
    """Run both ways over all sizes and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 20_000, 100_000])
    parser.add_argument("--folder", type=Path, help="keep the data here (a temporary folder)")
    arguments = parser.parse_args()
    print(f"python {platform.python_version()}, polars {pl.__version__}, ray {ray.__version__}\n")
    print(f"{'rows':>9} {'where':<7}{'CPU s':>9}{'µs/row':>9}{'peak MB':>9}{'clock s':>9}{'times CPU':>11}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for rows in arguments.rows:
            _compare(folder, rows)


def _compare(folder: Path, rows: int) -> None:
    table, sources = write_rows(folder, rows, "parquet"), rows // ROWS_PER_SOURCE
    store, stores = fill_store(folder, sources), fill_stores(folder, sources)
    output = ["-o", str(folder / "out.parquet"), "--offline", "--no-progress", "--restart"]
    local = measured(
        [sys.executable, "-m", "quotecheck", "batch", str(table), *output, "--store", str(store)]
    )
    cluster = measured([sys.executable, str(PIPELINE), str(table), *output, "--store", str(stores)])
    for where, cost in (("local", local), ("ray", cluster)):
        each, times = cost.cpu_seconds / rows * 1e6, cost.cpu_seconds / local.cpu_seconds
        print(
            f"{rows:>9,} {where:<7}{cost.cpu_seconds:>9.1f}{each:>9.0f}{cost.peak_bytes / 2**20:>9.0f}"
            f"{cost.seconds:>9.1f}{times:>11.2f}",
            flush=True,
        )


def fill_stores(folder: Path, sources: int) -> Path:
    """Store the texts of all sources in the stores of their slots, unless they are there already."""
    path = folder / f"stores-{sources}"
    if path.exists():
        return path
    urls = [url_of(number) for number in range(sources)]
    planned = pl.DataFrame({"key": urls, "source": urls, "number": range(sources)})
    new = path.with_suffix(".new")
    for (slot,), frame in with_slots(planned).partition_by("slot", as_dict=True).items():
        with Store(slot_store(new, int(slot))) as store:
            for url, number in frame.select("key", "number").iter_rows():
                text = text_of(number)
                page = store.put_page(url, text.encode(), content_type="text/plain", final_url=url)
                store.put_source(page, EXTRACTOR_VERSION, Source(text, final_url=url))
    new.rename(path)
    return path


def measured(command: list[str]) -> Cost:
    """Run a command and measure it with all that it starts."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    sampler = _Sampler(process.pid)
    sampler.start()
    errors = process.communicate()[1]
    sampler.over.set()
    sampler.join()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}: {errors}")
    return Cost(sampler.cpu_seconds, time.perf_counter() - started, sampler.peak_bytes)


class _Sampler(threading.Thread):
    """Looks again and again at a process and all below it: last CPU time of each, most memory of all."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.peak_bytes = 0
        self._process = process
        self._ticks: dict[int, int] = {}

    @property
    def cpu_seconds(self) -> float:
        return sum(self._ticks.values()) / _TICKS

    def run(self) -> None:
        while not self.over.wait(_SAMPLE_SECONDS):
            alive = _tree(self._process)
            self._ticks |= alive
            self.peak_bytes = max(self.peak_bytes, sum(map(pss_bytes, alive)))


def _tree(root: int) -> dict[int, int]:
    """Return the CPU ticks of a process and of all below it."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            fields = (path / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(path.name)] = int(fields[1])
        ticks[int(path.name)] = int(fields[11]) + int(fields[12])
    wanted, found = {root}, {root}
    while wanted:
        wanted = {process for process, parent in parents.items() if parent in wanted} - found
        found |= wanted
    return {process: ticks[process] for process in found if process in ticks}


if __name__ == "__main__":
    main()
