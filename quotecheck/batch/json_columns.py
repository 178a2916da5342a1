"""JSON records as a typed table, for results in CSV and Parquet.

A type is taken from all records, never from the first ones. Where one column's values have several types,
or are nested, they are written as text, and a notice says so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from quotecheck.errors import InvalidInput

_MOST_COLUMNS = 5_000
_LARGEST_INTEGER = 2**63
_LARGEST_EXACT_FLOAT = 2**53

_TYPES: dict[frozenset[str], pl.DataType] = {
    frozenset(): pl.String(),
    frozenset({"text"}): pl.String(),
    frozenset({"boolean"}): pl.Boolean(),
    frozenset({"integer"}): pl.Int64(),
    frozenset({"integer", "long"}): pl.Int64(),
    frozenset({"long"}): pl.Int64(),
    frozenset({"integer", "number"}): pl.Float64(),
    frozenset({"number"}): pl.Float64(),
}


class JsonColumns:
    """Names and types of columns, collected from all records of a table.

    >>> columns = JsonColumns()
    >>> columns.observe({"id": 7, "tags": ["a"]})
    >>> columns.schema()
    {'id': Int64, 'tags': String}
    >>> columns.cells({"id": 7, "tags": ["a"]})
    (7, '["a"]')
    """

    def __init__(self, *, drop_prefix: str | None = None) -> None:
        self._drop_prefix = drop_prefix
        self._kinds: dict[str, set[str]] = {}
        self._schema: dict[str, pl.DataType] | None = None
        self._damaged = 0

    def observe(self, record: Mapping[str, Any]) -> None:
        """Take one record into account. Raises InvalidInput for names that no table can have."""
        self._schema = None
        for name, value in record.items():
            if self._drop_prefix is not None and name.startswith(self._drop_prefix):
                continue
            kinds = self._kinds.get(name)
            if kinds is None:
                kinds = self._kinds[name] = set()
                _require_whole(name)
            if value is not None:
                kinds.add(_kind(value))
        if len(self._kinds) > _MOST_COLUMNS:
            raise InvalidInput(
                f"the records have more than {_MOST_COLUMNS:,} different names: write the result as JSONL"
            )

    def schema(self) -> dict[str, pl.DataType]:
        """Return the columns in order of first appearance."""
        if self._schema is None:
            self._schema = {
                name: _TYPES.get(frozenset(kinds), pl.String()) for name, kinds in self._kinds.items()
            }
        return self._schema

    def cells(self, record: Mapping[str, Any]) -> tuple[object, ...]:
        """Return one record's values as cells of the schema."""
        return tuple(self._cell(record.get(name), dtype) for name, dtype in self.schema().items())

    def notices(self) -> list[str]:
        """Return what had to be written as text, for people."""
        mixed = [name for name, kinds in self._kinds.items() if frozenset(kinds) not in _TYPES]
        notices = []
        if mixed:
            listed = ", ".join(repr(name) for name in mixed[:10])
            more = f" (first 10 of {len(mixed)})" if len(mixed) > 10 else ""
            notices.append(
                f"nested values, or several types in one column, are written as text: {listed}{more}"
            )
        if self._damaged:
            notices.append(f"half characters were replaced by U+FFFD in {self._damaged:,} values")
        return notices

    def _cell(self, value: Any, dtype: pl.DataType) -> object:
        if value is None or dtype != pl.String():
            return value
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            self._damaged += 1
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text


def _require_whole(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the records have a name with half a character ({name!r}): write the result as JSONL"
        ) from error


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "text"
        case int():
            size = abs(value)
            return (
                "integer" if size <= _LARGEST_EXACT_FLOAT else "long" if size < _LARGEST_INTEGER else "huge"
            )
        case float():
            return "number"
        case _:
            return "nested"
