"""The documents agree with the code: outputs, reference, completions, examples, names."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from quotecheck.batch.columns import RESULT_SCHEMA
from quotecheck.cli import COMMANDS
from quotecheck.models import Flag, ReasonCode, Status

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
REFERENCE = (ROOT / "docs/reference.md").read_text("utf-8")
VERDICTS = (ROOT / "docs/verdicts.md").read_text("utf-8")


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the scripts that write the documents importable."""
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])


@pytest.mark.usefixtures("scripts")
def test_readme_shows_real_outputs() -> None:
    """The outputs in the README are what its commands print now."""
    from readme import filled

    assert filled(README) == README


@pytest.mark.usefixtures("scripts")
def test_reference_is_written_from_the_code() -> None:
    """The reference is what its script writes now."""
    from reference import reference

    assert reference() == REFERENCE


@pytest.mark.usefixtures("scripts")
def test_completions_are_written_from_the_parser() -> None:
    """The shell completions are what their script writes now."""
    from completions import completions

    written = {path.name: path.read_text("utf-8") for path in (ROOT / "completions").iterdir()}
    assert completions() == written


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("quotecheck b", "batch"),
        ("quotecheck compare --l", "--list"),
        ("quotecheck batch --format p", "parquet"),
        ("quotecheck rag READ", "README.md"),
        ("quotecheck batch rows.csv --files-root pipe", "pipelines"),
    ],
)
def test_completion_offers_what_fits(words: str, offered: str) -> None:
    """Commands, options, their values, files and folders are completed in bash."""
    script = (
        f"source completions/quotecheck.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        'COMP_LINE="${COMP_WORDS[*]}"; _shtab_quotecheck; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"{offered}\n", "")


def test_readme_example_runs() -> None:
    """The Python example of the README gives what it says."""
    assert doctest.testfile(str(ROOT / "README.md"), module_relative=False).failed == 0


@pytest.mark.parametrize("name", [*COMMANDS, *RESULT_SCHEMA, *Flag, *ReasonCode, *Status])
def test_reference_names_everything(name: str) -> None:
    """Every command, column, flag, reason code and verdict stands in the reference."""
    assert f"`{name}`" in REFERENCE or f"### quotecheck {name}" in REFERENCE


@pytest.mark.parametrize("verdict", list(Status))
def test_verdicts_page_explains_every_verdict(verdict: str) -> None:
    """Every verdict has a section of its own."""
    assert f"## {verdict}\n" in VERDICTS
