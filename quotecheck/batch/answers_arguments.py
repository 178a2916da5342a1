"""The arguments of `quotecheck batch` that review answers with citations (`--kind answers`).

Only the standard library is imported here, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from quotecheck.batch.answers_options import ANSWER_GATES, AnswersOptions
from quotecheck.batch.options import OnBadRow, TableFormat
from quotecheck.citations.arguments import add_review_arguments
from quotecheck.errors import InvalidOption

_SHARED = frozenset(
    {
        "command",
        "kind",
        "inputs",
        "output",
        "format",
        "near_threshold",
        "on_bad_row",
        "report",
        "workers",
        "summary_json",
        "no_progress",
        "strict",
        "fail_on",
    }
)
_OWN = frozenset({"answer_sources", "inline_quotes", "first_number"})


def add_answers_arguments(group: argparse._ArgumentGroup) -> None:
    """Add the arguments that only answers have."""
    group.add_argument(
        "--sources",
        dest="answer_sources",
        type=Path,
        metavar="FILE",
        help="sources of all rows that have none of their own (JSON, JSONL or text)",
    )
    add_review_arguments(group)


def parse_gates(text: str) -> tuple[str, ...] | None:
    """Return the names of `ANSWER_GATES` in a comma list, or None where it holds anything else."""
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    return names if names and all(name in ANSWER_GATES for name in names) else None


def refuse_other_options(arguments: argparse.Namespace, defaults: argparse.Namespace) -> None:
    """Raise InvalidOption for an option that the kind of input has no use for."""
    is_answers = arguments.kind == "answers"
    for name, value in vars(arguments).items():
        is_useless = name not in _SHARED | _OWN if is_answers else name in _OWN
        if is_useless and value != getattr(defaults, name):
            option = "--" + name.removeprefix("answer_").replace("_", "-")
            kind = "answers: nothing is fetched for them" if is_answers else "quotations: add --kind answers"
            raise InvalidOption(f"{option} has no meaning for {kind}")


def answers_options_from(arguments: argparse.Namespace) -> AnswersOptions:
    """Return the options that parsed arguments stand for. Raises InvalidOption."""
    return AnswersOptions(
        inputs=tuple(arguments.inputs),
        output=arguments.output,
        format=None if arguments.format is None else TableFormat(arguments.format),
        sources=arguments.answer_sources,
        inline_quotes=arguments.inline_quotes,
        first_number=arguments.first_number,
        near_threshold=arguments.near_threshold,
        on_bad_row=OnBadRow(arguments.on_bad_row),
        workers=arguments.workers,
        strict=arguments.strict,
        fail_on=arguments.fail_on,
        report=arguments.report,
        summary_json=arguments.summary_json,
    )


def run_answers_command(arguments: argparse.Namespace) -> int:
    """Run the review that the arguments describe; return the exit code."""
    from quotecheck.batch.answers import run_answers

    options = answers_options_from(arguments)
    outcome = run_answers(options, progress=False if arguments.no_progress else None)
    return int(outcome.exit_code)
