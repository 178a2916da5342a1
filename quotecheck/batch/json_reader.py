"""Reads JSONL line by line, and JSON arrays element by element.

A bad line is rejected alone; the others keep their numbers. For a JSONL result each line is kept byte for
byte, so that nothing of it is lost or respelled. Polars' own reader is not used: one bad line, a byte order
mark or a late change of type loses it the whole file, and it reads a lone surrogate as NUL.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from quotecheck.batch.columns import PREFIX
from quotecheck.batch.header import find_columns, refuse_earlier_results
from quotecheck.batch.inputs import InputFile, open_bytes, reading
from quotecheck.batch.json_columns import JsonColumns
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import (
    BATCH_CHARACTERS,
    BATCH_ROWS,
    WANTED_SCHEMA,
    Batch,
    ColumnNames,
    Columns,
    Reject,
)
from quotecheck.errors import InvalidInput

RAW = "raw"  # the one column of `originals` for a JSONL result: each line's bytes without its line end
_LINE_BYTES = 64 * 1024 * 1024
_ARRAY_BYTES = 256 * 1024 * 1024
_OBJECT_BYTES = 16 * 1024 * 1024
LINES_FOR_NAMES = 1_000
_SPACE = b" \t\r\n"

_KINDS = {bool: "true or false", int: "a number", float: "a number", list: "an array", dict: "an object"}


class BadRecord(ValueError):
    """A line that cannot be read as a row; the message says why."""


@dataclass(frozen=True, slots=True)
class Line:
    """One record's bytes and its line in the file; `too_long` where the bytes were not kept."""

    number: int
    raw: bytes
    too_long: bool = False


class JsonTable:
    """A table of one or more JSONL or JSON files, read as one."""

    def __init__(self, files: Sequence[InputFile], names: ColumnNames) -> None:
        self._files = files
        self._names = names
        for file in files:
            refuse_single_object(file)
        self._columns = [_find_columns(file, names) for file in files]
        self._typed: JsonColumns | None = None

    def notices(self) -> list[str]:
        """Return what had to be changed to write the records as a typed table."""
        return [] if self._typed is None else self._typed.notices()

    def schema(self, output: TableFormat) -> dict[str, pl.DataType]:
        """Return names and types of the cells that `originals` yields; reads the files once more if typed."""
        if output is TableFormat.JSONL:
            return {RAW: pl.Binary()}
        return self._types().schema()

    def wanted(self) -> Iterator[Batch]:
        """Yield batches with the columns that an audit needs."""
        row = 0
        for file, columns in zip(self._files, self._columns, strict=True):
            batch = _Growing(file.name)
            for line in lines_of(file):
                try:
                    record = parse_record(line)
                    if not self._names.replace_qc:
                        refuse_earlier_results(list(record), f"{file.shown}, line {line.number}")
                    batch.add(row, line, _wanted(record, columns))
                except BadRecord as error:
                    batch.rejects.append(Reject(row, file.name, line.number, str(error)))
                row += 1
                if batch.is_full():
                    yield batch.closed(WANTED_SCHEMA)
                    batch = _Growing(file.name)
            if batch:
                yield batch.closed(WANTED_SCHEMA)

    def originals(self, output: TableFormat, rejected: Container[int]) -> Iterator[Batch]:
        """Yield the records' lines for a JSONL result, else their values as typed columns."""
        schema = self.schema(output)
        row = 0
        for file in self._files:
            batch = _Growing(file.name)
            for line in lines_of(file):
                if row not in rejected:
                    batch.add(row, line, self._cells(line, output))
                row += 1
                if batch.is_full():
                    yield batch.closed(schema)
                    batch = _Growing(file.name)
            if batch:
                yield batch.closed(schema)

    def _cells(self, line: Line, output: TableFormat) -> tuple[object, ...]:
        if output is not TableFormat.JSONL:
            return self._types().cells(parse_record(line))
        if not self._names.replace_qc:
            return (line.raw,)
        record = {name: value for name, value in parse_record(line).items() if not name.startswith(PREFIX)}
        return (json.dumps(record).encode(),)

    def _types(self) -> JsonColumns:
        if self._typed is None:
            columns = JsonColumns(drop_prefix=PREFIX if self._names.replace_qc else None)
            for file, wanted in zip(self._files, self._columns, strict=True):
                for line in lines_of(file):
                    try:
                        record = parse_record(line)
                        _wanted_strings(record, wanted)
                    except BadRecord:
                        continue
                    columns.observe(record)
            self._typed = columns
        return self._typed


@dataclass(slots=True)
class _Growing:
    """A batch that is being filled."""

    file: str | None
    cells: list[tuple[object, ...]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    size: int = 0

    def add(self, row: int, line: Line, cells: tuple[object, ...]) -> None:
        self.rows.append(row)
        self.lines.append(line.number)
        self.cells.append(cells)
        self.size += len(line.raw)

    def __bool__(self) -> bool:
        return bool(self.rows or self.rejects)

    def is_full(self) -> bool:
        return len(self.rows) + len(self.rejects) >= BATCH_ROWS or self.size >= BATCH_CHARACTERS

    def closed(self, schema: dict[str, pl.DataType]) -> Batch:
        columns = zip(*self.cells, strict=True) if self.cells else [()] * len(schema)
        frame = pl.DataFrame(
            [
                pl.Series(name, cells, dtype)
                for (name, dtype), cells in zip(schema.items(), columns, strict=True)
            ]
        )
        rows = pl.Series(self.rows, dtype=pl.UInt64)
        lines = pl.Series(self.lines, dtype=pl.UInt64)
        return Batch(self.file, rows, lines, frame, tuple(self.rejects))


def parse_record(line: Line) -> dict[str, Any]:
    """Return a line's object. Raises BadRecord."""
    if line.too_long:
        raise BadRecord(f"is longer than {_LINE_BYTES:,} bytes")
    try:
        record = json.loads(line.raw.decode("utf-8"), object_pairs_hook=_without_repeats)
    except UnicodeDecodeError as error:
        raise BadRecord(f"is not UTF-8 (byte {error.start} is 0x{line.raw[error.start]:02x})") from error
    except RecursionError as error:
        raise BadRecord("is nested too deeply") from error
    except BadRecord:
        raise
    except json.JSONDecodeError as error:
        raise BadRecord(f"is not JSON: {error.msg} at column {error.colno}") from error
    except ValueError as error:
        raise BadRecord("holds a number of more digits than can be read: write it as text") from error
    if not isinstance(record, dict):
        kind = _KINDS.get(type(record), "text" if isinstance(record, str) else "null")
        raise BadRecord(f"is {kind}, not an object with named values")
    return record


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise BadRecord(f"names {repeated!r} twice in one object, so its value is ambiguous")
    return record


def _wanted(record: dict[str, Any], columns: Columns) -> tuple[object, ...]:
    """Return the cells of `WANTED_SCHEMA`. Raises BadRecord for a lone surrogate."""
    quote, source, text = _wanted_strings(record, columns)
    wrong_code = wrong = None
    for code, name, value in (
        ("not_a_source", "text", text),
        ("not_a_source", "source", source if text is None else None),
        ("blank_quote", "quote", quote),
    ):
        if value is not None and not isinstance(value, str):
            shown = "" if isinstance(value, list | dict) else f" ({json.dumps(value)[:40]})"
            wrong_code, wrong = code, f"the {name} is {_KINDS[type(value)]}{shown}, not text"
    return (
        *(value if isinstance(value, str) else None for value in (quote, source, text)),
        wrong_code,
        wrong,
    )


def _wanted_strings(record: dict[str, Any], columns: Columns) -> tuple[Any, Any, Any]:
    quote = record.get(columns.quote)
    source = None if columns.source is None else record.get(columns.source)
    text = None if columns.text is None else record.get(columns.text)
    for name, value in (("quote", quote), ("source", source), ("text", text)):
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                lone = f"\\u{ord(value[error.start]):04x}"
                raise BadRecord(
                    f"the {name} holds half a character ({lone}): export the table again"
                ) from error
    return quote, source, text


def refuse_single_object(file: InputFile) -> None:
    """Raise InvalidInput for a file that is one object over several lines, and not lines of objects."""
    with open_bytes(file.path, file.shown) as stream, reading(file.shown):
        data = stream.read(_OBJECT_BYTES).removeprefix(codecs.BOM_UTF8).lstrip(_SPACE)
    if not data.startswith(b"{") or _is_json(data.split(b"\n", 1)[0]) or not _is_json(data):
        return
    raise InvalidInput(
        f"{file.shown} is one JSON object over several lines: put the rows in an array, or one object on "
        "each line (jq -c '.rows[]')"
    )


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def _find_columns(file: InputFile, names: ColumnNames) -> Columns:
    """Return the columns, looked for in the first lines; a file without records has whatever is asked for."""
    keys: dict[str, None] = {}
    for number, line in enumerate(lines_of(file)):
        if number >= LINES_FOR_NAMES:
            break
        try:
            keys.update(dict.fromkeys(parse_record(line)))
        except BadRecord:
            continue
    if not keys:
        return Columns(quote=names.quote, source=names.source, text=names.text)
    found = find_columns(list(keys), names, shown=file.shown)
    return Columns(quote=found.quote, source=found.source, text=found.text or names.text)


def lines_of(file: InputFile) -> Iterator[Line]:
    """Yield the records of a JSONL file or of a JSON array; blank lines are no records.

    Raises InvalidInput for an array that is damaged or too large to be read at once.
    """
    if _is_array(file):
        yield from _elements(file)
        return
    number = 0
    with open_bytes(file.path, file.shown) as stream, reading(file.shown):
        while raw := stream.readline(_LINE_BYTES):
            number += 1
            first = number
            if number == 1:
                raw = raw.removeprefix(codecs.BOM_UTF8)
            too_long = len(raw) >= _LINE_BYTES and not raw.endswith(b"\n")
            if too_long:
                while (rest := stream.readline(_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                raw = b""
            if too_long or raw.strip():
                yield Line(first, raw.rstrip(b"\r\n"), too_long)


def _is_array(file: InputFile) -> bool:
    """Tell whether the file is one JSON array, and not lines that happen to be arrays."""
    with open_bytes(file.path, file.shown) as stream, reading(file.shown):
        head = stream.read(1 << 16).removeprefix(codecs.BOM_UTF8).lstrip(_SPACE)
    if not head.startswith(b"["):
        return False
    first_line = head.split(b"\n", 1)[0]
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        return True
    return not value or isinstance(value[0], dict)


def _elements(file: InputFile) -> Iterator[Line]:
    with open_bytes(file.path, file.shown) as stream, reading(file.shown):
        data = stream.read(_ARRAY_BYTES + 1)
        if len(data) > _ARRAY_BYTES:
            raise InvalidInput(
                f"{file.shown} is a JSON array of more than {_ARRAY_BYTES:,} bytes: write it as JSONL, "
                "one object a line (jq -c '.[]')"
            )
        text = data.decode("utf-8-sig")
    decoder = json.JSONDecoder()
    position, line = _skip(text, text.index("[") + 1, 1 + text.count("\n", 0, text.index("[")))
    while text[position : position + 1] != "]":
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"{file.shown} is not a JSON array: {error}") from error
        # A string in JSON holds no raw line ends, so those between its tokens may become spaces.
        raw = text[position:end].replace("\n", " ").replace("\r", " ")
        yield Line(line, raw.encode("utf-8", "surrogatepass"))
        line += text.count("\n", position, end)
        position, line = _skip(text, end, line)
        if text[position : position + 1] == ",":
            position, line = _skip(text, position + 1, line)
        elif text[position : position + 1] != "]":
            raise InvalidInput(f"{file.shown} is not a JSON array: line {line} lacks a comma or the end")


def _skip(text: str, position: int, line: int) -> tuple[int, int]:
    """Return the position behind white space, and its line."""
    while text[position : position + 1] in (" ", "\t", "\r", "\n"):
        line += text[position] == "\n"
        position += 1
    return position, line
