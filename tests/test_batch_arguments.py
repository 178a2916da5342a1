"""The command line of `quotecheck batch`."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from quotecheck.batch.arguments import add_arguments, command_line, options_from
from quotecheck.batch.gates import Gates, Limit
from quotecheck.batch.options import BatchOptions, FetchOptions, OnBadRow, TableFormat
from quotecheck.batch.shards import Shard


def parsed(*words: str) -> BatchOptions:
    parser = argparse.ArgumentParser(prog="quotecheck batch")
    add_arguments(parser)
    return options_from(parser.parse_args(words))


def test_arguments_left_out_are_the_options_defaults() -> None:
    """The command and the library agree on what happens when nothing is said."""
    assert parsed("rows.csv") == BatchOptions(inputs=("rows.csv",))


EVERYTHING = BatchOptions(
    inputs=("a b.csv", "parts/*.csv"),
    output="out dir/r.csv",
    format=TableFormat.JSONL,
    quote_col="the quote",
    source_col="url",
    text_col=None,
    near_threshold=0.85,
    on_bad_row=OnBadRow.SKIP,
    replace_qc=True,
    run_dir=Path("run"),
    workers=3,
    shard=Shard(2, 7),
    only_problems=Path("p.csv"),
    summary_json=Path("s.json"),
    fetch=FetchOptions(
        store=Path("s.sqlite"),
        refresh=True,
        max_age=timedelta(hours=12),
        concurrency=8,
        per_host=2,
        contact="mailto:a@example.org",
        files_root=Path("my notes"),
        doi_fallback=True,
    ),
    gates=Gates(
        strict=True,
        fail_on=("NOT_FOUND", "number_changed"),
        max_not_found=Limit(3, False),
        max_unavailable=Limit(2.5, True),
        allow_hidden=True,
    ),
)


def test_every_option_has_its_argument() -> None:
    """The command that a message prints stands for the same options."""
    words = shlex.split(command_line(EVERYTHING))
    assert words[:2] == ["quotecheck", "batch"]
    assert parsed(*words[2:]) == EVERYTHING


def test_command_line_of_defaults_is_short() -> None:
    """What was not given is not printed."""
    assert command_line(BatchOptions(inputs=("rows.csv",))) == "quotecheck batch rows.csv"


def test_command_line_does_not_repeat_what_is_done_once() -> None:
    """A resumed run is neither restarted nor retried again."""
    options = BatchOptions(inputs=("r.csv",), restart=True, fetch=FetchOptions(retry_unavailable=True))
    assert command_line(options) == "quotecheck batch r.csv"


def test_input_that_begins_with_a_dash_is_set_apart() -> None:
    """A file name is never read as an option."""
    options = BatchOptions(inputs=("-odd.csv",), output="r.csv")
    assert parsed(*shlex.split(command_line(options))[2:]) == options


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("90s", timedelta(seconds=90)),
        ("12h", timedelta(hours=12)),
        ("2w", timedelta(weeks=2)),
        ("0d", timedelta()),
    ],
)
def test_age_is_a_number_with_a_unit(text: str, age: timedelta) -> None:
    """Seconds, minutes, hours, days, weeks."""
    assert parsed("rows.csv", "--max-age", text).fetch.max_age == age


@pytest.mark.parametrize(
    "words",
    [
        ["--near-threshold", "0.3"],
        ["--near-threshold", "high"],
        ["--workers", "0"],
        ["--workers", "²"],
        ["--max-age", "7"],
        ["--max-age", "7y"],
        ["--max-not-found", "many"],
        ["--fail-on", "typo"],
        ["--format", "xlsx"],
        ["--on-bad-row", "ignore"],
    ],
)
def test_value_outside_its_range_is_a_usage_error(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the argument."""
    with pytest.raises(SystemExit) as stopped:
        parsed("rows.csv", *words)
    assert stopped.value.code == 2
    assert f"argument {words[0]}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        ("--format", ("csv", "jsonl", "parquet")),
        ("--on-bad-row", ("report", "skip", "fail")),
        ("--kind", ("quotes", "answers")),
    ],
)
def test_usage_error_names_the_choices_plainly(
    option: str, choices: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A value that is no choice is answered with the choices as they are typed, whatever the Python."""
    with pytest.raises(SystemExit):
        parsed("rows.csv", option, "foo")
    printed = capsys.readouterr().err.rpartition("choose from")[2].replace("'", "").strip(" )\n")
    assert tuple(printed.split(", ")) == choices


def test_help_names_every_option_and_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    """What can be said is documented."""
    with pytest.raises(SystemExit):
        parsed("--help")
    shown = capsys.readouterr().out
    assert "quotecheck batch rows.jsonl -o results.parquet" in shown
    assert all(word in shown for word in shlex.split(command_line(EVERYTHING)) if word.startswith("--"))


def test_arguments_are_parsed_without_heavy_imports() -> None:
    """Help and usage errors answer at once."""
    code = (
        "import sys, quotecheck.batch.arguments;"
        "print([name for name in ('polars', 'httpx', 'numpy', 'tqdm', 'anyio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
