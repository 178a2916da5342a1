"""Records carry offsets that slice back, and what the source knows: page, link, raised digits, flags."""

from __future__ import annotations

import pytest

from quotecheck.models import Difference, Flag, Region, Source, Status
from quotecheck.text.match import PreparedText, check_text

PAGE = "https://example.org/a"


def test_verbatim_quotation_keeps_its_outer_spaces_and_invisible_characters() -> None:
    """Where the text holds the string as it was given, the passage is all of it."""
    result = check_text("one \u200ftwo three four", " \u200ftwo three ")
    assert (result.char_start, result.char_end, result.difference) == (3, 15, Difference.NONE)


def test_verbatim_occurrence_comes_before_a_typographic_one() -> None:
    """Of two occurrences the one that stands as given is reported; both count."""
    result = check_text("the keeper’s lamp, the keeper's lamp", "the keeper's lamp")
    assert (result.char_start, result.difference, result.occurrences) == (19, Difference.NONE, 2)


@pytest.mark.parametrize(
    ("text", "raised", "quote", "flagged"),
    [
        ("about 106 units", ((8, 9),), "about 106 units", True),
        ("about 10-6 units", ((8, 10),), "about 10-6 units", True),
        ("about 106 units", ((8, 9),), "units", False),
        ("about 106 units", ((8, 9),), "about 10", False),
        ("much H2O is lost", ((6, 7),), "much H2O is lost", False),
        ("about 10th of all", ((8, 10),), "about 10th of all", False),
        ("about (10)6 units", ((10, 11),), "about (10)6 units", True),
        ("about e5 units", ((7, 8),), "about e5 units", True),
        ("about E5 units", ((7, 8),), "about E5 units", True),
        ("about 2M5 units", ((8, 9),), "about 2M5 units", True),
        ("much CO2 is lost", ((7, 8),), "much CO2 is lost", False),
        ("about ½3 units", ((7, 8),), "½3 units", True),
        ("about 10 6 units", ((9, 10),), "about 10 6 units", True),
        ("about (10)6 units", ((10, 11),), "about (10)", False),
        ("much NaCO3 is lost", ((9, 10),), "much NaCO3 is lost", False),
    ],
)
def test_digits_that_markup_raised_are_flagged_behind_what_they_raise(
    text: str, raised: tuple[tuple[int, int], ...], quote: str, flagged: bool
) -> None:
    """10 with a raised 6 is the text "106", which is not the number."""
    result = PreparedText(Source(text, raised=raised)).check(quote)
    assert result.status is Status.EXACT
    assert (Flag.SUPERSCRIPT_DIGITS in result.flags) is flagged


@pytest.mark.parametrize("quote", ["4,218 entries. Most keepers", "4,218 entries.[1] Most keepers"])
def test_raised_footnote_mark_is_no_power(quote: str) -> None:
    """A mark that the markup declares as apparatus raises no number, whether it was copied or not."""
    source = Source("The log has 4,218 entries.[1] Most keepers", ignorable=((26, 29),), raised=((26, 29),))
    result = PreparedText(source).check(quote)
    assert result.status is Status.EXACT
    assert Flag.SUPERSCRIPT_DIGITS not in result.flags


@pytest.mark.parametrize(("quote", "page"), [("first page", 1), ("second page", 2), ("third page", 3)])
def test_page_is_that_of_the_first_character(quote: str, page: int) -> None:
    """Pages count from 1; other formats have none."""
    text = "first page\nsecond page\nthird page"
    assert PreparedText(Source(text, page_starts=(0, 11, 23))).check(quote).page == page
    assert check_text(text, quote).page is None


@pytest.mark.parametrize(
    ("content_type", "region", "linked"),
    [
        ("text/html; charset=utf-8", False, True),
        ("application/xhtml+xml", False, True),
        ("application/pdf", False, False),
        (None, False, False),
        ("text/html", True, False),
    ],
)
def test_passage_url_is_for_visible_text_of_web_pages(
    content_type: str | None, region: bool, linked: bool
) -> None:
    """A browser finds no hidden text, and text fragments work on pages only."""
    regions = (Region("hidden", 0, 12),) if region else ()
    source = Source("The lamp is lit.", regions=regions, final_url=PAGE, content_type=content_type)
    url = PreparedText(source).check("The lamp").passage_url
    assert url == (f"{PAGE}#:~:text=The%20lamp" if linked else None)


def test_source_flags_stand_on_every_record() -> None:
    """What is known of the source is said beside each verdict on it."""
    prepared = PreparedText(Source("The lamp is lit.", flags=(Flag.ABSTRACT_ONLY,)))
    for quote in ("The lamp is lit.", "The lamp is lot.", "No such words stand here"):
        assert Flag.ABSTRACT_ONLY in prepared.check(quote).flags


def test_closest_passage_is_shown_from_half_on() -> None:
    """A quotation that is not found comes with the most similar passage, if there is any."""
    near = check_text("The bridge was cut three times.", "bridge was closed four times")
    assert near.status is Status.NOT_FOUND
    assert near.closest is not None
    assert (
        near.closest.text
        == "The bridge was cut three times."[near.closest.char_start : near.closest.char_end]
    )
    assert check_text("The bridge was cut three times.", "quick foxes jump").closest is None


@pytest.mark.parametrize(
    ("text", "quote", "snippet"),
    [
        ("a dark and stormy night; rain fell", "a dark and stormy nigth", "a dark and stormy night"),
        (
            "Twelve of the boats were lost at sea",
            "12 of the boats were lost at sea",
            "of the boats were lost at sea",
        ),
        ("one cafe\u0301 noir was served to us", "one cafe\u0302 noir was served to us", None),
    ],
)
def test_ends_of_near_passages_stand_between_words(text: str, quote: str, snippet: str | None) -> None:
    """A near passage begins and ends with whole words, and with no space."""
    result = check_text(text, quote)
    assert (result.status, result.snippet) == (Status.NEAR, text if snippet is None else snippet)


def test_segments_of_an_elided_quotation_slice_back() -> None:
    """Each part of an elided quotation has its own span in the text."""
    text = "The old weir, patched with straw and clay for years, gave way before noon."
    result = check_text(text, "The old weir … gave way before noon.")
    assert result.difference is Difference.ELISION
    assert [text[start:end] for start, end in result.segments] == ["The old weir", "gave way before noon."]


def test_differences_slice_back_over_broken_words_and_ligatures() -> None:
    """Offsets of differences refer to quotation and text as they were given."""
    text, quote = (
        "The oﬃce of the inter-\nnational board is closed",
        "“The office of the international bored is closed”",
    )
    (difference,) = check_text(text, quote).differences
    assert quote[difference.quote_start : difference.quote_end] == difference.quote == "bored"
    assert text[difference.source_start : difference.source_end] == difference.source == "board"


@pytest.mark.parametrize(
    ("text", "quote", "cut"),
    [
        ("It was un-\nlikely to open again.", "likely to open again", True),
        ("so the com-\nmittee said", "so the com", True),
        ("the pre-\nand post-war years", "and post-war years", False),
        ("the weir -\nthe old one", "the old one", False),
    ],
)
def test_passage_that_ends_where_a_line_breaks_a_word_cuts_it(text: str, quote: str, cut: bool) -> None:
    """The hyphen and the line break are read as nothing, so the rest of the word stands outside."""
    assert (Flag.CUTS_WORD in check_text(text, quote).flags) is cut
