"""Gates: the conditions under which a finished audit counts as passed.

A gate only ever reads counts, so the same gates judge a run, a merge and a re-read result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quotecheck.errors import InvalidOption
from quotecheck.models import Difference, Flag, Status

FAIL_ON_NAMES = (*Status, *Difference, *Flag)


@dataclass(frozen=True, slots=True)
class Limit:
    """A largest allowed number of rows: a count, or a share in percent.

    >>> str(Limit.parse("5%")), str(Limit.parse("12"))
    ('5%', '12')
    """

    value: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Read `N` or `N%`. Raises InvalidOption."""
        number = text.strip().removesuffix("%")
        is_share = number != text.strip()
        try:
            value = float(number) if is_share else int(number)
        except ValueError:
            value = -1
        if not 0 <= value <= (100 if is_share else float("inf")):
            raise InvalidOption(f"{text!r} is no limit: give a number of rows (12) or a share (5%)")
        return cls(value, is_share)

    def holds(self, count: int, total: int) -> bool:
        """Tell whether `count` of `total` rows is allowed."""
        return count * 100 <= self.value * total if self.is_share else count <= self.value

    def __str__(self) -> str:
        return f"{self.value:g}{'%' if self.is_share else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """Which findings fail an audit; none by default, since the table is the product.

    Attributes
    ----------
    strict : every row must be EXACT and nothing rejected.
    fail_on : names of statuses, differences and flags of which no row may have one.
    max_not_found, max_unavailable : limits; shares are of the rows judged, and of the rows with a source.
    allow_hidden : a quotation that stands only outside the visible text counts as found.
    """

    strict: bool = False
    fail_on: tuple[str, ...] = ()
    max_not_found: Limit | None = None
    max_unavailable: Limit | None = None
    allow_hidden: bool = False

    @staticmethod
    def parse_names(text: str) -> tuple[str, ...]:
        """Read a comma list of statuses, differences and flags. Raises InvalidOption.

        >>> Gates.parse_names("not_found, number_changed")
        ('NOT_FOUND', 'number_changed')
        """
        known = {str(name).casefold(): str(name) for name in FAIL_ON_NAMES}
        wanted = [part.strip() for part in text.split(",") if part.strip()]
        unknown = [part for part in wanted if part.casefold() not in known]
        if unknown or not wanted:
            shown = ", ".join(map(repr, unknown)) or "an empty list"
            raise InvalidOption(f"{shown}: give a comma list of {', '.join(known.values())}")
        return tuple(known[part.casefold()] for part in wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Row counts that gates read; `hidden` counts EXACT and NEAR rows found only outside the visible text."""

    rows: int
    rejected: int
    statuses: Mapping[str, int]
    differences: Mapping[str, int]
    flags: Mapping[str, int]
    hidden: int

    @property
    def judged(self) -> int:
        """Rows whose source was read."""
        return sum(self.statuses.get(name, 0) for name in (Status.EXACT, Status.NEAR, Status.NOT_FOUND))

    @property
    def unavailable(self) -> int:
        """Rows whose source could not be read."""
        return self.statuses.get(Status.SOURCE_UNAVAILABLE, 0)

    @property
    def invalid(self) -> int:
        """Rows with no usable quotation or source."""
        return self.statuses.get(Status.INVALID, 0)


@dataclass(frozen=True, slots=True)
class GateResult:
    """One gate and whether it held, with a sentence that gives the numbers."""

    name: str
    passed: bool
    detail: str


def judge(
    gates: Gates, counts: Counts, *, rejects_fail: bool = True, is_shard: bool = False
) -> tuple[GateResult, ...]:
    """Return the outcome of every gate that is set, the one on zero rows first.

    A shard may have no row to judge: that gate is for the whole, when all shards are merged.
    """
    looked = GateResult(
        "rows judged",
        counts.judged > 0,
        f"{counts.judged:,} of {counts.rows:,} rows were judged"
        + ("" if counts.judged else ": an audit that looked at nothing proves nothing"),
    )
    results = [] if is_shard else [looked]
    if gates.strict:
        results.append(_strict(gates, counts, rejects_fail=rejects_fail))
    if gates.fail_on:
        results.append(_fail_on(gates, counts))
    if gates.max_not_found is not None:
        count = counts.statuses.get(Status.NOT_FOUND, 0) + _hidden(gates, counts)
        results.append(_limit("--max-not-found", gates.max_not_found, count, counts.judged, "judged"))
    if gates.max_unavailable is not None:
        total = counts.judged + counts.unavailable
        results.append(
            _limit("--max-unavailable", gates.max_unavailable, counts.unavailable, total, "with a source")
        )
    return tuple(results)


def _hidden(gates: Gates, counts: Counts) -> int:
    return 0 if gates.allow_hidden else counts.hidden


def _strict(gates: Gates, counts: Counts, *, rejects_fail: bool) -> GateResult:
    problems = {
        str(status): count for status, count in counts.statuses.items() if count and status != Status.EXACT
    }
    if rejects_fail and counts.rejected:
        problems["rejected"] = counts.rejected
    if hidden := _hidden(gates, counts):
        problems["outside the visible text"] = hidden
    return GateResult("--strict", not problems, _listed(problems) or "every row is EXACT")


def _fail_on(gates: Gates, counts: Counts) -> GateResult:
    found = {**counts.statuses, **counts.differences, **counts.flags}
    if hidden := _hidden(gates, counts):
        # What stands only where no reader sees it was not found for a reader.
        found[Status.NOT_FOUND] = found.get(Status.NOT_FOUND, 0) + hidden
    problems = {name: found[name] for name in gates.fail_on if found.get(name)}
    return GateResult("--fail-on", not problems, _listed(problems) or f"no row is {', '.join(gates.fail_on)}")


def _limit(name: str, limit: Limit, count: int, total: int, of_what: str) -> GateResult:
    share = f" ({count / total:.1%})" if total else ""
    passed = limit.holds(count, total)
    return GateResult(name, passed, f"{count:,} of {total:,} rows {of_what}{share}; at most {limit} allowed")


def _listed(problems: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in problems.items())
