"""Results as columns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotecheck.batch import verdicts
from quotecheck.batch.columns import VERDICT_SCHEMA, flat
from quotecheck.batch.verdicts import Verdicts
from quotecheck.models import (
    CheckResult,
    Closest,
    Difference,
    Flag,
    ReasonCode,
    Status,
    WordDifference,
)

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
NEAR = CheckResult(
    status=Status.NEAR,
    char_start=3,
    char_end=9,
    similarity=0.95,
    snippet="grey “fog”",
    source_final_url="https://example.org/",
    difference=Difference.WORDS,
    flags=(Flag.NUMBER_CHANGED, Flag.CUTS_WORD),
    differences=(
        WordDifference(Difference.WORDS, "gray", "grey", 0, 4, 3, 7),
        WordDifference(Difference.CASE, "Fog", "fog", 5, 8, 8, 11),
    ),
    occurrences=1,
    segments=((3, 5), (7, 9)),
    region="hidden",
    page=2,
    passage_url="https://example.org/#:~:text=grey",
    text_sha256="ab" * 32,
)
GONE = CheckResult(status=Status.SOURCE_UNAVAILABLE, reason="gone", reason_code=ReasonCode.HTTP_410_GONE)
ABSENT = CheckResult(status=Status.NOT_FOUND, similarity=0.6, closest=Closest(1, 4, "mis"))


def frame(*results: CheckResult) -> list[dict[str, object]]:
    collected = Verdicts()
    collected.add(results, source_key="pmid:1", fetched_at=NOON)
    made = collected.frame()
    assert dict(made.schema) == VERDICT_SCHEMA
    return made.to_dicts()


def test_every_field_of_a_result_has_its_column() -> None:
    """Nothing of a record is lost in a table."""
    (row,) = frame(NEAR)
    record = NEAR.to_dict()
    for name, value in record.items():
        column = {"source_final_url": "qc_final_url"}.get(name, f"qc_{name}")
        assert row[column] == value, name
    assert (row["qc_source_key"], row["qc_fetched_at"], row["qc_found_in"]) == ("pmid:1", NOON, [])


def test_results_keep_their_order_and_their_own_lists() -> None:
    """Lists built together are not mixed up."""
    rows = frame(GONE, NEAR, ABSENT, NEAR)
    assert [len(row["qc_differences"]) for row in rows] == [0, 2, 0, 2]  # type: ignore[arg-type]
    assert [row["qc_flags"] for row in rows] == [[], ["number_changed", "cuts_word"]] * 2
    assert rows[2]["qc_closest"] == {"char_start": 1, "char_end": 4, "text": "mis"}
    assert rows[0]["qc_reason_code"] == "http_410_gone"


def test_lists_are_never_null_and_hints_are() -> None:
    """An empty list says that there is none; a missing hint is no hint of nothing."""
    (row,) = frame(GONE)
    lists = ("qc_flags", "qc_differences", "qc_segments", "qc_found_in")
    assert all(row[name] == [] for name in lists)
    assert row["qc_closest"] is None


def test_no_results_make_an_empty_frame_of_the_same_schema() -> None:
    """A bucket of invalid rows has no verdicts."""
    assert frame() == []


def test_many_results_become_columns_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Objects are not held for a whole bucket."""
    monkeypatch.setattr(verdicts, "HELD", 2)
    collected = Verdicts()
    for number in range(5):
        collected.add([ABSENT], source_key=str(number), fetched_at=None)
    assert collected.frame()["qc_source_key"].to_list() == ["0", "1", "2", "3", "4"]


def test_flat_columns_are_text_that_reads_back() -> None:
    """Flags joined, times in ISO 8601, the rest JSON; null stays empty."""
    collected = Verdicts()
    collected.add([NEAR, ABSENT], source_key="pmid:1", fetched_at=NOON)
    near, absent = flat(collected.frame()).to_dicts()
    assert near["qc_flags"] == "number_changed;cuts_word"
    assert near["qc_fetched_at"] == "2024-05-01T12:00:00.000000+00:00"
    assert near["qc_segments"] == "[[3,5],[7,9]]"
    assert near["qc_differences"].startswith(
        '[{"kind":"words","quote":"gray","source":"grey","quote_start":0,'
    )
    assert (near["qc_closest"], absent["qc_flags"]) == (None, None)
    assert absent["qc_closest"] == '{"char_start":1,"char_end":4,"text":"mis"}'
