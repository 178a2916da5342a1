"""The audit as annotations of a GitHub workflow run: one line for each problem, at its row of the input.

GitHub shows at most ten annotations of a level for a step and drops the others silently, so the last of ten
says how many are missing. The syntax is that of workflow commands (`::error file=...,line=...::message`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from quotecheck.batch.junit import message_of
from quotecheck.batch.report_page import Card
from quotecheck.models import Status

_LEVELS = {
    "error": (Status.NOT_FOUND, Status.INVALID),
    "warning": (Status.NEAR,),
    "notice": (Status.SOURCE_UNAVAILABLE,),
}
_MOST = 10  # annotations of one level that GitHub shows for a step
LISTED = {status: _MOST for statuses in _LEVELS.values() for status in statuses}


def annotation_lines(counts: Mapping[Status, int], cards: Sequence[Card]) -> Iterator[str]:
    """Yield workflow commands for the problems among `cards`; `counts` counts all rows by verdict."""
    for level, statuses in _LEVELS.items():
        total = sum(counts.get(status, 0) for status in statuses)
        problems = sorted((card for card in cards if card.status in statuses), key=lambda card: card.row)
        listed = problems[: _MOST if total <= _MOST else _MOST - 1]
        for card in listed:
            yield _command(level, card)
        if total > len(listed):
            note = f"and {total - len(listed):,} more: first {len(listed)} of {total:,} are annotated"
            yield f"::{level} title=quotecheck::{_data(note)}"


def _command(level: str, card: Card) -> str:
    quote = " ".join(card.quote.split())
    message = _data(f"{message_of(card)}\n{quote}\n{card.source}")
    return f"::{level} {_place(card)}title={_property(f'quotecheck {card.status}')}::{message}"


def _place(card: Card) -> str:
    file, _, line = (card.place or "").rpartition(":")
    if not file:
        return ""
    return f"file={_property(_relative(file))},line={line},"


def _relative(file: str) -> str:
    """Return a path below the working folder as GitHub wants it, relative to the repository."""
    path = Path(file)
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else file


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
