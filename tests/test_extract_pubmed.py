"""Records of efetch: one or many, with and without an abstract."""

from __future__ import annotations

import json

import pytest
from shared_data import shared_path

from quotecheck.extract.pubmed import parse_records
from quotecheck.models import Flag

_RECORD = """1. J Mill Sci. 1930 May;3(2):11-9. doi: 10.1000/mill.1.

On the burning of
mills.

Oak A(1), van der Elm BC(2)(3), Ash D Jr.

Author information:
(1)Institute of Mills, Lisse.

BACKGROUND: Mills burn at night. It is
not known why.
CONCLUSIONS: They still do.

Copyright © 1930 The Millers.

DOI: 10.1000/mill.1
PMID: 71 [Indexed for MEDLINE]

Conflict of interest statement: None."""


def test_parse_records_single() -> None:
    """A record keeps its text but for its ordinal; title and abstract are known."""
    record = parse_records(_RECORD)["71"]
    assert record.text == _RECORD[3:]
    assert (record.title, record.has_abstract) == ("On the burning of mills.", True)


def test_parse_records_source_is_an_abstract() -> None:
    """The source of a record says that it is not the paper."""
    source = parse_records(_RECORD)["71"].as_source()
    assert source.flags == (Flag.ABSTRACT_ONLY,)
    assert source.title == "On the burning of mills."


def test_parse_records_of_many() -> None:
    """Records are parted by blank lines before an ordinal, and keyed by their number."""
    second = _RECORD.replace("1. J", "2. J").replace("PMID: 71", "PMID: 72")
    records = parse_records(f"\n{_RECORD}\n\n\n{second}\n")
    assert list(records) == ["71", "72"]
    assert "PMID: 72" not in records["71"].text


def test_parse_records_number_within_the_text_stays() -> None:
    """Only the ordinal that a record begins with is left out, not the first number with a full stop."""
    record = parse_records("J Mill. 1830.\n\nOn flour.\n\nIt rose by 3. The rest fell.\n\nPMID: 7")["7"]
    assert "It rose by 3. The rest fell." in record.text


def test_parse_records_of_many_blank_lines() -> None:
    """A long run of line breaks is read in one pass."""
    assert list(parse_records("1. J.\n\nPMID: 7" + "\n" * 400_000 + "2. J.\n\nPMID: 8")) == ["7", "8"]


def test_parse_records_windows_line_ends() -> None:
    """Line ends of another kind change nothing."""
    assert parse_records(_RECORD.replace("\n", "\r\n")) == parse_records(_RECORD)


def test_parse_records_without_number() -> None:
    """A record that was cut before its number is left out."""
    assert parse_records(_RECORD.partition("PMID")[0]) == {}
    assert parse_records("") == {}


@pytest.mark.parametrize(
    ("blocks", "has_abstract"),
    [
        ("Title.|Oak A(1), Elm B(2).", False),
        ("Title.|[No authors listed]", False),
        ("Title.|Oak A.|Author information:\n(1)Lisse.|Comment in\n    J Mill. 1931;4:1.", False),
        ("Title.|Oak A.|[This corrects the article DOI: 10.1000/mill.1.]", False),
        ("[Title].|[Article in Dutch]|Oak A(1).|Publisher: Abstract available from the publisher.", False),
        ("Title.|Oak A.|Mills burn at night, and nobody knows why.", True),
        ("Title.|A mill burned in May, and no one saw it. It was old.", True),
        ("Title.|Oak A.|Author information:\nLisse.|Erratum in\n    J Mill. 1931.|Mills burn.", True),
    ],
)
def test_parse_records_abstract(blocks: str, *, has_abstract: bool) -> None:
    """Authors, affiliations, notes and errata are no abstract."""
    text = "\n\n".join(["1. J Mill. 1930.", *blocks.split("|"), "PMID: 5"])
    assert parse_records(text)["5"].has_abstract is has_abstract


def test_parse_records_shared() -> None:
    """All but three of the shared records have an abstract, and each is found by its number."""
    records = json.loads(shared_path("data/pubmed/records.json").read_text("utf-8"))
    parsed = {row["pmid"]: parse_records(row["text"]).get(row["pmid"]) for row in records}
    without = [pmid for pmid, record in parsed.items() if record is None or not record.has_abstract]
    assert sorted(without) == ["19608888", "19965397", "20007881"]
