"""Annotations of a workflow run, read back by the rules of workflow commands."""

from __future__ import annotations

import re
from pathlib import Path

from quotecheck.batch.annotations import annotation_lines
from quotecheck.batch.report_page import Card
from quotecheck.models import Status


def card(row: int, status: Status = Status.NOT_FOUND, **more: object) -> Card:
    """Return a problem in a row of a file."""
    fields = {"quote": "fog: 50 %, grey", "source": "https://example.org/", "place": f"a,b:c.csv:{row}"}
    return Card(row=row, status=status, **{**fields, **more})


def read(line: str) -> tuple[str, dict[str, str], str]:
    """Read a workflow command as a runner does: level, properties, message."""
    match = re.fullmatch(r"::(\w+) ([^\n\r]*?)::([^\n\r]*)", line)
    assert match is not None
    properties = dict(item.split("=", 1) for item in match[2].split(","))
    return match[1], {key: unescape(value) for key, value in properties.items()}, unescape(match[3])


def unescape(text: str) -> str:
    """Undo the escapes of workflow commands."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


def test_annotation_names_file_line_and_problem() -> None:
    """Separators in names and line ends in messages survive the syntax."""
    (line,) = annotation_lines({Status.NOT_FOUND: 1}, [card(3, similarity=0.5)])
    level, properties, message = read(line)
    assert level == "error"
    assert properties == {"file": "a,b:c.csv", "line": "3", "title": "quotecheck NOT_FOUND"}
    assert message == "NOT_FOUND similarity 0.500\nfog: 50 %, grey\nhttps://example.org/"


def test_annotations_of_a_level_end_with_how_many_are_missing() -> None:
    """Of more than ten problems nine are annotated, and the tenth line counts the others."""
    lines = list(annotation_lines({Status.NOT_FOUND: 400}, [card(row) for row in range(10)]))
    assert len(lines) == 10
    assert read(lines[-1])[2] == "and 391 more: first 9 of 400 are annotated"


def test_annotations_have_a_level_for_each_kind() -> None:
    """Not found and invalid are errors, near is a warning, an unread source a notice."""
    statuses = [Status.NOT_FOUND, Status.INVALID, Status.NEAR, Status.SOURCE_UNAVAILABLE]
    cards = [card(number, status) for number, status in enumerate(statuses)]
    levels = [read(line)[0] for line in annotation_lines(dict.fromkeys(statuses, 1), cards)]
    assert levels == ["error", "error", "warning", "notice"]


def test_annotation_paths_are_relative_to_the_working_folder() -> None:
    """A file below the working folder is named as the repository knows it."""
    (line,) = annotation_lines({Status.NOT_FOUND: 1}, [card(3, place=f"{Path.cwd()}/data/rows.csv:3")])
    assert read(line)[1]["file"] == "data/rows.csv"
