"""The words of a comparison: its gates, its lines, its command line."""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace

import pytest

from quotecheck.batch.compare_arguments import add_compare_arguments
from quotecheck.batch.drift import (
    Cause,
    Change,
    ChangedRow,
    Comparison,
    Side,
    SourceDrift,
    Verdict,
    judge,
    parse_fail_on,
)
from quotecheck.errors import InvalidOption

ROW = ChangedRow(
    change=Change.WORSE,
    cause=Cause.PAGE,
    old_row=4,
    new_row=7,
    place=None,
    quote="grey fog\x1b[2J",
    source="https://example.org/fog",
    old=Verdict("EXACT", "none", 1.0, (), None),
    new=Verdict("NEAR", "words", 0.91, ("number_changed",), None),
)
COMPARISON = Comparison(
    old=Side(table="old.csv", rows=12, finished_at=None),
    new=Side(table="new.csv", rows=12, finished_at=None),
    matched_by="row",
    compared=12,
    only_old=0,
    only_new=1,
    changes={Change.WORSE: 1, Change.SAME: 11},
    causes={Cause.PAGE: 1},
    transitions=(("EXACT", "NEAR", 1),),
    moved=2,
    versions={"polars": ("1", "2")},
    options={"near_threshold": (0.9, 0.8)},
    sources=SourceDrift(compared=3, text_changed=1, unavailable=0, available=0),
    rows=(ROW,),
    rows_total=1,
    notices=("look here",),
)


def test_lines_tell_what_changed_and_why() -> None:
    """Counts first, then reasons, then rows; control characters of a quotation stay escaped."""
    assert COMPARISON.lines() == [
        "compared 12 rows by row number (the same input): 11 have the same verdict, 1 another",
        "changed: 1 worse",
        "  EXACT -> NEAR: 1",
        "same verdict, passage moved within the text: 2",
        "only in the old table: 0; only in the new: 1",
        "because of: page 1",
        "other versions: polars 1 -> 2",
        "other options: near_threshold 0.9 -> 0.8",
        "sources in both: 3; their text changed: 1; no longer readable: 0; readable again: 0",
        "rows with another verdict:",
        "  row 7 worse: EXACT 1.000 [none] -> NEAR 0.910 [words, number_changed] (page) "
        "'grey fog\\x1b[2J' in 'https://example.org/fog'",
        "note: look here",
    ]


@pytest.mark.parametrize(
    ("fail_on", "passed", "detail"),
    [
        ("worse,unavailable", False, "1 worse"),
        ("changed, unmatched", False, "1 changed, 1 unmatched"),
        ("unavailable", True, "no row is unavailable"),
    ],
)
def test_gates_fail_on_what_was_named(fail_on: str, passed: bool, detail: str) -> None:
    """A gate tells its numbers."""
    _, gate = judge(COMPARISON, parse_fail_on(fail_on))
    assert (gate.passed, gate.detail) == (passed, detail)


def test_gate_on_nothing_compared_is_always_set() -> None:
    """Without a common row the first gate fails."""
    (gate,) = judge(replace(COMPARISON, compared=0), ())
    assert (gate.passed, gate.detail[:33]) == (False, "0 rows stand in both tables: a co")


@pytest.mark.parametrize("text", ["", " , ", "worse,EXACT"])
def test_unknown_gates_are_refused_with_the_known_ones(text: str) -> None:
    """The message lists what can be given."""
    with pytest.raises(InvalidOption, match="give a comma list of worse, unavailable, changed, unmatched"):
        parse_fail_on(text)


def test_arguments_are_parsed(capsys: pytest.CaptureFixture[str]) -> None:
    """Gates and limits are read; a wrong one is a usage error."""
    parser = argparse.ArgumentParser()
    add_compare_arguments(parser)
    parsed = parser.parse_args(["old.csv", "new.csv", "--fail-on", "worse", "--list", "5"])
    assert (str(parsed.old), str(parsed.new), parsed.fail_on, parsed.listed) == (
        "old.csv",
        "new.csv",
        ("worse",),
        5,
    )
    with pytest.raises(SystemExit):
        parser.parse_args(["old.csv", "new.csv", "--fail-on", "better"])
    assert "give a comma list of" in capsys.readouterr().err


def test_arguments_are_parsed_without_heavy_imports() -> None:
    """Help and usage errors answer at once."""
    code = "import sys, quotecheck.batch.compare_arguments; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
