"""The command line: what it prints, where, and how it exits."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import Server, page

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.cli import COMMANDS, main

PAGE = (
    "<p>The fog was not grey. -5 degrees at noon. batch of bread. “茶园”在山坡上。"
    "<div hidden>kept in a drawer</div>"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Serve one page from an exempted loopback server and return its address."""
    with Server({"/page": page(PAGE)}) as server, allow_loopback_endpoints(server.endpoint):
        yield server.url("/page")


def status(capsysbinary: pytest.CaptureFixture[bytes]) -> str:
    """Return the status of the one JSON object on stdout."""
    return str(json.loads(capsysbinary.readouterr().out)["status"])


def test_check_prints_one_json_object(url: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The verdict is JSON in UTF-8 with the seven fixed fields first, and exits 0."""
    assert main(["“茶园”在山坡上", url]) == 0
    out = capsysbinary.readouterr().out
    assert "“茶园”在山坡上" in out.decode()
    assert list(json.loads(out))[:3] == ["status", "char_start", "char_end"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-5 degrees at noon"],
        ["check", "batch"],
        ["--", "batch"],
        ["--", "-5 degrees"],
        ["check", "--", "-5 degrees"],
        ["fog was not grey", "--near-threshold", "0.8"],
    ],
)
def test_check_takes_any_quotation(
    url: str, arguments: list[str], capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A leading dash and the name of a command are quotations like any other."""
    place = arguments.index("--near-threshold") if "--near-threshold" in arguments else len(arguments)
    assert main([*arguments[:place], url, *arguments[place:]]) == 0
    assert status(capsysbinary) == "EXACT"


def test_check_takes_an_option_as_quotation_after_two_dashes(
    url: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Behind `--` a quotation may look like an option."""
    assert main(["--", "-h is Planck", url]) == 0
    assert status(capsysbinary) == "NOT_FOUND"


@pytest.mark.parametrize(
    ("quote", "options", "code"),
    [
        ("fog was not grey", [], 0),
        ("fog was grey", [], 1),
        ("nothing of the kind", [], 1),
        ("kept in a drawer", [], 1),
        ("kept in a drawer", ["--allow-hidden"], 0),
    ],
)
def test_check_strict_fails_unless_exact(
    url: str, quote: str, options: list[str], code: int, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With --strict the exit code is 1 unless the words stand in the visible text."""
    assert main(["--strict", *options, quote, url]) == code
    assert main([quote, url]) == 0


def test_text_prints_what_offsets_refer_to(url: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The printed text, decoded, is sliced by the offsets of a check."""
    assert main(["text", url]) == 0
    text = capsysbinary.readouterr().out.decode()
    main(["batch of bread", url])
    result = json.loads(capsysbinary.readouterr().out)
    assert text[result["char_start"] : result["char_end"]] == "batch of bread"


def test_file_is_read_below_the_folder_named(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The reason for refusing it without one names the option."""
    (tmp_path / "notes.txt").write_text("Grey fog.", "utf-8")
    assert main(["text", "file:notes.txt", "--files-root", str(tmp_path), "--doi-fallback"]) == 0
    assert capsysbinary.readouterr().out == b"Grey fog."
    assert main(["text", "file:notes.txt"]) == 1
    assert b"--files-root" in capsysbinary.readouterr().err


def test_text_of_an_unreadable_source_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """A source that cannot be read gives no text, a reason on stderr, and exit code 1."""
    assert main(["text", "http://127.0.0.1/"]) == 1
    out, err = capsys.readouterr()
    assert (out, "address_not_public" in err) == ("", True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage"),
        (["a quotation"], "required: source"),
        (["  ", "https://example.org/"], "quotation"),
        (["a quotation", "the minutes"], "the minutes"),
        (["a quotation", "https://example.org/", "--near-threshold", "2"], "0.5 to 1.0"),
        (["a quotation", "https://example.org/", "--stricter"], "after --: quotecheck --"),
        (["-h is Planck", "https://example.org/"], "after --: quotecheck --"),
        (["batch", "https://example.org/"], 'quotecheck check "batch" https://example.org/'),
        (["text"], "required: source"),
        (["compare", "a", "b", "-o", "c"], "usage: quotecheck compare"),
    ],
)
def test_usage_errors_say_what_to_do(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wrong arguments exit 2 with nothing on stdout and the remedy on stderr."""
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_check_of_a_file_points_to_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in the place of a source is taken for a table that wants `batch`."""
    table = tmp_path / "rows.jsonl"
    table.write_text("{}\n")
    assert main(["a quotation", str(table)]) == 2
    assert f"quotecheck batch {table}" in capsys.readouterr().err


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_has_an_example(command: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command explains itself with an example."""
    assert main([*([command] if command else []), "--help"]) == 0
    assert "example" in capsys.readouterr().out


def test_version_is_the_package_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints the version of the package."""
    from quotecheck import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"quotecheck {__version__}\n"


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m quotecheck` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "quotecheck", *arguments], capture_output=True, check=False, **options
    )


def test_module_is_the_command() -> None:
    """`python -m quotecheck` is the command, and reads a quotation from stdin for `-`."""
    done = run("-", "http://127.0.0.1/", input=b"a quotation\n")
    assert (done.returncode, json.loads(done.stdout)["reason_code"]) == (0, "address_not_public")


def test_store_that_cannot_grow_is_named_with_the_remedy(tmp_path: Path) -> None:
    """A full disk ends in one line, not in a traceback."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_192, 8_192))

    done = run(
        "check", "grey fog", "https://www.example.org/", "--store", str(tmp_path / "s"), preexec_fn=limit
    )
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"quotecheck: the store {tmp_path / 's'} cannot be used (")
    assert done.stderr.count(b"\n") == 1
