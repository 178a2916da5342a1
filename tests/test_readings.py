"""A quotation is found in every reading of a text's line breaks, and in no other."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive_readings import all_readings, as_text, naive_find

from quotecheck.text.fold import fold
from quotecheck.text.readings import Readings

# Pieces that make line breaks of all kinds, next to letters that tell where a passage begins.
pieces = st.sampled_from(["a", "b", "-", "-\n", " ", "字", "漢\n", "\n", "，", "a-\nb"])
short_texts = st.lists(pieces, min_size=1, max_size=9).map("".join)


def found(text: str, quote: str) -> list[str]:
    """Return the folded passages in which a quotation is found."""
    readings = Readings(fold(text))
    return [readings.folded.text[start:end] for start, end in readings.find(Readings(fold(quote)))]


@pytest.mark.parametrize(
    ("text", "quote", "passages"),
    [
        ("on an inter-\nnational tariff", "international tariff", ["inter- national tariff"]),
        ("a well-\nknown fact", "well-known fact", ["well- known fact"]),
        ("both pre-\nand post-war", "pre- and post-war", ["pre- and post-war"]),
        ("inter-\nnational, well-\nknown", "international, well-known", ["inter- national, well- known"]),
        ("pre-\nwar", "-war", ["- war"]),
        ("pre-\nwar", "pre-", ["pre-"]),
        ("架け替え\nられ", "架け替えられ", ["架け替え られ"]),
        ("架け替え\nられ", "架け替え られ", ["架け替え られ"]),
        ("，漢\n字。", "漢字", ["漢 字"]),
        ("international law", "inter-\nnational law", ["international law"]),
        ("aa-\na aa", "aaa", ["aa- a"]),
        ("both pre- and post-war", "both preand", []),
        ("a well-\nknown fact", "well -known", []),
        ("1914-\n1918", "19141918", []),
        ("価格は１２\n３４円", "1234円", []),
        ("価格は１２\n３４円", "12 34円", ["12 34円"]),
        ("価格は１２\n円", "12円", ["12 円"]),
        ("価格は㉑\n３円", "213円", []),
        ("価格は二\n十円", "二十円", ["二 十円"]),
        ("one\ntwo", "onetwo", []),
    ],
)
def test_find_yields_passages_in_every_reading(text: str, quote: str, passages: list[str]) -> None:
    """A broken word reads joined, hyphenated or as it stands; other line ends are spaces."""
    assert found(text, quote) == passages


@given(short_texts, st.data())
@settings(deadline=None, max_examples=300)
def test_find_agrees_with_all_readings_written_out(text: str, data: st.DataObject) -> None:
    """Quotations cut from some reading, or of any making, are found exactly where the oracle finds them."""
    folded = fold(text)
    assume(len(folded.breaks) <= 4)
    reading = as_text(folded, data.draw(st.sampled_from(all_readings(folded))))
    start = data.draw(st.integers(0, len(reading)))
    cut = reading[start : data.draw(st.integers(start, len(reading)))]
    quote = fold(data.draw(st.one_of(st.just(cut), st.just(cut.replace("- ", "-\n")), short_texts)))
    assume(quote.text.strip("- ") and len(quote.breaks) <= 4)
    passages = list(Readings(folded).find(Readings(quote)))
    assert set(passages) == naive_find(folded, quote)
    assert len(set(passages)) == len(passages)
    assert [start for start, _ in passages] == sorted(start for start, _ in passages)


@given(short_texts)
@settings(deadline=None, max_examples=100)
def test_joined_reading_is_the_shortest(text: str) -> None:
    """The joined reading keeps nothing optional, and its places lead back to the text."""
    readings = Readings(fold(text))
    joined = readings.joined
    assert joined.text == min((as_text(readings.folded, r) for r in all_readings(readings.folded)), key=len)
    assert [readings.folded.text[joined.origin(place)] for place in range(len(joined.text))] == [*joined.text]


def test_joined_folded_maps_to_the_original() -> None:
    """A stretch of the joined reading knows the original span of each of its characters."""
    readings = Readings(fold("an inter-\nnational  oﬃce"))
    part = readings.joined_folded(3, len(readings.joined.text))
    assert part.text == "international office"
    assert part.span(4, 6) == (7, 11)
    assert part.span(14, 20) == (20, 24)


def test_find_ends_on_a_page_of_broken_letters() -> None:
    """Where every letter is broken from the next, a long quotation that fails late ends all the same."""
    readings = Readings(fold("a-\n" * 100_000))
    assert list(readings.find(Readings(fold("a" * 2_000 + " a")))) == []
