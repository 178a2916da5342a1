"""Open abstracts in place of DOI pages that hold no text, in an audit over a real server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_runs import audited, results_of, work_inline, write_jsonl
from servers import Answer, Server, page, redirect

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.batch.options import FetchOptions
from quotecheck.sources import endpoints

ABSTRACT = page(json.dumps({"message": {"title": ["Fog"], "abstract": "<p>Grey fog stood here.</p>"}}))
NO_TEXT = page("<div id=root></div><script src=app.js></script>", etag='"7"')
WALL = page("<script>window._cf_chl_opt={}</script>")
DOIS = [f"10.1000/{letter}" for letter in "abc"]


@pytest.fixture
def routes() -> dict[str, Answer]:
    """What the server answers: landing pages without text, and one registry that knows every abstract."""
    landing: dict[str, Answer] = {f"/doi/{doi}": redirect(f"/article/{doi}") for doi in DOIS}
    pages: dict[str, Answer] = {f"/article/{doi}": NO_TEXT for doi in DOIS}
    return landing | pages | {f"/crossref/{doi}": ABSTRACT for doi in DOIS} | {"*": page("", 404)}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, routes: dict[str, Answer]) -> Iterator[Server]:
    work_inline(monkeypatch)
    with Server(routes) as running, allow_loopback_endpoints(running.endpoint):
        for name, path in (("DOI_PROXY", "doi"), ("CROSSREF", "crossref"), ("DATACITE", "datacite")):
            monkeypatch.setattr(endpoints, name, running.url(f"/{path}/"))
        monkeypatch.setattr(endpoints, "EUROPE_PMC", running.url("/europe_pmc"))
        yield running


Audit = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def audit(tmp_path: Path, server: Server) -> Audit:
    """Audit a quotation from each DOI and return the result rows."""

    def run(*dois: str, doi_fallback: bool = True, **fetch: Any) -> list[dict[str, Any]]:
        path = write_jsonl(
            tmp_path / "rows.jsonl", [{"quote": "Grey fog stood", "source": f"doi:{doi}"} for doi in dois]
        )
        options = FetchOptions(store=tmp_path / "store.sqlite", doi_fallback=doi_fallback, **fetch)
        audited(tmp_path, str(path), output=str(tmp_path / "out.jsonl"), fetch=options)
        return results_of(tmp_path / "out.jsonl")

    return run


def test_page_without_text_gives_way_to_the_abstract(audit: Audit, server: Server) -> None:
    """The result says what was read and where; the next audit asks for nothing."""
    (row,) = audit("10.1000/a")
    assert (row["qc_status"], row["qc_flags"]) == ("EXACT", ["abstract_only"])
    assert row["qc_final_url"] == server.url("/crossref/10.1000/a")
    assert server.paths == ["/doi/10.1000/a", "/article/10.1000/a", "/crossref/10.1000/a"]
    assert audit("10.1000/a") == [row]
    assert len(server.paths) == 3


def test_bot_check_gives_way_to_the_abstract(audit: Audit, server: Server, routes: dict[str, Answer]) -> None:
    """Also where it has status 200 and shows only when its text is known."""
    routes["/article/10.1000/a"] = WALL
    assert audit("10.1000/a")[0]["qc_status"] == "EXACT"


def test_abstract_is_read_only_when_asked_for(audit: Audit, server: Server) -> None:
    """A page without text stays unavailable, until a later audit asks: then the page is not fetched again."""
    assert audit("10.1000/a", doi_fallback=False)[0]["qc_reason_code"] == "no_text"
    assert audit("10.1000/a")[0]["qc_status"] == "EXACT"
    assert server.paths == ["/doi/10.1000/a", "/article/10.1000/a", "/crossref/10.1000/a"]


def test_offline_audit_asks_for_no_abstract(audit: Audit, server: Server) -> None:
    """Nothing is contacted."""
    audit("10.1000/a", doi_fallback=False)
    del server.requests[:]
    assert audit("10.1000/a", offline=True)[0]["qc_reason_code"] == "no_text"
    assert server.paths == []


def test_abstracts_are_fetched_while_every_turn_is_taken(audit: Audit, server: Server) -> None:
    """What fetches for a page that is being handled does not wait for the turn that this one holds."""
    assert [row["qc_status"] for row in audit(*DOIS, concurrency=1)] == ["EXACT"] * 3


def test_page_without_abstract_keeps_its_reason(
    audit: Audit, server: Server, routes: dict[str, Answer]
) -> None:
    """The registries are asked once, and it is the page's own fault that counts."""
    del routes["/crossref/10.1000/a"]
    assert audit("10.1000/a")[0]["qc_reason_code"] == "no_text"
    registries = [path.split("/")[1].partition("?")[0] for path in server.paths[2:]]
    assert registries == ["crossref", "datacite", "europe_pmc"]
