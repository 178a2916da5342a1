"""How often is the verdict right, on the shared cases and on real data?

    python benchmarks/accuracy.py [--data FOLDER] [--update]

FOLDER holds the shared `cases/` and `data/` (default: `shared/` beside the checkout); a set that is absent is
left out and named. One row per set: how many verdicts are right, the counts of each status, CPU seconds, and
the start of the SHA-256 of the set's files, so that two runs can be compared. Exits with 1 where a set falls
below its floor in `accuracy_floors.json`, or is not the set that the floor was measured on. `--update` raises
floors, and sets those of new and changed sets; it never lowers one.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from floors import Floor, problem_of, raised, read_floors, write_floors

from quotecheck import CheckResult, InvalidQuote, Source, Status
from quotecheck.extract.html import extract_html
from quotecheck.text.match import PreparedText

FLOORS = Path(__file__).with_name("accuracy_floors.json")

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
    """Return the SHA-256 of all files together."""
    combined = hashlib.sha256()
    for path in paths:
        combined.update(hashlib.sha256(path.read_bytes()).digest())
    return combined.hexdigest()


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
    if "not_status" in row:
        return bool(result.status != row["not_status"])
    if result.status != row["status"] or result.difference != row.get("difference", result.difference):
        return False
    return (
        row.get("char_start") is None
        or result.status is not Status.EXACT
        or ((result.char_start, result.char_end) == (row["char_start"], row["char_end"]))
    )


def shows_its_snippet(row: Row, result: CheckResult | None) -> bool:
    """The status, and for exact ones the words that a reader of the page sees."""
    if result is None or result.status != row["status"] or result.snippet is None:
        return result is not None and result.status == row["status"]
    seen = " ".join(result.snippet.replace("\xad", "").split())
    return result.status is not Status.EXACT or seen == " ".join(row["snippet"].split())


def is_flagged(row: Row, result: CheckResult | None) -> bool:
    """Not exact; where found, flagged for what changes its meaning, by the flag for what the case names.

    No flag stands for another name or subject: there the differences must show the words.
    """
    if result is None or result.status is Status.EXACT:
        return False
    flags = {str(flag) for flag in result.flags}
    named = {_FLAG_OF[label] for label in labels(row) & _FLAG_OF.keys()}
    if result.status is Status.NOT_FOUND or (flags & named if named else flags & _MEANING_FLAGS):
        return True
    return not named and row.get("diff") in [[one.source, one.quote] for one in result.differences]


# --- the sets -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DataSet:
    """Rows over texts: `load` returns both, from files that `paths` names."""

    name: str
    paths: tuple[Path, ...]
    load: Callable[[], tuple[list[Row], Mapping[str, str | Source]]]
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
            if row["layer"] == "match"
            and row["input"]["type"] == "text"
            and {"status", "not_status"} & {*row["want"]}
        ]
    )


_MEANING_FLAGS = {
    "number_changed",
    "negation_changed",
    "modality_changed",
    "unit_changed",
    "negation_nearby",
    "negation_elided",
}
# What the cases call the flags: they are descriptive.
_FLAG_OF = {
    "number_changed": "number_changed",
    "number": "number_changed",
    "negation_changed": "negation_changed",
    "polarity_changed": "negation_changed",
    "negation": "negation_changed",
    "elision": "negation_elided",
}
_MEANING_TAGS = {"number", "negation", "modality", "order"}
_MEANING_KINDS = {"negation-flip", "number-changed", "lookalike", "subscript-symbols", "ellipsis"}
_SAME_VALUE = {"num-word", "num-arabic-indic", "pdf-pagenumber"}


def labels(row: Row) -> set[str]:
    """Return the flags that a case names."""
    return {*row.get("flags", ()), row.get("flag", "")}


def meaning_changes(peers: Path, users: Path) -> tuple[list[Row], dict[str, str]]:
    """Return the cases whose edit changes what is said.

    A number, sign, unit, negation, direction, order or subject: the cases over plain texts that are not exact
    and that are tagged or named so, without those that say the same number in another way, and those that
    state one opposed word.
    """
    changed = [
        row
        for row in peer_cases(peers)[0]
        if row["status"] in ("NEAR", "NOT_FOUND")
        and row["id"] not in _SAME_VALUE
        and (_MEANING_TAGS & {*row["tags"]} or {"number_changed", "negation_changed"} & {*row["flags"]})
    ]
    changed += [
        row
        for row in user_cases(users)[0]
        if row.get("status") != "EXACT" and (row["kind"] in _MEANING_KINDS or "diff" in row)
    ]
    return cases_over_own_text(changed)


def meaning_line(peers: Path, users: Path) -> str:
    """Say what becomes of the edits that change the meaning."""
    rows, texts = meaning_changes(peers, users)
    results = [check_all(PreparedText(Source(texts[row["id"]])), [row["quote"]])[0] for row in rows]
    statuses = Counter(str(result.status) for result in results if result)
    flagged = sum(bool(result and _MEANING_FLAGS & {*map(str, result.flags)}) for result in results)
    return (
        f"edits that change the meaning: {len(rows)}, of them EXACT {statuses['EXACT']}, "
        f"NEAR {statuses['NEAR']} ({flagged} flagged), NOT_FOUND {statuses['NOT_FOUND']}"
    )


def html_cases(path: Path) -> tuple[list[Row], dict[str, Source]]:
    """Return the cases over pages, extracted."""
    kept = [{**row, "text_id": row["id"]} for row in read_rows(path) if "html" in row]
    return kept, {row["id"]: extract_html(row["html"]) for row in kept}


def data_sets(folder: Path) -> Iterator[DataSet]:
    """Yield all sets, the small ones first."""
    peers, users, data = folder / "cases/peer_cases.jsonl", folder / "cases/user_cases.jsonl", folder / "data"
    yield DataSet("peer cases", (peers,), lambda: peer_cases(peers), is_as_stated)
    yield DataSet("peer cases, HTML", (peers,), lambda: html_cases(peers), shows_its_snippet)
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
        text = texts[name]
        source = text if isinstance(text, Source) else Source(text)
        results = check_all(PreparedText(source), [row["quote"] for row in group])
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


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 where a floor does not hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    beside = Path(__file__).resolve().parents[2] / "shared"
    parser.add_argument("--data", type=Path, help="folder with cases/ and data/ (default: ../shared)")
    parser.add_argument("--update", action="store_true", help="raise the floors to what is found")
    options = parser.parse_args(argv)
    print(f"Python {platform.python_version()}, rapidfuzz {version('rapidfuzz')}, numpy {version('numpy')}\n")
    head = f"{'set':<17}{'rows':>7}{'right':>7}{'share':>9}{'exact':>7}{'near':>7}{'absent':>8}{'refused':>9}"
    print(f"{head}{'CPU s':>8}  digest")
    found = dict(score_all(options.data or beside))
    right, rows = (
        sum(result.right for result in found.values()),
        sum(result.rows for result in found.values()),
    )
    print(f"\n{right} of {rows} right")
    if "meaning changed" in found:
        cases = (options.data or beside) / "cases"
        print(meaning_line(cases / "peer_cases.jsonl", cases / "user_cases.jsonl"))
    if not found:  # a checkout without the shared sets is no failure, a folder named in vain is
        return 0 if options.data is None else 1
    return 0 if floors_hold(found, update=options.update) else 1


def score_all(folder: Path) -> Iterator[tuple[str, Floor]]:
    """Score the sets that the folder holds; print one line each and yield what they came to."""
    for data in data_sets(folder):
        if not all(path.exists() for path in data.paths):
            print(f"{data.name:<17} left out: not in {folder}")
            continue
        found, sha256 = score(data), digest(data.paths)
        if not found.rows:  # none of the file's cases is of this set
            continue
        counts = "".join(
            f"{found.statuses[name]:>{width}}"
            for name, width in (("EXACT", 7), ("NEAR", 7), ("NOT_FOUND", 8), ("refused", 9))
        )
        share = f"{found.right / found.rows:.2%}"
        print(
            f"{data.name:<17}{found.rows:>7}{found.right:>7}{share:>9}{counts}{found.seconds:>8.1f}"
            f"  {sha256[:12]}",
            flush=True,
        )
        yield data.name, Floor(sha256, rows=found.rows, right=found.right)


def floors_hold(found: dict[str, Floor], *, update: bool) -> bool:
    """Tell whether every floor holds, after raising them where that is wished; print what does not."""
    floors = read_floors(FLOORS)
    if update:
        floors = raised(floors, found)
        write_floors(FLOORS, floors)
    problems = [problem_of(name, result, floors.get(name)) for name, result in found.items()]
    for problem in filter(None, problems):
        print(problem)
    return not any(problems)


if __name__ == "__main__":
    sys.exit(main())
