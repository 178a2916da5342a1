"""The store of fetched sources."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from quotecheck.errors import InvalidInput, SourceUnavailable
from quotecheck.models import Flag, ReasonCode, Region, Source
from quotecheck.sources.store import Store, default_store_path
from quotecheck.sources.stored import Freshness, StoredFailure

KEY = "https://example.org/fog"
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
GONE = SourceUnavailable(ReasonCode.HTTP_404_NOT_FOUND, "example.org has no such page")
SLOW = SourceUnavailable(ReasonCode.DEADLINE_EXCEEDED, "example.org is slow")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def test_page_put_is_found_with_its_body(store: Store) -> None:
    """What is put comes back, after the file was opened again too."""
    put = store.put_page(
        KEY,
        b"<p>Fog",
        content_type="text/html",
        final_url="https://example.org/fog/",
        hops=[KEY],
        etag='"7"',
        abstract_only=True,
        fetched_at=NOON,
    )
    with Store(store.path) as again:
        assert again.page(KEY) == put
        assert again.blob(put.body_sha256) == b"<p>Fog"
        assert put.body_bytes == 6


def test_equal_bodies_are_stored_once(store: Store) -> None:
    """Two sources with the same body share it."""
    for key in ("https://a.example/", "https://b.example/"):
        store.put_page(key, b"the same page")
    with closing(sqlite3.connect(store.path)) as database:
        assert database.execute("SELECT count(*) FROM blob").fetchone() == (1,)


def test_failure_never_replaces_a_page(store: Store) -> None:
    """A page that was read once stays usable offline, whatever happened later."""
    page = store.put_page(KEY, b"fog", fetched_at=NOON)
    store.put_failure(KEY, GONE, failed_at=NOON + timedelta(days=1))
    assert store.outcome(KEY, Freshness("run")) == page


@pytest.mark.parametrize(
    ("error", "run", "age", "stands"),
    [
        (GONE, "other", timedelta(hours=23), True),
        (GONE, "other", timedelta(hours=25), False),
        (GONE, "mine", timedelta(hours=25), True),
        (SLOW, "other", timedelta(minutes=1), False),
        (SLOW, "mine", timedelta(minutes=1), True),
    ],
)
def test_failure_stands_a_day_if_permanent_and_within_its_run(
    store: Store, error: SourceUnavailable, run: str, age: timedelta, stands: bool
) -> None:
    """Permanent failures are not asked again for a day, transient ones not within the same run."""
    store.put_failure(KEY, error, run=run, failed_at=NOON - age)
    outcome = store.outcome(KEY, Freshness("mine", NOON, NOON - timedelta(days=1)))
    assert isinstance(outcome, StoredFailure) is stands


def test_page_older_than_asked_for_is_stale(store: Store) -> None:
    """A stale page does not count, unless any age will do."""
    page = store.put_page(KEY, b"fog", fetched_at=NOON)
    assert store.outcome(KEY, Freshness("run", NOON, NOON)) == page
    assert store.outcome(KEY, Freshness("run", NOON + timedelta(seconds=1), NOON)) is None
    assert store.outcome(KEY, Freshness("run")) == page


def test_abstract_of_a_doi_counts_only_where_it_was_asked_for(store: Store) -> None:
    """Another run's abstract is no page, and its failure was met without looking for one."""
    since = NOON - timedelta(days=1)
    plain, falling_back = (Freshness("mine", since, since, doi_fallback=asked) for asked in (False, True))
    page = store.put_page("doi:10.1000/a", b"fog", abstract_only=True, fetched_at=NOON)
    assert (store.outcome(page.key, plain), store.outcome(page.key, falling_back)) == (None, page)
    store.put_failure("doi:10.1000/b", GONE, run="other", failed_at=NOON)
    assert isinstance(store.outcome("doi:10.1000/b", plain), StoredFailure)
    assert store.outcome("doi:10.1000/b", falling_back) is None


def test_page_confirmed_by_its_server_is_fresh_again(store: Store) -> None:
    """A page that has not changed counts from the moment at which that was said."""
    store.put_page(KEY, b"fog", fetched_at=NOON)
    renewed = store.renew(KEY, fetched_at=NOON + timedelta(days=9))
    assert renewed.fetched_at == NOON + timedelta(days=9)
    assert store.page(KEY) == renewed


def test_failures_forgotten_are_asked_again(store: Store) -> None:
    """Forgetting concerns the named sources alone."""
    store.put_failure(KEY, GONE)
    store.put_failure("pmid:1", GONE)
    store.forget_failures([KEY])
    assert store.failure(KEY) is None
    assert store.failure("pmid:1") is not None


def test_failure_comes_back_as_the_error_it_was(store: Store) -> None:
    """Code, sentence and last address survive."""
    store.put_failure(
        KEY, SourceUnavailable(ReasonCode.HTTP_410_GONE, "gone.", final_url="https://e.example/")
    )
    found = store.failure(KEY)
    assert found is not None
    error = found.error()
    assert (error.reason_code, error.reason, error.final_url) == (
        "http_410_gone",
        "gone.",
        "https://e.example/",
    )


def test_text_is_found_with_all_that_its_markup_said(store: Store) -> None:
    """A stored source equals the extracted one, completed with what is known of its fetch."""
    page = store.put_page(KEY, b"fog", content_type="text/html", final_url=KEY, fetched_at=NOON)
    source = Source(
        text="Fog\ud83d.\n\nHidden",
        regions=(Region("hidden", 7, 13),),
        ignorable=((0, 1),),
        raised=((1, 2),),
        page_starts=(0, 4),
        flags=(Flag.ABSTRACT_ONLY,),
        title="A title",
        final_url=KEY,
        content_type="text/html",
        charset="utf-8",
        fetched_at=NOON,
    )
    store.put_source(page, "1", source)
    assert store.source(page, "1") == source


def test_text_of_another_extractor_version_is_none(store: Store) -> None:
    """A newer extractor reads the stored body again."""
    page = store.put_page(KEY, b"fog")
    store.put_source(page, "1", Source("fog"))
    assert store.is_extracted(page, "1")
    assert not store.is_extracted(page, "2")
    with pytest.raises(KeyError):
        store.source(page, "2")


def test_page_without_text_raises_why(store: Store) -> None:
    """That a body holds no text is remembered, with the reason."""
    page = store.put_page(KEY, b"%PDF", final_url=KEY)
    store.put_unreadable(page, "1", SourceUnavailable(ReasonCode.PDF_ENCRYPTED, "needs a password"))
    assert store.is_extracted(page, "1")
    with pytest.raises(SourceUnavailable, match="needs a password") as caught:
        store.source(page, "1")
    assert caught.value.final_url == KEY


def test_page_that_only_lacked_pdf_support_is_read_again(store: Store) -> None:
    """What depends on the installation does not stand for ever."""
    page = store.put_page(KEY, b"%PDF")
    store.put_unreadable(page, "1", SourceUnavailable(ReasonCode.PDF_SUPPORT_MISSING, "no PDF support"))
    assert not store.is_extracted(page, "1")


def test_texts_put_come_back_by_digest(store: Store) -> None:
    """Texts without a page are found by what they are, lone surrogates included."""
    digests = store.put_texts(["fog", "mist \udc80", "fog"])
    assert digests[0] == digests[2]
    assert [store.text(digest) for digest in digests] == ["fog", "mist \udc80", "fog"]


def test_two_processes_write_the_same_store(store: Store) -> None:
    """What one connection puts, another sees, and both may write."""
    with Store(store.path) as other:
        other.put_page("https://a.example/", b"a")
        store.put_page("https://b.example/", b"b")
        assert store.page("https://a.example/") is not None
        assert other.page("https://b.example/") is not None


def test_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    """A file of another kind is neither read nor overwritten."""
    path = tmp_path / "rows.csv"
    path.write_text("quote,source\n" * 100)
    with pytest.raises(InvalidInput, match=r"rows\.csv cannot be opened as a store"):
        Store(path)
    assert path.read_text().startswith("quote,source\n")


@pytest.mark.parametrize("version", [1, 99])
@pytest.mark.parametrize("read_only", [False, True])
def test_store_of_another_format_is_refused(tmp_path: Path, version: int, read_only: bool) -> None:
    """What an earlier or a later version has written is left alone, and the sentence says what to do."""
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE page (key TEXT PRIMARY KEY, body BLOB)")
        database.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match=rf"format {version}, .*delete it, or name another .* --store"):
        Store(path, read_only=read_only)
    assert path.read_bytes() == before


def test_damaged_file_is_named(tmp_path: Path) -> None:
    """A disk can lose pages of the file, at its end or in the middle."""
    path = tmp_path / "store.sqlite"
    with Store(path) as store:
        store.put_page(KEY, b"<p>Fog", fetched_at=NOON)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
    with Store(path, read_only=True) as store, pytest.raises(InvalidInput, match=r"is damaged .* delete it"):
        store.page(KEY)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidInput, match="cannot be opened"):
        Store(path)


def test_damaged_body_is_named(store: Store) -> None:
    """What was packed there cannot be read any more."""
    page = store.put_page(KEY, b"<p>Fog")
    with closing(sqlite3.connect(store.path)) as database, database:
        database.execute("UPDATE blob SET packed = x'00'")
    with pytest.raises(InvalidInput, match="is damaged"):
        store.blob(page.body_sha256)


def test_read_only_store_that_is_missing_is_refused(tmp_path: Path) -> None:
    """A reader never creates a file."""
    with pytest.raises(InvalidInput, match="cannot be opened"):
        Store(tmp_path / "none.sqlite", read_only=True)
    assert not list(tmp_path.iterdir())


def test_default_store_lies_in_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual variable moves it."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_store_path() == Path("/somewhere/quotecheck/store.sqlite")


def test_default_store_needs_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whom the system does not know, without HOME, is told to name a file."""
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(Path, "expanduser", _no_home)
    with pytest.raises(InvalidInput, match="--store"):
        default_store_path()


def _no_home(path: Path) -> Path:
    raise RuntimeError("Could not determine home directory.")
