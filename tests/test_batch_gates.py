"""Gates on a finished audit."""

from __future__ import annotations

import pytest

from quotecheck.batch.gates import Counts, Gates, Limit, judge
from quotecheck.errors import InvalidOption


def counts(
    *, exact: int = 0, near: int = 0, absent: int = 0, gone: int = 0, invalid: int = 0, rejected: int = 0,
    hidden: int = 0, differences: dict[str, int] | None = None, flags: dict[str, int] | None = None,
) -> Counts:  # fmt: skip
    statuses = {
        "EXACT": exact, "NEAR": near, "NOT_FOUND": absent, "SOURCE_UNAVAILABLE": gone, "INVALID": invalid,
    }  # fmt: skip
    return Counts(
        rows=sum(statuses.values()) + rejected,
        rejected=rejected,
        statuses=statuses,
        differences=differences or {},
        flags=flags or {},
        hidden=hidden,
    )


def passes(gates: Gates, found: Counts, *, rejects_fail: bool = True) -> bool:
    return all(result.passed for result in judge(gates, found, rejects_fail=rejects_fail))


def test_no_gate_passes_whatever_was_found() -> None:
    """A table is the product; findings fail nothing unless asked."""
    assert passes(Gates(), counts(exact=1, near=1, absent=5, gone=5, invalid=5, rejected=5))


@pytest.mark.parametrize("found", [counts(), counts(gone=9), counts(invalid=9, rejected=9)])
def test_zero_rows_judged_fails_whatever_the_gates(found: Counts) -> None:
    """An audit that looked at nothing proves nothing."""
    assert not passes(Gates(), found)


@pytest.mark.parametrize(
    ("found", "passed"),
    [
        (counts(exact=9), True),
        (counts(exact=9, near=1), False),
        (counts(exact=9, absent=1), False),
        (counts(exact=9, gone=1), False),
        (counts(exact=9, invalid=1), False),
        (counts(exact=9, rejected=1), False),
        (counts(exact=9, hidden=1), False),
    ],
)
def test_strict_takes_exact_rows_alone(found: Counts, passed: bool) -> None:
    """Every row EXACT, in the visible text, and nothing rejected."""
    assert passes(Gates(strict=True), found) is passed


def test_strict_takes_hidden_and_skipped_on_request() -> None:
    """Two of its conditions can be waived."""
    assert passes(Gates(strict=True, allow_hidden=True), counts(exact=9, hidden=1))
    assert passes(Gates(strict=True), counts(exact=9, rejected=1), rejects_fail=False)


@pytest.mark.parametrize(
    ("names", "passed"),
    [
        ("EXACT", False),
        ("INVALID", True),
        ("near,words", False),
        ("case", True),
        ("number_changed", False),
        ("negation_changed", True),
    ],
)
def test_fail_on_takes_statuses_differences_and_flags(names: str, passed: bool) -> None:
    """One row with one of the names fails the audit."""
    found = counts(exact=9, near=1, differences={"words": 1}, flags={"number_changed": 1})
    assert passes(Gates(fail_on=Gates.parse_names(names)), found) is passed


def test_hidden_passage_counts_as_not_found_for_gates() -> None:
    """What a reader cannot see was not found for a reader, unless that is allowed."""
    found = counts(exact=10, hidden=1)
    for gates in (Gates(fail_on=("NOT_FOUND",)), Gates(max_not_found=Limit(0, False))):
        assert not passes(gates, found)
    assert passes(Gates(fail_on=("NOT_FOUND",), allow_hidden=True), found)


@pytest.mark.parametrize(
    ("text", "count", "total", "holds"),
    [
        ("3", 3, 100, True),
        ("3", 4, 100, False),
        ("5%", 5, 100, True),
        ("5%", 6, 100, False),
        ("0%", 0, 0, True),
        ("0.5%", 1, 200, True),
        ("0.5%", 1, 199, False),
    ],
)
def test_limit_is_a_count_or_a_share(text: str, count: int, total: int, holds: bool) -> None:
    """Both ends are included, and shares are exact."""
    assert Limit.parse(text).holds(count, total) is holds


def test_limits_are_shares_of_what_could_fail_them() -> None:
    """Not found: of the rows judged. Unavailable: of the rows with a source."""
    found = counts(exact=8, absent=2, gone=10, invalid=100)
    not_found, unavailable = judge(
        Gates(max_not_found=Limit.parse("20%"), max_unavailable=Limit.parse("49%")), found
    )[1:]
    assert (not_found.passed, unavailable.passed) == (True, False)
    assert unavailable.detail == "10 of 20 rows with a source (50.0%); at most 49% allowed"


@pytest.mark.parametrize("text", ["", "-1", "x", "101%", "1.5", "-1%", "nan%"])
def test_limit_that_is_none_is_refused(text: str) -> None:
    """A gate with a typing error must not be one that always passes."""
    with pytest.raises(InvalidOption, match="no limit"):
        Limit.parse(text)


@pytest.mark.parametrize("text", ["", ",", "NEAR,typo"])
def test_unknown_name_is_refused_with_those_known(text: str) -> None:
    """The message lists what can be named."""
    with pytest.raises(InvalidOption, match=r"NOT_FOUND.*number_changed"):
        Gates.parse_names(text)
