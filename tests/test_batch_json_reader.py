"""Reading JSONL and JSON arrays."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from batch_tables import NAMES, opened, originals_of, places_of, rejects_of, rows_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quotecheck.batch import json_reader
from quotecheck.batch.inputs import expand_inputs
from quotecheck.batch.json_reader import RAW
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import ColumnNames
from quotecheck.batch.tables import open_table
from quotecheck.errors import InvalidInput

A = '{"quote": "a b", "source": "pmid:1"}'


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        (A, [("a b", "pmid:1", None)]),
        (f"\ufeff{A}\r\n   \r\n{A}", [("a b", "pmid:1", None)] * 2),
        ('{"Quote":"a","SOURCE ":"p","text":"A a."}', [("a", "p", "A a.")]),
        ('{"quote":"a","text":"A a."}\n{"quote":"b"}', [("a", None, "A a."), ("b", None, None)]),
        ('{"quote":"a","source":"p","extra":{"quote":"other"},"n":NaN}', [("a", "p", None)]),
        ('{"quote":"\\u00e9 \\ud83d\\ude00","source":"p"}', [("é 😀", "p", None)]),
        (f"[{A},\n {A}\n]", [("a b", "pmid:1", None)] * 2),
        (f"[{A}]", [("a b", "pmid:1", None)]),
        ('[\n  {\n    "quote": "a",\n    "source": "p"\n  }\n]\n', [("a", "p", None)]),
        ("[]", []),
        ("", []),
    ],
)  # fmt: skip
def test_json_is_read_as_written(tmp_path: Path, data: str, rows: list[tuple[object, ...]]) -> None:
    """Lines and arrays, with a byte order mark, blank lines and any line end."""
    assert rows_of(opened(tmp_path / "rows.json", data)) == rows


@pytest.mark.parametrize(
    ("line", "code", "wrong"),
    [
        ('{"quote": 5, "source": "p"}', "blank_quote", "the quote is a number (5), not text"),
        ('{"quote": true, "source": "p"}', "blank_quote", "the quote is true or false (true), not text"),
        ('{"quote": ["a"], "source": "p"}', "blank_quote", "the quote is an array, not text"),
        ('{"quote": {"a": 1}, "source": "p"}', "blank_quote", "the quote is an object, not text"),
        ('{"quote": "a", "source": 31}', "not_a_source", "the source is a number (31), not text"),
        (
            '{"quote": "a", "source": "p", "text": 3.5}',
            "not_a_source",
            "the text is a number (3.5), not text",
        ),
        ('{"quote": null, "source": "p"}', None, None),
        ('{"quote": "a", "source": 31, "text": "a"}', None, None),
    ],
)
def test_value_that_is_not_text_makes_its_row_invalid(
    tmp_path: Path, line: str, code: str | None, wrong: str | None
) -> None:
    """A number is no quotation; what it was is said."""
    (batch,) = opened(tmp_path / "rows.jsonl", line).wanted()
    assert batch.cells.row(0)[3:] == (code, wrong)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"quote": "a", ', "is not JSON"),
        (b'{"quote": "a", "source": "p"} x', "is not JSON: Extra data at column 31"),
        (b'["a", "p"]', "is an array, not an object"),
        (b'"a"', "is text, not an object"),
        (b"7", "is a number, not an object"),
        (b"null", "is null, not an object"),
        (b'{"quote": "a", "quote": "b"}', "names 'quote' twice"),
        (b'{"quote": "a\xff", "source": "p"}', "is not UTF-8 (byte 12 is 0xff)"),
        (b'{"quote": "\\ud83d lone", "source": "p"}', "the quote holds half a character (\\ud83d)"),
        (b'{"quote": "a", "source": "p\\udc00"}', "the source holds half a character (\\udc00)"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"1" * 5_000, "holds a number of more digits"),
    ],
)
def test_bad_line_is_rejected_alone(tmp_path: Path, line: bytes, reason: str) -> None:
    """A line that cannot be read as a row costs none of the others, which keep their numbers."""
    table = opened(tmp_path / "rows.jsonl", A.encode() + b"\n" + line + b"\n" + A.encode())
    ((row, number, found),) = rejects_of(table)
    assert (row, number, found[: len(reason)]) == (1, 2, reason)
    assert places_of(table) == [(0, 1), (2, 3)]


def test_line_beyond_the_limit_is_rejected_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that would fill the memory is not read whole."""
    monkeypatch.setattr(json_reader, "_LINE_BYTES", 64)
    long = '{"quote": "' + "a" * 200 + '"}'
    table = opened(tmp_path / "rows.jsonl", f"{A}\n{long}\n{A}\n")
    assert rejects_of(table) == [(1, 2, "is longer than 64 bytes")]
    assert places_of(table) == [(0, 1), (2, 3)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (f"[{A},,{A}]", "is not a JSON array"),
        (f"[{A} {A}]", "lacks a comma or the end"),
        (f"[{A}", "lacks a comma or the end"),
        ('{\n "quote": "a",\n "source": "p"\n}\n', "one JSON object over several lines"),
        (f'{{"rows": [\n{A}\n]}}', "one JSON object over several lines"),
        ('{"text": "a", "url": "p"}', "no column 'quote'"),
        ('{"quote": "a", "source": "p", "qc_status": "EXACT"}', "qc_status"),
    ],
)
def test_file_that_is_no_table_is_refused(tmp_path: Path, data: str, message: str) -> None:
    """What is wrong with the whole file is no row's fault."""
    with pytest.raises(InvalidInput, match=message):
        rows_of(opened(tmp_path / "rows.json", data))


def test_array_beyond_the_limit_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An array has to be read whole, lines do not."""
    monkeypatch.setattr(json_reader, "_ARRAY_BYTES", 50)
    with pytest.raises(InvalidInput, match="write it as JSONL"):
        opened(tmp_path / "rows.json", f"[{A}, {A}]")


def test_names_are_found_though_the_first_lines_are_bad(tmp_path: Path) -> None:
    """Columns are looked for in the lines that can be read."""
    assert rows_of(opened(tmp_path / "rows.jsonl", f"rubbish\n{{}}\n{A}")) == [
        (None, None, None),
        ("a b", "pmid:1", None),
    ]


def test_line_is_kept_byte_for_byte(tmp_path: Path) -> None:
    """Numbers, escapes, spaces and half characters elsewhere stay as they were."""
    line = '{ "quote":"a\\u0062" ,"source":"p", "n":1.50e+1,"big":123456789012345678901,"half":"\\ud800"  }'
    table = opened(tmp_path / "rows.jsonl", gzip.compress(f"{line}\r\n".encode()))
    assert originals_of(table, TableFormat.JSONL) == [{RAW: line.encode()}]


def test_element_of_an_array_is_kept_on_one_line(tmp_path: Path) -> None:
    """Line ends between tokens become spaces; nothing else changes."""
    table = opened(tmp_path / "rows.json", '[{"quote": "a",\n "source":\r\n"p", "n": 1.50}]')
    assert originals_of(table, TableFormat.JSONL) == [{RAW: b'{"quote": "a",  "source":  "p", "n": 1.50}'}]


def test_results_of_an_earlier_audit_are_dropped_on_request(tmp_path: Path) -> None:
    """The line is then written anew."""
    names = ColumnNames(quote="quote", source="source", text="text", replace_qc=True)
    table = opened(tmp_path / "rows.jsonl", '{"quote":"a","source":"p","qc_row":7,"id":1}', names)
    (row,) = originals_of(table, TableFormat.JSONL)
    assert json.loads(row[RAW]) == {"quote": "a", "source": "p", "id": 1}
    assert originals_of(table, TableFormat.CSV) == [{"quote": "a", "source": "p", "id": 1}]


def test_records_become_typed_columns_for_a_typed_table(tmp_path: Path) -> None:
    """Types come from all records; rejected ones have no say."""
    data = (
        '{"quote":"a","source":"p","id":1,"n":1}\nrubbish\n{"quote":"b","source":"p","n":2.5,"tags":["x"]}\n'
    )
    table = opened(tmp_path / "rows.jsonl", data)
    assert originals_of(table, TableFormat.PARQUET) == [
        {"quote": "a", "source": "p", "id": 1, "n": 1.0, "tags": None},
        {"quote": "b", "source": "p", "id": None, "n": 2.5, "tags": '["x"]'},
    ]
    assert table.notices() == ["nested values, or several types in one column, are written as text: 'tags'"]


def test_numbers_go_on_over_files(tmp_path: Path) -> None:
    """Rows are counted over the whole input, lines in each file."""
    (tmp_path / "a.jsonl").write_text(f"{A}\n{A}\n")
    (tmp_path / "b.jsonl").write_text(f"\n{A}\n")
    table = open_table(expand_inputs((str(tmp_path),)), NAMES)
    assert places_of(table) == [(0, 1), (1, 2), (2, 2)]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


records = st.fixed_dictionaries({"quote": st.text(max_size=8), "source": st.just("p"), "x": values})


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(records=st.lists(records, min_size=1, max_size=5), ascii_only=st.booleans())
def test_every_record_comes_out_once_in_order_and_unchanged(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], ascii_only: bool
) -> None:
    """Whatever a record holds, its line is kept; half characters in a quotation alone reject it."""
    lines = [
        json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") for record in records
    ]
    table = opened(tmp_path_factory.mktemp("json") / "rows.jsonl", b"\n".join(lines))
    kept = [row[RAW] for row in originals_of(table, TableFormat.JSONL)]
    rejected = {row for row, _, _ in rejects_of(table)}
    assert kept == [line for number, line in enumerate(lines) if number not in rejected]
    assert len(rows_of(table)) == len(kept)
