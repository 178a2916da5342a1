"""NCBI's efetch: introducing oneself, and one record as one body."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources.efetch import call_for, introduced, record_fetched, records_of, says_unknown
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reference import parse_reference

SEVEN = parse_reference("pmid:7")
ANSWER = """1. J Mill. 1830.

On flour.

Oak A(1).

Flour burns.

PMID: 7


2. J Mill. 1831.

On weirs.

Elm B(1).

PMID: 8
"""


def _call(answer: str) -> Fetched:
    return Fetched(
        reference=SEVEN,
        final_url="https://eutils.ncbi.nlm.nih.gov/x?tool=quotecheck",
        status=200,
        content_type="text/plain; charset=UTF-8",
        body=answer.encode(),
        wire_bytes=len(answer),
        hops=(),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_introduction_is_tool_and_mail() -> None:
    """A contact that is no mail address does not go into `email`."""
    assert introduced("u?id=1", "me@mill.org") == "u?id=1&tool=quotecheck&email=me@mill.org"
    assert introduced("u?id=1", "https://mill.org/") == "u?id=1&tool=quotecheck"
    assert introduced("u?id=1", None) == "u?id=1&tool=quotecheck"


def test_one_call_names_all_numbers() -> None:
    """In the order of the references."""
    references = [parse_reference(f"pmid:{number}") for number in (3, 1, 2)]
    assert "&id=3,1,2&" in str(call_for(references, None).url)


def test_record_of_a_call_is_the_same_as_fetched_alone() -> None:
    """Its ordinal in the answer is gone, its address is its own."""
    call = _call(ANSWER)
    fetched = record_fetched(call, records_of(call).get("7"), SEVEN)
    alone = _call(ANSWER.partition("\n\n\n")[0])
    assert fetched.body == record_fetched(alone, records_of(alone).get("7"), SEVEN).body
    assert fetched.body.startswith(b"J Mill. 1830.")
    assert (fetched.final_url, fetched.abstract_only) == (SEVEN.url, True)


@pytest.mark.parametrize(
    ("number", "code"), [("8", ReasonCode.NO_ABSTRACT), ("9", ReasonCode.PMID_NOT_FOUND)]
)
def test_record_without_abstract_is_not_a_missing_one(number: str, code: ReasonCode) -> None:
    """Both are no source, for two reasons, and the sentence names the number."""
    reference = parse_reference(f"pmid:{number}")
    call = dataclasses.replace(_call(ANSWER), reference=reference)
    with pytest.raises(SourceUnavailable, match=f"PMID {number}") as caught:
        record_fetched(call, records_of(call).get(number), reference)
    assert caught.value.reason_code is code


@pytest.mark.parametrize(
    ("status", "body", "unknown"),
    [
        (200, b"", True),
        (200, b"\n", True),
        (400, b'{"error":"ID list is empty! Possibly it has no correct IDs."}', True),
        (400, b"Error: cannot get document summary", True),
        (400, b"Bad Request", False),
        (200, b"1. J Mill.", False),
        (500, b"", False),
    ],
)
def test_answer_that_knows_no_number(status: int, body: bytes, unknown: bool) -> None:
    """NCBI says it with an empty body or in words, with 200 or 400."""
    assert says_unknown(status, body) == unknown
