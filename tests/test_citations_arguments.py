"""The command `quotecheck rag`: arguments, input, output, exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quotecheck.cli import main

ANSWER = '{"answer": "x", "citations": [{"source": 1, "quote": "Tin is soft"}]}'


@pytest.fixture
def sources(tmp_path: Path) -> str:
    """Return the path of a file with two sources."""
    path = tmp_path / "sources.txt"
    path.write_text("Tin is soft.\n---\nIron rusts.\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    """Return the path of a file with an answer that holds."""
    path = tmp_path / "answer.json"
    path.write_text(ANSWER, encoding="utf-8")
    return path


def test_prints_the_report(sources: str, answer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The report is one JSON object on stdout, findings are lines on stderr, and the exit code is 0."""
    assert main(["rag", sources, str(answer)]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["ok"] is True
    assert printed.out.startswith('{\n  "kind": "json",')
    assert printed.err == "never cited: source [2]\n"


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        ("Tin [1].", ["--strict"], 0),
        ("Tin [9].", [], 0),
        ("Tin [9].", ["--strict"], 1),
        ("Tin.", ["--strict"], 1),
        ("Tin [1]. Soft.", ["--strict"], 0),
        ("Tin [1]. Soft.", ["--fail-on", "uncited_sentences"], 1),
        ("Tin [1].", ["--fail-on", "uncited_sentences"], 0),
        ("Tin [1].", ["--fail-on", "uncited_sources"], 1),
        ("Tin [1][2].", ["--fail-on", "uncited_sentences,uncited_sources"], 0),
        ("Tin [0][1].", ["--strict", "--first-number", "0"], 0),
        ('It says "gold is a heavy metal" [1].', ["--strict"], 0),
        ('It says "gold is a heavy metal" [1].', ["--strict", "--inline-quotes"], 1),
    ],
)
def test_exit_codes(sources: str, tmp_path: Path, text: str, options: list[str], code: int) -> None:
    """A printed report exits 0 unless a gate was asked for and does not hold."""
    path = tmp_path / "answer.txt"
    path.write_text(text, encoding="utf-8")
    assert main(["rag", sources, str(path), *options]) == code


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.json", "ANSWER"], "SOURCES 'missing.json' cannot be read: No such file or directory"),
        (["SOURCES", "missing.json"], "ANSWER 'missing.json' cannot be read"),
        (["SOURCES"], "the following arguments are required: ANSWER"),
        (["-", "-"], "only one of SOURCES and ANSWER can be standard input"),
        (["SOURCES", "ANSWER", "--fail-on", "sources"], "uncited_sentences, uncited_sources"),
        (["SOURCES", "ANSWER", "--fail-on", ""], "uncited_sentences, uncited_sources"),
        (["SOURCES", "ANSWER", "--first-number", "x"], "'x' is not a whole number from 0"),
        (["SOURCES", "ANSWER", "--first-number", "-1"], "--first-number"),
        (["SOURCES", "."], "cannot be read"),
    ],
)
def test_usage_errors(
    sources: str, answer: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """Wrong usage and unreadable files exit 2 with a message on stderr and nothing on stdout."""
    paths = {"SOURCES": sources, "ANSWER": str(answer)}
    assert main(["rag", *(paths.get(argument, argument) for argument in arguments)]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_with_a_byte_order_mark(sources: str, answer: Path, encoding: str) -> None:
    """UTF-8 with and without its mark, and UTF-16 with one, as PowerShell redirects write it, are read."""
    answer.write_bytes(ANSWER.encode(encoding))
    assert main(["rag", sources, str(answer), "--strict"]) == 0


def test_other_encodings_are_refused(sources: str, answer: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes that are no UTF-8 are an error that names the byte, not a misread text."""
    answer.write_bytes("Zinn weiß [1].".encode("latin-1"))
    assert main(["rag", sources, str(answer)]) == 2
    assert f"ANSWER {str(answer)!r} is no UTF-8 (byte 8 is 0xdf)" in capsys.readouterr().err


def test_reads_stdin_and_writes_utf8_and_loads_nothing_heavy(sources: str) -> None:
    """As a process: the answer from stdin, lone surrogates escaped, no table or network library loaded."""
    code = (
        "import sys\nfrom quotecheck.cli import main\n"
        f"code = main(['rag', {sources!r}, '-'])\n"
        "heavy = {'polars', 'httpx', 'mcp', 'tqdm'} & set(sys.modules)\n"
        "sys.exit(code if not heavy else f'loaded {heavy}')"
    )
    answer = '{"answer": "錫 \\ud800 [1].", "citations": []}'.encode()
    run = subprocess.run([sys.executable, "-c", code], input=answer, capture_output=True, env={"LC_ALL": "C"})
    assert (run.returncode, json.loads(run.stdout)["answer_text"]) == (0, "錫 \ud800 [1].")
    assert "錫 \\ud800".encode() in run.stdout
