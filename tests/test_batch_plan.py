"""Planning an audit."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from batch_runs import bare_run

from quotecheck.batch.frame_reader import FrameTable
from quotecheck.batch.intermediate import scan_plan
from quotecheck.batch.interrupt import Interrupt, Interrupted
from quotecheck.batch.options import OnBadRow
from quotecheck.batch.plan import Plan, bucket_count, make_plan, read_rejects
from quotecheck.batch.records import WANTED_SCHEMA, Batch, ColumnNames, Reject
from quotecheck.errors import InvalidInput
from quotecheck.sources.store import Store

NAMES = ColumnNames(quote="quote", source="source", text="text")


def planned(folder: Path, rows: dict[str, list[str | None]], buckets: int = 4) -> tuple[Plan, pl.DataFrame]:
    paths = bare_run(folder)
    table = FrameTable(pl.DataFrame(rows, schema=dict.fromkeys(rows, pl.String)), NAMES)
    plan = make_plan(table, paths, buckets=buckets, on_bad_row=OnBadRow.REPORT, interrupt=Interrupt())
    return plan, scan_plan(paths).sort("row").collect()


def test_spellings_of_one_source_share_key_and_bucket(tmp_path: Path) -> None:
    """Each source is fetched once, and its rows are matched together."""
    spellings = [
        "https://example.org/a",
        "HTTPS://EXAMPLE.org:443/a#x",
        "doi:10.5555/A",
        "https://doi.org/10.5555/a",
    ]
    plan, rows = planned(tmp_path, {"quote": ["a"] * 4, "source": list(spellings)})
    assert rows["key"].to_list() == ["https://example.org/a"] * 2 + ["doi:10.5555/a"] * 2
    assert plan.sources == rows["key"].n_unique() == 2
    assert rows.group_by("key").agg(pl.col("bucket").n_unique())["bucket"].to_list() == [1, 1]


@pytest.mark.parametrize(
    ("quote", "source", "code"),
    [
        ("a", "pmid:1", None),
        ("灰色", "pmid:1", None),
        (None, "pmid:1", "blank_quote"),
        ("", "pmid:1", "blank_quote"),
        ("\u200b\u00ad", "pmid:1", "blank_quote"),
        ("— … !", "pmid:1", "blank_quote"),
        ("a", None, "blank_source"),
        ("a", " ", "blank_source"),
        ("a", "the minutes", "not_a_source"),
        ("", "the minutes", "blank_quote"),
        ("a", "http://10.0.0.1/", None),
    ],
)
def test_row_that_cannot_be_checked_is_invalid(
    tmp_path: Path, quote: str | None, source: str | None, code: str | None
) -> None:
    """A caller's mistake is seen before anything is fetched; a refused address is none."""
    _, rows = planned(tmp_path, {"quote": [quote], "source": [source]})
    assert rows["wrong_code"].item() == code
    assert (rows["wrong"].item() is None) is (code is None)


def test_text_goes_before_source_and_is_stored_once(tmp_path: Path) -> None:
    """A row with its own text is keyed by it, whatever its source says."""
    plan, rows = planned(
        tmp_path, {"quote": ["a", "b", "c"], "source": ["none", "pmid:1", "pmid:1"], "text": ["T", "T", None]}
    )
    assert rows["key"][0] == rows["key"][1] != rows["key"][2] == "pmid:1"
    assert rows["wrong_code"].null_count() == 3
    assert (plan.texts, plan.sources) == (2, 1)
    with Store(tmp_path / "run" / "texts.sqlite") as texts:
        assert texts.text(rows["key"][0].removeprefix("text:")) == "T"


def test_sources_are_listed_in_order_of_first_appearance_with_refusals(tmp_path: Path) -> None:
    """What the guard refuses as it is written is decided here, not by workers."""
    planned(
        tmp_path, {"quote": ["a", "", "b", "c"], "source": ["pmid:2", "pmid:9", "http://10.0.0.1/", "pmid:2"]}
    )
    sources = pl.read_parquet(tmp_path / "run" / "sources.parquet")
    assert sources.select("key", "rows", "refused_code").rows() == [
        ("pmid:2", 2, None),
        ("http://10.0.0.1/", 1, "address_not_public"),
    ]


def test_rows_are_in_exactly_one_bucket(tmp_path: Path) -> None:
    """Nothing is lost or doubled on the way into the buckets, over several pieces."""
    keys = [f"pmid:{number % 37 + 1}" for number in range(500)]
    plan, rows = planned(tmp_path, {"quote": ["a"] * 499 + [None], "source": list(keys)}, buckets=8)
    assert rows["row"].to_list() == list(range(500))
    assert (plan.records, plan.invalid, plan.buckets) == (500, 1, 8)


class TableWithRejects:
    """Yields one batch with one good and one bad record."""

    def wanted(self) -> list[Batch]:
        cells = pl.DataFrame([("a", "pmid:1", None, None, None)], schema=WANTED_SCHEMA, orient="row")
        numbers = pl.Series([1], dtype=pl.UInt64)
        return [Batch("rows.csv", numbers, numbers + 2, cells, (Reject(0, "rows.csv", 2, "is bad"),))]

    def notices(self) -> list[str]:
        return ["a notice"]


def test_rejects_and_notices_are_kept_with_the_plan(tmp_path: Path) -> None:
    """A resumed run knows them without reading the input again."""
    paths = bare_run(tmp_path)
    table = TableWithRejects()
    made = make_plan(table, paths, buckets=2, on_bad_row=OnBadRow.REPORT, interrupt=Interrupt())  # type: ignore[arg-type]
    assert Plan.load(paths) == made
    assert (made.records, made.rejected, made.notices) == (2, 1, ("a notice",))
    assert list(read_rejects(paths)) == [Reject(0, "rows.csv", 2, "is bad")]


def test_reject_stops_planning_on_request(tmp_path: Path) -> None:
    """The message names the place and the way out."""
    with pytest.raises(InvalidInput, match=r"rows\.csv, line 2: is bad"):
        make_plan(
            TableWithRejects(),  # type: ignore[arg-type]
            bare_run(tmp_path),
            buckets=2,
            on_bad_row=OnBadRow.FAIL,
            interrupt=Interrupt(),
        )


def test_interrupted_plan_is_no_plan(tmp_path: Path) -> None:
    """Planning begins anew in the next run."""
    paths, interrupt = bare_run(tmp_path), Interrupt()
    interrupt.ask()
    table = TableWithRejects()
    with pytest.raises(Interrupted):
        make_plan(table, paths, buckets=2, on_bad_row=OnBadRow.REPORT, interrupt=interrupt)  # type: ignore[arg-type]
    assert Plan.load(paths) is None


def test_remains_of_an_interrupted_plan_are_dropped(tmp_path: Path) -> None:
    """Half a plan from before does not mix with the new one."""
    stale = tmp_path / "run" / "plan" / "00007" / "000000.parquet"
    paths = bare_run(tmp_path)
    stale.parent.mkdir(parents=True)
    pl.DataFrame({"row": [99]}).write_parquet(stale)
    table = TableWithRejects()
    make_plan(table, paths, buckets=2, on_bad_row=OnBadRow.REPORT, interrupt=Interrupt())  # type: ignore[arg-type]
    assert scan_plan(paths).collect()["row"].to_list() == [1]


@pytest.mark.parametrize(
    ("size", "workers", "buckets"), [(0, 2, 4), (40_000_000, 2, 10), (10**12, 2, 128), (0, 100, 200)]
)
def test_buckets_suit_workers_and_memory(size: int, workers: int, buckets: int) -> None:
    """Enough for all workers; neither huge nor thousands."""
    assert bucket_count(size, workers) == buckets


def test_plan_figures_are_plain_json(tmp_path: Path) -> None:
    """The record of the plan can be read by people."""
    planned(tmp_path, {"quote": ["a"], "source": ["pmid:1"]})
    assert json.loads((tmp_path / "run" / "plan.json").read_text())["records"] == 1
