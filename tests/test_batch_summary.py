"""The summary of an audit, and its manifest."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from batch_runs import audited, work_inline, write_jsonl

from quotecheck.batch.engine import freshness_of, versions
from quotecheck.batch.gates import Gates
from quotecheck.batch.manifest import texts_digest
from quotecheck.batch.options import FetchOptions
from quotecheck.batch.summary import Summary
from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.store import Store

PAGE = b"<title>Fog</title><p>The fog lasted 12 days. Nobody left.</p><div hidden>Secret words here</div>"


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Summary:
    work_inline(monkeypatch)
    with Store(tmp_path / "cache" / "store.sqlite") as store:
        store.put_page(
            "https://a.example.org/", PAGE, content_type="text/html", final_url="https://a.example.org/"
        )
        for number in range(12):
            error = SourceUnavailable(ReasonCode.HTTP_404_NOT_FOUND, "gone")
            store.put_failure(f"https://h{number}.example.org/", error)
    rows = [
        *(
            {"quote": f"no such words number {number}", "source": "https://a.example.org/"}
            for number in range(11)
        ),
        *({"quote": "fog", "source": f"https://h{number}.example.org/"} for number in range(12)),
        {"quote": "The fog lasted 72 days.", "source": "https://a.example.org/"},
        {"quote": "Secret words here", "source": "https://a.example.org/"},
        {"quote": "The fog lasted 12 days.", "source": "https://a.example.org/"},
        {"quote": "", "source": "https://a.example.org/"},
    ]
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    path.write_text(path.read_text() + "rubbish\n")
    gates = Gates(fail_on=("number_changed",))
    outcome = audited(tmp_path, str(path), output=str(tmp_path / "out.csv"), gates=gates)
    assert outcome.summary is not None
    return outcome.summary


def test_every_row_is_in_exactly_one_count(summary: Summary) -> None:
    """What was read is judged, unavailable, invalid or rejected."""
    rows = summary.to_dict()["rows"]
    assert rows == {"read": 28, "judged": 14, "unavailable": 12, "invalid": 1, "rejected": 1}
    assert sum(summary.to_dict()["statuses"].values()) == 27


def test_differences_flags_and_sources_are_counted(summary: Summary) -> None:
    """The findings beside the verdicts."""
    found = summary.to_dict()
    assert found["flags"]["number_changed"] == 1
    assert found["flags"]["outside_visible_text"] == 1
    assert found["differences"]["words"] == 1
    assert found["sources"] == {"unavailable": 12, "read": 1}
    assert found["reasons"] == {"http_404_not_found": 12}
    assert found["fetched"] == 0


def test_long_lists_are_cut_and_say_so(summary: Summary) -> None:
    """Ten of thirteen hosts, ten of twelve rows to look at."""
    assert (len(summary.hosts), summary.hosts_total) == (10, 13)
    assert (len(summary.examples), summary.examples_total) == (10, 12)
    assert summary.hosts[0].host == "a.example.org"
    lines = summary.lines()
    assert "hosts with most rows unavailable or not found (first 10 of 13):" in lines
    assert "not found, or the meaning may have changed (first 10 of 12):" in lines


def test_example_says_where_it_stands_and_how_near_it_came(summary: Summary, tmp_path: Path) -> None:
    """File and line, so that an editor can go there."""
    first = summary.examples[0]
    assert first.place == f"{tmp_path / 'rows.jsonl'}:1"
    assert first.status == "NOT_FOUND"
    assert 0 <= (first.similarity or 0.0) < 0.9


def test_failed_gate_is_named_with_its_numbers(summary: Summary) -> None:
    """The last thing to read is why the audit failed."""
    assert "gate --fail-on: FAILED: 1 number_changed" in summary.lines()
    assert not summary.to_dict()["passed"]


def test_manifest_says_what_the_result_rests_on(summary: Summary, tmp_path: Path) -> None:
    """Versions, options, inputs, counts, costs."""
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["versions"] == versions()
    assert manifest["inputs"][0]["bytes"] == (tmp_path / "rows.jsonl").stat().st_size
    assert manifest["options"]["near_threshold"] == 0.9
    assert manifest["summary"] == summary.to_dict()
    assert [stage["name"] for stage in manifest["stages"]][:2] == ["plan", "fetch and match"]
    assert manifest["workers"]["cpu_seconds"] >= manifest["workers"]["matching_cpu_seconds"] > 0


def test_texts_digest_depends_on_texts_and_not_on_their_order() -> None:
    """Equal texts and failures, equal digest."""
    one = pl.DataFrame({"source_key": ["a", "b"], "text_sha256": ["1", None], "reason_code": [None, "gone"]})
    assert texts_digest(one) == texts_digest(one.reverse())
    assert texts_digest(one) != texts_digest(one.with_columns(text_sha256=pl.lit("2")))
    assert texts_digest(one) != texts_digest(one.with_columns(reason_code=pl.lit("other")))


def test_freshness_of_refresh_begins_with_the_run() -> None:
    """Only what this run has fetched counts."""
    identity = {"run": "a", "started_at": "2024-05-01T12:00:00+00:00"}
    fresh = freshness_of(identity, FetchOptions(refresh=True))
    assert fresh.pages_since == fresh.failures_since
    assert str(fresh.pages_since) == "2024-05-01 12:00:00+00:00"
