"""What the README tells people to copy works."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from quotecheck import cli

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def commands() -> Iterator[str]:
    """Yield every `quotecheck` command of a shell block, without its comment."""
    for block in blocks("sh"):
        for line in block.splitlines():
            if line.startswith("quotecheck "):
                yield line.partition(" #")[0].strip()


def workflow() -> dict[Any, Any]:
    """Return the workflow, as YAML that must be whole."""
    (text,) = blocks("yaml")
    loaded: dict[Any, Any] = yaml.safe_load(text)
    return loaded


def steps() -> list[dict[str, Any]]:
    """Return the steps of its job."""
    found: list[dict[str, Any]] = workflow()["jobs"]["audit"]["steps"]
    return found


@pytest.mark.parametrize("command", list(commands()))
def test_command_is_one_that_there_is(command: str) -> None:
    """Every option exists and takes what it is given."""
    arguments = shlex.split(command)[1:]
    if arguments[0] not in cli.COMMANDS:
        arguments = ["check", *arguments]
    assert cli.build_parser().parse_args(arguments).command == arguments[0]


def test_workflow_is_whole() -> None:
    """It has events, a machine, and steps that each do one thing."""
    loaded = workflow()
    assert set(loaded[True]) == {"push", "pull_request", "schedule"}  # YAML reads `on` as true
    assert loaded["jobs"]["audit"]["runs-on"] == "ubuntu-latest"
    assert all(("uses" in step) != ("run" in step) for step in steps())
    assert all(re.fullmatch(r"actions/[a-z/-]+@v[0-9]+", step["uses"]) for step in steps() if "uses" in step)


def test_workflow_keeps_what_was_fetched_also_when_a_gate_fails() -> None:
    """The same folder is restored and saved, and it is the one of the store."""
    by_action = {step["uses"].partition("@")[0]: step for step in steps() if "uses" in step}
    restored, saved = by_action["actions/cache/restore"], by_action["actions/cache/save"]
    assert (saved["with"]["path"], saved["with"]["key"]) == (
        restored["with"]["path"],
        restored["with"]["key"],
    )
    assert saved["if"] == "always()"
    assert restored["with"]["key"].startswith(restored["with"]["restore-keys"])
    assert f"--store {saved['with']['path']}/" in audit_command()


def audit_command() -> str:
    """Return the command that audits."""
    (command,) = [step["run"] for step in steps() if step.get("run", "").startswith("quotecheck ")]
    return command


def test_workflow_audits_annotates_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its command runs as it stands; a changed number is a line of the table and a red job."""
    monkeypatch.chdir(tmp_path)
    Path("quotes.csv").write_text(
        "quote,source,text\nall of the 12 boats,a note,He saw all of the 21 boats.\n"
    )
    assert cli.main(shlex.split(audit_command())[1:]) == 1
    assert "::warning file=quotes.csv,line=2" in capsys.readouterr().err
    written = {path.name for path in tmp_path.glob("results.*")}
    assert {"results.csv", "results.junit.xml", "results.report.html"} <= written
