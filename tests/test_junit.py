"""The JUnit file, read by a consumer's own parser."""

from __future__ import annotations

from junitparser import JUnitXml

from quotecheck.batch.junit import junit_xml
from quotecheck.batch.report_page import Card, Passage
from quotecheck.models import Status


def card(status: Status, **more: object) -> Card:
    """Return a problem of the given status."""
    fields = {"row": 7, "quote": "grey \x00 fog", "source": "https://example.org/", "place": "rows.csv:9"}
    return Card(status=status, **{**fields, **more})


def test_junit_counts_all_rows_and_lists_problems() -> None:
    """Counts are those of all rows; each status becomes the element that CI systems expect."""
    counts = {Status.EXACT: 90, Status.NOT_FOUND: 2, Status.NEAR: 1, Status.INVALID: 1}
    counts[Status.SOURCE_UNAVAILABLE] = 1
    cards = [card(status) for status in counts if status is not Status.EXACT]
    suite = next(iter(JUnitXml.fromstring(junit_xml("rows.csv", counts, cards, seconds=1.5))))
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (95, 3, 1, 1)
    kinds = [type(case.result[0]).__name__ for case in suite]
    assert kinds == ["Failure", "Failure", "Error", "Skipped"]


def test_junit_case_says_where_and_what() -> None:
    """A case names the row, the source and the passage; forbidden characters are replaced."""
    near = card(Status.NEAR, similarity=0.97, flags=("number_changed",), passage=Passage("", "grey fog", ""))
    suite = next(iter(JUnitXml.fromstring(junit_xml("rows.csv", {Status.NEAR: 1}, [near], seconds=0))))
    case = next(iter(suite))
    assert (case.name, case.classname) == ("row 7: grey \ufffd fog", "https://example.org/")
    assert case.result[0].message == "NEAR similarity 0.970 [number_changed]"
    assert "passage: grey fog" in case.result[0].text


def test_junit_says_how_many_it_lists() -> None:
    """A list that is cut says first N of M."""
    xml = junit_xml("rows.csv", {Status.NEAR: 5000}, [card(Status.NEAR)], seconds=0)
    assert b"first 1 of 5,000 problems" in xml
