"""The verdict on one citation among several sources."""

from __future__ import annotations

import pytest

from quotecheck.citations.judge import Judge
from quotecheck.citations.numbering import Reference
from quotecheck.citations.report import Origin
from quotecheck.citations.sources import read_sources

TEXTS = ["Tin is a soft metal of low price.", "Iron rusts. Tin is a soft metal of low prices.", ""]
JUDGE = Judge(read_sources(TEXTS), near_threshold=0.90)
FIRST, SECOND, UNKNOWN = Reference(1, (1,)), Reference(2, (2,)), Reference(9, ())


@pytest.mark.parametrize(
    ("reference", "quote", "source", "result", "found_in"),
    [
        (FIRST, "soft metal", 1, "EXACT", (1, 2)),
        (FIRST, "SOFT metal", 1, "NORMALIZED", (1, 2)),
        (FIRST, "soft metal of low prices", 1, "NEAR", (2,)),
        (FIRST, "Iron rusts", 1, "NOT_FOUND", (2,)),
        (FIRST, None, 1, "NO_QUOTE", ()),
        (FIRST, "…", 1, "NO_QUOTE", ()),
        (Reference("book", (1, 2)), "Iron rusts", 2, "EXACT", (2,)),
        (Reference("book", (1, 2)), None, 1, "NO_QUOTE", ()),
        (Reference("book", (1, 2)), "gold and silver coins", 2, "NOT_FOUND", ()),
        (UNKNOWN, "Iron rusts", 9, "UNKNOWN_SOURCE", (2,)),
        (UNKNOWN, None, 9, "UNKNOWN_SOURCE", ()),
        (Reference("snow", ()), "gold", "snow", "UNKNOWN_SOURCE", ()),
        (None, "Iron rusts", None, "NO_NUMBER", (2,)),
        (None, "Tin is a soft metal of bow prices", None, "NEAR", ()),
        (None, "gold and silver coins", None, "NOT_FOUND", ()),
        (None, None, None, "UNKNOWN_SOURCE", ()),
    ],
)
def test_verdict(
    reference: Reference | None, quote: str | None, source: object, result: str, found_in: tuple[int, ...]
) -> None:
    """Each pair of a reference and a quote, one or both missing, has its verdict."""
    citation = JUDGE.citation(Origin.JSON, reference, quote)
    assert (citation.source, str(citation.result), citation.found_in) == (source, result, found_in)


def test_source_number_zero_is_a_number() -> None:
    """Where sources are counted from 0, the first one is found like any other."""
    judge = Judge(read_sources(["Iron rusts.", "x"], first_number=0), near_threshold=0.90)
    citation = judge.citation(Origin.JSON, Reference("book", (1, 0)), "Iron rusts")
    assert (citation.source, str(citation.result)) == (0, "EXACT")


def test_passage_of_a_quote_without_a_number() -> None:
    """Offsets of a quote without a number are those in the first source that holds it."""
    citation = JUDGE.citation(Origin.JSON, None, "Iron rusts")
    assert TEXTS[1][citation.char_start : citation.char_end] == citation.snippet == "Iron rusts"


def test_near_passage_without_a_number_has_no_offsets() -> None:
    """Where nobody holds the words and no source was named, there is a snippet, and no offsets."""
    citation = JUDGE.citation(Origin.JSON, None, "Tin is a soft metal of bow prices")
    assert citation.snippet is not None
    assert (citation.char_start, citation.char_end) == (None, None)


def test_misattribution_is_told() -> None:
    """Words that stand in another source than the one cited are misattributed."""
    rows = [(FIRST, "Iron rusts"), (SECOND, "Iron rusts"), (None, "Iron rusts"), (UNKNOWN, "Iron rusts")]
    found = [JUDGE.citation(Origin.JSON, *row).is_misattributed for row in rows]
    assert found == [True, False, False, True]
