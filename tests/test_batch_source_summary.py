"""What a summary says about hosts: what was fetched there, and walls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from batch_runs import audited, work_inline, write_jsonl

from quotecheck.batch.hosts import HostWork
from quotecheck.batch.intermediate import SOURCE_SCHEMA
from quotecheck.batch.source_summary import EqualPages, HostSources, find_equal_pages, sources_by_host
from quotecheck.batch.summary import Summary
from quotecheck.sources.store import Store

WALL = "Please sign in to read on."


def table(*sources: tuple[str, str | None, str | None]) -> pl.DataFrame:
    """Return a table of sources (key, final address, text); one without a text is unavailable."""
    rows = [
        {
            "source_key": key,
            "state": "unavailable" if text is None else "text" if key.startswith("text:") else "read",
            "rows": number + 1,
            "first_row": number,
            "final_url": final_url,
            "text_sha256": text,
            "characters": None if text is None else len(text),
        }
        for number, (key, final_url, text) in enumerate(sources)
    ]
    return pl.DataFrame(rows, schema=SOURCE_SCHEMA)


def pages(*paths: str, host: str = "https://a.example.org", text: str = WALL) -> list[tuple[str, str, str]]:
    return [(f"{host}{path}", f"{host}{path}", text) for path in paths]


def test_host_that_answers_three_addresses_with_one_text_is_named() -> None:
    """With how many sources and rows that concerns, and where to look."""
    found, total = find_equal_pages(table(*pages("/one", "/two?page=2", "/three")))
    assert found == (EqualPages("a.example.org", 3, 6, len(WALL), "https://a.example.org/one"),)
    assert total == 1


@pytest.mark.parametrize(
    "sources",
    [
        pages("/one", "/two"),
        [*pages("/one", "/two"), *pages("/three", text="Another text.")],
        [*pages("/one", "/two"), *pages("/three", host="https://b.example.org")],
        [*pages("/", ""), *pages("/", "", host="http://a.example.org")],
        [
            (key, "https://a.example.org/", WALL)
            for key in ("http://a.example.org", "https://www.a.example.org/")
        ]
        + pages("/one"),
        [(f"text:{number}", None, WALL) for number in range(5)],
        [(f"https://a.example.org/{number}", None, None) for number in range(5)],
    ],
    ids=["two", "other text", "other host", "scheme", "redirected variants", "texts of rows", "unavailable"],
)
def test_less_than_three_addresses_of_one_host_are_no_wall(
    sources: list[tuple[str, str | None, str | None]],
) -> None:
    """One page may stand under both schemes, with and without www, or twice."""
    assert find_equal_pages(table(*sources)) == ((), 0)


def test_wall_behind_identifiers_is_that_of_the_host_they_lead_to() -> None:
    """DOIs resolve to their publisher, whatever the address of each."""
    sources = [(f"doi:10.1000/{number}", f"https://press.example.org/{number}", WALL) for number in range(3)]
    assert find_equal_pages(table(*sources))[0][0].host == "press.example.org"


def test_addresses_that_all_lead_to_one_login_are_a_wall() -> None:
    """The final address is the same then."""
    sources = [(f"https://a.example.org/{n}", "https://login.example.org/", WALL) for n in range(3)]
    assert [wall.host for wall in find_equal_pages(table(*sources))[0]] == ["login.example.org"]


def test_walls_come_by_rows_and_the_list_is_cut() -> None:
    """Ten of twelve, those that concern most rows first."""
    sources = [
        page for number in range(12) for page in pages("/1", "/2", "/3", host=f"https://h{number}.test")
    ]
    found, total = find_equal_pages(table(*sources))
    assert (len(found), total) == (10, 12)
    assert [wall.host for wall in found[:2]] == ["h11.test", "h10.test"]


def test_hosts_come_by_the_time_they_took_and_then_by_sources() -> None:
    """What was fetched now is known, what is unavailable is counted."""
    sources = table(
        *pages("/1", "/2", host="https://quick.test"),
        *pages("/1", host="https://slow.test"),
        *pages("/1", host="https://stored.test"),
        ("doi:10.1000/a", None, None),
    )
    work = {"quick.test": HostWork(2, 10.0, 11.5), "slow.test": HostWork(1, 10.0, 70.0)}
    assert sources_by_host(sources, work) == (
        (
            HostSources("slow.test", 1, 1, 0, 60.0),
            HostSources("quick.test", 2, 2, 0, 1.5),
            HostSources("doi.org", 1, 0, 1, 0.0),
            HostSources("stored.test", 1, 0, 0, 0.0),
        ),
        4,
    )


def test_hosts_of_shards_have_no_times() -> None:
    """They were fetched at different times, perhaps by different machines."""
    assert sources_by_host(table(*pages("/1")), None)[0] == (HostSources("a.example.org", 1, None, 0, None),)


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Summary:
    work_inline(monkeypatch)
    urls = [f"https://a.example.org/{number}" for number in range(3)]
    with Store(tmp_path / "cache" / "store.sqlite") as store:
        for url in urls:
            store.put_page(url, f"<p>{WALL}".encode(), content_type="text/html", final_url=url)
    path = write_jsonl(tmp_path / "rows.jsonl", [{"quote": "sign in to read", "source": url} for url in urls])
    outcome = audited(tmp_path, str(path), output=str(tmp_path / "out.csv"), report=True)
    assert outcome.summary is not None
    return outcome.summary


def test_summary_and_report_name_walls(summary: Summary, tmp_path: Path) -> None:
    """On stderr, in the JSON and on the page, with where to look."""
    line = "  a.example.org: 3 sources, 3 rows, 26 characters, for example https://a.example.org/0"
    assert line in summary.lines()
    assert summary.to_dict()["equal_pages"][0]["host"] == "a.example.org"
    assert "a wall or an error page?" in (tmp_path / "out.report.html").read_text(encoding="utf-8")


def test_summary_lists_hosts_with_their_times_where_something_was_fetched(summary: Summary) -> None:
    """Who was slow, in seconds."""
    asked = replace(
        summary, fetched=3, sources_by_host=(HostSources("slow.test", 1_200, 1_100, 3, 1_500.26),)
    )
    title = "hosts that sources lie on, the slowest first:"
    line = "  slow.test: 1,200 sources, 1,100 fetched now in 1,500.3 s, 3 unavailable"
    assert asked.lines()[asked.lines().index(title) + 1] == line


def test_summary_lists_hosts_only_where_something_was_fetched(summary: Summary) -> None:
    """Offline, the time that hosts took is none; the JSON counts their sources all the same."""
    assert not any("the slowest first" in line for line in summary.lines())
    assert summary.to_dict()["sources_by_host"][0] == {
        "host": "a.example.org",
        "sources": 3,
        "fetched": 0,
        "unavailable": 0,
        "seconds": 0.0,
    }
