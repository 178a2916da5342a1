"""The report, the JUnit file and the annotations of a real audit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from quotecheck.cli import main

TEXT = "The fog was not grey. Nobody asked the keeper, who wrote 4,218 entries."
ROWS = (
    {"quote": "Nobody asked the keeper", "source": "log", "text": TEXT},
    {"quote": "the fog was grey <b>", "source": "log", "text": TEXT},
    {"quote": "who wrote 4,281 entries", "source": "log", "text": TEXT},
    {"quote": "the lamp burned for sixty nights", "source": "log", "text": TEXT},
    {"quote": " ", "source": "log", "text": TEXT},
    {"quote": "any words", "source": "http://127.0.0.1/"},
)


@pytest.fixture
def audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, str]:
    """Audit a small table with every view; return the folder and what stderr said."""
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    views = ["--report", "--annotations", "--junit", str(tmp_path / "junit.xml")]
    assert main(["batch", str(rows), "-o", str(tmp_path / "out.csv"), *views]) == 0
    return tmp_path, capsys.readouterr().err


def test_report_shows_every_row_with_its_passage(audited: tuple[Path, str]) -> None:
    """The report stands beside the table, with the difference marked in quotation and source."""
    html = (audited[0] / "out.report.html").read_text()
    assert html.count('<article class="card') == len(ROWS)
    assert '<del class="meaning">4,281</del>' in html
    assert '<ins class="meaning">4,218</ins>' in html
    assert "<b>" not in html


def test_report_gives_the_words_around_a_passage(audited: tuple[Path, str]) -> None:
    """The text that came with a row is found again for the context."""
    html = (audited[0] / "out.report.html").read_text()
    assert 'The fog was not grey. <span class="passage">Nobody asked the keeper</span>, who wrote' in html


def test_junit_counts_agree_with_the_table(audited: tuple[Path, str]) -> None:
    """All rows are counted, the problems are cases."""
    suite = next(iter(JUnitXml.fromfile(str(audited[0] / "junit.xml"))))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 3, 1, 1)
    assert len(list(suite)) == 5


def test_annotations_name_the_rows(audited: tuple[Path, str]) -> None:
    """Each problem is annotated at its line."""
    lines = [line for line in audited[1].splitlines() if line.startswith("::")]
    assert [line.partition(",line=")[2][:1] for line in lines] == ["2", "4", "5", "3", "6"]


def test_report_to_standard_output_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A table on standard output has no file that a report could stand beside."""
    assert main(["batch", "rows.jsonl", "-o", "-", "--format", "csv", "--report"]) == 2
    assert "give -o a file" in capsys.readouterr().err
