"""How the cost of an audit grows with the table: CPU per stage, µs a row beside matching, peak memory.

Matching and looking for quotations in the other sources (elsewhere) depend on the texts; what stands beside
them is what a row costs.

    python benchmarks/batch_scale.py                      # 10,000 rows as CSV, JSONL and Parquet
    python benchmarks/batch_scale.py --rows 1000000 --formats csv --folder /var/tmp/scale
    python benchmarks/batch_scale.py --formats csv --reports   # HTML report, JUnit and annotations, too

Rows name a tenth as many sources, in random order over 2,000 hosts, one of which has 40 % of the rows; 70 %
of the quotations are exact, 17 % near, 13 % absent. The texts (4.6 KB) are in the store, so nothing is
fetched: what is measured is planning, matching and assembling. CPU seconds are what to compare; seconds on
the clock depend on what else the machine does. Beside it, in the same run, loops over the rows with all texts
in memory, which write no file and start again when they are killed: one with `check_text`, for the same
verdicts, and one with `in` and rapidfuzz, which folds nothing and tells neither places nor differences
(`--no-loops` leaves them out: the first takes as long as the audit).
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
from rapidfuzz import fuzz

from quotecheck import check_text
from quotecheck.extract.document import EXTRACTOR_VERSION
from quotecheck.models import Source
from quotecheck.sources.store import Store

SEED = 20_240
HOSTS = 2_000
ROWS_PER_SOURCE = 10
FORMATS = ("csv", "jsonl", "parquet")
_SENTENCES, _WORDS = 40, 20
_SYLLABLES = [first + second for first in "bdfghklmnprstvw" for second in ("a", "en", "i", "or", "u")]


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: CPU seconds by stage, and the peak of the memory of all its processes together."""

    manifest: dict[str, Any]
    cpu_seconds: float
    seconds: float
    peak_bytes: int


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000])
    parser.add_argument("--formats", nargs="+", default=list(FORMATS), choices=FORMATS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--reports", action="store_true", help="write report, JUnit and annotations, too")
    parser.add_argument("--no-loops", action="store_true", help="measure the audit alone")
    parser.add_argument("--folder", type=Path, help="keep the data here (a temporary folder)")
    arguments = parser.parse_args()
    print(
        f"python {platform.python_version()}, polars {pl.__version__}, rapidfuzz {version('rapidfuzz')}, "
        f"{arguments.workers} workers\n"
    )
    print(
        f"{'rows':>9} {'format':<8}{'plan':>7}{'parent':>8}{'workers':>9}{'matching':>9}{'elsewhere':>10}"
        f"{'assemble':>9}{'summary':>8}{'all':>8}{'µs/row beside':>15}{'peak MB':>9}{'clock s':>9}  "
        "exact, near, absent"
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for rows in arguments.rows:
            store = fill_store(folder, rows // ROWS_PER_SOURCE)
            for form in arguments.formats:
                table = write_rows(folder, rows, form)
                report(rows, form, run(table, store, arguments.workers, reports=arguments.reports))
            if not arguments.no_loops:
                report_loops(rows)


def report(rows: int, form: str, measured: Measured) -> None:
    """Print one line of the table."""
    stages = {stage["name"]: stage["cpu_seconds"] for stage in measured.manifest["stages"]}
    workers = measured.manifest["workers"]
    matching, elsewhere = workers["matching_cpu_seconds"], workers["searching_cpu_seconds"]
    beside = (measured.cpu_seconds - matching - elsewhere) / rows * 1e6
    print(
        f"{rows:>9,} {form:<8}{stages['plan']:>7.1f}{stages['fetch and match']:>8.1f}"
        f"{workers['cpu_seconds'] - matching - elsewhere:>9.1f}{matching:>9.1f}{elsewhere:>10.1f}"
        f"{stages['assemble']:>9.1f}"
        f"{stages['summary']:>8.1f}{measured.cpu_seconds:>8.1f}{beside:>15.1f}"
        f"{measured.peak_bytes / 2**20:>9.0f}{measured.seconds:>9.1f}  "
        f"{shown(measured.manifest['summary']['statuses'])}",
        flush=True,
    )


def report_loops(rows: int) -> None:
    """Print what loops over the same rows cost, and their verdicts."""
    texts = {url_of(number): text_of(number) for number in range(rows // ROWS_PER_SOURCE)}
    pairs = [(texts[source], quote) for _, quote, source in rows_of(rows)]
    for name, verdict in (("check_text", checked), ("rapidfuzz", found_by_rapidfuzz)):
        started = time.process_time()
        verdicts = Counter(verdict(text, quote) for text, quote in pairs)
        seconds = time.process_time() - started
        each = seconds / rows * 1e6
        print(f"{rows:>9,} loop with {name}: {seconds:.1f} s of CPU, {each:.0f} µs a row  {shown(verdicts)}")


def shown(counts: Mapping[str, int]) -> str:
    """Return the numbers of rows with each verdict on a text."""
    return ", ".join(f"{counts[status]:,}" for status in ("EXACT", "NEAR", "NOT_FOUND"))


def checked(text: str, quote: str) -> str:
    """Return the verdict of the single check."""
    return check_text(text, quote).status


def found_by_rapidfuzz(text: str, quote: str) -> str:
    """Return what two calls tell: `in`, and the similarity of the best window at the same threshold."""
    if quote in text:
        return "EXACT"
    return "NEAR" if fuzz.partial_ratio(quote, text, score_cutoff=90.0) else "NOT_FOUND"


def sentence_of(number: int, place: int) -> str:
    """Return one sentence of a source's text."""
    words = random.Random(SEED + 64 * number + place)
    chosen = words.choices(_SYLLABLES, k=2 * _WORDS)
    text = " ".join(first + second for first, second in zip(chosen[::2], chosen[1::2], strict=True))
    return f"{text.capitalize()} {number}.{place}."


def text_of(number: int) -> str:
    """Return the text of a source, about 4.6 KB."""
    return "\n".join(sentence_of(number, place) for place in range(_SENTENCES))


def quote_of(number: int, words: random.Random) -> str:
    """Return a quotation: 70 % stand in the text, 17 % with one word changed, 13 % do not."""
    place, kind = words.randrange(_SENTENCES), words.random()
    if kind >= 0.87:
        return sentence_of(-1 - number, place)
    sentence = sentence_of(number, place)
    if kind < 0.70:
        return sentence
    changed = sentence.split(" ")
    changed[words.randrange(3, 15)] = "otherwise"
    return " ".join(changed)


def url_of(number: int) -> str:
    """Return the address of a source; two in five lie on the first host."""
    host = 0 if number % 5 < 2 else number % HOSTS
    return f"https://h{host}.example.org/pages/{number}"


def fill_store(folder: Path, sources: int) -> Path:
    """Store the texts of all sources, unless they are there already."""
    path = folder / f"store-{sources}-{EXTRACTOR_VERSION}.sqlite"
    if path.exists():
        return path
    with Store(path.with_suffix(".new")) as store:
        for number in range(sources):
            text = text_of(number)
            page = store.put_page(
                url_of(number), text.encode(), content_type="text/plain", final_url=url_of(number)
            )
            store.put_source(page, EXTRACTOR_VERSION, Source(text, final_url=url_of(number)))
    path.with_suffix(".new").rename(path)
    return path


def rows_of(rows: int) -> Iterator[tuple[str, str, str]]:
    """Yield id, quotation and source of each row."""
    words = random.Random(SEED)
    for row in range(rows):
        number = words.randrange(rows // ROWS_PER_SOURCE)
        yield f"{row:08}", quote_of(number, words), url_of(number)


def write_rows(folder: Path, rows: int, form: str) -> Path:
    """Write the table in one format, unless it is there already."""
    path = folder / f"rows-{rows}.{form}"
    if path.exists():
        return path
    if form == "parquet":
        csv_path = write_rows(folder, rows, "csv")
        pl.scan_csv(csv_path, infer_schema=False).sink_parquet(path)
        return path
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        if form == "csv":
            writer.writerow(("id", "quote", "source"))
        for row in rows_of(rows):
            if form == "csv":
                writer.writerow(row)
            else:
                stream.write(json.dumps(dict(zip(("id", "quote", "source"), row, strict=True))) + "\n")
    return path


def run(table: Path, store: Path, workers: int, *, reports: bool) -> Measured:
    """Audit a table in a process of its own, offline, and measure it."""
    output = table.with_name(f"results{table.suffix}")
    command = [sys.executable, "-m", "quotecheck", "batch", str(table), "-o", str(output), "--offline"]
    command += ["--store", str(store), "--workers", str(workers), "--no-progress", "--restart"]
    if reports:
        command += ["--report", "--annotations", "--junit", str(output.with_suffix(".xml"))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    memory = _PeakMemory(process.pid)
    memory.start()
    process.wait()
    memory.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        raise SystemExit(f"the audit of {table} ended with {process.returncode}: {' '.join(command)}")
    return Measured(
        manifest=json.loads(output.with_suffix(".manifest.json").read_text(encoding="utf-8")),
        cpu_seconds=after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
        seconds=time.perf_counter() - started,
        peak_bytes=memory.peak_bytes,
    )


class _PeakMemory(threading.Thread):
    """Samples the memory of a process and its children (PSS: shared pages count once)."""

    def __init__(self, process: int) -> None:
        super().__init__(daemon=True)
        self.peak_bytes = 0
        self._process = process

    def run(self) -> None:
        while Path(f"/proc/{self._process}/smaps_rollup").exists():
            try:
                now = sum(map(pss_bytes, [self._process, *_children(self._process)]))
            except OSError:
                return
            self.peak_bytes = max(self.peak_bytes, now)
            time.sleep(0.2)


def _children(process: int) -> list[int]:
    children = []
    for task in Path(f"/proc/{process}/task").iterdir():
        children += [int(number) for number in (task / "children").read_text(encoding="ascii").split()]
    return children


def pss_bytes(process: int) -> int:
    """Return the memory of a process; pages that it shares count in part, 0 if it has ended."""
    try:
        rollup = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    line = next((line for line in rollup.splitlines() if line.startswith("Pss:")), "Pss: 0 kB")
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
