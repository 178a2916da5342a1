"""How often is the verdict right, on the shared cases and on real data?

    python benchmarks/accuracy.py [--data FOLDER]

FOLDER holds the shared `cases/` and `data/` (default: `shared/` beside the checkout); a set that is absent is
left out and named. One row per set: how many verdicts are right, the counts of each status, CPU seconds, and
the start of the SHA-256 of the set's files, so that two runs can be compared. Exits with 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import platform
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from quotecheck import CheckResult, InvalidQuote, Source, Status
from quotecheck.text.match import PreparedText

Row = dict[str, Any]
Judge = Callable[[Row, CheckResult | None], bool]
FOUND = (Status.EXACT, Status.NEAR)


@dataclass
class Score:
    """What one set came to."""

    rows: int = 0
    right: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a JSONL file, gzip by its name."""
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in raw.decode("utf-8", "surrogatepass").split("\n") if line]


def digest(paths: Sequence[Path]) -> str:
    """Return the first twelve digits of the SHA-256 of all files together."""
    combined = hashlib.sha256()
    for path in paths:
        combined.update(hashlib.sha256(path.read_bytes()).digest())
    return combined.hexdigest()[:12]


# --- what counts as right -----------------------------------------------------------------------------------


def same_place(result: CheckResult, row: Row) -> bool:
    """Return whether a passage has the annotated offsets."""
    return (result.char_start, result.char_end) == (row["start"], row["end"])


def is_annotated_span(row: Row, result: CheckResult | None) -> bool:
    """Exact, and at the annotated offsets where the quotation occurs once."""
    if result is None or result.status is not Status.EXACT:
        return False
    return row["occurrences"] > 1 or result.occurrences > 1 or same_place(result, row)


def is_near_or_better(row: Row, result: CheckResult | None) -> bool:
    """Found where it stands, or at a place at least as similar; rows of other bands must not be wrong."""
    if result is None:
        return False
    if row["band"] == "exact":
        return result.status is Status.EXACT
    if row["band"] == "below":
        return result.status is not Status.EXACT
    if result.char_start is None or result.char_end is None or result.similarity is None:
        return False
    overlaps = result.char_start < row["end"] and row["start"] < result.char_end
    return bool(overlaps or result.similarity >= row["ratio"] - 0.0001)


def has_its_class(row: Row, result: CheckResult | None) -> bool:
    """Exact where the data says so, found where it says near."""
    if result is None:
        return False
    return result.status is Status.EXACT if row["class"] == "exact" else result.status in FOUND


def is_as_stated(row: Row, result: CheckResult | None) -> bool:
    """The status (or the refusal), the class of difference and the offsets that a case states."""
    if result is None:
        return bool(row["status"] == "usage_error")
    if result.status != row["status"] or result.difference != row.get("difference", result.difference):
        return False
    return (
        row.get("char_start") is None
        or result.status is not Status.EXACT
        or ((result.char_start, result.char_end) == (row["char_start"], row["char_end"]))
    )


def is_flagged(row: Row, result: CheckResult | None) -> bool:
    """Not exact, and, where found, flagged for what changes its meaning."""
    if result is None or result.status is Status.EXACT:
        return False
    flags = {str(flag) for flag in result.flags}
    return result.status is Status.NOT_FOUND or bool(
        flags & {"number_changed", "negation_changed", "modality_changed", "unit_changed", "negation_nearby"}
    )


# --- the sets -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DataSet:
    """Rows over texts: `load` returns both, from files that `paths` names."""

    name: str
    paths: tuple[Path, ...]
    load: Callable[[], tuple[list[Row], dict[str, str]]]
    judge: Judge


def rows_over_texts(rows: Path, texts: Path, key: str) -> tuple[list[Row], dict[str, str]]:
    """Return rows and texts that share a key."""
    found = [{**row, "text_id": row[key]} for row in read_rows(rows)]
    return found, {row[key]: row["text"] for row in read_rows(texts)}


def novels(folder: Path) -> tuple[list[Row], dict[str, str]]:
    """Return the quotations of whole novels, and the novels."""
    texts = {path.stem: path.read_bytes().decode("utf-8") for path in sorted(folder.glob("*.txt"))}
    return read_rows(folder / "quotes.jsonl.gz"), texts


def cases_over_own_text(rows: list[Row]) -> tuple[list[Row], dict[str, str]]:
    """Return cases that bring their text along."""
    kept = [{**row, "text_id": row["id"]} for row in rows]
    return kept, {row["id"]: row["text"] for row in kept}


def peer_cases(path: Path) -> tuple[list[Row], dict[str, str]]:
    """Return the cases over plain texts."""
    return cases_over_own_text([row for row in read_rows(path) if "text" in row])


def user_cases(path: Path) -> tuple[list[Row], dict[str, str]]:
    """Return the match cases over plain texts that state a status."""
    return cases_over_own_text(
        [
            {**row, **row["want"], "text": row["input"]["text"]}
            for row in read_rows(path)
            if row["layer"] == "match" and row["input"]["type"] == "text" and "status" in row["want"]
        ]
    )


def meaning_changes(peers: Path, users: Path) -> tuple[list[Row], dict[str, str]]:
    """Return the cases whose edit changes a number or a negation."""
    changed = [
        row for row in peer_cases(peers)[0] if {"number_changed", "negation_changed"} & {*row["flags"]}
    ]
    changed += [row for row in user_cases(users)[0] if row.get("flag") in ("number", "negation")]
    return cases_over_own_text(changed)


def data_sets(folder: Path) -> Iterator[DataSet]:
    """Yield all sets, the small ones first."""
    peers, users, data = folder / "cases/peer_cases.jsonl", folder / "cases/user_cases.jsonl", folder / "data"
    yield DataSet("peer cases", (peers,), lambda: peer_cases(peers), is_as_stated)
    yield DataSet("user cases", (users,), lambda: user_cases(users), is_as_stated)
    yield DataSet("meaning changed", (peers, users), lambda: meaning_changes(peers, users), is_flagged)
    spans = (data / "spans.jsonl.gz", data / "span_texts.jsonl.gz")
    yield DataSet("spans", spans, lambda: rows_over_texts(*spans, "text_id"), is_annotated_span)
    near = (data / "near.jsonl", data / "near_sources.jsonl.gz")
    yield DataSet("near", near, lambda: rows_over_texts(*near, "source_id"), is_near_or_better)
    articles = (data / "quotes/evidence_inference.jsonl", data / "quotes/evidence_inference_texts.jsonl.gz")
    yield DataSet("articles", articles, lambda: rows_over_texts(*articles, "text_id"), has_its_class)
    typed = (data / "quotes/litclock.jsonl", data / "quotes/litclock_texts.jsonl.gz")
    yield DataSet("typed by people", typed, lambda: rows_over_texts(*typed, "text_id"), has_its_class)
    books = tuple(sorted((data / "longtext").glob("*"))) or (data / "longtext/quotes.jsonl.gz",)
    yield DataSet("novels", books, lambda: novels(data / "longtext"), is_annotated_span)


def score(data: DataSet) -> Score:
    """Check all rows of a set, one prepared text for all rows of a text."""
    rows, texts = data.load()
    by_text: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_text[row["text_id"]].append(row)
    total = Score(rows=len(rows))
    for name, group in by_text.items():
        begin = time.process_time()
        results = check_all(PreparedText(Source(texts[name])), [row["quote"] for row in group])
        total.seconds += time.process_time() - begin
        for row, result in zip(group, results, strict=True):
            total.right += data.judge(row, result)
            total.statuses[str(result.status) if result else "refused"] += 1
    return total


def check_all(prepared: PreparedText, quotes: list[str]) -> list[CheckResult | None]:
    """Return the verdicts; None for a quotation that is refused."""
    try:
        return [*prepared.check_many(quotes)]
    except InvalidQuote:
        if len(quotes) == 1:
            return [None]
        return [result for quote in quotes for result in check_all(prepared, [quote])]


def main() -> int:
    """Print the table; return 1 if any verdict is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    beside = Path(__file__).resolve().parents[2] / "shared"
    parser.add_argument("--data", type=Path, default=beside, help="folder with cases/ and data/")
    folder = parser.parse_args().data
    print(f"Python {platform.python_version()}, rapidfuzz {version('rapidfuzz')}, numpy {version('numpy')}\n")
    head = f"{'set':<17}{'rows':>7}{'right':>7}{'share':>9}{'exact':>7}{'near':>7}{'absent':>8}{'refused':>9}"
    print(f"{head}{'CPU s':>8}  digest")
    wrong = read = 0
    for data in data_sets(folder):
        if not all(path.exists() for path in data.paths):
            print(f"{data.name:<17} left out: not in {folder}")
            continue
        found = score(data)
        read += found.rows
        wrong += found.rows - found.right
        counts = "".join(
            f"{found.statuses[name]:>{width}}"
            for name, width in (("EXACT", 7), ("NEAR", 7), ("NOT_FOUND", 8), ("refused", 9))
        )
        share = f"{found.right / found.rows:.2%}"
        print(
            f"{data.name:<17}{found.rows:>7}{found.right:>7}{share:>9}{counts}{found.seconds:>8.1f}"
            f"  {digest(data.paths)}"
        )
    print(f"\n{read - wrong} of {read} right")
    return 1 if wrong or not read else 0


if __name__ == "__main__":
    sys.exit(main())
