"""Fetched sources on disk: bodies and extracted texts, for resuming, re-audits and offline replay.

One SQLite file. Bodies and texts are content-addressed, so that equal pages are stored once; every fetch is
one transaction, so that a process killed at any moment loses at most the fetches in flight. Extracted text is
keyed by (body, content type, extractor version): a newer extractor reads the stored body again and nothing is
fetched. Failures stand in a table of their own with their own age, and never replace a page that was read.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from quotecheck.errors import InvalidInput, SourceUnavailable
from quotecheck.models import ReasonCode, Source
from quotecheck.sources.details import details_of, restored_source
from quotecheck.sources.stored import DOI_KEY, Freshness, StoredFailure, StoredPage

# Raised with every change of the tables: a store of another format is refused, never read wrongly.
_VERSION = 2

_TABLES = """
CREATE TABLE IF NOT EXISTS blob (
    sha256 TEXT PRIMARY KEY, packed BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS page (
    key TEXT PRIMARY KEY, final_url TEXT, status INTEGER, content_type TEXT, body_sha256 TEXT NOT NULL,
    body_bytes INTEGER NOT NULL,
    etag TEXT, last_modified TEXT, hops TEXT NOT NULL, abstract_only INTEGER NOT NULL,
    fetched_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failure (
    key TEXT PRIMARY KEY, reason_code TEXT NOT NULL, reason TEXT NOT NULL, final_url TEXT,
    run TEXT NOT NULL, failed_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS extraction (
    body_sha256 TEXT NOT NULL, content_type TEXT NOT NULL, final_url TEXT NOT NULL, extractor TEXT NOT NULL,
    text_sha256 TEXT, details TEXT, reason_code TEXT, reason TEXT,
    PRIMARY KEY (body_sha256, content_type, final_url, extractor)
) WITHOUT ROWID;
"""

# What an extractor says of the installation, not of the body: it is asked again by the next run.
_OF_THE_INSTALLATION = frozenset({ReasonCode.PDF_SUPPORT_MISSING, ReasonCode.INTERNAL_ERROR})
_UNUSABLE = (
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CORRUPT,
)
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PAGE_COLUMNS = tuple(field.name for field in fields(StoredPage))
_PAGE = ", ".join(_PAGE_COLUMNS)


def default_store_path() -> Path:
    """Return the store in the user's cache directory (`XDG_CACHE_HOME`, else `~/.cache`).

    Raises InvalidInput for a user without a home directory.
    """
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "quotecheck" / "store.sqlite"
    except RuntimeError as error:
        raise InvalidInput(
            "there is no home directory to keep fetched sources in: name a file with --store, "
            "or a folder in the environment variable XDG_CACHE_HOME"
        ) from error


class Store:
    """A store of fetched sources in one SQLite file, which is created where it is missing.

    Usable from one thread at a time; other processes may read and write the same file meanwhile. Raises
    InvalidInput where the file cannot be opened or is no store, and whenever it turns out to be damaged.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Store(Path(folder.name) / "store.sqlite") as store:
    ...     _ = store.put_page("https://example.org/", b"<p>Fog.", content_type="text/html")
    ...     store.page("https://example.org/").content_type
    'text/html'
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        try:
            self._database = _open(path, read_only=read_only)
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CANTOPEN) & 0xFF not in _UNUSABLE:
                raise  # a full or failing disk is not the fault of the name
            raise InvalidInput(
                f"{path} cannot be opened as a store of sources ({error}): name another file with --store"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything that was put is on disk already."""
        self._database.close()

    def put_page(
        self,
        key: str,
        body: bytes,
        *,
        content_type: str | None = None,
        final_url: str | None = None,
        status: int | None = 200,
        hops: Iterable[str] = (),
        etag: str | None = None,
        last_modified: str | None = None,
        abstract_only: bool = False,
        fetched_at: datetime | None = None,
    ) -> StoredPage:
        """Store a fetched body under its source's key, at once and for good; return what was stored."""
        moment = fetched_at or datetime.now(UTC)
        page = StoredPage(
            key=key,
            body_sha256=sha256(body),
            body_bytes=len(body),
            content_type=content_type,
            final_url=final_url,
            status=status,
            hops=tuple(hops),
            etag=etag,
            last_modified=last_modified,
            abstract_only=abstract_only,
            fetched_at=moment,
        )
        with self._transaction() as database:
            _put_blob(database, page.body_sha256, body)
            places = ",".join("?" * len(_PAGE_COLUMNS))
            database.execute(f"REPLACE INTO page ({_PAGE}) VALUES ({places})", _page_row(page))
        return page

    def renew(self, key: str, *, fetched_at: datetime) -> StoredPage:
        """Note that the server confirmed a stored page as unchanged; return it. Raises KeyError."""
        with self._transaction() as database:
            database.execute("UPDATE page SET fetched_at = ? WHERE key = ?", (fetched_at.isoformat(), key))
        page = self.page(key)
        if page is None:
            raise KeyError(key)
        return page

    def put_failure(
        self, key: str, error: SourceUnavailable, *, run: str = "", failed_at: datetime | None = None
    ) -> None:
        """Store why a source could not be fetched. A page read earlier stays."""
        moment = (failed_at or datetime.now(UTC)).isoformat()
        row = (key, str(error.reason_code), error.reason, error.final_url, run, moment)
        with self._transaction() as database:
            database.execute("REPLACE INTO failure VALUES (?,?,?,?,?,?)", row)

    def drop_page(self, key: str) -> None:
        """Drop the page stored under a key: what came was no page. Its blobs stay."""
        with self._transaction() as database:
            database.execute("DELETE FROM page WHERE key = ?", (key,))

    def forget_failures(self, keys: Iterable[str]) -> None:
        """Drop the failures of these sources, so that they are fetched again."""
        with self._transaction() as database:
            database.executemany("DELETE FROM failure WHERE key = ?", ((key,) for key in keys))

    def page(self, key: str) -> StoredPage | None:
        """Return the page stored under a key, of whatever age."""
        row = self._row(f"SELECT {_PAGE} FROM page WHERE key = ?", (key,))
        if row is None:
            return None
        values = dict(zip(_PAGE_COLUMNS, row, strict=True))
        values["hops"] = tuple(json.loads(values["hops"]))
        values["abstract_only"] = bool(values["abstract_only"])
        values["fetched_at"] = datetime.fromisoformat(values["fetched_at"])
        return StoredPage(**values)

    def failure(self, key: str) -> StoredFailure | None:
        """Return the last failure stored under a key, of whatever age."""
        row = self._row(
            "SELECT reason_code, reason, final_url, run, failed_at FROM failure WHERE key = ?", (key,)
        )
        if row is None:
            return None
        code, reason, final_url, run, failed_at = row
        moment = datetime.fromisoformat(failed_at)
        return StoredFailure(key, ReasonCode(code), reason, final_url, run, moment)

    def outcome(self, key: str, freshness: Freshness) -> StoredPage | StoredFailure | None:
        """Return what counts for a key: a fresh page, else a standing failure, else None (fetch it)."""
        page = self.page(key)
        if page is not None and freshness.takes_page(page):
            return page
        failure = self.failure(key)
        if failure is not None and freshness.takes_failure(failure):
            return failure
        return None

    def blob(self, digest: str) -> bytes:
        """Return the bytes with this SHA-256. Raises KeyError."""
        row = self._row("SELECT packed FROM blob WHERE sha256 = ?", (digest,))
        if row is None:
            raise KeyError(digest)
        return self._unpacked(row[0])

    def put_texts(self, texts: Iterable[str]) -> list[str]:
        """Store texts by content in one transaction; return their SHA-256 (UTF-8, surrogatepass)."""
        digests = []
        with self._transaction() as database:
            for text in texts:
                data = text.encode("utf-8", "surrogatepass")
                digests.append(sha256(data))
                _put_blob(database, digests[-1], data)
        return digests

    def text(self, digest: str) -> str:
        """Return the text with this SHA-256. Raises KeyError."""
        return self.blob(digest).decode("utf-8", "surrogatepass")

    def put_source(self, page: StoredPage, extractor: str, source: Source) -> None:
        """Store what an extractor version read from a page's body."""
        text = source.text.encode("utf-8", "surrogatepass")
        details = json.dumps(details_of(source), separators=(",", ":"))
        row = (*_extraction_key(page, extractor), source.text_sha256, details, None, None)
        with self._transaction() as database:
            _put_blob(database, source.text_sha256, text)
            database.execute("REPLACE INTO extraction VALUES (?,?,?,?,?,?,?,?)", row)

    def put_unreadable(self, page: StoredPage, extractor: str, error: SourceUnavailable) -> None:
        """Store that an extractor version can read no text from a page's body, and why."""
        row = (*_extraction_key(page, extractor), None, None, str(error.reason_code), error.reason)
        with self._transaction() as database:
            database.execute("REPLACE INTO extraction VALUES (?,?,?,?,?,?,?,?)", row)

    def is_extracted(self, page: StoredPage, extractor: str) -> bool:
        """Tell whether this extractor version has read the page's body."""
        row = self._failed_extraction(page, extractor)
        return row is not None and row[0] not in _OF_THE_INSTALLATION

    def why_unreadable(self, page: StoredPage, extractor: str) -> SourceUnavailable | None:
        """Return why this extractor version found no text in a page's body; None where it did, or has not
        read it."""
        row = self._failed_extraction(page, extractor)
        if row is None or row[0] is None:
            return None
        return SourceUnavailable(ReasonCode(row[0]), row[1], final_url=page.final_url)

    def _failed_extraction(self, page: StoredPage, extractor: str) -> tuple[Any, Any] | None:
        row: tuple[Any, Any] | None = self._row(
            f"SELECT reason_code, reason FROM extraction WHERE {_EXTRACTION_KEY}",
            _extraction_key(page, extractor),
        )
        return row

    def lacks_abstract(self, page: StoredPage, extractor: str, *, run: str) -> bool:
        """Tell whether a run is still to ask for a DOI's open abstract, since its page holds no text.

        What it asked for in vain is noted as a failure of that run.
        """
        if page.abstract_only or not page.key.startswith(DOI_KEY):
            return False
        if self.why_unreadable(page, extractor) is None:
            return False
        failure = self.failure(page.key)
        return failure is None or failure.run != run

    def source(self, page: StoredPage, extractor: str) -> Source:
        """Return the extracted text of a page.

        Raises SourceUnavailable where the extractor found none, KeyError where it has not read the body.
        """
        row = self._row(
            "SELECT packed, details, reason_code, reason"
            f" FROM extraction LEFT JOIN blob ON sha256 = text_sha256 WHERE {_EXTRACTION_KEY}",
            _extraction_key(page, extractor),
        )
        if row is None:
            raise KeyError((page.key, extractor))
        packed, details, reason_code, reason = row
        if packed is None:
            raise SourceUnavailable(ReasonCode(reason_code), reason, final_url=page.final_url)
        return restored_source(
            self._unpacked(packed).decode("utf-8", "surrogatepass"),
            json.loads(details),
            final_url=page.final_url,
            content_type=page.content_type,
            fetched_at=page.fetched_at,
        )

    def _row(self, query: str, values: Sequence[str]) -> Any:
        """Return the row that a query finds, or None."""
        with self._damage_named():
            return self._database.execute(query, values).fetchone()

    def _unpacked(self, packed: bytes) -> bytes:
        with self._damage_named():
            return zlib.decompress(packed)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._damage_named():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def _damage_named(self) -> Iterator[None]:
        """Raise InvalidInput where the file is found to be damaged."""
        try:
            yield
        except (sqlite3.DatabaseError, zlib.error) as error:
            if (
                isinstance(error, sqlite3.Error)
                and getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGED
            ):
                raise
            raise InvalidInput(
                f"the store {self.path} is damaged ({error}): delete it, or name another file with --store"
            ) from error


def sha256(data: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _open(path: Path, *, read_only: bool) -> sqlite3.Connection:
    if not read_only:
        path.parent.mkdir(parents=True, exist_ok=True)
    mode = "ro" if read_only else "rwc"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    # Callers keep to one thread at a time, not to the thread that opened the file.
    database = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=60, check_same_thread=False)
    try:
        _require_format(database, path)
        if not read_only:
            _prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def _require_format(database: sqlite3.Connection, path: Path) -> None:
    found = database.execute("PRAGMA user_version").fetchone()[0]
    if found not in (0, _VERSION):
        raise InvalidInput(
            f"{path} is a store of format {found}, and this version reads format {_VERSION}: "
            "delete it, or name another file with --store"
        )


def _prepare(database: sqlite3.Connection) -> None:
    try:
        database.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError:
        # Network file systems have no shared memory for WAL; a rollback journal works there.
        database.execute("PRAGMA journal_mode = TRUNCATE")
    # In WAL mode NORMAL survives a killed process at any moment; only a power cut can lose the last commits.
    database.execute("PRAGMA synchronous = NORMAL")
    database.executescript(_TABLES)
    database.execute(f"PRAGMA user_version = {_VERSION}")


def _put_blob(database: sqlite3.Connection, digest: str, data: bytes) -> None:
    known = database.execute("SELECT 1 FROM blob WHERE sha256 = ?", (digest,)).fetchone()
    if known is None:
        # Level 1: level 6 costs 1.8 times the CPU and saves nothing on pages (4.9 KB of 20 KB both).
        database.execute("INSERT INTO blob VALUES (?,?)", (digest, zlib.compress(data, 1)))


def _page_row(page: StoredPage) -> list[object]:
    plain: dict[str, object] = {
        **asdict(page),
        "hops": json.dumps(page.hops),
        "fetched_at": page.fetched_at.isoformat(),
    }
    return [plain[name] for name in _PAGE_COLUMNS]


_EXTRACTION_KEY = "body_sha256 = ? AND content_type = ? AND final_url = ? AND extractor = ?"


def _extraction_key(page: StoredPage, extractor: str) -> tuple[str, str, str, str]:
    # The address tells an extractor what kind of page it reads, and names the host in its reasons.
    return page.body_sha256, page.content_type or "", page.final_url or "", extractor
