"""Quotations that their own source lacks and another source of the batch has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from batch_runs import audited, results_of, work_inline, write_jsonl

from quotecheck.batch import elsewhere
from quotecheck.batch.columns import ROW
from quotecheck.batch.elsewhere import (
    HIT_SCHEMA,
    LISTED,
    Hits,
    NamedSource,
    Searcher,
    collected,
    wanted_quotes,
)
from quotecheck.batch.gates import Gates
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.records import QUOTE
from quotecheck.models import CheckResult, Source
from quotecheck.sources.store import Store
from quotecheck.text.match import PreparedText

FOG = "The grey fog lay over the weir."


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    work_inline(monkeypatch)


def text_row(quote: str, name: str, text: str) -> dict[str, Any]:
    return {"quote": quote, "source": name, "text": text}


def findings(folder: Path, rows: list[dict[str, Any]], **options: Any) -> list[tuple[bool, list[str]]]:
    """Audit rows; return of each whether it has the flag, and where it was found."""
    output = folder / "out.jsonl"
    audited(folder, str(write_jsonl(folder / "rows.jsonl", rows)), output=str(output), **options)
    return [("found_elsewhere" in row["qc_flags"], row["qc_found_in"]) for row in results_of(output)]


def absent_frame(quotes: list[str]) -> pl.DataFrame:
    numbers = pl.Series(range(0, 2 * len(quotes), 2), dtype=pl.UInt64)
    return pl.DataFrame({ROW: numbers, QUOTE: quotes})


def hits(*found: tuple[int, int, str]) -> Hits:
    return Hits(pl.DataFrame(found, schema=HIT_SCHEMA, orient="row"))


def test_misattributed_quotation_names_the_sources_that_hold_it(tmp_path: Path) -> None:
    """It stays NOT_FOUND in its own source; other rows are left alone."""
    rows = [
        text_row("fog lay over the weir", "a", "Only sheep."),
        text_row("only wolves", "b", FOG),
        text_row("fog lay over the weir", "c", "The grey fog lay over\nthe weir."),
    ]
    assert findings(tmp_path, rows) == [(True, ["b", "c"]), (False, []), (False, [])]


def test_near_passage_elsewhere_is_no_finding(tmp_path: Path) -> None:
    """Only an EXACT passage says that the quotation belongs to another source."""
    rows = [text_row("fog lay over the weirs", "a", "Only sheep."), text_row("sheep", "b", FOG)]
    assert findings(tmp_path, rows) == [(False, []), (True, ["a"])]


def test_bare_equal_words_that_are_others_are_no_finding(tmp_path: Path) -> None:
    """Equal letters with other spaces are not the same words."""
    rows = [text_row("saw the rapist run", "a", "Sheep."), text_row("x", "b", "We saw therapist run by.")]
    assert findings(tmp_path, rows) == [(False, []), (False, [])]


def test_page_is_named_by_its_key_and_a_nameless_text_by_its_digest(tmp_path: Path) -> None:
    """What can be joined with the table of sources is preferred; a person's own name for a text is kept."""
    url = "https://example.org/fog"
    with Store(tmp_path / "store.sqlite") as store:
        store.put_page(url, FOG.encode(), content_type="text/plain", final_url=url)
    rows = [
        text_row("grey fog lay", "a", "Only sheep."),
        {"quote": "only sheep graze", "source": "HTTPS://EXAMPLE.org/fog#top"},
        {"quote": "weir", "source": None, "text": "A grey fog lay here."},
    ]
    fetch = FetchOptions(store=tmp_path / "store.sqlite", offline=True)
    (found, names), *_ = findings(tmp_path, rows, fetch=fetch)
    assert found
    assert names[0] == url
    assert names[1].startswith("text:")


def test_unavailable_sources_are_not_searched(tmp_path: Path) -> None:
    """What could not be read holds nothing."""
    rows = [text_row("grey fog", "a", "Sheep."), {"quote": "grey fog", "source": "https://example.org/"}]
    assert findings(tmp_path, rows) == [(False, []), (False, [])]


def test_finding_reaches_table_summary_and_gates(tmp_path: Path) -> None:
    """The flag is counted and can fail a run."""
    rows = [text_row("grey fog lay", "a", "Sheep."), text_row("Sheep", "b", FOG)]
    table = str(write_jsonl(tmp_path / "rows.jsonl", rows))
    gates = Gates(fail_on=("found_elsewhere",))
    outcome = audited(tmp_path, table, output=str(tmp_path / "out.parquet"), gates=gates)
    assert outcome.exit_code == 1
    assert outcome.summary is not None
    assert outcome.summary.counts.flags["found_elsewhere"] == 2
    assert pl.read_parquet(tmp_path / "out.parquet")["qc_found_in"].to_list() == [["b"], ["a"]]


def test_first_sources_are_listed_and_the_rest_is_told(tmp_path: Path) -> None:
    """A phrase that stands everywhere names the first sources, each once, in order of first appearance."""
    rows = [text_row("grey fog lay", "own", "Sheep.")]
    rows += [text_row("weir", f"s{number:02}", f"{FOG} {number}") for number in range(LISTED + 3)]
    rows += [text_row("weir", "s00", f"{FOG} again")]
    table = str(write_jsonl(tmp_path / "rows.jsonl", rows))
    outcome = audited(tmp_path, table, output=str(tmp_path / "out.jsonl"))
    assert results_of(tmp_path / "out.jsonl")[0]["qc_found_in"] == [
        f"s{number:02}" for number in range(LISTED)
    ]
    assert outcome.summary is not None
    assert (
        f"1 quotations stand in many other sources: the first {LISTED} of them are named"
        in outcome.summary.notices
    )


@pytest.mark.parametrize("cut", [1, 2, 5, 40])
def test_result_does_not_depend_on_how_the_sources_are_parted(cut: int) -> None:
    """Whichever worker has which sources, the same are named in the same order."""
    quotes = ["grey fog lay", "over the weir", "no such words", "fog"]
    sources = [
        NamedSource(number, f"s{number % 17}", Source(FOG if number % 3 else "A weir in fog."))
        for number in range(40)
    ]
    absent = absent_frame(quotes)
    searcher = Searcher(wanted_quotes(absent))
    parts = [searcher.search(sources[start::cut]) for start in range(cut)]
    whole = collected(absent, wanted_quotes(absent), [searcher.search(sources)])
    assert collected(absent, wanted_quotes(absent), parts).rows.equals(whole.rows)
    assert whole.rows[ROW].to_list() == [0, 2, 6]
    assert whole.rows["found_in"][0].to_list() == [
        "s1",
        "s2",
        "s4",
        "s5",
        "s7",
        "s8",
        "s10",
        "s11",
        "s13",
        "s14",
    ]


def test_bound_on_quotations_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the first ones quotations are not looked for, and the notice says so."""
    monkeypatch.setattr(elsewhere, "MOST_QUOTES", 2)
    absent = absent_frame(["one fog", "two fogs", "three fogs", "one fog"])
    quotes = wanted_quotes(absent)
    found = collected(absent, quotes, [hits((0, 5, "x"))])
    assert found.rows.rows() == [(0, ["x"]), (6, ["x"])]
    assert found.notices == ("looked for in other sources: first 2 of 3 quotations not found",)


def test_bound_on_failed_candidates_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quotation that only ever resembles is given up after a while."""
    monkeypatch.setattr(elsewhere, "MOST_FAILURES", 3)
    absent = absent_frame(["the rapist"])
    quotes = wanted_quotes(absent)
    sources = [NamedSource(number, f"s{number}", Source("a therapist")) for number in range(5)]
    sources.append(NamedSource(9, "late", Source("the rapist")))
    found = collected(absent, quotes, [Searcher(quotes).search(sources)])
    assert found.rows.is_empty()
    assert found.notices == (
        "1 quotations resemble too much elsewhere to be looked for in all other sources",
    )


def test_what_cannot_be_looked_for_or_was_not_is_told() -> None:
    """Every gap of the search has its notice."""
    absent = absent_frame(["10⁶", "grey fog"])
    parts = [
        Hits(hits().frame, sources_cut=2, unsearchable=1),
        Hits(hits().frame, failed=True, unsearchable=1),
    ]
    assert collected(absent, wanted_quotes(absent), parts).notices == (
        "1 quotations of raised digits or fractions alone were not looked for in other sources",
        "2 sources were not searched to the end for quotations of other rows",
        "1 of 2 parts of the sources were not searched for other rows' quotations",
    )


def test_fault_of_the_matcher_costs_one_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search goes on with the next candidate."""
    find_exact = PreparedText.find_exact

    def fragile(self: PreparedText, quote: str) -> CheckResult | None:
        if quote == "grey fog":
            raise ZeroDivisionError
        return find_exact(self, quote)

    monkeypatch.setattr(PreparedText, "find_exact", fragile)
    searcher = Searcher(pl.Series(["grey fog", "the weir"]))
    assert searcher.search([NamedSource(3, "x", Source(FOG))]).frame.rows() == [(1, 3, "x")]
