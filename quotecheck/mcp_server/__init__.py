"""The MCP server `quotecheck-mcp`: two tools that tell an agent whether its quotations hold, over stdio.

This module stays light and says on stderr, with exit code 2, what keeps the server from starting: a client
shows a server that dies silently as nothing but "failed". Nothing but protocol is written to stdout.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from quotecheck import __version__
from quotecheck.console import ExitCode, say

_DESCRIPTION = """\
Serve the tools check_quote and check_answer over stdin and stdout (Model Context Protocol).
An MCP client starts this command; there is nothing to type."""


def entry_point() -> NoReturn:
    """Run the command `quotecheck-mcp` with the options of this process, and exit."""
    sys.exit(main(sys.argv[1:]))


def main(argv: Sequence[str] = ()) -> int:
    """Serve until the client closes stdin, and return the exit code (see `ExitCode`).

    >>> main(["--port", "80"])
    2
    """
    try:
        _parser().parse_args(list(argv))
    except SystemExit as stop:
        return int(stop.code or 0)
    if sys.stdin is None or sys.stdout is None:
        say("quotecheck-mcp: stdin or stdout is closed: an MCP client talks to the server through them")
        return ExitCode.USAGE
    _keep_stderr_ascii()
    try:
        from quotecheck.mcp_server.server import serve
    except Exception as error:  # a library that is damaged or too old fails in many ways
        say(f"quotecheck-mcp: cannot start, the installation is incomplete: {error!r}")
        return ExitCode.USAGE
    signal.signal(signal.SIGINT, _interrupted)
    try:
        serve()
    except BaseExceptionGroup as group:
        lost, other = group.split(OSError)
        if lost is None or other is not None:
            raise
        _end_without_client(lost)
    return ExitCode.OK


def _end_without_client(group: BaseExceptionGroup[OSError]) -> NoReturn:
    """End where stdin or stdout fails: quietly, if that is since the client has gone away."""
    _, failed = group.split(BrokenPipeError)
    error: BaseException | None = failed
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if error is not None:
        say(f"quotecheck-mcp: stdin or stdout failed, so no client can be served: {error}")
    # At any other way out Python would try once more to write what could not be written, and report it.
    os._exit(ExitCode.OK if error is None else ExitCode.USAGE)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quotecheck-mcp",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"quotecheck-mcp {__version__}")
    return parser


def _interrupted(_signal: int, _frame: FrameType | None) -> None:
    # The thread that reads stdin would hold up any other way out until the client closes it.
    os._exit(ExitCode.INTERRUPTED)


def _keep_stderr_ascii() -> None:
    """Escape what is not ASCII on stderr: clients log it under encodings of their own."""
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="ascii", errors="backslashreplace")
