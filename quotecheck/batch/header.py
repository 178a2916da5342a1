"""Finding the columns of a table by name, and refusing headers that cannot be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from quotecheck.batch.columns import PREFIX
from quotecheck.batch.options import DEFAULT_SOURCE_COLUMN, DEFAULT_TEXT_COLUMN
from quotecheck.batch.records import ColumnNames, Columns
from quotecheck.errors import InvalidInput

_SHOWN = 100  # characters of a column's name in messages


def plain_name(name: str) -> str:
    """Return a column's name without what people overlook: case, outer spaces, and line breaks in it.

    >>> plain_name(" Quote\\n(verbatim)")
    'quote (verbatim)'
    """
    return " ".join(name.split()).casefold()


def find_column(name: str, columns: Sequence[str]) -> str | None:
    """Return the column with this name: exactly, else the only one equal but for case and white space."""
    if name in columns:
        return name
    alike = [column for column in columns if plain_name(column) == plain_name(name)]
    return alike[0] if len(alike) == 1 else None


def find_columns(columns: Sequence[str], names: ColumnNames, *, shown: str) -> Columns:
    """Return which columns hold quotation, source and text.

    A column named `text` is used where it exists; another name must exist. Without a text column there must
    be a source column. Raises InvalidInput that lists the columns found.
    """
    found = Columns(
        quote=find_column(names.quote, columns) or _missing(names.quote, "quote", columns, shown),
        source=find_column(names.source, columns),
        text=None if names.text is None else find_column(names.text, columns),
    )
    if names.text is not None and names.text != DEFAULT_TEXT_COLUMN and found.text is None:
        _missing(names.text, "text", columns, shown)
    if found.source is None and (found.text is None or names.source != DEFAULT_SOURCE_COLUMN):
        _missing(names.source, "source", columns, shown)
    if len({found.quote, found.source, found.text}) < 3:
        raise InvalidInput(f"{shown}: quotation, source and text must be three different columns")
    return found


def _missing(name: str, what: str, columns: Sequence[str], shown: str) -> NoReturn:
    listed = ", ".join(repr(column[:_SHOWN]) for column in columns[:30]) or "none"
    more = f" (first 30 of {len(columns)})" if len(columns) > 30 else ""
    raise InvalidInput(
        f"{shown} has no column {name!r}: name it with --{what}-col (in Python: {what}=); "
        f"columns found: {listed}{more}"
    )


def check_names(columns: Sequence[str], shown: str, *, replace_qc: bool) -> None:
    """Raise InvalidInput for a header with repeated names or with columns of an earlier audit."""
    repeated = [name for name, count in Counter(columns).items() if count > 1]
    if repeated:
        places = [number for number, name in enumerate(columns, 1) if name == repeated[0]]
        raise InvalidInput(
            f"{shown}: columns {' and '.join(map(str, places))} have the same name {repeated[0]!r}: "
            "give each column a name of its own"
        )
    if not replace_qc:
        refuse_earlier_results(columns, shown)


def refuse_earlier_results(columns: Sequence[str], shown: str) -> None:
    """Raise InvalidInput where column names begin with the prefix of our own columns."""
    ours = [name for name in columns if name.startswith(PREFIX)]
    if ours:
        raise InvalidInput(
            f"{shown} has columns of an earlier audit ({', '.join(ours)}): --replace-qc drops them, "
            "or rename them"
        )
