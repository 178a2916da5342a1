"""Shards of an audit: which rows they hold, and how they are named."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from batch_runs import audited, results_of, work_inline, write_jsonl
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.batch import getting
from quotecheck.batch.options import BatchOptions, FetchOptions, TableFormat
from quotecheck.batch.shards import Shard
from quotecheck.errors import InvalidOption, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import FetchRequest
from quotecheck.sources.many import Handle

TEXT = "The grey fog lay over the weir until noon."


def rows(count: int) -> list[dict[str, object]]:
    """Return rows of all kinds over nine sources; every seventh line is broken."""
    made: list[dict[str, object]] = []
    for number in range(count):
        row: dict[str, object] = {"id": number, "quote": f"fog lay over weir {number}"}
        match number % 4:
            case 0:
                row |= {"source": "s", "text": f"{TEXT} {number % 9}"}
            case 1:
                row |= {"source": f"https://example.org/{number % 9}"}
            case 2:
                row |= {"source": "no source"}
            case _:
                row |= {"quote": " ", "source": f"https://example.org/{number % 9}"}
        made.append(row)
    return made


def write_rows(path: Path, count: int) -> Path:
    lines = write_jsonl(path, rows(count)).read_text(encoding="utf-8").splitlines()
    broken = [line[:-1] if number % 7 == 6 else line for number, line in enumerate(lines)]
    path.write_text("\n".join(broken) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("text", ["4/4", "1", "a/b", "-1/2", "0/0", "1/2/3", "", "0/10001", "½/2", "0/00"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    """The message shows the form."""
    with pytest.raises(
        InvalidOption, match=r"is no shard: (give I/N .* example 0/4|they are counted from 0)"
    ):
        Shard.parse(text)


def test_shard_is_read_as_it_is_written() -> None:
    """Spaces around it do not matter."""
    assert Shard.parse(" 3/16 ") == Shard(3, 16)
    assert str(Shard(3, 16)) == "3/16"


@given(st.lists(st.tuples(st.none() | st.text(), st.integers(0, 10**9))), st.integers(1, 9))
def test_every_row_is_in_one_shard_with_all_rows_of_its_source(
    rows: list[tuple[str | None, int]], count: int
) -> None:
    """A source is never split, and a row without one belongs somewhere, too."""
    shards = [Shard(index, count) for index in range(count)]
    home: dict[str, int] = {}
    for key, row in rows:
        (holder,) = [shard.index for shard in shards if shard.holds(key, row)]
        if key is not None:
            assert home.setdefault(key, holder) == holder


def test_shard_of_a_key_never_changes() -> None:
    """Machines with other versions of Python or its libraries agree on it."""
    assert [Shard(i, 4).holds("https://example.org/", 0) for i in range(4)] == [False, True, False, False]


def test_shards_together_have_each_row_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Row numbers are those of the whole input; each shard counts what is its own."""
    work_inline(monkeypatch)
    table = str(write_rows(tmp_path / "rows.jsonl", 60))
    seen = []
    for index in range(3):
        output = tmp_path / f"{index}.jsonl"
        summary = audited(tmp_path, table, output=str(output), shard=Shard(index, 3)).summary
        assert summary is not None
        results = results_of(output)
        rejects = results_of(tmp_path / f"{index}.rejects.jsonl")
        assert summary.counts.rows == len(results) + len(rejects)
        assert summary.counts.rejected == len(rejects)
        assert sum(summary.counts.statuses.values()) == len(results)
        assert [row["id"] for row in results] == [row["qc_row"] for row in results]
        seen += [row["qc_row"] for row in results] + [reject["row"] for reject in rejects]
    assert sorted(seen) == list(range(60))


def test_shard_that_holds_no_row_has_an_empty_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no source hashes to it, a shard still has its files, for merge."""
    work_inline(monkeypatch)
    table = str(write_jsonl(tmp_path / "rows.jsonl", [{"quote": "fog lay", "source": "s", "text": TEXT}]))
    outcomes = [
        audited(tmp_path, table, output=str(tmp_path / f"{index}.parquet"), shard=Shard(index, 2))
        for index in range(2)
    ]
    assert sorted(outcome.summary.counts.rows for outcome in outcomes if outcome.summary) == [0, 1]
    assert {outcome.exit_code for outcome in outcomes} == {0}
    assert [len(results_of(tmp_path / f"{index}.parquet")) for index in range(2)] in ([0, 1], [1, 0])


def test_shard_keeps_to_its_part_of_every_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four shards together ask a host no more often than one run would."""
    work_inline(monkeypatch)
    asked: dict[str, object] = {}

    class Watched(Fetcher):
        def __init__(self, **options: object) -> None:
            asked.update(options)
            super().__init__()

        async def fetch_many(self, requests: Iterable[FetchRequest], handle: Handle) -> None:
            for request in requests:
                await handle(request, SourceUnavailable(ReasonCode.HTTP_410_GONE, "gone"))

    monkeypatch.setattr(getting, "Fetcher", Watched)
    table = str(write_jsonl(tmp_path / "rows.jsonl", [{"quote": "fog", "source": "http://a.example.org/"}]))
    for index in range(4):
        fetch = FetchOptions(store=tmp_path / "store.sqlite", per_host=8)
        audited(tmp_path, table, output=str(tmp_path / "out.csv"), shard=Shard(index, 4), fetch=fetch)
    assert (asked["rate_share"], asked["per_host"]) == (0.25, 2)


def test_results_of_shards_without_a_name_have_names_of_their_own(tmp_path: Path) -> None:
    """Shards that share a folder do not meet in one file."""
    table = str(write_jsonl(tmp_path / "rows.jsonl", [{"quote": "fog", "text": TEXT}]))
    outcome = audited(tmp_path, table, shard=Shard(0, 1))
    assert outcome.outputs is not None
    assert outcome.outputs.table == tmp_path / "rows.quotecheck.0-of-1.jsonl"


def test_shard_needs_a_file() -> None:
    """What goes to standard output could never be merged."""
    with pytest.raises(InvalidOption, match="a shard cannot go to standard output"):
        BatchOptions(inputs=("rows.csv",), output="-", format=TableFormat.CSV, shard=Shard(0, 2))
