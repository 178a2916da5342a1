"""The summary of an audit: what was read, what was found, what to look at first.

Every row is in exactly one count, so that `rows read = judged + unavailable + invalid + rejected`; every list
that is cut says "first N of M".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from quotecheck.batch.columns import ROW
from quotecheck.batch.gates import Counts, GateResult
from quotecheck.batch.hosts import host_column
from quotecheck.batch.source_summary import EqualPages, HostSources
from quotecheck.models import Flag, Status

_SHOWN = 10
_QUOTE_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class Example:
    """A row to look at."""

    row: int
    place: str
    source: str
    quote: str
    status: str
    similarity: float | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HostProblems:
    """A host, how many rows are unavailable or not found there, and the most frequent reason."""

    host: str
    rows: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of a finished audit.

    `sources` counts distinct sources by state and `reasons` the unavailable ones by reason code; `fetched` is
    how many were fetched by this process, the others came from the store. Lists are the first of the total
    beside them.
    """

    counts: Counts
    sources: Mapping[str, int]
    reasons: Mapping[str, int]
    fetched: int
    hosts: tuple[HostProblems, ...]
    hosts_total: int
    sources_by_host: tuple[HostSources, ...]
    sources_by_host_total: int
    equal_pages: tuple[EqualPages, ...]
    equal_pages_total: int
    examples: tuple[Example, ...]
    examples_total: int
    gates: tuple[GateResult, ...]
    notices: tuple[str, ...]
    files: tuple[str, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain JSON values."""
        counts = self.counts
        return {
            "rows": {
                "read": counts.rows,
                "judged": counts.judged,
                "unavailable": counts.unavailable,
                "invalid": counts.invalid,
                "rejected": counts.rejected,
            },
            "statuses": {str(status): counts.statuses.get(status, 0) for status in Status},
            "differences": dict(counts.differences),
            "flags": dict(counts.flags),
            "sources": dict(self.sources),
            "reasons": dict(self.reasons),
            "fetched": self.fetched,
            "hosts": [asdict(host) for host in self.hosts],
            "hosts_total": self.hosts_total,
            "sources_by_host": [asdict(host) for host in self.sources_by_host],
            "sources_by_host_total": self.sources_by_host_total,
            "equal_pages": [asdict(pages) for pages in self.equal_pages],
            "equal_pages_total": self.equal_pages_total,
            "examples": [{**asdict(example), "flags": list(example.flags)} for example in self.examples],
            "examples_total": self.examples_total,
            "gates": [asdict(gate) for gate in self.gates],
            "passed": all(gate.passed for gate in self.gates),
            "notices": list(self.notices),
            "files": list(self.files),
            "seconds": round(self.seconds, 3),
        }

    def lines(self) -> list[str]:
        """Return the summary for people."""
        return [
            *_row_lines(self.counts),
            *_source_lines(self.sources, self.reasons, self.fetched),
            *(_fetch_lines(self.sources_by_host, self.sources_by_host_total) if self.fetched else []),
            *_equal_page_lines(self.equal_pages, self.equal_pages_total),
            *_host_lines(self.hosts, self.hosts_total),
            *_example_lines(self.examples, self.examples_total),
            *(f"note: {notice}" for notice in self.notices),
            *(
                f"gate {gate.name}: {'passed' if gate.passed else 'FAILED'}: {gate.detail}"
                for gate in self.gates
            ),
            *(f"wrote {name}" for name in self.files),
        ]


def count_rows(results: pl.LazyFrame, *, rows: int, rejected: int) -> Counts:
    """Count results by verdict; `rows` counts all records, those that were `rejected` included."""
    flags = pl.col("qc_flags")
    hidden = flags.list.contains(str(Flag.OUTSIDE_VISIBLE_TEXT)) & pl.col("qc_status").cast(pl.String).is_in(
        [Status.EXACT, Status.NEAR]
    )
    return Counts(
        rows=rows,
        rejected=rejected,
        statuses=_value_counts(results.select("qc_status")),
        differences=_value_counts(results.select("qc_difference").drop_nulls()),
        flags=_value_counts(results.select(flags.explode()).drop_nulls()),
        hidden=results.select(hidden.sum()).collect().item(),
    )


def _value_counts(column: pl.LazyFrame) -> dict[str, int]:
    (name,) = column.collect_schema().names()
    counted = column.group_by(pl.col(name).cast(pl.String)).len().sort("len", name, descending=[True, False])
    return dict(counted.collect(engine="streaming").iter_rows())


def find_examples(results: pl.LazyFrame, planned: pl.LazyFrame) -> tuple[tuple[Example, ...], int]:
    """Return the first rows that deserve a look, and how many there are: not found, or meaning changed.

    `planned` gives the place, quotation and source of each row.
    """
    alarms = [Flag.NUMBER_CHANGED, Flag.NEGATION_CHANGED, Flag.MODALITY_CHANGED, Flag.UNIT_CHANGED]
    flagged = pl.any_horizontal(pl.col("qc_flags").list.contains(str(flag)) for flag in alarms)
    status = pl.col("qc_status").cast(pl.String)
    wanted = results.filter((status == Status.NOT_FOUND) | flagged)
    total = wanted.select(pl.len()).collect().item()
    first = wanted.select(ROW, status, "qc_similarity", "qc_flags").bottom_k(_SHOWN, by=ROW).sort(ROW)
    shown = first.collect(engine="streaming")
    rows = (
        planned.filter(pl.col("row").is_in(shown[ROW].implode()))
        .select("row", "file", "line", "quote", "source")
        .collect()
    )
    joined = shown.join(rows, left_on=ROW, right_on="row", maintain_order="left")
    return tuple(_example(row) for row in joined.iter_rows(named=True)), total


def _example(row: Mapping[str, Any]) -> Example:
    quote = " ".join(row["quote"].split())
    shortened = quote if len(quote) <= _QUOTE_CHARACTERS else quote[: _QUOTE_CHARACTERS - 1] + "…"
    place = f"row {row[ROW]}" if row["file"] is None else f"{row['file']}:{row['line']}"
    source = row["source"] or ""
    return Example(
        row[ROW], place, source, shortened, row["qc_status"], row["qc_similarity"], tuple(row["qc_flags"])
    )


def count_sources(sources: pl.DataFrame) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many distinct sources are in each state, and why the unavailable ones are."""
    states = dict(sources["state"].cast(pl.String).value_counts(sort=True).iter_rows())
    reasons = dict(sources["reason_code"].drop_nulls().value_counts(sort=True).iter_rows())
    return states, reasons


def find_hosts(results: pl.LazyFrame) -> tuple[tuple[HostProblems, ...], int]:
    """Return the hosts with most rows unavailable or not found, and how many hosts have any."""
    status = pl.col("qc_status").cast(pl.String)
    key = pl.col("qc_source_key")
    host = pl.coalesce(host_column("qc_final_url", "qc_source_key"), key.str.extract("^([^/:]+)"))
    problems = (
        results.filter(status.is_in([Status.NOT_FOUND, Status.SOURCE_UNAVAILABLE]))
        .filter(~pl.col("qc_source_key").str.starts_with("text:"))
        .group_by(host.alias("host"), pl.coalesce("qc_reason_code", status).alias("reason"))
        .len()
        .collect(engine="streaming")
        .sort("len", "reason", descending=[True, False])
    )
    hosts = (
        problems.group_by("host", maintain_order=True)
        .agg(pl.col("len").sum(), pl.col("reason").first())
        .sort("len", "host", descending=[True, False])
    )
    first = hosts.head(_SHOWN).iter_rows()
    return tuple(HostProblems(name or "", count, reason) for name, count, reason in first), hosts.height


def _share(count: int, total: int) -> str:
    return f"{count:,} ({count / total:.1%})" if total else f"{count:,}"


def _row_lines(counts: Counts) -> list[str]:
    total = counts.rows
    lines = [
        f"rows read: {total:,} = judged {counts.judged:,} + unavailable {counts.unavailable:,}"
        f" + invalid {counts.invalid:,} + rejected {counts.rejected:,}"
    ]
    for status in Status:
        if count := counts.statuses.get(status, 0):
            lines.append(f"  {status:<20}{_share(count, total)}")
    for title, found in (("differences", counts.differences), ("flags", counts.flags)):
        if found:
            lines.append(f"{title}: " + ", ".join(f"{name} {count:,}" for name, count in found.items()))
    return lines


def _source_lines(sources: Mapping[str, int], reasons: Mapping[str, int], fetched: int) -> list[str]:
    total = sum(sources.values())
    if not total:
        return []
    states = ", ".join(f"{count:,} {state}" for state, count in sources.items())
    lines = [f"sources: {total:,} ({states}); fetched now: {fetched:,}"]
    if reasons:
        lines.append("unavailable: " + ", ".join(f"{count:,} {code}" for code, count in reasons.items()))
    return lines


def _fetch_lines(hosts: Sequence[HostSources], total: int) -> list[str]:
    lines = [f"hosts that sources lie on, the slowest first{_first_of(len(hosts), total)}:"]
    for host in hosts:
        fetched = "" if host.fetched is None else f", {host.fetched:,} fetched now"
        seconds = "" if not host.seconds else f" in {host.seconds:,.1f} s"
        unavailable = f", {host.unavailable:,} unavailable" if host.unavailable else ""
        lines.append(f"  {host.host}: {_many(host.sources, 'source')}{fetched}{seconds}{unavailable}")
    return lines


def _equal_page_lines(found: Sequence[EqualPages], total: int) -> list[str]:
    if not found:
        return []
    title = "same text at different addresses of a host: a wall or an error page, unless it is one document"
    lines = [f"{title}{_first_of(len(found), total)}:"]
    for pages in found:
        counts = f"{_many(pages.sources, 'source')}, {_many(pages.rows, 'row')}"
        lines.append(
            f"  {pages.host}: {counts}, {pages.characters:,} characters, for example {pages.example}"
        )
    return lines


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}" + ("" if count == 1 else "s")


def _host_lines(hosts: Sequence[HostProblems], total: int) -> list[str]:
    if not hosts:
        return []
    title = "hosts with most rows unavailable or not found" + _first_of(len(hosts), total)
    return [title + ":", *(f"  {host.host}: {host.rows:,} ({host.reason})" for host in hosts)]


def _example_lines(examples: Sequence[Example], total: int) -> list[str]:
    if not examples:
        return []
    lines = ["not found, or the meaning may have changed" + _first_of(len(examples), total) + ":"]
    for example in examples:
        score = "" if example.similarity is None else f" {example.similarity:.3f}"
        source = f" in {example.source}" if example.source else ""
        flags = f" [{', '.join(example.flags)}]" if example.flags else ""
        lines.append(f"  {example.place} {example.status}{score}{flags} {example.quote!r}{source}")
    return lines


def _first_of(shown: int, total: int) -> str:
    return f" (first {shown} of {total:,})" if total > shown else ""
