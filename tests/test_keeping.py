"""Keeping what fetches bring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import anyio
import pytest

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.document import EXTRACTOR_VERSION, extract
from quotecheck.models import Flag, ReasonCode, Source
from quotecheck.sources import keeping
from quotecheck.sources.client import Fetcher
from quotecheck.sources.fetched import Fetched, NotModified, Outcome
from quotecheck.sources.keeping import Keeper, request_for
from quotecheck.sources.reference import Reference, parse_reference
from quotecheck.sources.store import Store
from quotecheck.sources.stored import Freshness, StoredPage
from quotecheck.workers import WorkerFailed, WorkerPool

FOG = parse_reference("https://example.org/fog")
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


async def extract_here(
    pool: object, body: bytes, content_type: str | None, *, url: str, cheap_in_thread: bool
) -> Source:
    """Extract without a worker."""
    return extract(body, content_type, url=url)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr(keeping, "extract_bounded", extract_here)
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def fetched(body: bytes, *, content_type: str = "text/html", abstract_only: bool = False) -> Fetched:
    url = FOG.url or ""
    return Fetched(FOG, url, 200, content_type, body, 9, (), NOON, etag='"7"', abstract_only=abstract_only)


def keep(store: Store, outcome: Outcome) -> ReasonCode | None:
    keeper = Keeper(store, WorkerPool(1), run="run")
    return anyio.run(partial(keeper.keep, outcome, FOG))


def test_page_kept_has_its_text_in_the_store(store: Store) -> None:
    """Body and text are both there, with what is known of the fetch."""
    assert keep(store, fetched(b"<p>Grey fog", abstract_only=True)) is None
    page = store.page(FOG.key)
    assert page is not None
    assert page.etag == '"7"'
    source = store.source(page, EXTRACTOR_VERSION)
    assert (source.text, source.final_url, source.flags) == ("Grey fog", FOG.url, (Flag.ABSTRACT_ONLY,))


def test_file_is_neither_taken_from_the_store_nor_put_into_it(store: Store, tmp_path: Path) -> None:
    """Who may read it is the fetcher's to say, each time."""
    reference = parse_reference("file:notes.txt")
    (tmp_path / "notes.txt").write_text("Grey fog.", "utf-8")
    store.put_page(reference.key, b"A secret.", content_type="text/plain")

    async def text() -> str:
        async with Fetcher(files_root=tmp_path) as fetcher:
            keeper = Keeper(store, WorkerPool(1))
            return (await keeper.read_through(fetcher, reference, Freshness(""))).text

    assert anyio.run(text) == "Grey fog."
    page = store.page(reference.key)
    assert page is not None
    assert store.blob(page.body_sha256) == b"A secret."


def test_failure_kept_is_one_of_its_run(store: Store) -> None:
    """Why a source could not be fetched is stored, and who met it."""
    error = SourceUnavailable(ReasonCode.DNS_TIMEOUT, "no answer")
    assert keep(store, error) is ReasonCode.DNS_TIMEOUT
    failure = store.failure(FOG.key)
    assert failure is not None
    assert failure.run == "run"


def test_page_without_text_keeps_its_body_and_the_reason(store: Store) -> None:
    """A body in which there is no text is not fetched again to find that out."""
    assert keep(store, fetched(b"\x00\x01\x02" * 50, content_type="image/png")) is not None
    page = store.page(FOG.key)
    assert page is not None
    assert store.is_extracted(page, EXTRACTOR_VERSION)


def test_bot_check_kept_is_a_failure_and_no_page(store: Store) -> None:
    """What stands in place of the page does not pass for one."""
    wall = b"<title>Just a moment</title><script src=/cdn-cgi/challenge-platform/h/b/orchestrate/x></script>"
    assert keep(store, fetched(wall)) is ReasonCode.BLOCKED_BY_BOT_PROTECTION
    assert store.page(FOG.key) is None
    assert store.failure(FOG.key) is not None


def test_page_on_which_the_extractor_fails_is_read_again_next_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault of ours costs one source and not the run, and does not stand for ever."""

    async def faulty(*arguments: object, **options: object) -> Source:
        raise WorkerFailed("Traceback ...\nZeroDivisionError: division by zero")

    monkeypatch.setattr(keeping, "extract_bounded", faulty)
    assert keep(store, fetched(b"<p>Grey fog")) is ReasonCode.INTERNAL_ERROR
    page = store.page(FOG.key)
    assert page is not None
    assert not store.is_extracted(page, EXTRACTOR_VERSION)
    with pytest.raises(SourceUnavailable, match=r"example\.org failed .* ZeroDivisionError"):
        store.source(page, EXTRACTOR_VERSION)


def test_page_not_modified_is_fresh_again_and_keeps_its_text(store: Store) -> None:
    """A server that confirms a page saves fetching and extracting it."""
    keep(store, fetched(b"<p>Grey fog"))
    later = NOON.replace(day=30)
    assert keep(store, NotModified(FOG, FOG.url or "", later)) is None
    page = store.page(FOG.key)
    assert page is not None
    assert page.fetched_at == later
    assert store.source(page, EXTRACTOR_VERSION).text == "Grey fog"


def test_page_stored_before_a_crash_is_extracted_from_its_body(store: Store) -> None:
    """A run that was killed between fetching and extracting only extracts."""
    page = keeping.put_fetched(store, fetched(b"<p>Grey fog"))
    keeper = Keeper(store, WorkerPool(1))
    assert anyio.run(keeper.read_again, page, FOG) is None
    assert store.source(page, EXTRACTOR_VERSION).text == "Grey fog"


def test_page_is_extracted_in_a_worker(tmp_path: Path) -> None:
    """The real workers do it too."""

    async def run(store: Store) -> None:
        async with WorkerPool(1) as pool:
            await Keeper(store, pool).keep(fetched(b"<p>Grey fog"), FOG)

    with Store(tmp_path / "store.sqlite") as store:
        anyio.run(run, store)
        page = store.page(FOG.key)
        assert page is not None
        assert store.source(page, EXTRACTOR_VERSION).text == "Grey fog"


def test_request_for_a_stale_page_is_conditional(store: Store) -> None:
    """Only a page that is stored can be asked about."""
    stale = keeping.put_fetched(store, fetched(b"<p>Grey fog"))
    assert request_for(FOG, stale).etag == '"7"'
    assert not request_for(FOG, None).is_conditional


DOI = parse_reference("doi:10.1000/fog")
NO_TEXT = b"<div id=root></div>"


def read_again(
    store: Store, page: StoredPage, abstract: Fetched | None, *, run: str = "run"
) -> list[Reference]:
    """Read a stored page of a DOI; return for which references the abstract was asked for."""
    asked: list[Reference] = []

    async def abstract_of(reference: Reference) -> Fetched | None:
        asked.append(reference)
        return abstract

    anyio.run(Keeper(store, WorkerPool(1), run=run).read_again, page, DOI, abstract_of)
    return asked


def test_abstract_takes_the_place_of_a_page_without_text(store: Store) -> None:
    """Also where a run was killed before it came to that."""
    page = keeping.put_fetched(store, replace(fetched(NO_TEXT), reference=DOI))
    abstract = replace(
        fetched(b"<p>Grey fog", abstract_only=True), reference=DOI, final_url="https://example.com/a"
    )
    assert read_again(store, page, abstract) == [DOI]
    kept = store.page(DOI.key)
    assert kept is not None
    source = store.source(kept, EXTRACTOR_VERSION)
    assert (source.text, source.final_url, source.flags) == (
        "Grey fog",
        "https://example.com/a",
        (Flag.ABSTRACT_ONLY,),
    )


@pytest.mark.parametrize("abstract", [None, replace(fetched(NO_TEXT, abstract_only=True), reference=DOI)])
def test_abstract_that_is_not_there_is_asked_for_once_in_a_run(
    store: Store, abstract: Fetched | None
) -> None:
    """The page and its own reason stay, and another run asks again."""
    page = keeping.put_fetched(store, replace(fetched(NO_TEXT), reference=DOI))
    assert [len(read_again(store, page, abstract, run=run)) for run in ("1", "1", "2")] == [1, 0, 1]
    kept = store.page(DOI.key)
    assert kept == page
    with pytest.raises(SourceUnavailable, match="no readable text"):
        store.source(kept, EXTRACTOR_VERSION)
