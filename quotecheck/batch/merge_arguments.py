"""The command line of `quotecheck merge`; only the standard library is imported until it runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from quotecheck.batch.arguments import add_gate_arguments, count, gates_from

_DESCRIPTION = """\
Put the results of all shards of an audit together. The table is the one that a single run would
have written; sources, rejects, manifest and summary are merged, too. Name the table of every shard
that `quotecheck batch --shard I/N` wrote, with the files beside it."""

_EPILOG = """\
examples:
  quotecheck batch rows.parquet --shard 0/2 -o part0.parquet
  quotecheck batch rows.parquet --shard 1/2 -o part1.parquet
  quotecheck merge part0.parquet part1.parquet -o results.parquet --strict

exit codes: 0 merged and gates passed, 1 a gate failed or no row was judged, 2 wrong usage, or
shards that are missing, doubled or of another audit, 3 did not finish, 130 interrupted"""


def add_merge_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `merge` to its parser."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("shards", nargs="+", type=Path, metavar="SHARD", help="result table of a shard")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="merged table, in the same format"
    )
    parser.add_argument("--workers", type=count, metavar="N", help="processes (one per core)")
    add_gate_arguments(parser.add_argument_group("gates"))


def run_merge(arguments: argparse.Namespace) -> int:
    """Merge the shards that the arguments name; return the exit code."""
    from quotecheck.batch.merge import run_merge

    return int(
        run_merge(arguments.shards, arguments.output, gates=gates_from(arguments), workers=arguments.workers)
    )
