"""What the commands do where something is missing: encodings, streams, a home, a writable folder.

Each gives the right result or says what is wrong, with exit code 2 and never with a traceback.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ASCII_LOCALE = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
ROW = {"quote": "grey “fog”", "source": "notes", "text": "A grey “fog” came."}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table, a source, an answer and its sources, all with names that are not ASCII."""
    (tmp_path / "Zeilen–1.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "Äcker.txt").write_text("Grey “fog” came.", "utf-8")
    (tmp_path / "sources–1.json").write_text(json.dumps([ROW["text"]]))
    (tmp_path / "answer–1.txt").write_text("There was “grey “fog””. [1]", "utf-8")
    (tmp_path / "initialize.json").write_text(json.dumps(INITIALIZE) + "\n")
    return tmp_path


def shell(folder: Path, arguments: str, **environment: str) -> str:
    """Run `quotecheck ARGUMENTS` in a shell, with redirections; return what it printed and its exit code.

    Its streams are buffered, as they are in real life.
    """
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    script = f"{shlex.quote(sys.executable)} -m quotecheck {arguments}; echo exit $?"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=clean | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    printed = done.stderr.decode() + done.stdout.decode()
    assert "Traceback" not in printed
    assert "Exception ignored" not in printed
    return printed


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("'grey “fog”' file:Äcker.txt --files-root .", '"snippet": "Grey “fog”"'),
        ("text file:Äcker.txt --files-root .", "Grey “fog” came."),
        ("rag sources–1.json answer–1.txt --inline-quotes", "grey “fog”"),
        ("batch Zeilen–1.jsonl -o Prüfung.csv && cat Prüfung.csv", ",grey “fog”,"),
        ("batch Zeilen–1.jsonl -o - --format csv", ",grey “fog”,"),
    ],
)
def test_ascii_locale_is_no_limit(folder: Path, arguments: str, printed: str) -> None:
    """Arguments, file names and output are UTF-8 where Python itself would use ASCII."""
    assert printed in shell(folder, arguments, **ASCII_LOCALE)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("'a quotation' http://127.0.0.1/ >&-", "is closed"),
        ("'a quotation' http://127.0.0.1/ >/dev/full", "cannot be written: No space left"),
        ("text file:Äcker.txt --files-root . >/dev/full", "cannot be written"),
        ("rag sources–1.json answer–1.txt >&-", "is closed"),
        ("rag sources–1.json answer–1.txt >/dev/full", "cannot be written"),
        ("batch Zeilen–1.jsonl >&-", "is closed"),
        ("--help >/dev/full", "cannot be written"),
        ("--version >/dev/full", "cannot be written"),
    ],
)
def test_result_that_cannot_be_written_is_an_error(folder: Path, arguments: str, problem: str) -> None:
    """A result, or help, that has nowhere to go is said on stderr, with exit code 2."""
    printed = shell(folder, arguments)
    assert f"quotecheck: standard output {problem}" in printed
    assert "exit 2" in printed


@pytest.mark.parametrize("arguments", ["'a quotation' http://127.0.0.1/", "--help"])
def test_reader_that_goes_away_is_no_error(folder: Path, arguments: str) -> None:
    """A closed pipe is quiet, and the exit code that of a result."""
    assert shell(folder, f"{arguments} | true; echo ${{PIPESTATUS[0]}}").startswith("0\n")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full", "2> >(true)"])
def test_messages_that_cannot_be_written_stop_nothing(folder: Path, redirection: str) -> None:
    """Without a usable stderr the result and the exit code are the same."""
    printed = shell(folder, f"rag --strict sources–1.json sources–1.json {redirection}")
    assert '"ok": false' in printed
    assert "exit 1" in printed


@pytest.mark.parametrize("arguments", ["- http://127.0.0.1/", "rag sources–1.json -", "batch - -o out.csv"])
def test_closed_stdin_is_an_error_where_it_is_read(folder: Path, arguments: str) -> None:
    """`-` without a stdin says so."""
    printed = shell(folder, f"{arguments} <&-")
    assert "standard input is closed" in printed
    assert "exit 2" in printed


def test_closed_stdin_is_no_error_elsewhere(folder: Path) -> None:
    """A command that reads no stdin needs none."""
    assert "exit 0" in shell(folder, "batch Zeilen–1.jsonl <&-")


@pytest.mark.parametrize(("redirection", "code"), [(">&-", 2), (">/dev/full", 2), ("<&-", 2), ("| true", 0)])
def test_server_without_streams_says_so(folder: Path, redirection: str, code: int) -> None:
    """A server that cannot talk to a client ends with a message; a client that goes away is none."""
    source = "" if redirection == "<&-" else "< initialize.json"
    printed = shell(folder, f"mcp {source} {redirection}")
    assert f"exit {code}" in printed
    assert ("quotecheck-mcp: std" in printed) == (code == 2)


def test_user_without_home_is_told_what_to_do(folder: Path) -> None:
    """Where nothing has to be fetched, no home is needed; else the message names the option."""
    no_passwd = (
        "import pwd, sys\n"
        "def unknown(_): raise KeyError\n"
        "pwd.getpwuid = unknown\n"
        "from quotecheck.cli import main\n"
        "sys.exit(main())"
    )
    (folder / "strangers.py").write_text(no_passwd)
    (folder / "web.csv").write_text("quote,source\na quotation,http://127.0.0.1/\n")
    environment = {
        name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")
    }
    command = [sys.executable, "strangers.py", "batch"]
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    fetching = subprocess.run([*command, "web.csv"], **options)
    assert (fetching.returncode, "no home directory" in fetching.stderr) == (2, True)
    offline = subprocess.run([*command, "Zeilen–1.jsonl", "--report"], **options)
    assert offline.returncode == 0, offline.stderr


def unprivileged() -> str:
    """Return the words that make a command obey permissions; root alone needs any."""
    if os.geteuid() != 0:
        return ""
    if shutil.which("setpriv") is None:
        pytest.skip("root obeys no permissions, and there is no setpriv to take its privileges")
    return "setpriv --bounding-set=-all --inh-caps=-all"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("batch web.csv -o ../out.csv", "name another file with --store"),
        ("batch web.csv --store ../store.sqlite", "no permission for the folder"),
        ("'a quotation' http://127.0.0.1/ --store store.sqlite", "name another file with --store"),
    ],
)
def test_folder_that_cannot_be_written_is_named(folder: Path, arguments: str, message: str) -> None:
    """A read-only folder, of the cache or the current one, is an error before any work."""
    (folder / "read-only").mkdir()
    (folder / "read-only/web.csv").write_text("quote,source\na quotation,http://127.0.0.1/\n")
    (folder / "read-only").chmod(0o555)
    command = f"{unprivileged()} {shlex.quote(sys.executable)} -m quotecheck {arguments}"
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "read-only")}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder / "read-only", env=environment, capture_output=True, text=True
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert message in done.stderr


def test_check_needs_no_writable_folder(folder: Path) -> None:
    """Nothing is written but the result."""
    (folder / "read-only").mkdir(mode=0o555)
    command = f"{unprivileged()} {shlex.quote(sys.executable)} -m quotecheck 'a quotation' http://127.0.0.1/"
    environment = {**os.environ, "HOME": "read-only", "TMPDIR": "/nonexistent"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder / "read-only", env=environment, capture_output=True
    )
    assert json.loads(done.stdout)["reason_code"] == "address_not_public"


def test_missing_folder_for_temporary_files_is_no_error(folder: Path) -> None:
    """Python finds another folder by itself."""
    assert "exit 0" in shell(folder, "batch Zeilen–1.jsonl", TMPDIR="/nonexistent")
