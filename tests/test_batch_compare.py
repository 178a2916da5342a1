"""Two audits compared: which rows changed, and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from batch_runs import audited, work_inline, write_jsonl

from quotecheck.batch.compare import compare, run_compare
from quotecheck.batch.drift import Cause, Change, Comparison
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.result_tables import open_result
from quotecheck.errors import InvalidInput, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.store import Store

FOG = "https://example.org/fog"
TIDE = "https://example.org/tide"
PAGES = {FOG: "The grey fog lay over the weir until noon.", TIDE: "The tide turned at dawn, as it does."}
ROWS = [
    {"id": 1, "quote": "grey fog lay over the weir until noon", "source": FOG},
    {"id": 2, "quote": "The tide turned at dawn", "source": TIDE},
    {"id": 3, "quote": "nobody heard the bell that night", "source": FOG},
    {"id": 4, "quote": " ", "source": FOG},
]
Edit = Callable[[dict[str, Any]], None]


@pytest.fixture(autouse=True)
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    work_inline(monkeypatch)


def audit(
    folder: Path,
    name: str,
    *,
    rows: list[dict[str, Any]] = ROWS,
    pages: dict[str, str | None] = PAGES,  # type: ignore[assignment]
    input_name: str = "rows.jsonl",
    suffix: str = "jsonl",
    **options: Any,
) -> Path:
    """Audit rows against pages, of which those without text are dead."""
    path = folder / f"{name}.sqlite"
    with Store(path) as store:
        for key, text in pages.items():
            if text is None:
                store.put_failure(key, SourceUnavailable(ReasonCode.HTTP_410_GONE, "gone"))
            else:
                store.put_page(key, text.encode(), content_type="text/plain", final_url=key)
    table = write_jsonl(folder / input_name, rows)
    output = folder / f"{name}.{suffix}"
    fetch = FetchOptions(store=path, offline=True)
    audited(folder, str(table), output=str(output), fetch=fetch, **options)
    return output


def edit_manifest(table: Path, edit: Edit) -> None:
    path = table.with_suffix(".manifest.json")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    edit(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def newer_tool(manifest: dict[str, Any]) -> None:
    manifest["versions"]["rapidfuzz"] = "99"


def compared(old: Path, new: Path, listed: int = 100) -> Comparison:
    return compare(open_result(old), open_result(new), listed=listed)


def changed(comparison: Comparison) -> list[tuple[int, Change, Cause]]:
    return [(row.new_row, row.change, row.cause) for row in comparison.rows]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_equal_audits_have_no_changed_row(tmp_path: Path, suffix: str) -> None:
    """The same rows and pages give the same verdicts, whatever the formats of the tables."""
    comparison = compared(audit(tmp_path, "old"), audit(tmp_path, "new", suffix=suffix))
    assert (comparison.matched_by, comparison.compared, comparison.rows_total) == ("row", 4, 0)
    assert comparison.changes == {Change.SAME: 4}
    assert not comparison.notices


def test_changed_page_is_the_cause_where_the_tool_is_the_same(tmp_path: Path) -> None:
    """A row got worse since its page says something else now."""
    old = audit(tmp_path, "old")
    new = audit(tmp_path, "new", pages={**PAGES, FOG: "The grey fog lay over the mill until noon."})
    comparison = compared(old, new)
    assert changed(comparison) == [(0, Change.WORSE, Cause.PAGE)]
    assert comparison.transitions == (("EXACT", "NEAR", 1),)
    assert comparison.sources is not None
    assert (comparison.sources.compared, comparison.sources.text_changed) == (2, 1)
    assert comparison.rows[0].place == f"{tmp_path / 'rows.jsonl'}:1"


def test_same_page_and_other_threshold_is_the_tool(tmp_path: Path) -> None:
    """What only the options changed is not blamed on the page."""
    rows = [{"quote": "grey fog lay over a mill until noon", "source": FOG}]
    old, new = (
        audit(tmp_path, name, rows=rows, near_threshold=threshold)
        for name, threshold in (("old", 0.7), ("new", 0.99))
    )
    comparison = compared(old, new)
    assert changed(comparison) == [(0, Change.WORSE, Cause.TOOL)]
    assert comparison.options == {"near_threshold": (0.7, 0.99)}


def test_page_that_another_version_reads_otherwise_is_the_tool(tmp_path: Path) -> None:
    """The body is the same and its text is not: the extractor changed, not the page."""
    old = audit(tmp_path, "old")
    new = audit(tmp_path, "new")
    edit_manifest(new, newer_tool)
    row = json.loads(new.read_text(encoding="utf-8").splitlines()[0])
    row |= {"qc_status": "NOT_FOUND", "qc_difference": None, "qc_text_sha256": "0" * 64}
    rest = new.read_text(encoding="utf-8").splitlines()[1:]
    new.write_text("\n".join([json.dumps(row), *rest]) + "\n", encoding="utf-8")
    assert changed(compared(old, new)) == [(0, Change.WORSE, Cause.TOOL)]


def test_page_and_tool_changed_cannot_be_told_apart(tmp_path: Path) -> None:
    """Where both changed, neither is blamed alone."""
    old = audit(tmp_path, "old")
    new = audit(tmp_path, "new", pages={**PAGES, FOG: "Fog."})
    edit_manifest(new, newer_tool)
    comparison = compared(old, new)
    assert changed(comparison) == [(0, Change.WORSE, Cause.PAGE_OR_TOOL)]
    assert comparison.versions == {"rapidfuzz": (comparison.versions["rapidfuzz"][0], "99")}


def test_source_that_cannot_be_read_any_more_is_not_worse(tmp_path: Path) -> None:
    """Could not look is another change than is not there, in both directions."""
    alive = audit(tmp_path, "alive")
    dead = audit(tmp_path, "dead", pages={**PAGES, TIDE: None})
    assert changed(compared(alive, dead)) == [(1, Change.UNAVAILABLE, Cause.AVAILABILITY)]
    assert changed(compared(dead, alive)) == [(1, Change.AVAILABLE, Cause.AVAILABILITY)]


def test_edited_table_is_said_to_be_edited(tmp_path: Path) -> None:
    """A verdict that changed although nothing did that it rests on has no other explanation."""
    old, new = audit(tmp_path, "old"), audit(tmp_path, "new")
    lines = new.read_text(encoding="utf-8").splitlines()
    edited = lines[1].replace('"qc_status":"EXACT"', '"qc_status":"NOT_FOUND"')
    new.write_text("\n".join([lines[0], edited, lines[2]]) + "\n", encoding="utf-8")
    comparison = compared(old, new)
    assert changed(comparison) == [(1, Change.WORSE, Cause.UNKNOWN)]
    assert comparison.only_old == 1
    assert [notice.partition(" ")[2][:30] for notice in comparison.notices] == [
        "has 3 rows, its manifest says ",
        "rows changed although text, ve",
    ]


def test_other_input_is_matched_by_quotation_and_source(tmp_path: Path) -> None:
    """Rows that moved, came or went: those with the same quotation and source are compared."""
    old = audit(tmp_path, "old", rows=[*ROWS[:3], ROWS[1]])
    new_rows = [ROWS[1], ROWS[2], {**ROWS[0], "source": FOG.upper().replace("/FOG", "/fog#top")}]
    new = audit(tmp_path, "new", rows=new_rows, pages={**PAGES, FOG: "Fog."}, input_name="other.jsonl")
    comparison = compared(old, new)
    assert (comparison.matched_by, comparison.compared) == ("pair", 3)
    assert (comparison.only_old, comparison.only_new) == (1, 0)
    assert [(row.old_row, row.new_row, row.cause) for row in comparison.rows] == [(0, 2, Cause.PAGE)]


def test_text_that_came_with_its_row_is_its_page(tmp_path: Path) -> None:
    """The row's own name for the source pairs the rows, although the key changes with the text."""
    row = {"quote": "the weir until noon", "source": "minutes"}
    old = audit(tmp_path, "old", rows=[{**row, "text": "over the weir until noon"}])
    new = audit(tmp_path, "new", rows=[{**row, "text": "nothing"}], input_name="other.jsonl")
    edit_manifest(new, newer_tool)
    assert changed(compared(old, new)) == [(0, Change.WORSE, Cause.PAGE)]


def test_passage_that_only_moved_is_counted_apart(tmp_path: Path) -> None:
    """A longer introduction moves the passage and changes no verdict."""
    old = audit(tmp_path, "old")
    new = audit(tmp_path, "new", pages={**PAGES, FOG: "News. The grey fog lay over the weir until noon."})
    comparison = compared(old, new)
    assert (comparison.rows_total, comparison.moved) == (0, 1)


def test_list_of_rows_is_cut_and_says_so(tmp_path: Path) -> None:
    """The worst changes come first, and the total is told."""
    rows = [{"quote": f"bell number {number} rang twice", "source": FOG} for number in range(12)]
    text = " ".join(row["quote"] for row in rows)
    old = audit(tmp_path, "old", rows=rows, pages={FOG: text})
    new = audit(tmp_path, "new", rows=rows, pages={FOG: "Silence."})
    comparison = compared(old, new, listed=11)
    assert [row.new_row for row in comparison.rows] == list(range(11))
    assert comparison.rows_total == 12
    assert "rows with another verdict (first 10 of 12):" in comparison.lines()


def test_hidden_passage_is_worse_than_a_visible_one(tmp_path: Path) -> None:
    """A quotation that stands only outside the visible text counts as not found."""
    old, new = audit(tmp_path, "old"), audit(tmp_path, "new")
    lines = new.read_text(encoding="utf-8").replace('"qc_flags":[]', '"qc_flags":["outside_visible_text"]', 1)
    new.write_text(lines, encoding="utf-8")
    assert compared(old, new).rows[0].change is Change.WORSE


@pytest.mark.parametrize(
    ("fail_on", "code"), [((), 0), (("worse",), 1), (("unavailable", "unmatched"), 0), (("changed",), 1)]
)
def test_gates_decide_the_exit_code(tmp_path: Path, fail_on: tuple[str, ...], code: int) -> None:
    """A change fails only where it was asked to."""
    old = audit(tmp_path, "old")
    new = audit(tmp_path, "new", pages={**PAGES, FOG: "Fog."})
    assert run_compare(old, new, fail_on=fail_on) == code


def test_comparison_of_nothing_fails(tmp_path: Path) -> None:
    """Two tables without a common row prove nothing."""
    old = audit(tmp_path, "old")
    new = audit(tmp_path, "new", rows=[{"quote": "another one", "source": TIDE}], input_name="other.jsonl")
    assert run_compare(old, new) == 1


def test_output_is_one_json_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is for programs, standard error for people."""
    old = audit(tmp_path, "old")
    capsys.readouterr()
    run_compare(old, audit(tmp_path, "new", pages={**PAGES, FOG: "Fog."}), fail_on=("worse",))
    output = capsys.readouterr()
    found = json.loads(output.out[output.out.rindex('{\n  "old"') :])
    assert found["changes"]["worse"] == 1
    assert found["changed_rows"][0]["old"]["status"] == "EXACT"
    assert (found["passed"], found["gates"][1]["detail"]) == (False, "1 worse")
    assert "gate --fail-on: FAILED: 1 worse" in output.err


def test_row_number_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Tables that were put together by hand are no result of one audit."""
    old = audit(tmp_path, "old")
    old.write_text(old.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"has row 0 twice"):
        compared(old, audit(tmp_path, "new"))
