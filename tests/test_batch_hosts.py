"""Which host a source lies on."""

from __future__ import annotations

import polars as pl
import pytest

from quotecheck.batch.hosts import HostWork, first_host, host_column, host_of_url
from quotecheck.sources.reference import parse_reference

SPELLINGS = [
    ("https://www.example.org/a?b", "www.example.org"),
    ("http://WWW.example.org:8080/a", "www.example.org:8080"),
    ("https://example.org?q=1", "example.org"),
    ("doi:10.1000/abc", "doi.org"),
    ("pmid:12345", "eutils.ncbi.nlm.nih.gov"),
    ("pmcid:PMC12345", "eutils.ncbi.nlm.nih.gov"),
    ("arxiv:2101.00001", "arxiv.org"),
]


@pytest.mark.parametrize(("spelling", "host"), SPELLINGS)
def test_first_host_is_where_reading_begins(spelling: str, host: str) -> None:
    """By address, or by the service that knows the identifier; in Python and over a column alike."""
    key = parse_reference(spelling).key
    assert first_host(key, spelling) == host
    row = pl.DataFrame({"url": [None], "key": [key]}, schema={"url": pl.String, "key": pl.String})
    assert row.select(host_column("url", "key")).item() == host


def test_final_address_goes_before_the_key() -> None:
    """A DOI's page lies on the publisher's host."""
    row = pl.DataFrame({"url": ["https://press.example.org/a"], "key": ["doi:10.1000/abc"]})
    assert row.select(host_column("url", "key")).item() == "press.example.org"


@pytest.mark.parametrize("spelling", ["HTTP://Intra.invalid/a#b", "http://me:secret@intra.invalid/"])
def test_refused_address_is_counted_for_its_host(spelling: str) -> None:
    """Its key is its spelling: the scheme is no host, and a password is not repeated."""
    row = pl.DataFrame({"url": [None], "key": [spelling]}, schema={"url": pl.String, "key": pl.String})
    assert row.select(host_column("url", "key")).item() == "intra.invalid"


@pytest.mark.parametrize("key", ["text:00ff", "file:notes/weir.txt", "ftp://example.org/a"])
def test_what_lies_on_no_host_has_none(key: str) -> None:
    """Texts that came with their rows, files, and what is never contacted."""
    row = pl.DataFrame({"url": [None], "key": [key]}, schema={"url": pl.String, "key": pl.String})
    assert row.select(host_column("url", "key")).item() is None
    assert host_of_url(key) is None


def test_work_of_a_host_lasts_from_its_first_source_to_its_last() -> None:
    """Whatever the clock began with."""
    work = HostWork()
    for now in (100.0, 101.5, 104.0):
        work.count(now)
    assert (work.fetched, work.seconds) == (3, 4.0)
