"""The documents agree with the code: outputs, reference, examples, names."""

from __future__ import annotations

import doctest
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
