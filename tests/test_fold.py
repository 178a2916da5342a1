"""Folding follows its rules, agrees with the naive fold everywhere, and maps back to the original."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_fold import naive_fold

from quotecheck.text import fold as fold_module
from quotecheck.text.characters import character_table
from quotecheck.text.fold import Folded, fold, has_too_many_phrases

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "folding_pairs.jsonl").read_text("utf-8").split("\n")
    if line
]
# Characters that rules look at, so that random strings bring them together often.
ODD = (
    "aAzé12-‐—\n\r\f\t \u00a0\u00ad\u200d\u200b'\"«»‹›“”‘’…·²³⁻ⁿ½①⒈㏠㎡１２－アｱﾞ漢字，。」"
    "がか\u3099\u0301\u0308\u0323"
    "\u0345한가각ㅋㅠﾡ\u1100\u1161\u11a8👩🔬🏽🇩🇪\ufe0fक\u093f\u094dค\u0e48ำﬁﷺ\ufe71\ufe70´゛ªº≠=\u0338\u0640\u3164\u3000\u2028"
)
text_of_all_planes = st.text(
    st.one_of(st.sampled_from(ODD), st.characters(), st.characters(categories=["Cs"]))
)


def as_lists(folded: Folded) -> tuple[str, list[int], list[int], list[int]]:
    return folded.text, folded.start.tolist(), folded.end.tolist(), folded.breaks.tolist()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair['rule']}: {pair['note']}")
def test_rules_say_which_spellings_are_the_same_text(pair: dict[str, str | bool]) -> None:
    """Each rule folds what it names, and nothing else."""
    assert (fold(str(pair["first"])).text == fold(str(pair["second"])).text) is pair["same"]


@pytest.mark.parametrize("context", ["x {} x ", " a{}1 e{}\u0301 "], ids=["alone", "in context"])
def test_fold_agrees_with_naive_fold_on_every_character(context: str) -> None:
    """The fast fold and the oracle map every assigned character alike, with its offsets."""
    plain = ("Cn", "Co", "Cs")
    characters = [
        char
        for char in map(chr, range(0x20000))
        if unicodedata.category(char) not in plain and not "一" < char < "鿿" and not "가" < char < "힣"
    ]
    characters += map(chr, range(0x2F7F0, 0x2FA30))
    characters += map(chr, range(0xE0000, 0xE0200))
    for first in range(0, len(characters), 3000):
        text = "".join(context.format(char, char) for char in characters[first : first + 3000])
        assert as_lists(fold(text)) == naive_fold(text)


def test_fold_leaves_every_other_code_point_as_it_is() -> None:
    """Ideographs, syllables, unassigned, private and surrogate code points map to themselves."""
    plain = ("Cn", "Co", "Cs")
    others = [
        code
        for code in [*range(0x4E00, 0xA000), *range(0xAC00, 0x30000), *range(0x30000, 0x110000, 7)]
        if (unicodedata.category(chr(code)) in plain or unicodedata.category(chr(code)) == "Lo")
        and unicodedata.normalize("NFKC", chr(code)) == chr(code)
        and not (0xFFA0 <= code <= 0xFFF8 or 0xE0000 <= code <= 0xE0FFF)
    ]
    table, codes = character_table(), np.array(others, np.uint32)
    table.traits_of(codes)
    assert (table.first[codes] == codes).all()
    assert (table.count[codes] == 1).all()


@given(text_of_all_planes)
@settings(deadline=None, max_examples=400)
def test_fold_agrees_with_naive_fold_on_random_text(text: str) -> None:
    """On strings of all planes both give the same text, offsets and breaks."""
    assert as_lists(fold(text)) == naive_fold(text)


@given(st.text(st.characters(max_codepoint=127), max_size=12), st.booleans())
@settings(deadline=None, max_examples=300)
def test_fold_agrees_with_naive_fold_on_plain_text(text: str, is_plain: bool) -> None:
    """Printable ASCII with single spaces, which takes a shorter way, and ASCII that does not."""
    given_text = " ".join("".join(filter(str.isprintable, text)).split()) if is_plain else text
    for padded in (given_text, f" {given_text}", f"{given_text} "):
        assert as_lists(fold(padded)) == naive_fold(padded)


@given(st.text(st.one_of(st.sampled_from("ab c1-\n\r字漢é"), st.sampled_from(ODD)), max_size=80))
@settings(deadline=None, max_examples=300)
def test_fold_agrees_with_naive_fold_across_blocks(text: str) -> None:
    """Where a long text is cut into blocks makes no difference."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fold_module, "_BLOCK", 4)
        assert as_lists(fold(text)) == naive_fold(text)


@given(text_of_all_planes)
@settings(deadline=None, max_examples=300)
def test_fold_is_idempotent(text: str) -> None:
    """Folding folded text changes nothing."""
    folded = fold(text).text
    assert fold(folded).text == folded


@given(text_of_all_planes)
@settings(deadline=None, max_examples=200)
def test_canonical_forms_fold_alike(text: str) -> None:
    """NFC and NFD of a text are the same text."""
    assert fold(unicodedata.normalize("NFC", text)).text == fold(unicodedata.normalize("NFD", text)).text


@given(text_of_all_planes)
@settings(deadline=None, max_examples=200)
def test_spans_ascend_and_lie_in_the_text(text: str) -> None:
    """Every folded character has a non-empty original span, and spans never go back."""
    folded = fold(text)
    start, end = folded.start, folded.end
    assert ((start < end) & (end <= len(text))).all()
    assert (np.diff(start) >= 0).all()
    assert (np.diff(end) >= 0).all()


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("inter-\nnational", [5]),
        ("inter-  \r\n  national", [5]),
        ("inter-\n\fnational", [5]),
        ("inter‐\nnational", [5]),
        ("inter—\nnational", []),
        ("inter-\n\nnational", []),
        ("1914-\n1918", []),
        ("A-\n4", []),
        ("pre -\nwar", []),
        ("架け替え\nられ", [4]),
        ("第一段。\n\n第二段", [4]),
        ("ＡＢ\nＣＤ", [2]),
        ("漢字 漢字", []),
        ("漢字\nabc", []),
        ("한국\n한국", []),
        ("他说：\n“你好”", [3]),
        ("他说。”\n“你好", [4]),
        ("said”\n“then", []),
        ("« mot » inter-\nnational", [11]),
    ],
)
def test_breaks_mark_what_a_line_break_may_have_put_there(text: str, breaks: list[int]) -> None:
    """Only breaks between wide characters, and hyphens between letters, have several readings."""
    assert fold(text).breaks.tolist() == breaks


@pytest.mark.parametrize(
    ("text", "place", "divides"),
    [
        ("aﬀb", 2, True),
        ("aﬀb", 1, False),
        ("x\u0332y", 1, True),
        ("👩\u200d🔬 ok", 1, True),
        ("👍🏽 ok", 1, True),
        ("🇩🇪🇪🇸", 1, True),
        ("🇩🇪🇪🇸", 2, False),
        ("👩🔬", 1, False),
        ("کتاب\u200d\u200cخانه", 4, False),
    ],
)
def test_divides_cluster_at_places_inside_one_character(text: str, place: int, divides: bool) -> None:
    """Expansions, marks, joined emoji, skin tones and flags share one span."""
    assert fold(text).divides_cluster(place) is divides


def test_spaces_span_their_whole_run() -> None:
    """A folded space knows all the white space it stands for."""
    assert fold("a \n\t b").span(1, 2) == (1, 5)


def test_runs_longer_than_a_byte_keep_their_width() -> None:
    """A run of 300 spaces has a span of 300 characters."""
    assert fold("a" + " " * 300 + "b").span(1, 2) == (1, 301)


def test_a_page_of_marks_on_one_letter_folds_at_once() -> None:
    """Marks in changing order would take `unicodedata` minutes; the result is in canonical order."""
    folded = fold("a" + "\u0301\u0323" * 100_000)
    assert folded.text.startswith("ạ\u0323")
    assert folded.text.endswith("\u0301\u0301")


def test_part_keeps_offsets_into_the_original() -> None:
    """A part of a folded text refers to the same original, its breaks counted from its start."""
    part = fold("The  oﬃce inter-\nnational").part(4, 22)
    assert part.text == "office inter- nati"
    assert part.span(0, 6) == (5, 9)
    assert part.breaks.tolist() == [12]


def test_arabic_phrases_stay_whole_where_a_text_is_full_of_them() -> None:
    """A page of nothing else would become eighteen times as long."""
    assert fold("قال ﷺ هذا").text == "قال صلى الله عليه وسلم هذا"
    folded = fold("قال ﷺ هذا", phrases=False)
    assert (folded.text, folded.width.tolist()) == ("قال ﷺ هذا", [1] * 9)
    assert not has_too_many_phrases("ﷺ " * 200_000)
    assert has_too_many_phrases("ﷺ " * 240_000)
