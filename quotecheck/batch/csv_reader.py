"""Reads CSV as spreadsheets and people write it, record by record.

Every cell is text: `007` and `1e5` stay. Delimiter and encoding come from evidence. A record that does not
parse, or has another number of cells than the header, is rejected alone, and where its other lines may be
records of their own, reading goes on at the next of them: one stray quotation mark does not swallow the rest
of a file. The standard library's parser is used since it knows line numbers, where polars loses a file to one
bad record. It is given some hundred lines at once, and goes on record by record only where these are not one
good record each.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile

import polars as pl

from quotecheck.batch.columns import PREFIX
from quotecheck.batch.header import check_names, find_columns, plain_name
from quotecheck.batch.inputs import (
    Encoding,
    InputFile,
    find_encoding,
    old_line_ends,
    open_bytes,
    reading,
)
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import (
    BATCH_CHARACTERS,
    BATCH_ROWS,
    QUOTE,
    SOURCE,
    TEXT,
    WANTED_SCHEMA,
    Batch,
    ColumnNames,
    Columns,
    Reject,
)
from quotecheck.errors import InvalidInput

DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)
_CELL_CHARACTERS = 64 * 1024 * 1024
_HEADER_LINES = 50  # names may hold line breaks, as spreadsheets allow
_HEADER_CHARACTERS = 4 * 1024 * 1024  # of each of its lines
_UNDECODED = re.compile("[\udc80-\udcff]")
# Characters of lines that are tried as one good record each. Few lines are read past a full batch by that.
_CHARACTERS_AHEAD = 65_536


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one CSV file is written: its encoding, delimiter, header, and the line on which records begin."""

    file: InputFile
    encoding: Encoding
    delimiter: str
    header: tuple[str, ...]
    first_line: int


class CsvTable:
    """A table of one or more CSV files, read as one; columns that a file lacks are null in its rows."""

    def __init__(self, files: Sequence[InputFile], names: ColumnNames) -> None:
        self._dialects = [read_dialect(file, names) for file in files]
        self._columns = [
            find_columns(dialect.header, names, shown=dialect.file.shown) for dialect in self._dialects
        ]
        union = dict.fromkeys(name for dialect in self._dialects for name in dialect.header)
        self._header = [name for name in union if not (names.replace_qc and name.startswith(PREFIX))]

    @property
    def dialect(self) -> Dialect:
        """How the first file is written; a CSV result is written likewise."""
        return self._dialects[0]

    def notices(self) -> list[str]:
        """Return what was assumed about the files, for people."""
        return [
            f"{dialect.file.shown} is not UTF-8 and was read as windows-1252, as spreadsheets save it"
            for dialect in self._dialects
            if dialect.encoding.charset == "cp1252"
        ]

    def schema(self, output: TableFormat) -> dict[str, pl.DataType]:
        """Return names and types of the input's own columns: all text."""
        return {name: pl.String() for name in self._header}

    def wanted(self) -> Iterator[Batch]:
        """Yield batches with the columns that an audit needs."""
        for dialect, columns, batch in self._batches():
            yield _with_cells(batch, _wanted(batch.cells, dialect, columns))

    def originals(self, output: TableFormat, rejected: Container[int]) -> Iterator[Batch]:
        """Yield batches with all columns of the input."""
        for _, _, batch in self._batches():
            known = set(batch.cells.columns)
            cells = batch.cells.select(
                _original(name, output) if name in known else pl.lit(None, pl.String).alias(name)
                for name in self._header
            )
            yield _with_cells(batch, cells)

    def _batches(self) -> Iterator[tuple[Dialect, Columns, Batch]]:
        row = 0
        for dialect, columns in zip(self._dialects, self._columns, strict=True):
            for batch in _read_batches(dialect, row):
                row += batch.cells.height + len(batch.rejects)
                yield dialect, columns, batch


def _original(name: str, output: TableFormat) -> pl.Expr:
    # An empty cell stays an empty cell; polars would write an empty string as "".
    return pl.when(pl.col(name) != "").then(name) if output is TableFormat.CSV else pl.col(name)


def _with_cells(batch: Batch, cells: pl.DataFrame) -> Batch:
    return Batch(batch.file, batch.rows, batch.lines, cells, batch.rejects)


def _wanted(cells: pl.DataFrame, dialect: Dialect, columns: Columns) -> pl.DataFrame:
    renamed = {QUOTE: columns.quote, SOURCE: columns.source, TEXT: columns.text}
    series = []
    for name, dtype in WANTED_SCHEMA.items():
        column = renamed.get(name)
        value = pl.lit(None, dtype) if column is None else pl.col(column)
        if name == TEXT and column is not None:
            # CSV knows no null: an empty cell says that there is no text, so the source is fetched.
            value = pl.when(pl.col(column) != "").then(pl.col(column))
        series.append(value.alias(name))
    return cells.select(series)


def read_dialect(file: InputFile, names: ColumnNames) -> Dialect:
    """Read the header of a file and return how the file is written. Raises InvalidInput."""
    encoding = find_encoding(file)
    with open_text(file, encoding) as stream, reading(file.shown):
        bounded = iter(lambda: stream.readline(_HEADER_CHARACTERS), "")
        first, blank = next(((line, n) for n, line in enumerate(bounded) if line.strip()), ("", 0))
        separator = _SEPARATOR_LINE.fullmatch(first)
        whole = takewhile(lambda line: len(line) < _HEADER_CHARACTERS, bounded)
        lines = [*([] if separator else [first]), *islice(whole, _HEADER_LINES)]
    if not first:
        raise InvalidInput(f"{file.shown} is empty: a CSV table needs a header line with column names")
    if len(first) == _HEADER_CHARACTERS:
        raise InvalidInput(
            f"{file.shown} begins with a line of more than {_HEADER_CHARACTERS:,} characters:"
            " a CSV table begins with column names"
        )
    if any(line.endswith("\r") for line in lines[:1]):
        raise old_line_ends(file.shown)
    candidates = (separator[1],) if separator else _candidates(file)
    header = _best_header(lines, candidates, names)
    if any(map(_UNDECODED.search, header.names)):
        raise InvalidInput(f"{file.shown}: the header holds bytes that are not UTF-8: save it as UTF-8")
    check_names(header.names, file.shown, replace_qc=names.replace_qc)
    first_line = blank + (1 if separator else 0) + header.lines + 1
    return Dialect(file, encoding, header.delimiter, tuple(header.names), first_line)


def _candidates(file: InputFile) -> tuple[str, ...]:
    tabs_first = any(suffix in (".tsv", ".tab") for suffix in file.path.suffixes)
    return ("\t", ",", ";", "|") if tabs_first else DELIMITERS


@dataclass(frozen=True, slots=True)
class _Header:
    """The names that some lines give under one delimiter, and how many of the lines they take."""

    delimiter: str
    names: list[str]
    lines: int


def _best_header(lines: Sequence[str], candidates: Sequence[str], names: ColumnNames) -> _Header:
    """Return the header under which the wanted columns appear, else the one with most columns."""
    headers = []
    for delimiter in candidates:
        parser = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            headers.append(_Header(delimiter, next(parser, []), parser.line_num))
        except csv.Error:
            continue
    if not headers:
        headers = [_Header(candidates[0], lines[0].rstrip("\r\n").split(candidates[0]), 1)]
    wanted = {plain_name(name) for name in (names.quote, names.source, names.text or names.source)}

    def score(header: _Header) -> tuple[int, int]:
        return len(wanted.intersection(map(plain_name, header.names))), len(header.names)

    return max(headers, key=score)


def open_text(file: InputFile, encoding: Encoding) -> io.TextIOWrapper:
    """Open a CSV file as text with its line ends as they are; undecodable bytes become lone surrogates."""
    charset = "utf-8-sig" if encoding.charset == "utf-8" else encoding.charset
    return io.TextIOWrapper(
        open_bytes(file.path, file.shown), encoding=charset, errors="surrogateescape", newline=""
    )


@dataclass(slots=True)
class _Lines:
    """The lines of a file, read ahead or one by one; what was read can be handed back."""

    stream: io.TextIOWrapper
    number: int  # of the next line
    waiting: deque[str] = field(default_factory=deque)
    taken: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.waiting.popleft() if self.waiting else next(self.stream)
        self.taken.append(line)
        return line

    def take_ahead(self) -> list[str]:
        """Take the next lines, none at the end of the file."""
        size = 0
        while self.waiting and size < _CHARACTERS_AHEAD:
            self.taken.append(self.waiting.popleft())
            size += len(self.taken[-1])
        if not self.taken:
            self.taken += self.stream.readlines(_CHARACTERS_AHEAD)
        return self.taken

    def accept(self) -> int:
        """Count the lines taken as read; return how many characters they hold."""
        self.number += len(self.taken)
        size = sum(map(len, self.taken))
        self.taken.clear()
        return size

    def hand_back(self) -> None:
        """Hand back all lines taken."""
        self.waiting.extendleft(reversed(self.taken))
        self.taken.clear()

    def retry_after_first(self) -> None:
        """Hand back all lines taken but the first."""
        self.number += 1
        del self.taken[0]
        self.hand_back()


@dataclass(slots=True)
class _Growing:
    """A batch that is being filled; `row` is the number of the next record in the whole input."""

    dialect: Dialect
    row: int
    cells: list[list[str]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    characters: int = 0

    def is_full(self) -> bool:
        return len(self.rows) + len(self.rejects) >= BATCH_ROWS or self.characters >= BATCH_CHARACTERS

    def add_plain(self, records: list[list[str]], first_line: int) -> None:
        """Take records of one line each."""
        self.cells += records
        self.rows += range(self.row, self.row + len(records))
        self.lines += range(first_line, first_line + len(records))
        self.row += len(records)

    def add(self, record: list[str] | str, line: int) -> None:
        """Take one record, or the reason why it cannot be read."""
        if isinstance(record, str):
            self.rejects.append(Reject(self.row, self.dialect.file.name, line, record))
        else:
            self.cells.append(record)
            self.rows.append(self.row)
            self.lines.append(line)
        self.row += 1

    def closed(self) -> Batch:
        """Return what was taken, and begin anew."""
        header = self.dialect.header
        columns = zip(*self.cells, strict=True) if self.cells else [()] * len(header)
        batch = Batch(
            self.dialect.file.name,
            pl.Series(self.rows, dtype=pl.UInt64),
            pl.Series(self.lines, dtype=pl.UInt64),
            pl.DataFrame(
                [pl.Series(name, cells, pl.String) for name, cells in zip(header, columns, strict=True)]
            ),
            tuple(self.rejects),
        )
        self.cells, self.rows, self.lines, self.rejects, self.characters = [], [], [], [], 0
        return batch


def _read_batches(dialect: Dialect, row: int) -> Iterator[Batch]:
    batch = _Growing(dialect, row)
    csv.field_size_limit(_CELL_CHARACTERS)
    with open_text(dialect.file, dialect.encoding) as stream, reading(dialect.file.shown):
        for _ in range(dialect.first_line - 1):
            stream.readline()
        lines = _Lines(stream, dialect.first_line)
        while ahead := lines.take_ahead():
            end = lines.number + len(ahead)
            # Where a file is damaged, each record is looked into.
            if not dialect.encoding.damaged and (records := _plain_records(ahead, dialect)):
                batch.add_plain(records, lines.number)
                batch.characters += lines.accept()
            else:
                lines.hand_back()
                for line, size, record in _records(lines, dialect):
                    batch.add(record, line)
                    batch.characters += size
                    if lines.number >= end or batch.is_full():
                        break
            if batch.is_full():
                yield batch.closed()
    if batch.rows or batch.rejects:
        yield batch.closed()


def _plain_records(lines: list[str], dialect: Dialect) -> list[list[str]]:
    """Return the records of lines that are one good record each, else none."""
    width = len(dialect.header)
    try:
        records = list(csv.reader(lines, delimiter=dialect.delimiter, strict=True))
    except csv.Error:
        return []
    return records if len(records) == len(lines) and set(map(len, records)) == {width} else []


def _records(lines: _Lines, dialect: Dialect) -> Iterator[tuple[int, int, list[str] | str]]:
    """Yield (first line, characters, cells), or the reason in place of cells; blank lines are no records."""
    parser = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
    while True:
        first = lines.number
        wrong = None
        try:
            record = next(parser)
        except StopIteration:
            return
        except csv.Error as error:
            wrong = _reason(error, len(lines.taken))
        else:
            if _swallows(lines.taken, record, dialect):
                wrong = f"{_wrong_width(record, dialect)} (the cell spans {len(lines.taken)} lines)"
        if wrong is not None:
            lines.retry_after_first()
            parser = csv.reader(lines, delimiter=dialect.delimiter, strict=True)
            yield first, 0, wrong
            continue
        size = lines.accept()
        if record and (len(record) > 1 or record[0].strip()):
            yield first, size, _wrong_cells(record, dialect) or record


def _swallows(lines: Sequence[str], record: Sequence[str], dialect: Dialect) -> bool:
    """Tell whether lines make no good record together, but one behind the first looks like one by itself."""
    width = len(dialect.header)
    return len(record) != width and any(
        line.count('"') % 2 == 0 and line.count(dialect.delimiter) == width - 1 for line in lines[1:]
    )


def _wrong_cells(record: Sequence[str], dialect: Dialect) -> str | None:
    if len(record) != len(dialect.header):
        return _wrong_width(record, dialect)
    if dialect.encoding.damaged and any(map(_UNDECODED.search, record)):
        return "holds bytes that are not UTF-8"
    return None


def _wrong_width(record: Sequence[str], dialect: Dialect) -> str:
    cells = "1 cell" if len(record) == 1 else f"{len(record)} cells"
    return f"{cells} where the header has {len(dialect.header)}"


def _reason(error: csv.Error, lines: int) -> str:
    message = str(error)
    if "unexpected end of data" in message:
        return "a quotation mark opens a cell that is never closed"
    if "expected after" in message:
        over = f" (the cell spans {lines} lines)" if lines > 1 else ""
        return f"a quotation mark inside a quoted cell is not doubled{over}"
    if "field larger" in message:
        return f"a cell holds more than {_CELL_CHARACTERS:,} characters, or is never closed"
    return f"is not CSV: {message}"
