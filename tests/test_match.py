"""The verdict: exact in any reading, near, or not there; in every region, for one quotation or many."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_readings import all_readings, as_text, naive_find

from quotecheck.errors import InvalidOption, InvalidQuote
from quotecheck.models import Difference, Flag, Region, Source, Status
from quotecheck.text import fold as fold_module
from quotecheck.text.characters import is_invisible, is_mark
from quotecheck.text.fold import Folded, fold
from quotecheck.text.match import PreparedText, check_text
from quotecheck.text.quotation import Quotation, validate_quote

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "match_cases.jsonl").read_text("utf-8").split("\n")
    if line
]
ODD = (
    "aAbé1 2-\n\u00ad\u200d\u200b'\"«»‹›“”’…²½①㎡１２－アﾞ漢字，。が\u0301\u0308한각ㅋ👩🔬🏽🇩🇪\ufe0f"
    "क\u093fค\u0e48ำﬁﷺ´ªⁿ\u1161\u11a8\ud800\u0640=≠\u0338"
)
texts_of_all_planes = st.text(
    st.one_of(st.sampled_from(ODD), st.characters(), st.characters(categories=["Cs"])), max_size=25
)
# Pieces in which folding, line breaks and clusters meet.
pieces = st.one_of(
    st.sampled_from("abé \n字，-’'…ﬁ²2½«👩が"),
    st.sampled_from(["e\u0301", "か\u3099", "-\n", "...", "fi", "👩\u200d🔬", "\u00ad", " »"]),
)
short_texts = st.lists(pieces, min_size=1, max_size=8).map("".join)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}: {case['note']}")
def test_check_text_decides_each_kind_of_difference(case: dict[str, Any]) -> None:
    """Status, passage, difference and count are as a careful reader would decide."""
    result = check_text(case["text"], case["quote"])
    decided = (result.status, result.snippet, result.difference, result.occurrences)
    assert decided == (case["status"], case["snippet"], case["difference"], case["occurrences"])


def is_valid(quote: str) -> bool:
    try:
        validate_quote(quote)
    except InvalidQuote:
        return False
    return True


def read_alike(first: str, second: str) -> bool:
    """Return whether two strings have a reading in common, for few line breaks."""
    readings = [{as_text(folded, r) for r in all_readings(folded)} for folded in map(fold, (first, second))]
    return not readings[0].isdisjoint(readings[1])


@given(texts_of_all_planes, st.data())
@settings(deadline=None, max_examples=300)
def test_exact_snippet_and_quotation_have_a_reading_in_common(text: str, data: st.DataObject) -> None:
    """The law of folding, on strings of all planes; a widened passage is flagged."""
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    assume(is_valid(quote))
    result = check_text(text, quote)
    if result.char_start is not None:
        assert text[result.char_start : result.char_end] == result.snippet
    if result.status is Status.EXACT:
        assert Flag.CUTS_WORD in result.flags or read_alike(str(result.snippet), quote)
    else:
        assert result.similarity is not None
        assert result.similarity < 1


@given(texts_of_all_planes, st.data())
@settings(deadline=None, max_examples=300)
def test_any_part_of_a_text_that_cuts_no_character_is_exact(text: str, data: st.DataObject) -> None:
    """What stands in the text word for word is found, whatever rules its characters meet."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    folded = fold(text)
    spans = list(zip(folded.start.tolist(), folded.end.tolist(), strict=True))
    assume(not any(first < place < last for place in (start, end) for first, last in spans))
    assume(is_valid(text[start:end]))
    assert check_text(text, text[start:end]).status is Status.EXACT


def is_closed(text: str, folded: Folded, place: int) -> bool:
    """Return whether a place parts a character from its marks, or an emoji sequence."""
    if not folded.divides_cluster(place):
        return False
    characters = text[slice(*folded.span(place, place + 1))]
    bases = [char for char in characters if not is_mark(char) and not is_invisible(char)]
    return is_mark(folded.text[place]) or len(bases) > 1


@given(short_texts, st.data())
@settings(deadline=None, max_examples=400)
def test_exact_is_exactly_what_all_readings_say(text: str, data: st.DataObject) -> None:
    """No false EXACT and none missed, against the search through all readings written out."""
    start = data.draw(st.integers(0, len(text) - 1))
    cut = text[start : data.draw(st.integers(start + 1, len(text)))]
    quote = data.draw(st.one_of(short_texts, st.just(cut.replace("-\n", "").replace("\n", "")), st.just(cut)))
    assume(is_valid(quote) and len(Quotation(quote).variants) == 1)
    folded, wanted = fold(text), fold(quote)
    assume(len(folded.breaks) <= 4 and len(wanted.breaks) <= 3)
    found = [span for span in naive_find(folded, wanted) if not any(is_closed(text, folded, p) for p in span)]
    exact = check_text(text, quote).status is Status.EXACT
    assert exact == bool(found) or (exact and quote in text)  # in context a part may fold otherwise


def test_check_many_answers_in_order_and_repeats() -> None:
    """Each quotation gets the verdict that it gets alone."""
    prepared = PreparedText(Source("The lamp was lit. The fog was grey, and the lamp went out at nine."))
    quotes = [
        "fog was grey",
        "The lamp was lit.",
        "the lump went out at nine",
        "no such words here",
        "fog was grey",
    ]
    assert prepared.check_many(quotes) == [prepared.check(quote) for quote in quotes]


def test_check_many_of_nothing_is_nothing() -> None:
    """No quotations, no verdicts."""
    assert PreparedText(Source("The lamp.")).check_many([]) == []


def test_check_many_refuses_a_quotation_without_words() -> None:
    """One blank quotation among many raises, as it does alone."""
    with pytest.raises(InvalidQuote):
        PreparedText(Source("The lamp.")).check_many(["The lamp.", "…"])


@pytest.mark.parametrize("threshold", [0.49, 1.01, -1.0, float("nan"), float("inf")])
def test_near_threshold_outside_its_range_is_refused(threshold: float) -> None:
    """The option names its value and its range."""
    with pytest.raises(InvalidOption, match=r"near_threshold is .* 0\.5 to 1\.0"):
        check_text("The lamp.", "The lamp.", near_threshold=threshold)


@pytest.mark.parametrize(
    ("threshold", "status"),
    [(0.90, Status.NEAR), (0.95, Status.NEAR), (0.951, Status.NOT_FOUND), (1.0, Status.NOT_FOUND)],
)
def test_near_threshold_is_compared_as_the_decimal_that_was_written(threshold: float, status: Status) -> None:
    """19 of 20 characters are 0.95, not a float beside it."""
    result = check_text("abcdefghij klmnopqrs", "abcdXfghij klmnopqrs", near_threshold=threshold)
    assert (result.status, result.similarity) == (status, 0.95)


VISIBLE = "Rents fell by half in two years."
REGIONS = Source(
    f"{VISIBLE}\n\nThe rents of May\n\nNothing is left of them",
    regions=(Region("title", 34, 50), Region("hidden", 52, 75)),
)


def test_visible_text_comes_before_regions() -> None:
    """A quotation that both hold is reported where a reader sees it."""
    source = replace(REGIONS, text=f"{VISIBLE}\n\n{VISIBLE}", regions=(Region("title", 34, 66),))
    result = PreparedText(source).check("fell by half")
    assert (result.char_start, result.region, result.flags) == (6, None, ())


def test_a_region_alone_is_flagged_and_named() -> None:
    """What only a region holds keeps its status, and says so."""
    result = PreparedText(REGIONS).check("Nothing is left of them")
    assert (result.status, result.region) == (Status.EXACT, "hidden")
    assert result.flags == (Flag.OUTSIDE_VISIBLE_TEXT,)


@pytest.mark.parametrize("quote", ["two years. The rents", "rents of May Nothing is left"])
def test_no_passage_crosses_the_border_of_a_region(quote: str) -> None:
    """Words on both sides of a border are no sentence."""
    assert PreparedText(REGIONS).check(quote).status is Status.NOT_FOUND


def test_exact_in_a_region_comes_before_near_in_the_visible_text() -> None:
    """A region that holds the very words is more than visible text that nearly does."""
    source = replace(
        REGIONS, text=f"{VISIBLE}\n\nRents fell by hale in two years.", regions=(Region("title", 34, 66),)
    )
    result = PreparedText(source).check("Rents fell by hale in two years.")
    assert (result.status, result.region) == (Status.EXACT, "title")


NOTES = Source(
    "Rents fell by half[1] in two years,[2] and then they rose.",
    ignorable=((18, 21), (35, 38)),
    final_url="https://example.org/rents",
    content_type="text/html; charset=utf-8",
)


def test_text_without_its_apparatus_is_exact_by_layout() -> None:
    """Note marks that the markup declares are left out together; the passage shows them."""
    result = PreparedText(NOTES).check("half in two years, and then")
    assert (result.status, result.difference) == (Status.EXACT, Difference.LAYOUT)
    assert result.snippet == "half[1] in two years,[2] and then"


def test_text_with_its_apparatus_is_exact_as_well() -> None:
    """The full text is tried first."""
    result = PreparedText(NOTES).check("half[1] in two years,[2] and")
    assert (result.status, result.difference) == (Status.EXACT, Difference.NONE)


def test_apparatus_is_kept_or_left_out_as_a_whole() -> None:
    """A quotation with one mark of two is no reading of the text."""
    assert PreparedText(NOTES).check("half[1] in two years, and then").status is Status.NEAR


def test_occurrences_count_both_forms_once() -> None:
    """What both forms hold counts once, what only one holds counts too."""
    source = Source("the old lamp, the old[1] lamp", ignorable=((21, 24),))
    result = PreparedText(source).check("the old lamp")
    assert (result.char_start, result.occurrences) == (0, 2)
    assert PreparedText(source).check("the old").occurrences == 2


def test_near_is_scored_without_apparatus_where_that_is_higher() -> None:
    """A mark inside a near passage costs nothing."""
    result = PreparedText(NOTES).check("Rents fell by half in two yaers, and then they rose.")
    assert result.status is Status.NEAR
    assert result.similarity is not None
    assert result.similarity > 0.97
    assert result.snippet == NOTES.text


@pytest.mark.parametrize(
    ("quote", "status", "flags"),
    [
        ("x" * 20_001, Status.NOT_FOUND, (Flag.NEAR_NOT_SEARCHED,)),
        ("lamp " * 12_000, Status.NOT_FOUND, (Flag.NEAR_NOT_SEARCHED,)),
        ("word " * 4_200 + "end", Status.EXACT, ()),
        ("word " * 4_200 + "and", Status.NEAR, ()),
    ],
)
def test_very_long_quotations_are_bounded(quote: str, status: Status, flags: tuple[Flag, ...]) -> None:
    """Exact is always sure; near is tried while that is cheap, and the record says where it was not."""
    result = check_text("word " * 4_200 + "end.", quote)
    assert (result.status, result.flags) == (status, flags)


def test_a_text_of_lone_surrogates_is_data() -> None:
    """Half pairs are found, counted and hashed like any character."""
    result = check_text("ab \ud800\udc00\ud800 cd", "\ud800\udc00\ud800 cd")
    assert (result.status, result.char_start) == (Status.EXACT, 3)
    assert len(str(result.text_sha256)) == 64


HOSTILE = {
    "one letter": "a" * 300_000,
    "two letters": "ab" * 150_000,
    "broken letters": "a-\n" * 100_000,
    "powers": "1²" * 150_000,
    "marks": "a\u0301\u0323" * 100_000,
    "spaces": " \n" * 150_000,
    "flags": "🇩🇪" * 80_000,
    "emoji": "👩\u200d🔬" * 80_000,
    "soft hyphens": "ap\u00ad\npli " * 40_000,
    "guillemets": "« a » " * 50_000,
    "wrapped Japanese": "灯台守\nは" * 60_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_end_with_a_verdict(text: str) -> None:
    """Texts on which every rule works at every character are checked like others."""
    for quote in (
        "The lamp was lit by the keeper at nine.",
        "a" * 60 + " b",
        "灯" * 40 + "x",
        text[7:3_007] + "q",
    ):
        assert check_text(text, quote).status in (Status.NEAR, Status.NOT_FOUND)


@pytest.mark.parametrize("name", ["broken letters", "wrapped Japanese", "powers", "marks"])
def test_memory_beside_a_text_is_bounded(name: str) -> None:
    """A million characters take less than 50 MB, on texts of which five million take less than 150."""
    text = (HOSTILE[name] * 10)[:1_000_000]
    tracemalloc.start()
    try:
        check_text(text, "The lamp was lit by the keeper at nine.")
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_text_full_of_phrases_in_one_character_is_searched_as_it_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The character is found as it is; what is not exact is no proof, for the phrase may be spelled out."""
    monkeypatch.setattr(fold_module, "_PHRASE_LIMIT", 10)
    prepared = PreparedText(Source("قال النبي ﷺ هذا في المدينة"))
    exact = prepared.check("النبي ﷺ هذا")
    assert (exact.status, exact.flags) == (Status.EXACT, ())
    assert Flag.BEST_NOT_PROVEN in prepared.check("كتب الملك صلى الله عليه وسلم هذا").flags
    assert Flag.BEST_NOT_PROVEN not in check_text("The lamp is wet.", "A quince fell").flags


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The old lamp. " * 300, " ... ".join(["the old lamp"] * 102)),
        ("The old lamp. " * 300, "the [x] old lamp " * 101),
        ("a" * 1_200_000, "aa aa aa aa"),
    ],
    ids=["elisions", "brackets", "one letter"],
)
def test_pieces_that_are_not_all_looked_for_leave_no_proof(text: str, quote: str) -> None:
    """More marks than are put together, or a search cut short, are told by a flag where nothing is found."""
    result = check_text(text, quote)
    assert result.status is Status.NOT_FOUND
    assert Flag.BEST_NOT_PROVEN in result.flags
