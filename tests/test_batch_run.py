"""Audits of tables, from input to results."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from batch_runs import audited, results_of, work_inline, write_jsonl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from quotecheck.batch.columns import RESULT_SCHEMA
from quotecheck.batch.gates import Gates
from quotecheck.batch.options import FetchOptions, OnBadRow, TableFormat
from quotecheck.batch.parquet_files import read_files
from quotecheck.errors import InvalidInput, InvalidOption, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.store import Store

TEXT = "The grey fog – she wrote – stood over the weir until noon. No boat left the harbour that day."
ROWS = [
    {"id": "007", "quote": "grey fog - she wrote - stood", "text": TEXT},
    {"id": "1e5", "quote": "boats left the harbour that day", "text": TEXT},
    {"id": "x", "quote": "the lighthouse keeper was asleep", "text": TEXT},
    {"id": "y", "quote": " ", "text": TEXT},
    {"id": "z", "quote": "grey fog", "source": "the society's minutes"},
    {"id": "d", "quote": "grey fog", "source": "http://10.0.0.1/"},
    {"id": "e", "quote": "grey fog", "source": "pmid:1"},
    {"id": "f", "quote": "grey fog", "text": ""},
]
STATUSES = ["EXACT", "NEAR", "NOT_FOUND", "INVALID", "INVALID", *["SOURCE_UNAVAILABLE"] * 2, "NOT_FOUND"]


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    work_inline(monkeypatch)


@pytest.fixture
def rows(tmp_path: Path) -> str:
    return str(write_jsonl(tmp_path / "rows.jsonl", ROWS))


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_every_row_gets_its_verdict_in_every_format(tmp_path: Path, rows: str, suffix: str) -> None:
    """Statuses, offsets and the source's wording come out alike."""
    output = tmp_path / f"out.{suffix}"
    assert audited(tmp_path, rows, output=str(output)).exit_code == 0
    results = results_of(output)
    assert [row["qc_status"] for row in results] == STATUSES
    assert [row["id"] for row in results] == [row["id"] for row in ROWS]
    assert (str(results[0]["qc_char_start"]), str(results[0]["qc_char_end"])) == ("4", "32")
    assert results[0]["qc_snippet"] == TEXT[4:32]


def test_table_has_the_documented_columns_in_order(tmp_path: Path, rows: str) -> None:
    """All columns of the input first, then ours with their types."""
    audited(tmp_path, rows, output=str(tmp_path / "out.parquet"))
    schema = pl.read_parquet_schema(tmp_path / "out.parquet")
    assert list(schema) == ["id", "quote", "text", "source", *RESULT_SCHEMA]
    assert {name: schema[name] for name in RESULT_SCHEMA} == RESULT_SCHEMA


@pytest.mark.parametrize(
    ("row", "code", "reason"),
    [
        (3, "blank_quote", "the quotation is blank"),
        (4, "not_a_source", "is not a source"),
        (5, "address_not_public", "10.0.0.1 is not at a public address"),
        (6, "not_in_store", "nothing is fetched offline"),
    ],
)
def test_row_without_verdict_says_why(tmp_path: Path, rows: str, row: int, code: str, reason: str) -> None:
    """A reason code for programs, a sentence for people."""
    audited(tmp_path, rows, output=str(tmp_path / "out.jsonl"))
    result = results_of(tmp_path / "out.jsonl")[row]
    assert result["qc_reason_code"] == code
    assert reason in result["qc_reason"]


def test_empty_text_is_not_found_with_similarity_zero(tmp_path: Path, rows: str) -> None:
    """A source that is known to be empty was looked at."""
    audited(tmp_path, rows, output=str(tmp_path / "out.jsonl"))
    result = results_of(tmp_path / "out.jsonl")[7]
    assert (result["qc_status"], result["qc_similarity"]) == ("NOT_FOUND", 0.0)


def test_csv_result_reads_back_with_all_its_cells(tmp_path: Path) -> None:
    """Line ends, marks, delimiters and formulas in cells stay; flags are joined, the rest is JSON."""
    cells = ["fog", 'a "b"; c', "two\nlines", "=1+1", "007", "", "ü,;\t"]
    lines = [["n", "quote", "text"], *([str(n), cell, cell] for n, cell in enumerate(cells))]
    stream = io.StringIO()
    csv.writer(stream, delimiter=";").writerows(lines)
    (tmp_path / "rows.csv").write_text("\ufeff" + stream.getvalue(), encoding="utf-8", newline="")
    audited(tmp_path, str(tmp_path / "rows.csv"), output=str(tmp_path / "out.csv"))
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert text.startswith("\ufeffn;quote;text;qc_row;")
    read = list(csv.reader(io.StringIO(text[1:]), delimiter=";"))
    assert [row[:3] for row in read] == lines
    assert read[1][read[0].index("qc_flags")] == "short_quote"
    assert read[1][read[0].index("qc_differences")] == "[]"


def test_nested_results_are_json_in_csv(tmp_path: Path, rows: str) -> None:
    """Word differences read back as what they are in JSONL."""
    audited(tmp_path, rows, output=str(tmp_path / "out.csv"))
    audited(tmp_path, rows, output=str(tmp_path / "out.jsonl"))
    flat, nested = results_of(tmp_path / "out.csv")[1], results_of(tmp_path / "out.jsonl")[1]
    assert json.loads(flat["qc_differences"]) == nested["qc_differences"] != []


@pytest.mark.parametrize("packed", [False, True])
def test_jsonl_line_is_copied_byte_for_byte(tmp_path: Path, packed: bool) -> None:
    """What we add stands before the closing brace."""
    line = b'{ "quote":"a\\u0062 c" ,"text":"ab c", "n":1.50e+1, "half":"\\udc80"  }'
    data = gzip.compress(line) if packed else line
    (tmp_path / "rows.jsonl").write_bytes(data)
    audited(tmp_path, str(tmp_path / "rows.jsonl"), output=str(tmp_path / "out.jsonl"))
    result = (tmp_path / "out.jsonl").read_bytes()
    assert result.startswith(line.removesuffix(b"}") + b',"qc_row":0,')
    assert result.endswith(b'"qc_found_in":[]}\n')


def test_parquet_columns_of_every_type_come_out_unchanged(tmp_path: Path) -> None:
    """The input's own columns are equal, nested ones too."""
    frame = pl.DataFrame(
        {
            "quote": ["fog", "mist"],
            "text": ["grey fog", None],
            "source": [None, "pmid:1"],
            "n": pl.Series([1, None], dtype=pl.UInt8),
            "nested": [[{"a": 1}], None],
            "raw": [b"\xff", None],
            "span": pl.Series([1, 2], dtype=pl.Duration("ms")),
        }
    )
    frame.write_parquet(tmp_path / "rows.parquet")
    audited(tmp_path, str(tmp_path / "rows.parquet"), output=str(tmp_path / "out.parquet"))
    assert_frame_equal(pl.read_parquet(tmp_path / "out.parquet").select(frame.columns), frame)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_values_that_a_format_cannot_hold_are_refused(tmp_path: Path, suffix: str) -> None:
    """Binary values are written as Parquet or not at all; nothing is left behind."""
    frame = pl.DataFrame({"quote": ["fog"], "text": ["grey fog"], "raw": [[b"\xff"]]})
    frame.write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InvalidInput, match="column 'raw' holds List"):
        audited(tmp_path, str(tmp_path / "rows.parquet"), output=str(tmp_path / f"out.{suffix}"))
    assert not list(tmp_path.glob("out*"))


def test_rejected_records_are_counted_and_listed(tmp_path: Path) -> None:
    """A bad record costs its own row, keeps the numbers of the others, and is in the rejects."""
    (tmp_path / "rows.jsonl").write_text('{"quote":"a","text":"a"}\nrubbish\n{"quote":"b","text":"b"}\n')
    outcome = audited(tmp_path, str(tmp_path / "rows.jsonl"), output=str(tmp_path / "out.jsonl"))
    assert [(row["qc_row"], row["qc_line"]) for row in results_of(tmp_path / "out.jsonl")] == [(0, 1), (2, 3)]
    (reject,) = results_of(tmp_path / "out.rejects.jsonl")
    assert (reject["row"], reject["line"]) == (1, 2)
    assert outcome.summary is not None
    assert outcome.summary.to_dict()["rows"] == {
        "read": 3,
        "judged": 2,
        "unavailable": 0,
        "invalid": 0,
        "rejected": 1,
    }


@pytest.mark.parametrize(("on_bad_row", "code"), [(OnBadRow.REPORT, 1), (OnBadRow.SKIP, 0)])
def test_rejected_record_fails_strict_unless_skipped(tmp_path: Path, on_bad_row: OnBadRow, code: int) -> None:
    """Strict means that every record was judged, unless the caller said otherwise."""
    (tmp_path / "rows.jsonl").write_text('{"quote":"a","text":"a"}\nrubbish\n')
    outcome = audited(
        tmp_path,
        str(tmp_path / "rows.jsonl"),
        output=str(tmp_path / "out.jsonl"),
        on_bad_row=on_bad_row,
        gates=Gates(strict=True),
    )
    assert outcome.exit_code == code


def test_rejected_record_stops_the_run_on_request(tmp_path: Path) -> None:
    """The first bad record is named, and no result is written."""
    (tmp_path / "rows.jsonl").write_text('{"quote":"a","text":"a"}\nrubbish\n')
    with pytest.raises(InvalidInput, match="line 2: is not JSON"):
        audited(
            tmp_path,
            str(tmp_path / "rows.jsonl"),
            output=str(tmp_path / "out.jsonl"),
            on_bad_row=OnBadRow.FAIL,
        )
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("data", ["", '{"quote":"","text":"a"}\n', '{"quote":"a","source":"pmid:1"}\n'])
def test_audit_that_judged_nothing_fails(tmp_path: Path, data: str) -> None:
    """Green must never mean that nothing was looked at."""
    (tmp_path / "rows.jsonl").write_text(data)
    assert audited(tmp_path, str(tmp_path / "rows.jsonl"), output=str(tmp_path / "out.jsonl")).exit_code == 1


def test_result_without_a_name_lies_beside_the_input(tmp_path: Path, rows: str) -> None:
    """Its name says what it is; the run's own folder is gone at the end."""
    audited(tmp_path, rows)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == [
        "rows.jsonl",
        "rows.quotecheck.jsonl",
        "rows.quotecheck.manifest.json",
        "rows.quotecheck.rejects.jsonl",
        "rows.quotecheck.sources.parquet",
    ]


def test_names_with_brackets_are_no_patterns(tmp_path: Path, rows: str) -> None:
    """Neither of the run's own folder nor of an input."""
    first, second = tmp_path / "[x].parquet", tmp_path / "k=v[0-9].parquet"
    audited(tmp_path, rows, output=str(first))
    outcome = audited(tmp_path, str(first), output=str(second), replace_qc=True)
    assert outcome.exit_code == 0
    assert read_files(second).columns == read_files(first).columns


def test_table_on_standard_output_is_alone_there(
    tmp_path: Path, rows: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """With -o - the summary goes to standard error only, and no file is written."""
    audited(tmp_path, rows, output="-", format=TableFormat.CSV)
    out, err = capfdbinary.readouterr()
    assert len(list(csv.reader(io.StringIO(out.decode())))) == len(ROWS) + 1
    assert err.startswith(b"rows read: 8 = judged 4 + unavailable 2 + invalid 2 + rejected 0")
    assert {path.name for path in tmp_path.iterdir()} == {"rows.jsonl", "cache"}


def test_summary_is_json_on_standard_output(
    tmp_path: Path, rows: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Programs read the summary there, and from a file on request."""
    audited(tmp_path, rows, output=str(tmp_path / "out.csv"), summary_json=tmp_path / "summary.json")
    printed = json.loads(capfdbinary.readouterr().out)
    assert printed["statuses"]["NEAR"] == 1
    assert json.loads((tmp_path / "summary.json").read_text()) == printed


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_standard_input_is_read_as_the_file_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The same bytes give the same table; only the file's name is missing."""
    frame = pl.DataFrame({"quote": ["fog", "mist"], "text": ["grey fog", "grey fog"]})
    path = tmp_path / name
    {".csv": frame.write_csv, ".jsonl": frame.write_ndjson, ".parquet": frame.write_parquet}[path.suffix](
        path
    )
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    audited(tmp_path, "-", output=str(tmp_path / "piped.jsonl"))
    audited(tmp_path, str(path), output=str(tmp_path / "read.jsonl"))
    piped, read = results_of(tmp_path / "piped.jsonl"), results_of(tmp_path / "read.jsonl")
    assert [row | {"qc_file": None} for row in read] == piped


def test_only_problems_are_written_on_request(tmp_path: Path, rows: str) -> None:
    """A second table has the rows that are not EXACT."""
    audited(tmp_path, rows, output=str(tmp_path / "out.csv"), only_problems=tmp_path / "problems.jsonl")
    problems = results_of(tmp_path / "problems.jsonl")
    assert [row["qc_status"] for row in problems] == STATUSES[1:]
    assert problems[0]["id"] == "1e5"


def test_stored_page_is_matched_offline(tmp_path: Path) -> None:
    """All spellings of a source share its page; the row says where it came from and when."""
    with Store(tmp_path / "cache" / "store.sqlite") as store:
        page = store.put_page(
            "https://example.org/fog",
            b"<title>Weather</title><p>Grey fog.",
            content_type="text/html",
            final_url="https://example.org/fog/",
        )
        error = SourceUnavailable(ReasonCode.HTTP_404_NOT_FOUND, "gone", final_url="https://example.org/no")
        store.put_failure("https://example.org/no", error)
    sources = ["https://example.org/fog", "https://EXAMPLE.org:443/fog#top", "https://example.org/no"]
    rows = write_jsonl(tmp_path / "r.jsonl", [{"quote": "grey fog", "source": source} for source in sources])
    audited(tmp_path, str(rows), output=str(tmp_path / "out.parquet"))
    first, second, third = results_of(tmp_path / "out.parquet")
    assert first["qc_status"] == second["qc_status"] == "NEAR"
    assert (second["qc_final_url"], second["qc_fetched_at"]) == ("https://example.org/fog/", page.fetched_at)
    assert (third["qc_reason_code"], third["qc_reason"]) == ("http_404_not_found", "gone")


def test_sources_table_has_one_row_for_each_source(tmp_path: Path, rows: str) -> None:
    """In order of first appearance, with state and reason."""
    audited(tmp_path, rows, output=str(tmp_path / "out.csv"))
    sources = pl.read_parquet(tmp_path / "out.sources.parquet")
    assert sources.select("state", "rows", "reason_code").rows() == [
        ("text", 3, None),
        ("unavailable", 1, "address_not_public"),
        ("unavailable", 1, "not_in_store"),
        ("text", 1, None),
    ]
    assert sources["source"].to_list()[1:3] == ["http://10.0.0.1/", "pmid:1"]


def test_text_column_is_ignored_on_request(tmp_path: Path) -> None:
    """Then the source counts, whatever a column is called."""
    row = {"quote": "grey fog", "text": "grey fog", "source": "pmid:1"}
    path = write_jsonl(tmp_path / "rows.jsonl", [row])
    audited(tmp_path, str(path), output=str(tmp_path / "out.jsonl"), text_col=None)
    assert results_of(tmp_path / "out.jsonl")[0]["qc_reason_code"] == "not_in_store"


def test_audit_of_its_own_result_replaces_the_results(tmp_path: Path, rows: str) -> None:
    """A result can be audited again, and comes out the same."""
    audited(tmp_path, rows, output=str(tmp_path / "one.jsonl"))
    with pytest.raises(InvalidInput, match="--replace-qc"):
        audited(tmp_path, str(tmp_path / "one.jsonl"), output=str(tmp_path / "two.jsonl"))
    audited(tmp_path, str(tmp_path / "one.jsonl"), output=str(tmp_path / "two.jsonl"), replace_qc=True)
    one, two = results_of(tmp_path / "one.jsonl"), results_of(tmp_path / "two.jsonl")
    assert [row | {"qc_file": ""} for row in one] == [row | {"qc_file": ""} for row in two]


def test_equal_inputs_options_and_texts_give_equal_tables(tmp_path: Path, rows: str) -> None:
    """Two runs with the same texts digest have the same rows."""
    for name in ("one", "two"):
        audited(tmp_path, rows, output=str(tmp_path / f"{name}.parquet"))
    one, two = (json.loads((tmp_path / f"{name}.manifest.json").read_text()) for name in ("one", "two"))
    assert one["texts_digest"] == two["texts_digest"]
    assert one["inputs"] == two["inputs"]
    assert_frame_equal(pl.read_parquet(tmp_path / "one.parquet"), pl.read_parquet(tmp_path / "two.parquet"))


def test_texts_digest_tells_that_a_page_has_changed(tmp_path: Path) -> None:
    """Another text, another digest."""
    rows = write_jsonl(tmp_path / "rows.jsonl", [{"quote": "grey fog", "source": "https://example.org/"}])
    digests = []
    for body in (b"grey fog", b"grey mist"):
        with Store(tmp_path / "cache" / "store.sqlite") as store:
            store.put_page("https://example.org/", body, content_type="text/plain")
        audited(tmp_path, str(rows), output=str(tmp_path / "out.csv"))
        digests.append(json.loads((tmp_path / "out.manifest.json").read_text())["texts_digest"])
    assert digests[0] != digests[1]


def unfinished(folder: Path, rows: str, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Leave a run whose table could not be written."""
    monkeypatch.setattr("quotecheck.batch.results.write_table", _full_disk)
    assert audited(folder, rows, output=str(folder / "out.csv"), **options).exit_code == 3
    monkeypatch.undo()
    work_inline(monkeypatch)


def _full_disk(*arguments: object, **options: object) -> None:
    raise OSError(28, "No space left on device")


def test_unfinished_run_says_how_to_go_on_and_goes_on(
    tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last line is the command that finishes the run."""
    unfinished(tmp_path, rows, monkeypatch)
    lines = capsys.readouterr().err.splitlines()
    assert lines[-2] == "the audit did not finish: [Errno 28] No space left on device"
    assert lines[-1].startswith(f"when that is mended, go on where it stopped: quotecheck batch {rows} -o ")
    assert audited(tmp_path, rows, output=str(tmp_path / "out.csv")).exit_code == 0
    assert not (tmp_path / "out.run").exists()


def test_unfinished_run_with_another_input_is_refused(
    tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results of two inputs are never mixed; --restart drops the old ones."""
    unfinished(tmp_path, rows, monkeypatch)
    write_jsonl(Path(rows), ROWS[:2])
    with pytest.raises(InvalidInput, match=r"an unfinished run with another input.*--restart"):
        audited(tmp_path, rows, output=str(tmp_path / "out.csv"))
    audited(tmp_path, rows, output=str(tmp_path / "out.csv"), restart=True)
    assert len(results_of(tmp_path / "out.csv")) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"near_threshold": 0.8},
        {"quote_col": "id"},
        {"text_col": None},
        {"on_bad_row": OnBadRow.SKIP},
        {"fetch": FetchOptions(offline=True, store=Path("other.sqlite"))},
    ],
)
def test_unfinished_run_with_other_options_is_refused(
    tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    """Results of two settings are never mixed."""
    unfinished(tmp_path, rows, monkeypatch)
    with pytest.raises(InvalidInput, match="other options"):
        audited(tmp_path, rows, output=str(tmp_path / "out.csv"), **options)


def test_run_that_could_not_begin_is_no_unfinished_one(tmp_path: Path, rows: str) -> None:
    """Naming another store, as the message says, is not refused as another option."""
    output, store = str(tmp_path / "out.csv"), tmp_path / "a folder"
    store.mkdir()
    with pytest.raises(InvalidInput, match="name another file with --store"):
        audited(tmp_path, rows, output=output, fetch=FetchOptions(offline=True, store=store))
    assert audited(tmp_path, rows, output=output).exit_code == 0


def test_unfinished_run_goes_on_with_other_gates_and_workers(
    tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What does not decide the table may differ."""
    unfinished(tmp_path, rows, monkeypatch)
    output = str(tmp_path / "out.csv")
    assert audited(tmp_path, rows, output=output, workers=1, gates=Gates(strict=True)).exit_code == 1


def test_input_that_changes_during_the_run_is_refused(
    tmp_path: Path, rows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results are never put beside rows that they are not for."""

    def change_input(*arguments: Any, **options: Any) -> Any:
        write_jsonl(Path(rows), ROWS[:3])
        return fetch_and_match(*arguments, **options)

    from quotecheck.batch.work import fetch_and_match

    monkeypatch.setattr("quotecheck.batch.engine.fetch_and_match", change_input)
    with pytest.raises(InvalidInput, match="has changed during the run"):
        audited(tmp_path, rows, output=str(tmp_path / "out.csv"))
    assert not (tmp_path / "out.csv").exists()


def test_output_that_is_an_input_is_refused(tmp_path: Path, rows: str) -> None:
    """An audit never replaces what it reads."""
    with pytest.raises(InvalidOption, match="is an input"):
        audited(tmp_path, rows, output=rows)


cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
table = st.lists(
    st.fixed_dictionaries({"quote": cells, "text": cells, "note": cells}), min_size=1, max_size=8
)


@settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rows=table, form=st.sampled_from(["csv", "jsonl", "parquet"]), output=st.sampled_from(list(TableFormat))
)
def test_every_row_comes_out_once_in_order_and_unchanged(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]], form: str, output: TableFormat
) -> None:
    """Whatever the cells hold, from each format to each."""
    folder = tmp_path_factory.mktemp("audit")
    path, frame = folder / f"rows.{form}", pl.DataFrame(rows)
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[form](path)
    audited(folder, str(path), output=str(folder / f"out.{output}"))
    results = results_of(folder / f"out.{output}")
    assert [{name: row[name] or "" for name in rows[0]} for row in results] == rows
    assert [int(row["qc_row"]) for row in results] == list(range(len(rows)))
