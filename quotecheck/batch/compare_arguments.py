"""The command line of `quotecheck compare`; only the standard library is imported until it runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from quotecheck.batch.arguments import count, parsed
from quotecheck.batch.drift import FAIL_ON_NAMES, parse_fail_on

_DESCRIPTION = """\
Tell which rows of two audits have another verdict, and whether the page changed or the tool did
(its versions or options). OLD and NEW are tables that `quotecheck batch -o FILE` wrote, with their
manifests beside them. Rows are matched by number where both audits read the same input, else by
quotation and source."""

_EPILOG = """\
examples:
  quotecheck compare audit-may.parquet audit-june.parquet
  quotecheck compare old.csv new.csv --fail-on worse,unavailable

exit codes: 0 compared and nothing that --fail-on names was found, 1 it was, or no row stands in
both tables, 2 wrong usage or unreadable input"""


def add_compare_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `compare` to its parser."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("old", type=Path, metavar="OLD", help="result table of the earlier audit")
    parser.add_argument("new", type=Path, metavar="NEW", help="result table of the later audit")
    parser.add_argument(
        "--fail-on",
        type=parsed(parse_fail_on),
        default=(),
        metavar="LIST",
        help=f"exit 1 if any row is one of these: {', '.join(FAIL_ON_NAMES)}",
    )
    parser.add_argument(
        "--list",
        type=count,
        default=1_000,
        metavar="N",
        dest="listed",
        help="changed rows in the JSON (1000)",
    )


def run_compare(arguments: argparse.Namespace) -> int:
    """Compare the tables that the arguments name; return the exit code."""
    from quotecheck.batch.compare import run_compare

    return int(run_compare(arguments.old, arguments.new, fail_on=arguments.fail_on, listed=arguments.listed))
