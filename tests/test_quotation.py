"""A quotation must hold words, and may be looked for without the quotation marks around it."""

from __future__ import annotations

import pytest

from quotecheck.errors import InvalidQuote
from quotecheck.text.quotation import Quotation, validate_quote


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " \n\t",
        "\u200b\u00ad",
        "\u3164",
        "…",
        "“”",
        "?!",
        "--",
        "=",
        "👩\u200d🔬",
        "\u0301",
        "\x00",
        "。、",
    ],
)
def test_validate_quote_refuses_what_holds_no_words(quote: str) -> None:
    """Empty, blank, invisible, or only punctuation, symbols, marks and controls: nothing to look for."""
    with pytest.raises(InvalidQuote, match="no letter and no digit"):
        validate_quote(quote)


@pytest.mark.parametrize(
    "quote", ["a", "5", "½", "⁶", "一", "ㅋ", "\ue000", "\ud800", "\U000e1000", "-5", "कि"]
)
def test_validate_quote_accepts_any_letter_digit_or_unnamed_character(quote: str) -> None:
    """One letter, digit, private or not yet named character, or lone surrogate, can be looked for."""
    validate_quote(quote)


def test_validate_quote_names_the_value_in_one_line() -> None:
    """The message shows what was wrong, cut short where it is long."""
    with pytest.raises(InvalidQuote) as caught:
        validate_quote("\n" * 500)
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize(
    ("quote", "variants"),
    [
        ("“The lamp.”", ['"The lamp."', "The lamp."]),
        ("« The lamp. »", ['"The lamp."', "The lamp."]),
        ("„The lamp.“", ['"The lamp."', "The lamp."]),
        ("'The lamp.'", ["'The lamp.'", "The lamp."]),
        ("「灯台」", ["「灯台」", "灯台"]),
        ("『灯台』", ["『灯台』", "灯台"]),
        ('" The lamp. "', ['" The lamp. "', "The lamp."]),
        ("“'The lamp.'”", ["\"'The lamp.'\"", "'The lamp.'"]),
        ("“The lamp.'", ["\"The lamp.'"]),
        ("“The lamp.", ['"The lamp.']),
        ("The “lamp”", ['The "lamp"']),
        ("'a", ["'a"]),
        ('"Lamp" and "mast"', ['"Lamp" and "mast"']),
        ("“灯”和“塔”", ['"灯"和"塔"']),
        ("「灯」と「塔」", ["「灯」と「塔」"]),
        ("The 'lamp' and 'mast'", ["The 'lamp' and 'mast'"]),
        ('"He said “no” twice"', ['"He said "no" twice"', 'He said "no" twice']),
        ("'The boys' lamp'", ["'The boys' lamp'", "The boys' lamp"]),
        ("'It isn't lit.'", ["'It isn't lit.'", "It isn't lit."]),
        ('"The 5" pipe"', ['"The 5" pipe"', 'The 5" pipe']),
        ('"צה"ל הודיע"', ['"צה"ל הודיע"', 'צה"ל הודיע']),
    ],
)
def test_one_outer_pair_of_quotation_marks_is_optional(quote: str, variants: list[str]) -> None:
    """A matching pair around the whole quotation comes off once; other marks stay."""
    assert [variant.folded.text for variant in Quotation(quote).variants] == variants


def test_variant_without_marks_keeps_offsets_into_the_quotation() -> None:
    """Offsets of the unmarked variant count from the start of the string as it was given."""
    _, unmarked = Quotation(" “oﬃce”").variants
    assert unmarked.folded.span(0, 6) == (2, 6)
