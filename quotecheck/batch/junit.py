"""The audit as a JUnit file, for CI systems that show test reports.

The counts are those of all rows; test cases stand only for rows with a problem, the first of them, since a
million passing cases help nobody. A near quotation is a failure: it is never presented as a pass.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from quotecheck.batch.report_page import Card
from quotecheck.models import Status

LISTED = dict.fromkeys((Status.NOT_FOUND, Status.NEAR, Status.INVALID, Status.SOURCE_UNAVAILABLE), 250)

_ELEMENT = {
    Status.NOT_FOUND: "failure",
    Status.NEAR: "failure",
    Status.INVALID: "error",
    Status.SOURCE_UNAVAILABLE: "skipped",
}
_NAME_CHARACTERS = 80
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(name: str, counts: dict[Status, int], cards: Sequence[Card], *, seconds: float) -> bytes:
    """Return the report as a JUnit XML document in UTF-8.

    `counts` counts all rows by verdict; `cards` are the problems to list. Characters that XML 1.0 forbids
    are replaced by U+FFFD.
    """
    totals = {
        "tests": sum(counts.values()),
        "failures": counts.get(Status.NOT_FOUND, 0) + counts.get(Status.NEAR, 0),
        "errors": counts.get(Status.INVALID, 0),
        "skipped": counts.get(Status.SOURCE_UNAVAILABLE, 0),
    }
    figures = {key: str(value) for key, value in totals.items()} | {"time": f"{seconds:.3f}"}
    suites = ET.Element("testsuites", {"name": "quotecheck", **figures})
    suite = ET.SubElement(suites, "testsuite", {"name": _xml(name), **figures})
    for card in cards:
        suite.append(_case(card))
    problems = totals["failures"] + totals["errors"] + totals["skipped"]
    if problems > len(cards):
        note = f"listed: first {len(cards):,} of {problems:,} problems; the result table has every row"
        ET.SubElement(suite, "system-out").text = note
    ET.indent(suites)
    document: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return document


def _case(card: Card) -> ET.Element:
    quote = " ".join(card.quote.split())
    attributes = {"classname": _xml(card.source), "name": _xml(f"row {card.row}: {quote[:_NAME_CHARACTERS]}")}
    file, _, line = (card.place or "").rpartition(":")
    if file:
        attributes |= {"file": _xml(file), "line": line}
    case = ET.Element("testcase", attributes)
    detail = ET.SubElement(case, _ELEMENT[card.status], {"message": _xml(message_of(card))})
    if _ELEMENT[card.status] != "skipped":
        detail.set("type", str(card.status))
        detail.text = _xml(_detail(card))
    return case


def message_of(card: Card) -> str:
    """Return one line that says what is wrong with a row."""
    parts = [str(card.status)]
    if card.reason_code:
        parts.append(card.reason_code)
    elif card.similarity is not None:
        parts.append(f"similarity {card.similarity:.3f}")
    if card.flags:
        parts.append(f"[{', '.join(card.flags)}]")
    return " ".join(parts) + (f": {card.reason}" if card.reason else "")


def _detail(card: Card) -> str:
    lines = [f"quotation: {card.quote}", f"source: {card.source}"]
    if card.passage is not None:
        lines.append(f"passage: {card.passage.text}")
    if card.closest is not None:
        lines.append(f"closest passage, not a match: {card.closest.text}")
    return "\n".join(lines)


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
