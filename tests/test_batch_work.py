"""Fetching and matching an audit over a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from batch_runs import audited, results_of, work_inline, write_jsonl
from servers import Answer, Request, Server, page

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.batch import engine
from quotecheck.batch.options import FetchOptions
from quotecheck.errors import InvalidOption
from quotecheck.sources.store import Store

FOG = page("<p>Grey fog stood over the weir.</p>", etag='"7"')


def fog_unless_known(request: Request) -> bytes:
    """Answer 304 to a client that has the page."""
    return page(b"", 304) if request.headers.get("if-none-match") == '"7"' else FOG


@pytest.fixture
def routes() -> dict[str, Answer]:
    """What the server answers; a test may change it."""
    return {"/fog": fog_unless_known, "/gone": page("no", 404)}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, routes: dict[str, Answer]) -> Iterator[Server]:
    work_inline(monkeypatch)
    with Server(routes) as running, allow_loopback_endpoints(running.endpoint):
        yield running


Audit = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def audit(tmp_path: Path, server: Server) -> Audit:
    """Audit quotations from the server's pages and return the result rows."""

    def run(*paths: str, **fetch: Any) -> list[dict[str, Any]]:
        rows = [{"quote": "Grey fog stood", "source": server.url(path)} for path in paths]
        path = write_jsonl(tmp_path / "rows.jsonl", rows)
        options = FetchOptions(store=tmp_path / "store.sqlite", **fetch)
        audited(tmp_path, str(path), output=str(tmp_path / "out.jsonl"), fetch=options)
        return results_of(tmp_path / "out.jsonl")

    return run


def test_each_source_is_fetched_once_whatever_its_spelling(audit: Audit, server: Server) -> None:
    """Rows share the page of their source, and say where it is."""
    results = audit("/fog", "/fog#top", "/fog")
    assert server.paths == ["/fog"]
    assert [row["qc_status"] for row in results] == ["EXACT"] * 3
    assert results[1]["qc_final_url"] == server.url("/fog")


def test_second_audit_asks_for_nothing(audit: Audit, server: Server) -> None:
    """Pages of the last days and permanent failures of the last hours are in the store."""
    first = audit("/fog", "/gone")
    assert audit("/fog", "/gone") == first
    assert sorted(server.paths) == ["/fog", "/gone"]


def test_refresh_fetches_everything_again(audit: Audit, server: Server) -> None:
    """Also what the server would not have sent again."""
    audit("/fog")
    audit("/fog", refresh=True)
    assert server.paths == ["/fog", "/fog"]
    assert "if-none-match" not in server.requests[1].headers


def test_old_page_is_asked_for_again_and_kept_if_unchanged(audit: Audit, server: Server) -> None:
    """A page beyond its age is confirmed by its server, which need not send it."""
    (before,) = audit("/fog")
    (after,) = audit("/fog", max_age=timedelta(0))
    assert server.requests[1].headers["if-none-match"] == '"7"'
    assert after["qc_status"] == "EXACT"
    assert after["qc_fetched_at"] > before["qc_fetched_at"]


def test_failure_is_asked_again_on_request(audit: Audit, server: Server) -> None:
    """--retry-unavailable concerns what failed, not what was read."""
    audit("/fog", "/gone")
    audit("/fog", "/gone", retry_unavailable=True)
    assert sorted(server.paths) == ["/fog", "/gone", "/gone"]


def test_failure_of_an_unfinished_run_is_asked_again_on_request(
    audit: Audit,
    server: Server,
    routes: dict[str, Answer],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Buckets that rest on a failure are matched again, the others are not."""

    def full_disk(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "out.jsonl").touch()
    monkeypatch.setattr("quotecheck.batch.results.write_table", full_disk)
    audit("/fog", "/gone")
    monkeypatch.undo()
    work_inline(monkeypatch)
    routes["/gone"] = FOG
    results = audit("/fog", "/gone", retry_unavailable=True)
    assert [row["qc_status"] for row in results] == ["EXACT", "EXACT"]
    assert sorted(server.paths) == ["/fog", "/gone", "/gone"]


def test_offline_asks_for_nothing_and_takes_any_age(audit: Audit, server: Server) -> None:
    """What is not in the store is unavailable, and says so."""
    audit("/fog")
    fog, gone = audit("/fog", "/gone", offline=True, max_age=timedelta(0))
    assert (fog["qc_status"], gone["qc_reason_code"]) == ("EXACT", "not_in_store")
    assert server.paths == ["/fog"]


def test_page_of_an_older_extractor_is_extracted_and_not_fetched(
    audit: Audit, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An upgrade reads the stored bodies again."""
    audit("/fog")
    for module in ("quotecheck.batch.getting", "quotecheck.batch.work", "quotecheck.sources.keeping"):
        monkeypatch.setattr(f"{module}.EXTRACTOR_VERSION", "next")
    assert audit("/fog")[0]["qc_status"] == "EXACT"
    assert server.paths == ["/fog"]
    with Store(tmp_path / "store.sqlite") as store:
        stored = store.page(server.url("/fog"))
        assert stored is not None
        assert store.is_extracted(stored, "next")


def test_address_of_this_machine_is_refused_without_contact(audit: Audit, server: Server) -> None:
    """The guard stands in a batch as it does everywhere."""
    with Server({"*": FOG}) as other:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(server, "url", other.url)
            (row,) = audit("/fog")
        assert row["qc_reason_code"] == "address_not_public"
        assert other.count_connections() == 0


def test_run_begun_before_is_seen_from_its_beginning(tmp_path: Path) -> None:
    """Going on with a run days later does not make its pages stale."""
    identity = {"run": "a", "started_at": "2024-05-01T12:00:00+00:00"}
    fresh = engine.freshness_of(identity, FetchOptions(max_age=timedelta(days=1)))
    assert str(fresh.pages_since) == "2024-04-30 12:00:00+00:00"
    assert fresh.run == "a"


def test_offline_with_refresh_is_refused(audit: Audit) -> None:
    """Two options that exclude each other."""
    with pytest.raises(InvalidOption):
        audit("/fog", offline=True, refresh=True)


def test_files_are_read_below_the_folder_of_their_own_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No store of another run answers for them, also offline, and a refused one was not fetched."""
    work_inline(monkeypatch)
    for name in ("mill", "weir"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "notes.txt").write_text(f"Grey fog at the {name}.", "utf-8")
    path = write_jsonl(tmp_path / "rows.jsonl", [{"quote": "fog at the mill", "source": "file:notes.txt"}])
    found = []
    for root in (tmp_path / "mill", tmp_path / "weir", None):
        options = FetchOptions(store=tmp_path / "store.sqlite", files_root=root, offline=root is not None)
        outcome = audited(tmp_path, str(path), output=str(tmp_path / "out.jsonl"), fetch=options)
        (row,) = results_of(tmp_path / "out.jsonl")
        assert outcome.summary is not None
        found.append((row["qc_status"], row["qc_reason_code"], outcome.summary.fetched))
    refused = ("SOURCE_UNAVAILABLE", "file_outside_root", 0)
    assert found == [("EXACT", None, 1), ("NOT_FOUND", None, 1), refused]
    with Store(tmp_path / "store.sqlite") as store:
        assert store.page("file:notes.txt") is store.failure("file:notes.txt") is None
