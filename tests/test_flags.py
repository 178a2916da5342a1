"""Which flags a passage carries, and in which order."""

from __future__ import annotations

import pytest
from shared_data import shared_rows

from quotecheck.models import Difference, Flag, Status
from quotecheck.text.differences import edits_between
from quotecheck.text.flags import change_flags, passage_flags
from quotecheck.text.fold import fold
from quotecheck.text.match import check_text
from quotecheck.text.pieces import Part


def _of_passage(text: str, passage: str) -> tuple[Flag, ...]:
    start = text.index(passage)
    return passage_flags(passage, text, [Part(0, len(passage), start, start + len(passage))])


@pytest.mark.parametrize(
    ("text", "passage", "flags"),
    [
        ("No member may vote twice a year.", "member may vote twice", (Flag.NEGATION_NEARBY,)),
        ("A slide is unlikely to reach it.", "likely to reach it", (Flag.CUTS_WORD,)),
        ("Growth was -0.42 points in May.", "0.42 points in May", (Flag.CUTS_NUMBER,)),
        ("Hold fast.", "Hold fast", (Flag.SHORT_QUOTE,)),
        ("It seems unlikely.", "likely", (Flag.CUTS_WORD, Flag.SHORT_QUOTE)),
        ("The whole party met at noon.", "The whole party met", ()),
        ("The dam cost them 5 million in all.", "The dam cost them 5", (Flag.CUTS_NUMBER,)),
        ("The dam cost them 5 million in all.", "million in all.", (Flag.CUTS_NUMBER,)),
        ("Some twenty-five boats were lost.", "five boats were lost", (Flag.CUTS_NUMBER,)),
        ("The dams of 1990 and 2000 held.", "The dams of 1990", ()),
        ("It was one of two dams in the town.", "two dams in the town", ()),
    ],
)
def test_flags_of_a_passage(text: str, passage: str, flags: tuple[Flag, ...]) -> None:
    """What stands around its ends, in the order of the flags."""
    assert _of_passage(text, passage) == flags


def test_any_end_of_an_elided_quotation_may_cut_a_word() -> None:
    """Each part has two ends."""
    text = "The old weirs held, and then the mill was gone."
    parts = [Part(0, 12, 0, 12), Part(17, 33, 28, 46)]
    assert passage_flags("The old weir ... the mill was gone", text, parts) == (Flag.CUTS_WORD,)


def _of_changes(source: str, quote: str, part: Part) -> tuple[Flag, ...]:
    folded = fold(source)
    edits = edits_between(quote, folded.text, [part])
    return change_flags(quote, folded, [part], edits, original=source)


def test_all_flags_of_changes_come_in_order() -> None:
    """One quotation may change everything."""
    source, quote = "It must not exceed 5 mg a day.", "It may exceed 7 g a day."
    assert _of_changes(source, quote, Part(0, len(quote), 0, len(source))) == (
        Flag.NUMBER_CHANGED,
        Flag.NEGATION_CHANGED,
        Flag.MODALITY_CHANGED,
        Flag.UNIT_CHANGED,
    )


@pytest.mark.parametrize(
    ("source", "quote", "passage", "flags"),
    [
        ("No member may vote.", "A member may vote.", "member may vote.", (Flag.NEGATION_CHANGED,)),
        ("Twelve of the boats sank.", "12 of the boats sank.", "of the boats sank.", ()),
        ("Twelve of the boats sank.", "11 of the boats sank.", "of the boats sank.", (Flag.NUMBER_CHANGED,)),
        ("The boats weigh 5 mg.", "The boats weigh 5 g", "The boats weigh 5", (Flag.UNIT_CHANGED,)),
    ],
)
def test_words_beyond_an_end_are_compared_with_what_stands_there(
    source: str, quote: str, passage: str, flags: tuple[Flag, ...]
) -> None:
    """The most similar passage may leave out the very word that differs."""
    start = source.index(passage)
    assert _of_changes(source, quote, Part(0, len(quote), start, start + len(passage))) == flags


def test_no_edits_raise_no_flags() -> None:
    """An equal passage changes nothing."""
    source = "It must not exceed 5 mg."
    assert _of_changes(source, source, Part(0, len(source), 0, len(source))) == ()


@pytest.mark.parametrize(
    ("source", "quote", "passage", "changed"),
    [
        ("Only members vote there.", "Members vote there.", "members vote there.", True),
        ("The club says members vote there.", "Members vote there.", "members vote there.", False),
        ("It can be that only members vote.", "only members vote", "only members vote", False),
        ("The drug works in adults only.", "The drug works in adults.", "The drug works in adults", True),
        ("The drug works in adults now.", "The drug works in adults.", "The drug works in adults", False),
        ("The drug works. It must be used.", "The drug works.", "The drug works.", False),
        ("この薬は眠気を起こすかもしれない。", "この薬は眠気を起こす。", "この薬は眠気を起こす", True),
        ("Reportedly, the mayor knew it.", "The mayor knew it.", "the mayor knew it.", True),
        ("It may be that members vote.", "Members vote.", "members vote.", True),
        ("In the year of the flood, it may be that members vote.", "Members vote.", "members vote.", False),
        ("The club says that members vote.", "Members vote.", "members vote.", False),
    ],
)
def test_modal_word_that_a_cut_sentence_leaves_out(
    source: str, quote: str, passage: str, changed: bool
) -> None:
    """A quotation that begins or ends a sentence where the source does not may drop its "only"."""
    start = source.index(passage)
    flags = _of_changes(source, quote, Part(0, len(quote), start, start + len(passage)))
    assert (Flag.MODALITY_CHANGED in flags) is changed


_SHARED_NAMES = {
    "number_changed": Flag.NUMBER_CHANGED,
    "negation_changed": Flag.NEGATION_CHANGED,
    "polarity_changed": Flag.NEGATION_CHANGED,
    "edge_cuts_word": Flag.CUTS_WORD,
    "edge_cuts_number": Flag.CUTS_NUMBER,
}


def test_meaning_changing_cases_are_flagged() -> None:
    """Every shared case that changes a meaning has our flag for it, and no other case a flag of change."""
    changes = {Flag.NUMBER_CHANGED, Flag.NEGATION_CHANGED, Flag.MODALITY_CHANGED, Flag.UNIT_CHANGED}
    for row in shared_rows("cases/peer_cases.jsonl"):
        if not row.get("text") or row["status"] not in ("EXACT", "NEAR"):
            continue
        flags = set(check_text(row["text"], row["quote"]).flags)
        wanted = {_SHARED_NAMES[name] for name in row["flags"] if name in _SHARED_NAMES}
        assert wanted <= flags, row["id"]
        assert wanted or "number" in row["tags"] or not flags & changes, row["id"]


@pytest.mark.parametrize("pair", ["≠=", "∉∈", "∄∃", "≮<", "=⃒="])
def test_stroke_through_a_sign_is_no_accent(pair: str) -> None:
    """A sign that a stroke negates is another sign: words that differ, flagged, under the threshold."""
    struck, plain = pair[:-1], pair[-1]
    result = check_text(
        f"the pumps where a {struck} b run all day", f"the pumps where a {plain} b run all day"
    )
    assert result.difference is Difference.WORDS
    assert Flag.NEGATION_CHANGED in result.flags
    assert check_text(f"a {struck} b", f"a {plain} b", near_threshold=1.0).status is Status.NOT_FOUND


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("गाँव की सभा ने नई सड़क की योजना को मंजूरी नहीं दी।", "गाँव की सभा ने नई सड़क की योजना को मंजूरी दी।"),
        ("Bu köprü kışın ağır arabalar için uygun değildir.", "Bu köprü kışın ağır arabalar için uygundur."),
        ("Bu köprü kışın ağır arabalar için uygun değil.", "Bu köprü kışın ağır arabalar için uygun."),
        ("Die Leute wollen den Plan für die Brücke nicht.", "Die Leute wollen den Plan für die Brücke."),
        ("村はこの古い橋を冬にも車のために使うわけではない。", "村はこの古い橋を冬にも車のために使う。"),
        ("마을은 이 오래된 다리를 겨울에 사용하지 않는다.", "마을은 이 오래된 다리를 겨울에 사용한다."),
        (
            "Le maire a dit que le pont du village ne l'est pas.",
            "Le maire a dit que le pont du village ne l'est.",
        ),
    ],
)
def test_negation_dropped_at_the_end_of_the_passage_is_flagged(text: str, quote: str) -> None:
    """The sentence of the quotation ends where the text's next word negates it."""
    result = check_text(text, quote, near_threshold=0.8)
    assert result.status is Status.NEAR
    assert Flag.NEGATION_CHANGED in result.flags


def test_sentence_that_ends_before_another_clause_drops_no_negation() -> None:
    """What the text's next clause negates is not in the quotation's sentence."""
    text = "Die Leute wollen den Plan für die Brücke, nicht aber den Tunnel."
    result = check_text(text, "Die Leute wollen den Plan für die Brücke.")
    assert Flag.NEGATION_CHANGED not in result.flags


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("No one may enter the vault after dusk.", "Anyone may enter the vault after dusk."),
        ("No dogs are allowed in the old churchyard.", "Dogs are allowed in the old churchyard."),
        ("Not all members agreed to the new plan.", "All members agreed to the new plan."),
        ("Rien n'indique que le vieux pont soit sûr.", "Tout indique que le vieux pont soit sûr."),
        ("لم يكن الطريق إلى المدينة مغلقا في الشتاء.", "كان الطريق إلى المدينة مغلقا في الشتاء."),
        ("ليس الجسر القديم آمنا في الشتاء.", "الجسر القديم آمن في الشتاء."),
        ("बिना अनुमति के बाग़ में प्रवेश वर्जित है।", "अनुमति के साथ बाग़ में प्रवेश वर्जित है।"),
    ],
)
def test_negation_dropped_at_the_start_of_the_passage_is_flagged(text: str, quote: str) -> None:
    """The passage most alike begins behind the negator; the quotation begins as if there were none."""
    result = check_text(text, quote, near_threshold=0.7)
    assert result.status is Status.NEAR
    assert Flag.NEGATION_CHANGED in result.flags


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("It was not the old miller who rang the bell.", "the old miler who rang the bell"),
        ("Nobody came. The old miller rang the bell at noon.", "The old miler rang the bell at noon."),
        ("لم يأت أحد. الجسر القديم آمن في الشتاء.", "الجسر القديم امن في الشتاء."),
    ],
)
def test_negation_before_a_passage_that_begins_like_the_quotation_is_no_change(text: str, quote: str) -> None:
    """A slip further on says nothing about the negator, and one of another sentence does not count."""
    result = check_text(text, quote)
    assert result.status is Status.NEAR
    assert Flag.NEGATION_CHANGED not in result.flags


def test_first_words_of_the_quotation_stand_beside_as_many_words_of_the_text() -> None:
    """The fraction that was changed stands partly before the most similar passage."""
    text = "In the end two thirds of the members agreed to the plan."
    assert Flag.NUMBER_CHANGED in check_text(text, "One third of the members agreed to the plan.").flags
    assert Flag.NUMBER_CHANGED not in check_text(text, "Two thirds of the members agreed to the plan.").flags


def test_a_lost_full_stop_reaches_for_no_further_word() -> None:
    """Punctuation at the end of the quotation is no word of it."""
    text = "Shares rose by three points and 12 more the next day"
    assert check_text(text, "Shares rose by three points.").flags == ()


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("Sales in the month of May rose.", "Sales in the month of May fell."),
        ("Satışlar mayısta yüzde 12,5 arttı.", "Satışlar mayısta yüzde 12,5 azaldı."),
    ],
)
def test_last_word_is_compared_where_the_passage_ends_before_or_in_it(source: str, quote: str) -> None:
    """The most similar passage may end at the space before the word that differs, or in the word itself."""
    assert Flag.NEGATION_CHANGED in check_text(source, quote).flags


@pytest.mark.parametrize(
    ("source", "quote", "changed"),
    [
        ("It was lent to men under five.", "It was lent to men under [5].", False),
        ("It was lent to men under 5.", "It was lent to men under [6].", True),
        ("It was lent to men in town.", "It was lent to men [6] town.", False),
        ("The weir was safe.¹² It held.", "The weir was safe. It held.", False),
        ("The weir was safe. It held.", "The weir was safe.12 It held.", False),
    ],
)
def test_numbers_in_brackets_and_of_notes(source: str, quote: str, changed: bool) -> None:
    """An editor's bracket may hold a number of the source; a note's number is no number of the sentence."""
    flags = _of_changes(source, quote, Part(0, len(quote), 0, len(fold(source).text)))
    assert (Flag.NUMBER_CHANGED in flags) is changed
