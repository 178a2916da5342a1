"""Reviewing a set of answers from files to tables, through the command."""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from quotecheck.batch import answers
from quotecheck.batch.answers_tables import TABLES, frame_of, schema_of
from quotecheck.citations.bulk import SentenceRecord
from quotecheck.cli import main

HARBOUR = ["The harbour froze in 1881.", "Ferries ran again from 4 March 1882."]
ROWS: list[dict[str, Any]] = [
    {"id": "a", "model": "m1", "sources": HARBOUR, "answer": "It froze [1]. Ferries ran [2]."},
    {"id": "b", "model": "m2", "docs": HARBOUR, "output": {"citations": [{"source": 9, "quote": "froze"}]}},
    {"id": "c", "model": "m1", "retrieved_contexts": HARBOUR, "response": "It froze [1]. It thawed."},
]  # fmt: skip

Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with three answers, one of them with a citation that fails."""
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command and returns exit code and printed summary."""

    def command(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = main(["batch", "--kind", "answers", *arguments])
        printed = capsys.readouterr()
        summary = json.loads(printed.out) if printed.out else {"stderr": printed.err}
        return code, summary

    return command


def read(name: str) -> pl.DataFrame:
    """Return a table of any format."""
    if name.endswith(".parquet"):
        return pl.read_parquet(name)
    return pl.read_csv(name) if name.endswith(".csv") else pl.read_ndjson(name)


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
def test_three_tables_in_every_format(run: Run, suffix: str) -> None:
    """Answers, citations and sentences have one row each, columns in order, whatever the format."""
    code, summary = run("rows.jsonl", "-o", f"out.{suffix}")
    names = [f"out.{suffix}", f"out.citations.{suffix}", f"out.sentences.{suffix}"]
    tables = [read(name) for name in names]
    assert (code, summary["files"][:3]) == (0, names)
    assert [table.columns for table in tables] == [list(schema_of(name)) for name in TABLES]
    assert [table["id"].to_list() for table in tables] == [
        ["a", "b", "c"],
        ["a", "a", "b", "c"],
        ["a", "a", "c", "c"],
    ]


def test_default_names_stand_beside_the_input(run: Run) -> None:
    """Without -o the tables are named after the input, in its format."""
    _, summary = run("rows.jsonl")
    assert summary["files"] == [
        "rows.quotecheck.jsonl",
        "rows.quotecheck.citations.jsonl",
        "rows.quotecheck.sentences.jsonl",
        "rows.quotecheck.rejects.jsonl",
        "rows.quotecheck.manifest.json",
    ]
    assert all(Path(name).is_file() for name in summary["files"])


def test_summary_has_a_line_for_each_group(run: Run) -> None:
    """The printed summary counts rows, results and groups, in order of appearance."""
    _, summary = run("rows.jsonl")
    assert summary["rows"] == {"read": 3, "reviewed": 3, "rejected": 0}
    assert [(group["group"], group["answers"], group["ok_rate"]) for group in summary["groups"]] == [
        ("m1", 2, 1.0),
        ("m2", 1, 0.0),
    ]
    assert summary["results"] == {"NO_QUOTE": 3, "UNKNOWN_SOURCE": 1}


UNGROUPED = {"sources": HARBOUR, "answer": "It froze [7]."}


def test_answers_without_a_group_are_named_so_and_counted(
    run: Run, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside named groups, rows that name none have a line of their own, and the total counts everything."""
    with Path("rows.jsonl").open("a") as rows:
        rows.write(json.dumps(UNGROUPED) + "\n")
    assert main(["batch", "--kind", "answers", "rows.jsonl", "-o", "out.jsonl"]) == 0
    printed = capsys.readouterr()
    lines = [line.partition(",")[0] for line in printed.err.splitlines() if " answers, ok " in line]
    assert lines == [
        "all answers: 4 answers",
        "group m1: 2 answers",
        "group m2: 1 answers",
        "without a group: 1 answers",
    ]
    total = json.loads(printed.out)["total"]
    assert (total["answers"], total["answers_ok"], total["ok_rate"]) == (4, 2, 0.5)
    assert (total["numbers"], total["numbers_valid"]) == (5, 3)


def test_answers_of_which_none_has_a_group_are_told_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no row names a group there is the line over all answers, and no other."""
    Path("plain.jsonl").write_text(json.dumps(UNGROUPED) + "\n")
    assert main(["batch", "--kind", "answers", "plain.jsonl", "-o", "out.jsonl"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "answers, ok" in line]
    assert [line.partition(":")[0] for line in lines] == ["all answers"]


def test_bad_rows_are_rejected_and_the_run_goes_on(run: Run) -> None:
    """Lines that are no rows, and rows that cannot be reviewed, are rejects with their place and reason."""
    bad = [
        '{"sources": []}',
        "not json",
        '{"sources": ["a"], "answer": {"x": 1}}',
        '{"sources": [], "answer": "x"}',
        "[1]",
    ]
    with Path("rows.jsonl").open("a") as rows:
        rows.write("\n".join(bad) + "\n" + json.dumps(ROWS[0]) + "\n")
    code, summary = run("rows.jsonl", "-o", "out.parquet")
    rejects = read("out.rejects.jsonl")
    assert (code, summary["rows"]) == (0, {"read": 9, "reviewed": 4, "rejected": 5})
    assert rejects["row"].to_list() == [3, 4, 5, 6, 7]
    assert set(rejects["reason_code"]) == {"INVALID_ROW"}
    assert [bool(reason) for reason in rejects["reason"]] == [True] * 5
    assert read("out.parquet")["row"].to_list() == [0, 1, 2, 8]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 0),
        (["--strict"], 1),
        (["--fail-on", "uncited_sentences"], 1),
        (["--fail-on", "uncited_sources"], 1),
    ],
)
def test_gates(run: Run, options: list[str], code: int) -> None:
    """A review passes unless a gate was asked for and does not hold."""
    found, summary = run("rows.jsonl", *options)
    assert (found, summary["passed"]) == (code, code == 0)


def test_strict_counts_rejects_unless_they_are_skipped(run: Run) -> None:
    """One bad row fails --strict, and does not with --on-bad-row skip."""
    Path("good.jsonl").write_text(json.dumps(ROWS[0]) + "\n{}\n")
    assert run("good.jsonl", "--strict")[0] == 1
    assert run("good.jsonl", "--strict", "--on-bad-row", "skip")[0] == 0


def test_nothing_reviewed_is_a_failure(run: Run) -> None:
    """An input of bad rows only exits 1, whatever the gates."""
    Path("bad.jsonl").write_text("{}\n")
    assert run("bad.jsonl")[0] == 1


def test_sources_for_all_rows(run: Run) -> None:
    """A file of sources serves the rows that have none of their own."""
    Path("sources.txt").write_text("\n---\n".join(HARBOUR))
    Path("few.jsonl").write_text('{"answer": "It froze [2]."}\n{"answer": "x [1].", "sources": ["own"]}\n')
    run("few.jsonl", "--sources", "sources.txt", "-o", "out.parquet")
    assert read("out.parquet")["n_sources"].to_list() == [2, 1]


def test_options_of_the_review_reach_it(run: Run) -> None:
    """Numbers from 0, quotations in the text and the threshold hold for every row."""
    answer = 'It "froze over in 1882 or so" [0].'
    Path("one.jsonl").write_text(json.dumps({"sources": ["It froze over in 1881 or so."], "answer": answer}))
    for threshold, result in (("0.9", "NEAR"), ("0.99", "NOT_FOUND")):
        run(
            "one.jsonl",
            "-o",
            "out.parquet",
            "--first-number",
            "0",
            "--inline-quotes",
            "--near-threshold",
            threshold,
        )
        assert read("out.citations.parquet")["result"].to_list() == ["NO_QUOTE", result]


def test_inputs_of_every_kind(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A JSON array, gzip, several files and standard input are read alike."""
    Path("array.json").write_text(json.dumps(ROWS))
    Path("rows.jsonl.gz").write_bytes(gzip.compress(Path("rows.jsonl").read_bytes()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("rows.jsonl").read_bytes())))
    inputs = [["array.json"], ["rows.jsonl.gz"], ["rows.jsonl", "rows.jsonl.gz"], ["-"]]
    found = [run(*names, "-o", "out.parquet")[1]["rows"]["reviewed"] for names in inputs]
    assert found == [3, 3, 6, 3]


def test_many_chunks_give_the_same_tables(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reviewed by worker processes in small chunks, the tables and the summary are the same."""
    _, whole = run("rows.jsonl", "-o", "whole.parquet")
    monkeypatch.setattr(answers, "_CHUNK_ROWS", 1)
    _, parts = run("rows.jsonl", "-o", "parts.parquet", "--workers", "2")
    for table in ("", ".citations", ".sentences"):
        assert read(f"parts{table}.parquet").equals(read(f"whole{table}.parquet"))
    assert (parts["groups"], parts["results"]) == (whole["groups"], whole["results"])


def test_report_links_marks_to_sources(run: Run) -> None:
    """The report shows each answer with its marks linked to their sources, and every verdict."""
    run("rows.jsonl", "-o", "out.parquet", "--report")
    page = Path("out.report.html").read_text(encoding="utf-8")
    links = set(re.findall(r'href="#(row-[0-9]+-source-[0-9]+)"', page))
    assert {"row-0-source-1", "row-0-source-2", "row-2-source-1"} <= links
    assert all(f'id="{link}"' in page for link in links)
    assert '<span class="result UNKNOWN_SOURCE">UNKNOWN SOURCE</span>' in page


def test_manifest_names_inputs_and_options(run: Run) -> None:
    """The manifest says what was reviewed, with which versions and options."""
    run("rows.jsonl", "-o", "out.parquet", "--first-number", "0")
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert (manifest["kind"], manifest["inputs"][0]["name"]) == ("answers", "rows.jsonl")
    assert manifest["options"]["first_number"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.jsonl"], "missing.jsonl does not exist"),
        (["rows.csv"], "answers are read from"),
        (["one.json"], "one JSON object over several lines"),
        (["rows.jsonl", "-o", "-"], "three tables"),
        (["rows.jsonl", "-o", "rows.jsonl"], "is an input"),
        (["rows.jsonl", "--summary-json", "rows.jsonl"], "is an input"),
        (["rows.jsonl", "--store", "x"], "--store has no meaning for answers"),
        (["rows.jsonl", "--quote-col", "q"], "--quote-col has no meaning for answers"),
        (["rows.jsonl", "--fail-on", "NOT_FOUND"], "'NOT_FOUND'"),
        (["rows.jsonl", "--first-number", "-1"], "first-number"),
        (["rows.jsonl", "--sources", "none.txt"], "--sources 'none.txt' cannot be read"),
        (["rows.jsonl", "--sources", "empty.txt"], "there are no sources"),
        (["bad.jsonl", "--on-bad-row", "fail"], "bad.jsonl, line 2: the row has no sources"),
        (["-"], "give -o"),
    ],
)
def test_usage_errors(run: Run, arguments: list[str], message: str) -> None:
    """Wrong usage and unreadable input exit 2, name the remedy, and write nothing."""
    Path("rows.csv").write_text("a,b\n1,2\n")
    Path("one.json").write_text('{\n"data": []\n}')
    Path("empty.txt").write_text("\n")
    Path("bad.jsonl").write_text(json.dumps(ROWS[0]) + "\n{}\n")
    before = set(Path().iterdir())
    code, printed = run(*arguments)
    assert (code, message in printed["stderr"]) == (2, True)
    assert set(Path().iterdir()) == before


def test_options_of_answers_are_refused_for_quotations(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--inline-quotes and the like say that they belong to answers."""
    assert main(["batch", "rows.jsonl", "--inline-quotes"]) == 2
    assert "--inline-quotes has no meaning for quotations: add --kind answers" in capsys.readouterr().err


def test_full_disk_leaves_no_output(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an output cannot be written, none appears, and the exit code says that the run did not finish."""
    monkeypatch.setattr(answers, "write_parts", _no_space)
    code, printed = run("rows.jsonl", "-o", "out.parquet")
    assert (code, "did not finish" in printed["stderr"]) == (3, True)
    assert [path.name for path in Path().iterdir()] == ["rows.jsonl"]


def _no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_lone_surrogates_become_replacement_characters() -> None:
    """Text that no table can hold keeps its length, so that offsets stay right."""
    record = SentenceRecord(
        row=0,
        id=None,
        ordinal=1,
        start=0,
        end=3,
        text="a\ud800b",
        numbers=(),
        cited=False,
        paragraph_cited=False,
    )
    assert frame_of("sentences", [record])["text"].to_list() == ["a\ufffdb"]
