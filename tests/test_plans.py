"""What a quotation with marks asks for."""

from __future__ import annotations

import pytest

from quotecheck.text.plans import loose_plans, verbatim_plan


def _stretches(quote: str) -> list[str] | None:
    plan = verbatim_plan(quote)
    if plan is None or plan.stretches is None:
        return None
    return [quote[start:end] for start, end in plan.stretches]


@pytest.mark.parametrize(
    ("quote", "stretches"),
    [
        ("The old weir ... gave way before noon", ["The old weir", "gave way before noon"]),
        ("... gave way before noon ...", ["gave way before noon"]),
        ("Well... I think so [...] it will hold", ["Well... I think so", "it will hold"]),
        ("I think so, yes [...] it will ... hold", ["I think so, yes", "it will ... hold"]),
        ("the old weir ..., ... gave way before noon", ["the old weir", "gave way before noon"]),
        ("Well... maybe", None),
        ("no marks at all", None),
        ("...", None),
    ],
)
def test_elided_stretches(quote: str, stretches: list[str] | None) -> None:
    """Marks at the ends are dropped, and a stretch under three words stands with its neighbour."""
    assert _stretches(quote) == stretches


def test_table_of_contents_is_no_elided_quotation() -> None:
    """More than a hundred marks are leaders."""
    assert verbatim_plan("one two three ... " * 101) is None


def _readings(quote: str) -> list[list[str]]:
    return [[piece.words for piece in plan.pieces] for plan in loose_plans(quote)]


def test_bracket_readings_from_plain_to_free() -> None:
    """As text, without the brackets, and as standing for other words."""
    quote = "[T]he board said that [she] had kept the money"
    assert _readings(quote) == [
        [quote],
        ["The board said that [she] had kept the money"],
        ["The board said that she had kept the money"],
        ["The board said that", "had kept the money"],
        ["he board said that", "had kept the money"],
    ]


def test_reference_marks_and_sic_are_left_out() -> None:
    """They stand for nothing."""
    assert _readings("half[12] of it [sic] fell") == [["half of it  fell"]]


def test_bracket_stands_for_words_only_in_a_long_quotation() -> None:
    """Six words must stand outside, or a bracket could hide anything."""
    assert _readings("The board [always] agreed") == [
        ["The board [always] agreed"],
        ["The board always agreed"],
    ]
