"""Sources that are put into a store from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quotecheck.errors import InvalidInput
from quotecheck.sources.importing import import_folder
from quotecheck.sources.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def test_folder_imported_is_found_by_every_spelling(store: Store, tmp_path: Path) -> None:
    """Pages and failures of an index are stored under their sources' keys."""
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "fog.html").write_text("<p>Fog")
    (tmp_path / "sources.jsonl").write_text(
        '{"source": "https://EXAMPLE.org:443/fog#top", "file": "fog.html", "content_type": "text/html"}\n'
        '{"source": "pmid:1", "reason_code": "pmid_not_found", "reason": "no such record"}\n'
    )
    assert import_folder(store, tmp_path / "sources.jsonl") == 2
    assert store.page("https://example.org/fog") is not None
    assert store.failure("pmid:1") is not None


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"source": "https://example.org/"}',
        '{"source": "https://example.org/", "file": "none"}',
        "[]",
    ],
)
def test_folder_with_a_bad_line_names_it(store: Store, tmp_path: Path, line: str) -> None:
    """An index that cannot be read says where."""
    (tmp_path / "sources.jsonl").write_text(line)
    with pytest.raises(InvalidInput, match="line 1 is no stored source"):
        import_folder(store, tmp_path / "sources.jsonl")
