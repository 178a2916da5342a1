"""The summary of reviewed answers: counts, a line for each group, gates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from quotecheck.batch.answers_chunk import ReviewedChunk
from quotecheck.batch.answers_options import ANSWER_GATES, AnswersOptions
from quotecheck.batch.gates import GateResult
from quotecheck.batch.options import OnBadRow
from quotecheck.batch.records import Reject
from quotecheck.citations.bulk import GroupSummary, total_of
from quotecheck.citations.report import NOT_JUDGED

_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersSummary:
    """The figures of a finished review; `rows read = reviewed + rejected`."""

    groups: tuple[GroupSummary, ...]
    results: Mapping[str, int]
    warnings: Mapping[str, int]
    gates: tuple[GateResult, ...]
    rejects: tuple[Reject, ...]
    files: tuple[str, ...]
    seconds: float

    @property
    def total(self) -> GroupSummary:
        """The figures of all answers, those without a group among them."""
        return total_of(self.groups)

    @property
    def answers(self) -> int:
        """How many answers were reviewed."""
        return self.total.answers

    @property
    def answers_ok(self) -> int:
        """How many of them are ok."""
        return self.total.answers_ok

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain JSON values."""
        total = self.total.to_dict()
        del total["group"]
        return {
            "rows": {
                "read": self.answers + len(self.rejects),
                "reviewed": self.answers,
                "rejected": len(self.rejects),
            },
            "ok": self.answers_ok,
            "results": dict(self.results),
            "warnings": dict(self.warnings),
            "total": total,
            "groups": [group.to_dict() for group in self.groups],
            "gates": [asdict(gate) for gate in self.gates],
            "passed": all(gate.passed for gate in self.gates),
            "files": list(self.files),
            "seconds": round(self.seconds, 3),
            "not_judged": NOT_JUDGED,
        }

    def lines(self) -> list[str]:
        """Return the summary for people."""
        answers, rejected = self.answers, len(self.rejects)
        lines = [f"rows read {answers + rejected:,} = reviewed {answers:,} + rejected {rejected:,}"]
        if answers:
            lines.append(_figures_line("all answers", self.total))
        if [group.group for group in self.groups] != [None]:
            lines += [_figures_line(_group_name(group), group) for group in self.groups[:_SHOWN]]
        if len(self.groups) > _SHOWN:
            lines.append(f"first {_SHOWN} of {len(self.groups):,} groups")
        lines += [f"citations {name}: {count:,}" for name, count in self.results.items()]
        lines += [
            f"warning {name}: {count:,} of {answers:,} answers" for name, count in self.warnings.items()
        ]
        lines += [f"rejected {_place(reject)}: {reject.reason}" for reject in self.rejects[:_SHOWN]]
        if rejected > _SHOWN:
            lines.append(f"first {_SHOWN} of {rejected:,} rejected rows")
        for gate in self.gates:
            lines.append(f"gate {gate.name}: {'passed' if gate.passed else 'FAILED'}: {gate.detail}")
        return [*lines, *(f"wrote {name}" for name in self.files)]


def summary_of(
    chunks: Iterable[ReviewedChunk], options: AnswersOptions, *, files: Iterable[str], seconds: float
) -> AnswersSummary:
    """Return the summary over the chunks of a review, which come in the order of the input."""
    groups: dict[str | None, GroupSummary] = {}
    results: Counter[str] = Counter()
    warnings: Counter[str] = Counter()
    found: Counter[str] = Counter()
    rejects: list[Reject] = []
    for chunk in chunks:
        for group in chunk.groups:
            groups[group.group] = groups[group.group].plus(group) if group.group in groups else group
        results.update(chunk.results)
        warnings.update(chunk.warnings)
        found.update(chunk.gates)
        rejects += chunk.rejects
    return AnswersSummary(
        groups=tuple(groups.values()),
        results=dict(results.most_common()),
        warnings=dict(warnings.most_common()),
        gates=tuple(_gates(options, list(groups.values()), found, len(rejects))),
        rejects=tuple(rejects),
        files=tuple(files),
        seconds=seconds,
    )


def _gates(
    options: AnswersOptions, groups: list[GroupSummary], found: Mapping[str, int], rejected: int
) -> Iterable[GateResult]:
    answers = sum(group.answers for group in groups)
    answers_ok = sum(group.answers_ok for group in groups)
    yield GateResult(
        "answers reviewed",
        answers > 0,
        f"{answers:,} of {answers + rejected:,} rows were reviewed"
        + ("" if answers else ": a review that looked at nothing proves nothing"),
    )
    if options.strict:
        counted = 0 if options.on_bad_row is OnBadRow.SKIP else rejected
        passed = answers_ok == answers and not counted
        yield GateResult("--strict", passed, f"{answers - answers_ok:,} not ok, {counted:,} rejected")
    for name in ANSWER_GATES:
        if name in options.fail_on:
            count = found.get(name, 0)
            yield GateResult(f"--fail-on {name}", count == 0, f"{count:,} of {answers:,} answers have some")


def _group_name(group: GroupSummary) -> str:
    return "without a group" if group.group is None else f"group {group.group}"


def _figures_line(name: str, group: GroupSummary) -> str:
    rates = group.to_dict()
    shares = [
        f"{words} {rate:.1%}"
        for name, words in (
            ("ok_rate", "ok"),
            ("quote_hold_rate", "quotes that hold"),
            ("number_valid_rate", "valid numbers"),
            ("sentence_coverage", "sentences cited"),
        )
        if isinstance(rate := rates[name], float)
    ]
    return ", ".join([f"{name}: {group.answers:,} answers", *shares])


def _place(reject: Reject) -> str:
    return f"{reject.file or 'standard input'}, line {reject.line}"
