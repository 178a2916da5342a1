"""What became of an audit's verdicts since an earlier one, and why: the findings of `quotecheck compare`.

Values only. A verdict is worse when a reader can rely on it less (EXACT, then NEAR, then NOT_FOUND); a source
that cannot be read now says nothing about its quotations, so that is a change of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from quotecheck.batch.gates import GateResult
from quotecheck.errors import InvalidOption

_SHOWN = 10


class Change(StrEnum):
    """What became of one row's verdict; the order of the members is the order in which rows are listed."""

    WORSE = "worse"
    UNAVAILABLE = "unavailable"  # it was judged, now its source cannot be read
    OTHER = "other"  # flags or the class of difference changed, for neither better nor worse
    AVAILABLE = "available"
    BETTER = "better"
    SAME = "same"


class Cause(StrEnum):
    """Why a verdict changed."""

    PAGE = "page"  # the source's text changed
    TOOL = "tool"  # the page is the same, versions or options changed
    PAGE_OR_TOOL = "page_or_tool"  # both changed: the tables cannot tell which it was
    AVAILABILITY = "availability"  # only one of the audits could read the source
    OTHER_SOURCES = "other_sources"  # the quotation came or went in another source of the batch
    UNKNOWN = "unknown"  # nothing that it rests on changed: a table was edited


CHANGED, UNMATCHED = "changed", "unmatched"
FAIL_ON_NAMES = (Change.WORSE, Change.UNAVAILABLE, CHANGED, UNMATCHED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one table on a row."""

    status: str
    difference: str | None
    similarity: float | None
    flags: tuple[str, ...]
    reason_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRow:
    """A row whose verdict changed; `place` is file and line in the new input, null where that had none."""

    change: Change
    cause: Cause
    old_row: int
    new_row: int
    place: str | None
    quote: str
    source: str
    old: Verdict
    new: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDrift:
    """Distinct sources that both audits name, and what became of them."""

    compared: int
    text_changed: int
    unavailable: int
    available: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two tables."""

    table: str
    rows: int
    finished_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything that `quotecheck compare` says.

    Attributes
    ----------
    matched_by : `row` where both audits read the same input, `pair` where quotation and source decide.
    moved : rows with the same verdict whose passage stands elsewhere in the text.
    transitions : old status, new status, rows; the most frequent first.
    versions, options : what differs between the audits, old and new.
    rows : the first of `rows_total` rows whose verdict changed, the worst changes first.
    """

    old: Side
    new: Side
    matched_by: str
    compared: int
    only_old: int
    only_new: int
    changes: Mapping[Change, int]
    causes: Mapping[Cause, int]
    transitions: Sequence[tuple[str, str, int]]
    moved: int
    versions: Mapping[str, tuple[object, object]]
    options: Mapping[str, tuple[object, object]]
    sources: SourceDrift | None
    rows: Sequence[ChangedRow]
    rows_total: int
    notices: Sequence[str]
    gates: Sequence[GateResult] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        return {
            "old": asdict(self.old),
            "new": asdict(self.new),
            "matched_by": self.matched_by,
            "rows": {
                "compared": self.compared,
                "changed": self.rows_total,
                "moved": self.moved,
                "only_old": self.only_old,
                "only_new": self.only_new,
            },
            "changes": {str(change): self.changes.get(change, 0) for change in Change},
            "causes": {str(cause): self.causes.get(cause, 0) for cause in Cause},
            "transitions": [{"old": old, "new": new, "rows": rows} for old, new, rows in self.transitions],
            "versions": {name: list(pair) for name, pair in self.versions.items()},
            "options": {name: list(pair) for name, pair in self.options.items()},
            "sources": None if self.sources is None else asdict(self.sources),
            "changed_rows": [asdict(row) for row in self.rows],
            "changed_rows_total": self.rows_total,
            "gates": [asdict(gate) for gate in self.gates],
            "passed": all(gate.passed for gate in self.gates),
            "notices": list(self.notices),
        }

    def lines(self) -> list[str]:
        """Return the comparison for people."""
        return [
            *_row_lines(self),
            *_reason_lines(self),
            *_changed_lines(self.rows, self.rows_total),
            *(f"note: {notice}" for notice in self.notices),
            *(
                f"gate {gate.name}: {'passed' if gate.passed else 'FAILED'}: {gate.detail}"
                for gate in self.gates
            ),
        ]


def parse_fail_on(text: str) -> tuple[str, ...]:
    """Read a comma list of what fails a comparison. Raises InvalidOption.

    >>> parse_fail_on("worse, Unmatched")
    ('worse', 'unmatched')
    """
    wanted = [part.strip().casefold() for part in text.split(",") if part.strip()]
    unknown = [part for part in wanted if part not in FAIL_ON_NAMES]
    if unknown or not wanted:
        shown = ", ".join(map(repr, unknown)) or "an empty list"
        raise InvalidOption(f"{shown}: give a comma list of {', '.join(FAIL_ON_NAMES)}")
    return tuple(wanted)


def judge(comparison: Comparison, fail_on: Sequence[str]) -> tuple[GateResult, ...]:
    """Return the outcome of the gates, the one on zero rows first."""
    total = comparison.compared
    looked = GateResult(
        "rows compared",
        total > 0,
        f"{total:,} rows stand in both tables"
        + ("" if total else ": a comparison of nothing proves nothing"),
    )
    if not fail_on:
        return (looked,)
    counts: dict[str, int] = {str(change): comparison.changes.get(change, 0) for change in Change}
    counts[CHANGED] = comparison.rows_total
    counts[UNMATCHED] = comparison.only_old + comparison.only_new
    found = [f"{counts[name]:,} {name}" for name in fail_on if counts[name]]
    detail = ", ".join(found) or f"no row is {' or '.join(fail_on)}"
    return looked, GateResult("--fail-on", not found, detail)


def _row_lines(comparison: Comparison) -> list[str]:
    how = "row number (the same input)" if comparison.matched_by == "row" else "quotation and source"
    same = comparison.changes.get(Change.SAME, 0)
    lines = [
        f"compared {comparison.compared:,} rows by {how}: "
        f"{same:,} have the same verdict, {comparison.rows_total:,} another"
    ]
    changes = [
        f"{comparison.changes[change]:,} {change}"
        for change in Change
        if change is not Change.SAME and comparison.changes.get(change)
    ]
    if changes:
        lines.append("changed: " + ", ".join(changes))
    lines += [f"  {old} -> {new}: {rows:,}" for old, new, rows in comparison.transitions]
    if comparison.moved:
        lines.append(f"same verdict, passage moved within the text: {comparison.moved:,}")
    if comparison.only_old or comparison.only_new:
        lines.append(
            f"only in the old table: {comparison.only_old:,}; only in the new: {comparison.only_new:,}"
        )
    return lines


def _reason_lines(comparison: Comparison) -> list[str]:
    lines = []
    causes = [f"{cause} {comparison.causes[cause]:,}" for cause in Cause if comparison.causes.get(cause)]
    if causes:
        lines.append("because of: " + ", ".join(causes))
    for title, pairs in (("versions", comparison.versions), ("options", comparison.options)):
        if pairs:
            listed = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in pairs.items())
            lines.append(f"other {title}: {listed}")
    if (sources := comparison.sources) is not None:
        lines.append(
            f"sources in both: {sources.compared:,}; their text changed: {sources.text_changed:,}; "
            f"no longer readable: {sources.unavailable:,}; readable again: {sources.available:,}"
        )
    return lines


def _changed_lines(rows: Sequence[ChangedRow], total: int) -> list[str]:
    if not rows:
        return []
    shown = rows[:_SHOWN]
    of = f" (first {len(shown)} of {total:,})" if total > len(shown) else ""
    return [f"rows with another verdict{of}:", *(f"  {_line(row)}" for row in shown)]


def _line(row: ChangedRow) -> str:
    place = row.place or f"row {row.new_row}"
    return (
        f"{place} {row.change}: {_told(row.old)} -> {_told(row.new)} ({row.cause}) "
        f"{row.quote!r} in {row.source!r}"
    )


def _told(verdict: Verdict) -> str:
    score = "" if verdict.similarity is None else f" {verdict.similarity:.3f}"
    beside = [name for name in (verdict.reason_code, verdict.difference, *verdict.flags) if name]
    return f"{verdict.status}{score}" + (f" [{', '.join(beside)}]" if beside else "")
