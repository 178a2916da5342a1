"""Writes the shell completions from the parser: `python docs/completions.py`. A test compares.

The wheel installs them where shells look for completions, below `share` of the environment.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab

from quotecheck.cli import build_parser

TARGET = Path(__file__).resolve().parents[1] / "completions"
SHELLS = ("bash", "zsh", "fish")

_KINDS = {
    **dict.fromkeys(("FILE", "INPUT", "SHARD", "OLD", "NEW", "SOURCES", "ANSWER"), shtab.FILE),
    "DIR": shtab.DIRECTORY,
}


def completions() -> dict[str, str]:
    """Return the scripts by the name of their file."""
    parser = build_parser()
    for action in _actions(parser):
        if action.metavar in _KINDS:
            action.complete = _KINDS[action.metavar]  # type: ignore[attr-defined]
    return {f"quotecheck.{shell}": shtab.complete(parser, shell=shell) for shell in SHELLS}


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action


if __name__ == "__main__":
    for name, script in completions().items():
        (TARGET / name).write_text(script, encoding="utf-8")
