"""Identifiers and what they lead to: full texts, abstracts, fallbacks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import Request, Server, fetch, make_fetcher, page, redirect

from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.models import Flag, ReasonCode, Source, Status
from quotecheck.single import Client
from quotecheck.sources import documents, endpoints
from quotecheck.sources.fetched import Fetched, FetchRequest, Outcome
from quotecheck.sources.read import read_source
from quotecheck.sources.reference import parse_reference

ABSTRACT = json.dumps({"message": {"title": ["On flour"], "abstract": "<jats:p>Flour burns.</jats:p>"}})
WALL = page("<title>Just a moment...</title>", 403, cf_mitigated="challenge")


Services = Callable[[Server], None]


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Services:
    """Let one server play every service; its paths tell which one is meant."""

    def play(server: Server) -> None:
        for name in ("DOI_PROXY", "ARXIV", "CROSSREF", "DATACITE"):
            monkeypatch.setattr(endpoints, name, server.url(f"/{name.lower()}/"))
        for name in ("EFETCH", "EUROPE_PMC"):
            monkeypatch.setattr(endpoints, name, server.url(f"/{name.lower()}"))

    return play


def _fetch(
    services: Services, source: str, routes: dict[str, Any], **options: Any
) -> tuple[Fetched, list[str]]:
    with Server(routes) as server:
        services(server)
        return fetch(source, server, **options), server.paths


def _failure(services: Services, source: str, routes: dict[str, Any], **options: Any) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as caught:
        _fetch(services, source, routes, **options)
    return caught.value


def test_arxiv_paper_is_its_full_text(services: Services) -> None:
    """The HTML that arXiv makes of most papers."""
    fetched, paths = _fetch(services, "arxiv:2101.00001", {"/arxiv/html/2101.00001": page("Fog.")})
    assert (fetched.body, fetched.abstract_only) == (b"Fog.", False)
    assert (fetched.reference.key, len(paths)) == ("arxiv:2101.00001", 1)


def test_arxiv_paper_without_html_is_its_pdf(services: Services) -> None:
    """Where PDF can be read at all."""
    pdf = page(b"%PDF-1.7", content_type="application/pdf")
    fetched, _ = _fetch(services, "arxiv:2101.00001v2", {"/arxiv/pdf/2101.00001v2": pdf})
    assert fetched.body == b"%PDF-1.7"


def test_arxiv_paper_without_full_text_is_its_abstract(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says so."""
    monkeypatch.setattr(documents.importlib.util, "find_spec", lambda name: None)
    fetched, paths = _fetch(services, "arxiv:hep-th/9901001", {"/arxiv/abs/hep-th/9901001": page("Fog.")})
    assert fetched.abstract_only
    assert paths == ["/arxiv/html/hep-th/9901001", "/arxiv/abs/hep-th/9901001"]


def test_arxiv_paper_that_does_not_exist_is_missing(services: Services) -> None:
    """Not even an abstract."""
    error = _failure(services, "arxiv:2101.00001", {})
    assert error.reason_code is ReasonCode.HTTP_404_NOT_FOUND


def test_arxiv_failure_that_is_no_404_ends_the_search(services: Services) -> None:
    """A server that is down is not asked for other forms."""
    error = _failure(services, "arxiv:2101.00001", {"*": page("", 403)})
    assert error.reason_code is ReasonCode.HTTP_403_FORBIDDEN


@pytest.mark.parametrize(
    ("article", "abstract_only"),
    [("<article><front/><body><p>Fog.</p></body></article>", False), ("<article><front/></article>", True)],
)
def test_pmc_article_without_body_is_an_abstract(
    services: Services, article: str, abstract_only: bool
) -> None:
    """Some journals give away front matter only."""
    answer = page(f"<pmc-articleset>{article}</pmc-articleset>", content_type="text/xml")
    fetched, paths = _fetch(services, "pmcid:PMC7", {"*": answer}, contact="me@mill.org")
    assert fetched.abstract_only == abstract_only
    assert paths == ["/efetch?db=pmc&id=7&retmode=xml&tool=quotecheck&email=me@mill.org"]
    assert "tool" not in fetched.final_url


def test_pmc_number_that_is_unknown_is_not_found(services: Services) -> None:
    """An answer without an article."""
    answer = page('<pmc-articleset><Reply Id="7" error="not available"/></pmc-articleset>')
    error = _failure(services, "pmcid:7", {"*": answer})
    assert error.reason_code is ReasonCode.PMID_NOT_FOUND
    assert "PMC7" in error.reason


def test_doi_falls_back_only_when_asked(services: Services) -> None:
    """An abstract is not the paper; reading it is the caller's choice."""
    routes = {
        "/doi_proxy/10.1000/a": redirect("/article"),
        "/article": WALL,
        "/crossref/10.1000/a": page(ABSTRACT),
    }
    assert _failure(services, "doi:10.1000/a", routes).reason_code is ReasonCode.BLOCKED_BY_BOT_PROTECTION
    fetched, paths = _fetch(services, "doi:10.1000/a", routes, doi_fallback=True)
    assert fetched.abstract_only
    assert b"<p>Flour burns.</p>" in fetched.body
    assert fetched.final_url.endswith("/crossref/10.1000/a")
    assert paths == list(routes)


def test_doi_fallback_asks_the_registries_in_turn(services: Services) -> None:
    """Until one has an abstract."""
    results = {"resultList": {"result": [{"doi": "10.1000/a", "abstractText": "Flour burns."}]}}

    def answer(request: Request) -> bytes:
        return page(json.dumps(results)) if request.path.startswith("/europe_pmc?") else page("", 403)

    fetched, paths = _fetch(services, "doi:10.1000/a", {"*": answer}, doi_fallback=True)
    assert b"Flour burns." in fetched.body
    assert [path.split("/")[1].partition("?")[0] for path in paths] == [
        "doi_proxy",
        "crossref",
        "datacite",
        "europe_pmc",
    ]


def test_doi_without_an_open_abstract_keeps_its_own_reason(services: Services) -> None:
    """What was wrong with the page, not what was wrong with the registries."""
    error = _failure(services, "doi:10.1000/a", {"/doi_proxy/10.1000/a": page("", 403)}, doi_fallback=True)
    assert error.reason_code is ReasonCode.HTTP_403_FORBIDDEN


def test_doi_that_does_not_exist_has_no_fallback(services: Services) -> None:
    """It is wrong, and asking elsewhere would hide that."""
    routes = {"/crossref/10.1000/a": page(ABSTRACT)}
    error = _failure(services, "doi:10.1000/a", routes, doi_fallback=True)
    assert error.reason_code is ReasonCode.DOI_NOT_FOUND


def test_page_of_a_doi_without_text_falls_back_too(services: Services) -> None:
    """A bot check with status 200 shows only when its text is known."""
    routes = {"/doi_proxy/10.1000/a": page("<script>window._cf_chl_opt={}</script>"), "*": page(ABSTRACT)}

    async def run() -> Source:
        async with make_fetcher(doi_fallback=True) as fetcher:
            return await read_source(fetcher, parse_reference("doi:10.1000/a"))

    with Server(routes) as server, allow_loopback_endpoints(server.endpoint):
        services(server)
        source = asyncio.run(run())
    assert source.text.split() == ["On", "flour", "Flour", "burns."]
    assert source.flags == (Flag.ABSTRACT_ONLY,)
    assert str(source.final_url).endswith("/crossref/10.1000/a")


def test_page_of_a_doi_without_text_falls_back_with_a_store_too(services: Services, tmp_path: Path) -> None:
    """The abstract is kept in place of the page, and the next check asks for nothing."""
    routes = {"/doi_proxy/10.1000/a": page("<div id=root></div>"), "*": page(ABSTRACT)}

    async def run() -> list[Status]:
        async with Client(store=tmp_path / "store.sqlite", doi_fallback=True) as client:
            return [(await client.check("doi:10.1000/a", "Flour burns.")).status for _ in range(2)]

    with Server(routes) as server, allow_loopback_endpoints(server.endpoint):
        services(server)
        assert asyncio.run(run()) == [Status.EXACT, Status.EXACT]
        assert server.paths == ["/doi_proxy/10.1000/a", "/crossref/10.1000/a"]


def test_every_kind_of_source_goes_through_a_batch(services: Services, tmp_path: Path) -> None:
    """Files have no host and wait for none."""
    (tmp_path / "weir.txt").write_text("Fog.", "utf-8")
    outcomes: dict[str, Outcome] = {}

    async def handle(request: FetchRequest, outcome: Outcome) -> None:
        outcomes[request.reference.source] = outcome

    async def run() -> None:
        sources = ["file:weir.txt", "file:none.txt", "arxiv:2101.00001", "doi:10.1000/a"]
        async with make_fetcher(files_root=tmp_path) as fetcher:
            await fetcher.fetch_many([FetchRequest(parse_reference(source)) for source in sources], handle)

    with Server({"*": page("Fog.")}) as server, allow_loopback_endpoints(server.endpoint):
        services(server)
        asyncio.run(run())
    assert [getattr(outcomes[source], "body", None) for source in sorted(outcomes)] == [
        b"Fog.",
        b"Fog.",
        None,
        b"Fog.",
    ]
