"""The rows of several shards as one table, in the order of the input.

Each shard's rows ascend, so only the next few of each are held. Records of CSV and JSONL are taken over byte
for byte: what is not understood cannot be respelled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import polars as pl

from quotecheck.batch.columns import RESULT_SCHEMA, ROW
from quotecheck.batch.intermediate import with_findings
from quotecheck.batch.options import TableFormat
from quotecheck.batch.parquet_files import scan_files
from quotecheck.batch.result_tables import ResultTable, csv_separator
from quotecheck.batch.writers import ROW_GROUP, CsvStyle, Joined, write_table
from quotecheck.errors import InvalidInput
from quotecheck.models import Flag

RECORD = "record"  # the bytes of a record, with its line end
_LEAST_ROWS = 500
_JSON_ROW = b'"qc_row":'

Patch = Callable[[bytes, list[str]], bytes]


def merge_rows(
    shards: Sequence[ResultTable], path: Path, found: pl.DataFrame, metadata: dict[str, str]
) -> int:
    """Write the rows of all shards into a new file; return how many.

    `found` (`FOUND_SCHEMA`) tells which other sources hold the quotation of a row. Raises InvalidInput where
    a row is in two shards, or the tables do not have the same columns.
    """
    rows = max(_LEAST_ROWS, ROW_GROUP // len(shards))
    if shards[0].kind == "parquet":
        return _merge_parquet(shards, path, found, metadata, rows)
    header = _common_header(shards)
    names = dict(found.iter_rows())
    patch = _json_patch if shards[0].kind == "json" else _csv_patch(shards[0])
    written = 0
    with path.open("wb") as stream:
        stream.write(header)
        for frame in in_row_order([_record_frames(shard, len(header), rows) for shard in shards]):
            written += frame.height
            stream.writelines(
                patch(record, names[row]) if row in names else record for row, record in frame.iter_rows()
            )
    return written


def in_row_order(streams: Sequence[Iterator[pl.DataFrame]]) -> Iterator[pl.DataFrame]:
    """Merge frames whose rows ascend by `qc_row`, in each stream and in what is yielded.

    Raises InvalidInput for a row that comes twice or does not ascend.
    """
    heads: dict[int, pl.DataFrame] = {}
    lasts = dict.fromkeys(range(len(streams)), -1)
    last = -1
    open_streams = dict(enumerate(streams))
    while True:
        for number in [number for number in open_streams if number not in heads]:
            frame = next(open_streams[number], None)
            if frame is None:
                del open_streams[number]
            elif frame.height:
                _require_ascending(frame[ROW], lasts[number])
                lasts[number] = frame[ROW][-1]
                heads[number] = frame
        if any(number not in heads for number in open_streams):
            continue  # an empty frame came
        if not heads:
            return
        # Up to here no stream can bring another row.
        border = min(frame[ROW][-1] for frame in heads.values())
        taken = []
        for number, frame in list(heads.items()):
            count = int(frame[ROW].search_sorted(border, "right"))
            taken.append(frame.head(count))
            if count < frame.height:
                heads[number] = frame.slice(count)
            else:
                del heads[number]
        merged = pl.concat(taken).sort(ROW, maintain_order=True)
        _require_ascending(merged[ROW], last)
        last = border
        yield merged


def _require_ascending(rows: pl.Series, last: int) -> None:
    previous = rows.shift(1, fill_value=None)
    wrong = rows.filter((rows <= previous).fill_null(value=rows[0] <= last))
    if len(wrong):
        raise InvalidInput(f"row {wrong[0]} stands in two shards, or out of order: audit the shards again")


def _merge_parquet(
    shards: Sequence[ResultTable], path: Path, found: pl.DataFrame, metadata: dict[str, str], rows: int
) -> int:
    schemas = [scan_files(shard.path).collect_schema() for shard in shards]
    _require_equal(shards, [list(schema.items()) for schema in schemas])
    own = {name: dtype for name, dtype in schemas[0].items() if name not in RESULT_SCHEMA}
    written = 0

    def joined() -> Iterator[Joined]:
        nonlocal written
        for frame in in_row_order([_parquet_frames(shard, rows) for shard in shards]):
            written += frame.height
            flagged = with_findings(frame.lazy(), found.lazy()).sort(ROW).collect()
            yield Joined(flagged.select(list(own)), flagged.select(list(RESULT_SCHEMA)))

    write_table(joined(), path, TableFormat.PARQUET, schema=own, style=CsvStyle(), metadata=metadata)
    return written


def _parquet_frames(shard: ResultTable, rows: int) -> Iterator[pl.DataFrame]:
    scan = scan_files(shard.path)
    total = scan.select(pl.len()).collect().item()
    for start in range(0, total, rows):
        yield scan.slice(start, rows).collect()


def _record_frames(shard: ResultTable, header: int, rows: int) -> Iterator[pl.DataFrame]:
    """Yield the records of a CSV or JSONL table, behind its header, with their row numbers."""
    with shard.path.open("rb") as stream:
        stream.seek(header)
        records = _lines(stream) if shard.kind == "json" else _csv_records(stream)
        numbers = iter(()) if shard.kind == "json" else iter(_csv_rows(shard))
        while held := list(islice(records, rows)):
            found = list(map(_json_row, held)) if shard.kind == "json" else list(islice(numbers, len(held)))
            if len(found) != len(held):
                raise InvalidInput(f"{shard.path} is damaged: it has more lines than rows")
            yield pl.DataFrame({ROW: found, RECORD: held}, schema={ROW: pl.UInt64, RECORD: pl.Binary})


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    return (line for line in stream)


def _json_row(line: bytes) -> int:
    """Return the number of the row in a line: ours is the last member of that name."""
    start = line.rindex(_JSON_ROW) + len(_JSON_ROW)
    return int(line[start : line.index(b",", start)])


def _csv_records(stream: BinaryIO) -> Iterator[bytes]:
    """Yield whole records: a line that ends inside quotation marks goes on in the next."""
    held: list[bytes] = []
    quoted = False
    for line in stream:
        held.append(line)
        quoted ^= line.count(b'"') % 2 == 1
        if not quoted:
            yield b"".join(held)
            held = []
    if held:
        yield b"".join(held)


def _csv_rows(shard: ResultTable) -> pl.Series:
    return shard.collect(lambda cells: cells.select(ROW))[ROW]


def _common_header(shards: Sequence[ResultTable]) -> bytes:
    if shards[0].kind == "json":
        return b""
    headers = []
    for shard in shards:
        with shard.path.open("rb") as stream:
            headers.append(next(_csv_records(stream), b""))
    _require_equal(shards, headers)
    return headers[0]


def _require_equal(shards: Sequence[ResultTable], shapes: Sequence[object]) -> None:
    for shard, shape in zip(shards, shapes, strict=True):
        if shape != shapes[0]:
            raise InvalidInput(f"{shard.path} does not have the columns of {shards[0].path}: audit it again")


def _json_patch(line: bytes, names: list[str]) -> bytes:
    """Add what was found elsewhere to a line, as if the audit had written it."""
    start = line.rindex(_JSON_ROW)
    flags_end = line.index(b"]", line.index(b'"qc_flags":[', start))
    comma = b"" if line[flags_end - 1 : flags_end] == b"[" else b","
    found_in = line.rindex(b'"qc_found_in":[]')
    end = found_in + len(b'"qc_found_in":[')
    flag = f'"{Flag.FOUND_ELSEWHERE}"'.encode()
    inner = _as_json(names)[1:-1]
    return line[:flags_end] + comma + flag + line[flags_end:end] + inner + line[end:]


def _csv_patch(shard: ResultTable) -> Patch:
    """Return the function that adds what was found elsewhere to a record of this table."""
    separator = csv_separator(shard.path).encode()
    cell = re.compile(
        rb'(?:"(?:[^"]|"")*"|[^' + re.escape(separator) + rb'\n"]*)(?=' + re.escape(separator) + rb"|\n)"
    )
    flags_at, found_at = shard.columns.index("qc_flags"), shard.columns.index("qc_found_in")

    def patch(record: bytes, names: list[str]) -> bytes:
        cells = []
        end = -1
        while end < len(record) - 1:
            match = cell.match(record, end + 1)
            assert match is not None
            cells.append(match.group())
            end = match.end()
        known = cells[flags_at].strip(b'"')
        flags = (known + b";" if known else b"") + str(Flag.FOUND_ELSEWHERE).encode()
        cells[flags_at] = b'"' + flags + b'"' if separator in flags else flags
        cells[found_at] = b'"' + _as_json(names).replace(b'"', b'""') + b'"'
        return separator.join(cells) + b"\n"

    return patch


def _as_json(names: list[str]) -> bytes:
    return json.dumps(names, ensure_ascii=False, separators=(",", ":")).encode()
