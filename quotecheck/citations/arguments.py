"""The command line of `quotecheck rag`: its arguments, and the run that they ask for.

Only the standard library is imported here, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from quotecheck.console import ExitCode, read_stdin, write_summary
from quotecheck.errors import InvalidInput, InvalidOption

_DESCRIPTION = """\
Check what an answer cites against exactly the numbered sources that the model was given, offline.
Nothing is fetched and no model is asked. Whether the answer is right is not judged."""

_EPILOG = """\
SOURCES is a JSON array or object, JSONL, or text with the sources parted by lines of --- or by blank
lines. ANSWER is a response of Ollama, OpenAI or Anthropic (whole or a captured stream), a JSON answer
{"answer": ..., "citations": [{"source": 1, "quote": ...}]}, or text with marks such as [1].

example:
  quotecheck rag sources.json answer.json --strict

exit codes: 0 the report was printed, 1 --strict or --fail-on did not hold, 2 wrong usage or unreadable
input"""

_STDIN = "-"
_GATES = ("uncited_sentences", "uncited_sources")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `rag` to its parser."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("sources", metavar="SOURCES", help="file with the sources; - is standard input")
    parser.add_argument("answer", metavar="ANSWER", help="file with the answer; - is standard input")
    parser.add_argument("--strict", action="store_true", help="exit 1 unless every citation holds")
    parser.add_argument(
        "--fail-on",
        type=_gates,
        default=(),
        metavar="LIST",
        help=f"exit 1 also for these, joined by commas: {', '.join(_GATES)}",
    )
    add_review_arguments(parser)


def add_review_arguments(parser: argparse._ActionsContainer) -> None:
    """Add the arguments that decide how an answer is reviewed, one or many."""
    parser.add_argument(
        "--inline-quotes",
        action="store_true",
        help="also check quotations in the text that a mark behind them attributes to a source",
    )
    parser.add_argument(
        "--first-number", type=_number, default=1, metavar="N", help="number of the first source (1)"
    )


def run(options: argparse.Namespace) -> ExitCode:
    """Check the answer, print the report as JSON, and tell on stderr what to look at."""
    from quotecheck.citations.review import check_answer

    if options.sources == options.answer == _STDIN:
        raise InvalidOption("only one of SOURCES and ANSWER can be standard input (-)")
    report = check_answer(
        read_text("SOURCES", options.sources),
        read_text("ANSWER", options.answer),
        inline_quotes=options.inline_quotes,
        first_number=options.first_number,
    )
    write_summary(report.to_dict(), report.findings)
    failed = [gate for gate in options.fail_on if getattr(report, gate)]
    return ExitCode.FAILED if failed or (options.strict and not report.ok) else ExitCode.OK


def _gates(text: str) -> tuple[str, ...]:
    gates = tuple(gate for item in text.split(",") if (gate := item.strip()))
    unknown = [gate for gate in gates if gate not in _GATES]
    if unknown or not gates:
        raise argparse.ArgumentTypeError(f"{text!r}: name one or both of {', '.join(_GATES)}")
    return gates


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def read_text(name: str, path: str) -> str:
    """Return a file or stdin (`-`) as text: UTF-8, or UTF-16 where it begins with that byte order mark.

    Raises InvalidInput, which calls the argument by its `name`.
    """
    try:
        data = read_stdin() if path == _STDIN else Path(path).read_bytes()
    except OSError as error:
        raise InvalidInput(f"{name} {path!r} cannot be read: {error.strerror or error}") from error
    encoding = "UTF-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "UTF-8"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is 0x{data[error.start]:02x}"
        raise InvalidInput(f"{name} {path!r} is no {encoding} ({place}): convert it to UTF-8") from error
