"""Reading CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Literal

import pytest
from batch_tables import NAMES, opened, originals_of, places_of, rejects_of, rows_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quotecheck.batch import csv_reader
from quotecheck.batch.inputs import expand_inputs
from quotecheck.batch.options import TableFormat
from quotecheck.batch.records import ColumnNames
from quotecheck.batch.tables import open_table
from quotecheck.errors import InvalidInput


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("quote,source\na b,pmid:1\n", [("a b", "pmid:1", None)]),
        ("\ufeffquote,source\r\na b,pmid:1\r\n", [("a b", "pmid:1", None)]),
        ("\n\n Quote , SOURCE\na b,pmid:1", [("a b", "pmid:1", None)]),
        ("quote;source\na, b;pmid:1\n", [("a, b", "pmid:1", None)]),
        ('"quote";"source"\n"a; b";"pmid:1"\n', [("a; b", "pmid:1", None)]),
        ("quote\tsource\na, b; c\tpmid:1\n", [("a, b; c", "pmid:1", None)]),
        ("quote|source\na, b|pmid:1\n", [("a, b", "pmid:1", None)]),
        ("sep=;\nquote;source\na;pmid:1\n", [("a", "pmid:1", None)]),
        ("quote,source,text\na,x,A a.\nb,pmid:1,\n", [("a", "x", "A a."), ("b", "pmid:1", None)]),
        ("quote,text\na,A a.\n", [("a", None, "A a.")]),
        ('quote,source\n"one\ntwo",pmid:1\n', [("one\ntwo", "pmid:1", None)]),
        ('quote,source\n"one\r\ntwo",p\nb,p\n', [("one\r\ntwo", "p", None), ("b", "p", None)]),
        ('quote,source\nHe said "no" twice,pmid:1\n', [('He said "no" twice', "pmid:1", None)]),
        ('quote,source\nIt"s late,p\nb,p\n', [('It"s late', "p", None), ("b", "p", None)]),
        ('quote,source\n"She said ""no"" twice",pmid:1\n', [('She said "no" twice', "pmid:1", None)]),
        ("quote,source\n1.50,NA\nnull,007\n", [("1.50", "NA", None), ("null", "007", None)]),
        ("quote,source\nabc,pmid:1\n,", [("abc", "pmid:1", None), ("", "", None)]),
        ("quote,source\na\0b,pmid:1\n", [("a\0b", "pmid:1", None)]),
        ("quote,source\n", []),
    ],
)  # fmt: skip
def test_csv_is_read_as_written(tmp_path: Path, data: str, rows: list[tuple[object, ...]]) -> None:
    """Delimiters, marks, line ends and types come out as a person means them."""
    assert rows_of(opened(tmp_path / "rows.csv", data)) == rows


def test_windows_1252_is_read_and_said(tmp_path: Path) -> None:
    """A spreadsheet's own charset is read; a notice says so."""
    table = opened(tmp_path / "rows.csv", "quote;source\n“fög” – é;pmid:1\n".encode("cp1252"))
    assert rows_of(table) == [("“fög” – é", "pmid:1", None)]
    assert "windows-1252" in table.notices()[0]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    """Blank lines are no rows but count as lines; a row of several lines has its first."""
    data = 'quote,source\n\na,pmid:1\n"b\nc",pmid:2\n   \nd,pmid:3\n'
    assert places_of(opened(tmp_path / "rows.csv", data)) == [(0, 3), (1, 4), (2, 7)]


@pytest.mark.parametrize(
    ("lines", "rejects", "quotes"),
    [
        ("a,p\nb,p,c\nd,p\n", [(1, 3, "3 cells where the header has 2")], ["a", "d"]),
        ("a\nd,p\n", [(0, 2, "1 cell where the header has 2")], ["d"]),
        ('"a,p\nb,p\nc,p\n', [(0, 2, "a quotation mark opens a cell that is never closed")], ["b", "c"]),
        ('"no" he said,p\nb,p\n', [(0, 2, "a quotation mark inside a quoted cell is not doubled")], ["b"]),
        (
            'a,p\n"b,p\nc "x",p\nd,p\n',
            [(1, 3, "a quotation mark inside a quoted cell is not doubled (the cell spans 2 lines)")],
            ["a", 'c "x"', "d"],
        ),
        (
            '"a,p\nb,p\nc,"\nd,p\n',
            [
                (0, 2, "1 cell where the header has 2 (the cell spans 3 lines)"),
                (2, 4, "a quotation mark opens a cell that is never closed"),
            ],
            ["b", "d"],
        ),
        ('"one\ntwo",p,x\nb,p\n', [(0, 2, "3 cells where the header has 2")], ["b"]),
    ],
)  # fmt: skip
def test_bad_record_is_rejected_alone(
    tmp_path: Path, lines: str, rejects: list[tuple[int, int, str]], quotes: list[str]
) -> None:
    """A record that does not parse costs none of the lines behind it."""
    table = opened(tmp_path / "rows.csv", "quote,source\n" + lines)
    assert rejects_of(table) == rejects
    assert [row[0] for row in rows_of(table)] == quotes


def test_record_with_bytes_that_are_not_utf8_is_rejected_alone(tmp_path: Path) -> None:
    """One damaged byte in a UTF-8 file costs its own record."""
    table = opened(tmp_path / "rows.csv", "quote,source\nfög – é,p\n".encode() + b"b\xff,p\nc,p\n")
    assert rejects_of(table) == [(1, 3, "holds bytes that are not UTF-8")]
    assert [row[0] for row in rows_of(table)] == ["fög – é", "c"]


def test_header_with_line_breaks_is_read(tmp_path: Path) -> None:
    """Spreadsheets allow line breaks in names; lines and names go on as they are."""
    data = '\n"Quote\n(verbatim)";source;"a note;\nof ours"\na;p;x\n'
    names = ColumnNames(quote="quote (verbatim)", source="source", text=None)
    table = opened(tmp_path / "rows.csv", data, names)
    names_read = list(originals_of(table, TableFormat.CSV)[0])
    assert names_read == ["Quote\n(verbatim)", "source", "a note;\nof ours"]
    assert places_of(table) == [(0, 5)]


def test_file_of_one_endless_line_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no table, and is not read whole to find that out."""
    monkeypatch.setattr(csv_reader, "_HEADER_CHARACTERS", 100)
    with pytest.raises(InvalidInput, match="begins with a line of more than 100 characters"):
        opened(tmp_path / "rows.csv", "quote,source," + "x" * 200)


def test_mark_that_is_never_closed_makes_no_huge_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read in search of the closing mark is handed out again in bounded batches."""
    monkeypatch.setattr(csv_reader, "BATCH_ROWS", 50)
    monkeypatch.setattr(csv_reader, "_CHARACTERS_AHEAD", 40)
    table = opened(tmp_path / "rows.csv", 'quote,source\n"a,p\n' + "b,p\n" * 500)
    sizes = [batch.cells.height for batch in table.wanted()]
    assert sum(sizes) == 500
    assert max(sizes) < 65


def test_cell_beyond_the_limit_is_rejected_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quotation mark that is never closed does not read a whole file into one cell."""
    monkeypatch.setattr(csv_reader, "_CELL_CHARACTERS", 50)
    table = opened(tmp_path / "rows.csv", 'quote,source\n"a,p\n' + "b,p\n" * 30)
    assert [row[0] for row in rows_of(table)] == ["b"] * 30
    assert rejects_of(table)[0][2].startswith("a cell holds more than 50 characters")


def test_huge_cell_is_read_whole(tmp_path: Path) -> None:
    """The parser's usual limit of 131,072 characters is none of ours."""
    table = opened(tmp_path / "rows.csv", f'quote,text\na,"{"word " * 100_000}"\n')
    assert len(rows_of(table)[0][2]) == 500_000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("quote,source\ra,p\r\n", "old Macintosh"),
        ("quote,source,quote\na,p,b\n", "columns 1 and 3 have the same name 'quote'"),
        ("quote,source,qc_row\na,p,1\n", "qc_row"),
        ("text,url\na,p\n", "no column 'quote'"),
        ("\ufeff".encode() + b"quote,source,\xff\na,p,x\n", "the header holds bytes that are not UTF-8"),
    ],
)
def test_header_that_cannot_be_trusted_is_refused(tmp_path: Path, data: str | bytes, message: str) -> None:
    """No row is read under a header that is missing or ambiguous."""
    with pytest.raises(InvalidInput, match=message):
        opened(tmp_path / "rows.csv", data)


def test_columns_of_all_files_come_out_and_null_where_a_file_has_none(tmp_path: Path) -> None:
    """Two files with different columns are one table; numbers go on, lines begin again."""
    (tmp_path / "a.csv").write_text("quote,source,note\na,p,x\n")
    (tmp_path / "b.csv").write_text("source;id;quote\np;7;b\n")
    table = open_table(expand_inputs((str(tmp_path),)), NAMES)
    assert originals_of(table, TableFormat.PARQUET) == [
        {"quote": "a", "source": "p", "note": "x", "id": None},
        {"quote": "b", "source": "p", "note": None, "id": "7"},
    ]
    assert places_of(table) == [(0, 2), (1, 2)]


def test_columns_of_an_earlier_audit_are_dropped_on_request(tmp_path: Path) -> None:
    """What is replaced does not come out twice."""
    names = ColumnNames(quote="quote", source="source", text="text", replace_qc=True)
    table = opened(tmp_path / "rows.csv", "quote,source,qc_row\na,p,1\n", names)
    assert originals_of(table, TableFormat.PARQUET) == [{"quote": "a", "source": "p"}]


def test_batches_are_bounded_by_rows_and_by_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of huge cells needs no more memory than one of small cells."""
    data = "quote,source\n" + "a,p\n" * 10 + f"{'b' * 100},p\n" * 3
    monkeypatch.setattr(csv_reader, "BATCH_ROWS", 4)
    monkeypatch.setattr(csv_reader, "BATCH_CHARACTERS", 90)
    monkeypatch.setattr(csv_reader, "_CHARACTERS_AHEAD", 1)
    heights = [batch.cells.height for batch in opened(tmp_path / "rows.csv", data).wanted()]
    assert heights == [4, 4, 3, 1, 1]


# The standard library's writer leaves a carriage return unquoted, which no reader can undo.
cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(st.tuples(cells, cells), max_size=6),
    delimiter=st.sampled_from(csv_reader.DELIMITERS),
    line_end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC]),
)
def test_what_a_csv_writer_wrote_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str]],
    delimiter: str,
    line_end: str,
    quoting: Literal[0, 1, 2],
) -> None:
    """Any cells, any delimiter, any quoting: what was written is what is read."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerows([("quote", "source"), *rows])
    table = opened(tmp_path_factory.mktemp("csv") / "rows.csv", stream.getvalue())
    assert rows_of(table) == [(quote, source, None) for quote, source in rows]


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    lines=st.lists(st.text(st.sampled_from('ab ,"\té'), max_size=8), max_size=12),
    line_end=st.sampled_from(["\n", "\r\n"]),
    ahead=st.sampled_from([1, 12, 65_536]),
)
def test_lines_read_ahead_are_the_records_that_they_are_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], line_end: str, ahead: int
) -> None:
    """Good records, stray marks, cells of several lines: reading ahead changes no row, place or reject."""
    path = tmp_path_factory.mktemp("csv") / "rows.csv"
    table = opened(path, line_end.join(["quote,source", "good,p", *lines]))

    def read() -> tuple[object, ...]:
        return rows_of(table), places_of(table), rejects_of(table)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_reader, "_CHARACTERS_AHEAD", ahead)
        read_ahead = read()
        patch.setattr(csv_reader, "_plain_records", lambda lines, dialect: [])
        assert read_ahead == read()
