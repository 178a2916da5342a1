"""The verdicts on real data and on the shared cases, read in place; skipped where the data is absent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from shared_data import shared_path, shared_rows

from quotecheck.errors import InvalidQuote
from quotecheck.models import CheckResult, Source, Status
from quotecheck.text.match import PreparedText, check_text

Row = dict[str, Any]
# The reader's snippet has a few characters more or less at an edge than the best window.
EDGE = {"ws-missing-space": "begins with the whole word", "num-word": "begins behind the number word"}
MEANING_FLAGS = {"number_changed", "negation_changed", "modality_changed", "unit_changed"}


def checked(rows: list[Row], texts: dict[str, str], key: str) -> Iterator[tuple[Row, CheckResult, str]]:
    """Yield each row with its verdict and its text; one prepared text serves all its rows."""
    by_text: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_text[row[key]].append(row)
    for name, group in by_text.items():
        prepared = PreparedText(Source(texts[name]))
        results = prepared.check_many([row["quote"] for row in group])
        for row, result in zip(group, results, strict=True):
            yield row, result, texts[name]


def texts_of(name: str, key: str = "text_id") -> dict[str, str]:
    return {row[key]: row["text"] for row in shared_rows(name)}


def test_peer_cases_are_decided_as_they_say() -> None:
    """Status, and for exact ones the offsets, of every case over a plain text."""
    wrong = []
    for case in shared_rows("cases/peer_cases.jsonl"):
        if "text" not in case:
            continue
        try:
            result = check_text(case["text"], case["quote"])
        except InvalidQuote:
            wrong += [] if case["status"] == "usage_error" else [case["id"]]
            continue
        right = result.status == case["status"]
        right &= result.difference == case.get("difference", result.difference)
        if case["status"] == "EXACT":
            right &= (result.char_start, result.char_end) == (case["char_start"], case["char_end"])
        elif case["status"] == "NEAR":
            right &= result.snippet == case["snippet"] or case["id"] in EDGE
        wrong += [] if right else [case["id"]]
    assert wrong == []


def test_user_cases_are_decided_as_they_say() -> None:
    """Every case of the layer match over a plain text that names a status or an offset."""
    wrong = []
    for case in shared_rows("cases/user_cases.jsonl"):
        want = case["want"]
        if case["layer"] != "match" or case["input"]["type"] != "text" or "status" not in want:
            continue
        result = check_text(case["input"]["text"], case["quote"])
        right = result.status == want["status"]
        right &= result.difference == want.get("difference", result.difference)
        right &= (result.similarity or 0.0) >= want.get("similarity_min", 0.0)
        if "char_start" in want:
            right &= (result.char_start, result.char_end) == (want["char_start"], want["char_end"])
        wrong += [] if right else [case["id"]]
    assert wrong == []


def test_meaning_changing_cases_are_near_and_flagged() -> None:
    """A changed number or negation is never exact, and is named."""
    changed = [
        (case["id"], case["text"], case["quote"])
        for case in shared_rows("cases/peer_cases.jsonl")
        if "text" in case and {"number_changed", "negation_changed"} & {*case["flags"]}
    ]
    changed += [
        (case["id"], case["input"]["text"], case["quote"])
        for case in shared_rows("cases/user_cases.jsonl")
        if case["layer"] == "match" and case["want"].get("flag") in ("number", "negation")
    ]
    results = {name: check_text(text, quote) for name, text, quote in changed}
    wrong = [
        name
        for name, result in results.items()
        if result.status is not Status.NEAR or not MEANING_FLAGS & {str(flag) for flag in result.flags}
    ]
    assert len(results) >= 15
    assert wrong == []


def test_spans_are_exact_at_their_annotated_offsets() -> None:
    """Each annotated span is exact, and stands where the annotators found it if it occurs once."""
    texts = texts_of("data/span_texts.jsonl.gz")
    wrong = []
    for row, result, text in checked(shared_rows("data/spans.jsonl.gz"), texts, "text_id"):
        place = (result.char_start, result.char_end)
        right = result.status is Status.EXACT and text[slice(*place)] == result.snippet
        right &= row["occurrences"] > 1 or place == (row["start"], row["end"])
        wrong += [] if right else [(row["text_id"], row["quote"])]
    assert wrong == []


def test_long_texts_hold_their_quotations() -> None:
    """Every quotation of a whole novel is exact, where it stands if it stands there once."""
    folder = shared_path("data/longtext")
    rows = shared_rows("data/longtext/quotes.jsonl.gz")
    names = sorted({row["text_id"] for row in rows})
    texts = {name: (folder / f"{name}.txt").read_bytes().decode("utf-8") for name in names}
    wrong = []
    for row, result, _ in checked(rows, texts, "text_id"):
        right = result.status is Status.EXACT and result.occurrences >= row["occurrences"]
        right &= result.occurrences > 1 or result.char_start == row["start"]
        wrong += [] if right else [(row["text_id"], row["quote"])]
    assert wrong == []


def test_near_rows_are_found_where_they_stand_or_better() -> None:
    """No near row is missed; a passage elsewhere is at least as similar as the stated one."""
    texts = texts_of("data/near_sources.jsonl.gz", "source_id")
    rows = [row for row in shared_rows("data/near.jsonl") if row["band"] == "near"]
    wrong = []
    for row, result, _ in checked(rows, texts, "source_id"):
        found = result.status in (Status.EXACT, Status.NEAR)
        overlaps = found and result.char_start < row["end"] and row["start"] < result.char_end  # type: ignore[operator]
        better = found and (result.similarity or 0.0) >= row["ratio"] - 0.0001
        wrong += [] if found and (overlaps or better) else [row["id"]]
    assert wrong == []


@pytest.mark.parametrize("name", ["evidence_inference", "litclock"])
def test_quotes_have_their_class(name: str) -> None:
    """Exact quotations are exact; those that the data calls near are found, exact or near."""
    texts = texts_of(f"data/quotes/{name}_texts.jsonl.gz")
    wrong = []
    for row, result, _ in checked(shared_rows(f"data/quotes/{name}.jsonl"), texts, "text_id"):
        allowed = {Status.EXACT} if row["class"] == "exact" else {Status.EXACT, Status.NEAR}
        wrong += [] if result.status in allowed else [(row["text_id"], row["quote"][:60], result.status)]
    assert wrong == []
