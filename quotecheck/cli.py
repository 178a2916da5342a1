"""The command `quotecheck`: parse, call one library function, print, choose an exit code.

Results go to stdout as UTF-8 JSON and everything for people to stderr. Nothing heavy is imported before a
command needs it, so `--help`, `rag` and usage errors answer at once.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from quotecheck import __version__
from quotecheck.console import (
    ExitCode,
    read_stdin_text,
    require_utf8,
    say,
    write_bytes,
    write_json,
)
from quotecheck.errors import (
    InvalidInput,
    InvalidOption,
    InvalidQuote,
    InvalidSource,
    MissingExtra,
    SourceUnavailable,
)
from quotecheck.models import CheckResult, Flag, Status

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS = ("check", "batch", "merge", "compare", "rag", "text", "mcp")

_DESCRIPTION = """\
Tell whether a quotation stands in its source, where, and what differs.

Folded before comparing: white space, quotation marks, dashes, invisible characters, and
compatibility forms (NFKC). Never folded: case, accents, digits, operators, other punctuation."""

_EXAMPLES = """\
examples:
  quotecheck "The fog was grey." https://example.org/log
  quotecheck batch rows.jsonl -o results.parquet
  quotecheck text https://example.org/page

A quotation that starts with a dash goes after --: quotecheck -- "-h is Planck" URL"""

_DASH_HINT = "a quotation that starts with a dash goes after --: quotecheck -- QUOTE SOURCE"


class _Parser(argparse.ArgumentParser):
    """An argument parser that never abbreviates options and says how to quote a leading dash."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**{**options, "allow_abbrev": False})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuse unknown arguments here, so that the usage shown is that of the command they went to."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def error(self, message: str) -> NoReturn:
        dashed = "unrecognized arguments" in message and self.prog.endswith(" check")
        self.print_usage(sys.stderr)
        self.exit(ExitCode.USAGE, f"{self.prog}: {message}\n" + (f"{_DASH_HINT}\n" if dashed else ""))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Print help as a result and usage as a message; argparse would lose what cannot be written."""
        if file is not None and file is sys.stdout:
            write_bytes(message.encode("utf-8", "backslashreplace"))
        else:
            say(message.rstrip("\n"))


def entry_point() -> NoReturn:
    """Run the command line of this process and exit."""
    require_utf8()
    sys.exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see `ExitCode`).

    >>> main(["--version"])  # doctest: +SKIP
    0
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt:
        say("interrupted")
        return ExitCode.INTERRUPTED
    except (InvalidInput, InvalidOption, InvalidQuote, InvalidSource, MissingExtra) as error:
        say(f"quotecheck: {error}")
        return ExitCode.USAGE


def _dispatch(arguments: list[str]) -> int:
    parser = build_parser()
    if not arguments:
        say(parser.format_help())
        return ExitCode.USAGE
    if arguments[0] not in (*COMMANDS, "-h", "--help", "-V", "--version"):
        arguments = ["check", *arguments]
    if arguments[0] == "check":
        _refuse_glued_help(arguments)
    try:
        options = parser.parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    return int(_RUNNERS[options.command](options))


def _refuse_glued_help(arguments: Sequence[str]) -> None:
    """Raise InvalidInput for a quotation like `-h is Planck`: argparse from 3.13 on takes it for -h alone."""
    for argument in takewhile("--".__ne__, arguments):
        if argument.startswith("-h") and argument != "-h":
            raise InvalidInput(f"{argument!r} begins like the option -h; {_DASH_HINT}")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; shell completions and the reference are made from it."""
    from quotecheck.batch.arguments import add_arguments as add_batch_arguments
    from quotecheck.batch.compare_arguments import add_compare_arguments
    from quotecheck.batch.merge_arguments import add_merge_arguments
    from quotecheck.citations.arguments import add_arguments as add_rag_arguments

    parser = _Parser(prog="quotecheck", description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.add_argument("-V", "--version", action="version", version=f"quotecheck {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _add_check(commands)
    batch = commands.add_parser("batch", help="audit a table of (quote, source) rows")
    add_batch_arguments(batch)
    merge = commands.add_parser("merge", help="put the shards of an audit together")
    add_merge_arguments(merge)
    compare = commands.add_parser("compare", help="tell what changed between two audits, and why")
    add_compare_arguments(compare)
    rag = commands.add_parser("rag", help="check what an answer cites against its sources")
    add_rag_arguments(rag)
    _add_text(commands)
    commands.add_parser(
        "mcp",
        help="serve the checks to a model (Model Context Protocol, over stdio)",
        description="Serve check_quote and check_answer over standard input and output until its end.",
        epilog="example, as a client's configuration starts it:\n  quotecheck mcp",
    )
    return parser


def _add_check(commands: argparse._SubParsersAction[_Parser]) -> None:
    check = commands.add_parser(
        "check",
        help="check one quotation (the command may be left out)",
        description="Check one quotation against one source and print the verdict as JSON.",
        epilog='example:\n  quotecheck check "The fog was grey." https://example.org/log',
    )
    check.add_argument("quote", help="the quotation; - reads it from standard input")
    check.add_argument("source", help="http(s) URL, doi:10..., or pmid:N")
    check.add_argument("--strict", action="store_true", help="exit 1 unless the verdict is EXACT")
    check.add_argument(
        "--allow-hidden",
        action="store_true",
        help="with --strict, accept a quotation that stands only outside the visible text",
    )
    check.add_argument(
        "--near-threshold",
        type=_threshold,
        default=0.90,
        metavar="X",
        help="least similarity of NEAR, 0.5 to 1.0 (default 0.90)",
    )
    _add_source_options(check)


def _add_text(commands: argparse._SubParsersAction[_Parser]) -> None:
    text = commands.add_parser(
        "text",
        help="print the text that offsets refer to",
        description="Fetch a source and print its extracted text, to which all offsets refer.",
        epilog="example:\n  quotecheck text https://example.org/page",
    )
    text.add_argument("source", help="http(s) URL, doi:10..., or pmid:N")
    _add_source_options(text)


def _add_source_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--contact", metavar="ADDRESS", help="mail address or URL to name to servers")
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="file of fetched sources: pages of the last 7 days are taken from it (default: always fetch)",
    )
    parser.add_argument(
        "--files-root", metavar="DIR", help="read file: sources below this folder (default: read none)"
    )
    parser.add_argument(
        "--doi-fallback",
        action="store_true",
        help="where the page of a DOI cannot be read, read its open abstract in place of it",
    )


def _source_options(options: argparse.Namespace) -> dict[str, Any]:
    names = ("contact", "store", "files_root", "doi_fallback")
    return {name: getattr(options, name) for name in names}


def _threshold(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.5 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.5 to 1.0")
    return value


def _run_check(options: argparse.Namespace) -> ExitCode:
    from quotecheck.single import Client, run_with_client

    if options.source != "-" and Path(options.source).is_file():
        raise InvalidSource(
            f"{options.source!r} is a file, not a source; a table of rows goes to: "
            f"quotecheck batch {options.source}"
        )
    quote = read_stdin_text() if options.quote == "-" else options.quote

    async def check(client: Client) -> CheckResult:
        return await client.check(options.source, quote)

    result = run_with_client(check, near_threshold=options.near_threshold, **_source_options(options))
    write_json(result.to_dict())
    passed = result.status is Status.EXACT and (
        options.allow_hidden or Flag.OUTSIDE_VISIBLE_TEXT not in result.flags
    )
    return ExitCode.FAILED if options.strict and not passed else ExitCode.OK


def _run_text(options: argparse.Namespace) -> ExitCode:
    from quotecheck.single import Client, run_with_client

    async def text_of(client: Client) -> str:
        return (await client.fetch_source(options.source)).text

    try:
        text = run_with_client(text_of, **_source_options(options))
    except SourceUnavailable as error:
        say(f"quotecheck: {error.reason_code}: {error.reason}")
        return ExitCode.FAILED
    write_bytes(text.encode("utf-8", "surrogatepass"))
    return ExitCode.OK


def _run_batch(options: argparse.Namespace) -> int:
    from quotecheck.batch.arguments import run

    _refuse_sources("batch", options.inputs)
    return run(options)


def _refuse_sources(command: str, names: Sequence[str]) -> None:
    """Raise InvalidInput where a source stands in the place of a file: a one-word quotation was meant."""
    for name in names:
        if re.match(r"(?i)(https?:|doi:|pmid:)", name):
            raise InvalidInput(
                f"{name} is a source, not a file; "
                f'to check the one-word quotation "{command}": quotecheck check "{command}" {name}'
            )


def _run_merge(options: argparse.Namespace) -> int:
    from quotecheck.batch.merge_arguments import run_merge

    return run_merge(options)


def _run_compare(options: argparse.Namespace) -> int:
    from quotecheck.batch.compare_arguments import run_compare

    return run_compare(options)


def _run_rag(options: argparse.Namespace) -> int:
    from quotecheck.citations.arguments import run

    return run(options)


def _run_mcp(options: argparse.Namespace) -> int:
    from quotecheck.mcp_server import main as serve

    return serve()


_RUNNERS = {
    "check": _run_check,
    "batch": _run_batch,
    "merge": _run_merge,
    "compare": _run_compare,
    "rag": _run_rag,
    "text": _run_text,
    "mcp": _run_mcp,
}
