"""The command line of `quotecheck batch`: its arguments, and the options they stand for.

Only the standard library is imported here, so that `--help` and usage errors answer at once.
"""

from __future__ import annotations

import argparse
import math
import re
import shlex
from collections.abc import Callable, Iterator
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from quotecheck.batch.answers_arguments import (
    add_answers_arguments,
    parse_gates,
    refuse_other_options,
    run_answers_command,
)
from quotecheck.batch.answers_options import ANSWER_GATES
from quotecheck.batch.gates import Gates, Limit
from quotecheck.batch.options import (
    DEFAULT_QUOTE_COLUMN,
    DEFAULT_SOURCE_COLUMN,
    DEFAULT_TEXT_COLUMN,
    STDIN,
    BatchOptions,
    FetchOptions,
    OnBadRow,
    TableFormat,
)
from quotecheck.batch.shards import Shard
from quotecheck.errors import InvalidOption

T = TypeVar("T")

_DESCRIPTION = """\
Check every (quote, source) row of a table. Each source is fetched once; the result is the same
table, in the same order, with the verdict in columns that begin with qc_.

Killed or interrupted, the same command goes on where it stopped."""

_EPILOG = """\
examples:
  quotecheck batch rows.jsonl -o results.parquet
  quotecheck batch 'parts/*.csv.gz' -o results.csv --quote-col sentence --source-col url
  quotecheck batch rows.csv --strict --max-unavailable 5%
  cat rows.jsonl | quotecheck batch - -o - --format jsonl
  quotecheck batch --kind answers answers.jsonl -o reviewed.parquet --report

exit codes: 0 finished and gates passed, 1 a gate failed or no row was judged, 2 wrong usage or
unreadable input, 3 did not finish (the last line says how to go on), 130 interrupted"""

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `batch` to its parser."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT", help="CSV, JSONL, JSON or Parquet; folder, glob, or - (stdin)"
    )
    parser.add_argument(
        "--kind",
        choices=["quotes", "answers"],
        default="quotes",
        help="what the rows are: quotations, or model answers with their sources (JSONL)",
    )
    _add_table_arguments(parser.add_argument_group("table"))
    _add_fetch_arguments(parser.add_argument_group("sources"))
    _add_view_arguments(parser.add_argument_group("views"))
    _add_run_arguments(parser.add_argument_group("run"))
    add_gate_arguments(parser.add_argument_group("gates"))
    add_answers_arguments(parser.add_argument_group("answers (--kind answers)"))


def _add_table_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument("-o", "--output", metavar="FILE", help="result table; - is standard output")
    group.add_argument("--format", choices=_names(TableFormat), help="form of the result (from its name)")
    group.add_argument("--quote-col", default="quote", metavar="NAME", help="column of quotations (quote)")
    group.add_argument("--source-col", default="source", metavar="NAME", help="column of sources (source)")
    group.add_argument(
        "--text-col",
        default="text",
        metavar="NAME",
        help="column with the source's own text, where there is one (text); '' ignores it",
    )
    group.add_argument(
        "--near-threshold",
        type=_number,
        default=0.90,
        metavar="X",
        help="least similarity of NEAR, 0.5 to 1.0 (0.90)",
    )
    group.add_argument(
        "--on-bad-row",
        choices=_names(OnBadRow),
        default=OnBadRow.REPORT.value,
        help="records that cannot be read: report them (and fail --strict), skip them, or fail at the first",
    )
    group.add_argument(
        "--replace-qc", action="store_true", help="drop the qc_ columns of an earlier audit from the input"
    )
    group.add_argument(
        "--only-problems", type=Path, metavar="FILE", help="also write the rows that are not EXACT"
    )


def _add_view_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--report", action="store_true", help="also write an HTML report beside the result table"
    )
    group.add_argument("--junit", type=Path, metavar="FILE", help="also write the problems as a JUnit file")
    group.add_argument(
        "--annotations", action="store_true", help="print annotations of a GitHub workflow run (stderr)"
    )


def _add_fetch_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--store", type=Path, metavar="FILE", help="keep fetched sources in this file")
    group.add_argument("--offline", action="store_true", help="fetch nothing, use what the store holds")
    group.add_argument("--refresh", action="store_true", help="fetch every source again")
    group.add_argument(
        "--retry-unavailable", action="store_true", help="fetch again what could not be fetched before"
    )
    group.add_argument(
        "--max-age",
        type=_duration,
        default=timedelta(days=7),
        metavar="AGE",
        help="ask again for pages older than this: 12h, 7d (7d)",
    )
    group.add_argument("--concurrency", type=count, default=32, metavar="N", help="fetches at once (32)")
    group.add_argument("--per-host", type=count, default=4, metavar="N", help="of them on one host (4)")
    group.add_argument("--contact", metavar="ADDRESS", help="mail address or URL to name to servers")
    group.add_argument(
        "--files-root", type=Path, metavar="DIR", help="read file: sources below this folder (none are)"
    )
    group.add_argument(
        "--doi-fallback",
        action="store_true",
        help="where the page of a DOI cannot be read, read its open abstract in place of it",
    )


def _add_run_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--run-dir", type=Path, metavar="DIR", help="where the unfinished run is kept")
    group.add_argument("--restart", action="store_true", help="drop the state of an unfinished run")
    group.add_argument(
        "--shard",
        type=parsed(Shard.parse),
        metavar="I/N",
        help="only the rows of part I (from 0) of N of the sources; quotecheck merge puts them together",
    )
    group.add_argument("--workers", type=count, metavar="N", help="processes that match (one per core)")
    group.add_argument("--summary-json", type=Path, metavar="FILE", help="also write the summary as JSON")
    group.add_argument("--no-progress", action="store_true", help="print no progress")


def add_gate_arguments(group: argparse._ArgumentGroup) -> None:
    """Add the arguments that set gates."""
    group.add_argument("--strict", action="store_true", help="fail unless every row is EXACT")
    group.add_argument(
        "--allow-hidden",
        action="store_true",
        help="accept quotations that stand only outside the visible text",
    )
    group.add_argument(
        "--fail-on",
        type=parsed(_fail_on_names),
        default=(),
        metavar="LIST",
        help="fail if any row has one of these statuses, differences or flags; for answers: "
        + ", ".join(ANSWER_GATES),
    )
    group.add_argument(
        "--max-not-found", type=parsed(Limit.parse), metavar="N|N%", help="of the rows that were judged"
    )
    group.add_argument(
        "--max-unavailable", type=parsed(Limit.parse), metavar="N|N%", help="of the rows with a source"
    )


def options_from(arguments: argparse.Namespace) -> BatchOptions:
    """Return the options that parsed arguments stand for. Raises InvalidOption."""
    return BatchOptions(
        inputs=tuple(arguments.inputs),
        output=arguments.output,
        format=None if arguments.format is None else TableFormat(arguments.format),
        quote_col=arguments.quote_col,
        source_col=arguments.source_col,
        text_col=arguments.text_col or None,
        near_threshold=arguments.near_threshold,
        on_bad_row=OnBadRow(arguments.on_bad_row),
        replace_qc=arguments.replace_qc,
        run_dir=arguments.run_dir,
        restart=arguments.restart,
        workers=arguments.workers,
        shard=arguments.shard,
        fetch=FetchOptions(
            store=arguments.store,
            offline=arguments.offline,
            refresh=arguments.refresh,
            retry_unavailable=arguments.retry_unavailable,
            max_age=arguments.max_age,
            concurrency=arguments.concurrency,
            per_host=arguments.per_host,
            contact=arguments.contact,
            files_root=arguments.files_root,
            doi_fallback=arguments.doi_fallback,
        ),
        gates=gates_from(arguments),
        only_problems=arguments.only_problems,
        summary_json=arguments.summary_json,
        report=arguments.report,
        junit=arguments.junit,
        annotations=arguments.annotations,
    )


def gates_from(arguments: argparse.Namespace) -> Gates:
    """Return the gates that parsed arguments stand for."""
    return Gates(
        strict=arguments.strict,
        fail_on=arguments.fail_on,
        max_not_found=arguments.max_not_found,
        max_unavailable=arguments.max_unavailable,
        allow_hidden=arguments.allow_hidden,
    )


def command_line(options: BatchOptions) -> str:
    """Return the command with these options; `options_from` reads it back."""
    words = ["quotecheck", "batch"]
    given: list[str] = []
    for name, value, default in _given(options):
        if value != default:
            given += [name] if value is True else [name, str(value)]
    if any(name.startswith("-") and name != STDIN for name in options.inputs):
        return shlex.join([*words, *given, "--", *options.inputs])
    return shlex.join([*words, *options.inputs, *given])


def _given(options: BatchOptions) -> Iterator[tuple[str, object, object]]:
    """Yield each option's name, its value and the value it has when it is not given."""
    fetch, gates = options.fetch, options.gates
    yield "-o", options.output, None
    yield "--format", options.format, None
    yield "--quote-col", options.quote_col, DEFAULT_QUOTE_COLUMN
    yield "--source-col", options.source_col, DEFAULT_SOURCE_COLUMN
    yield "--text-col", options.text_col or "", DEFAULT_TEXT_COLUMN
    yield "--near-threshold", options.near_threshold, 0.90
    yield "--on-bad-row", options.on_bad_row, OnBadRow.REPORT
    yield "--replace-qc", options.replace_qc, False
    yield "--only-problems", options.only_problems, None
    yield "--store", fetch.store, None
    yield "--offline", fetch.offline, False
    yield "--refresh", fetch.refresh, False
    yield "--max-age", f"{fetch.max_age.total_seconds():.0f}s", "604800s"
    yield "--concurrency", fetch.concurrency, 32
    yield "--per-host", fetch.per_host, 4
    yield "--contact", fetch.contact, None
    yield "--files-root", fetch.files_root, None
    yield "--doi-fallback", fetch.doi_fallback, False
    yield "--run-dir", options.run_dir, None
    yield "--workers", options.workers, None
    yield "--shard", options.shard, None
    yield "--summary-json", options.summary_json, None
    yield "--report", options.report, False
    yield "--junit", options.junit, None
    yield "--annotations", options.annotations, False
    yield "--strict", gates.strict, False
    yield "--allow-hidden", gates.allow_hidden, False
    yield "--fail-on", ",".join(gates.fail_on), ""
    yield "--max-not-found", gates.max_not_found, None
    yield "--max-unavailable", gates.max_unavailable, None


def run(arguments: argparse.Namespace) -> int:
    """Run the audit that the arguments describe; return the exit code."""
    defaults = argparse.ArgumentParser()
    add_arguments(defaults)
    refuse_other_options(arguments, defaults.parse_args([STDIN]))
    if arguments.kind == "answers":
        return run_answers_command(arguments)

    from quotecheck.batch.run import run_batch

    outcome = run_batch(options_from(arguments), progress=False if arguments.no_progress else None)
    return int(outcome.exit_code)


def _names(choices: type[StrEnum]) -> list[str]:
    """Return the plain values: of members, usage errors show the repr before Python 3.12.8."""
    return [choice.value for choice in choices]


def _fail_on_names(text: str) -> tuple[str, ...]:
    """Read the gates of answers, or those of quotations. Raises InvalidOption."""
    return parse_gates(text) or Gates.parse_names(text)


def parsed(parse: Callable[[str], T]) -> Callable[[str], T]:
    """Return `parse` with its InvalidOption as an argument error."""

    def checked(text: str) -> T:
        try:
            return parse(text)
        except InvalidOption as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.5 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.5 to 1.0")
    return value


def count(text: str) -> int:
    """Read a number from 1 on."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _duration(text: str) -> timedelta:
    match = re.fullmatch(r"([0-9]{1,6})([smhdw])", text.strip())
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time like 90s, 30m, 12h, 7d or 2w")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})
