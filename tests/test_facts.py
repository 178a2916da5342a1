"""What two strings say where they differ."""

from __future__ import annotations

from quotecheck.models import Difference
from quotecheck.text.differences import Edit
from quotecheck.text.facts import Change, Facts, changes_of, overlaps, touched
from quotecheck.text.lexicon import lexicon


def _edit(kind: Difference, start: int, end: int) -> Edit:
    return Edit(kind, start, end, start, end)


def test_edits_two_words_apart_are_one_change() -> None:
    """Three words between them make two."""
    text = "one two three four five six seven"
    near = [_edit(Difference.WORDS, 0, 3), _edit(Difference.WORDS, 14, 18)]
    far = [_edit(Difference.WORDS, 0, 3), _edit(Difference.WORDS, 19, 23)]
    assert [len(change.edits) for change in changes_of(text, text, near)] == [2]
    assert [len(change.edits) for change in changes_of(text, text, far)] == [1, 1]


def test_marks_and_gaps_are_no_changes() -> None:
    """Reference marks and elisions stand aside."""
    edits = [_edit(Difference.REFERENCE_MARK, 0, 3), _edit(Difference.ELISION, 4, 7)]
    assert changes_of("[1] ... it", "[1] ... it", edits) == []


def test_rewording_leaves_out_what_changes_no_word() -> None:
    """Case, accents, spaces and punctuation are no rewording."""
    words, case = _edit(Difference.WORDS, 0, 3), _edit(Difference.CASE, 4, 7)
    assert Change((words, case)).rewording == Change((words,))


def test_facts_are_those_at_the_spans() -> None:
    """A negator elsewhere in the string is not looked at."""
    text = "It was not safe, and " + "it was so for years and years " * 5 + "and never mended."
    facts = Facts(text, [lexicon("en")], [(7, 10)])
    assert [(fact.name, text[fact.start : fact.end]) for fact in facts.negators] == [("negator", "not")]


def test_negators_are_found_under_vowel_points() -> None:
    """Offsets are those of the pointed string."""
    text = "الجِسْرُ لَمْ يَكُنْ"
    facts = Facts(text, [lexicon("ar")], [(0, len(text))])
    assert [text[fact.start : fact.end] for fact in facts.negators] == ["لَم"]


def test_numbers_of_marks_and_furniture_are_left_out() -> None:
    """What stands aside does not count, and neither does what lies outside the part looked at."""
    text = "5 boats[12] on page 14 and 7 carts"
    facts = Facts(text, [lexicon("en")], [(0, 1)], aside=[(20, 22)], within=(0, 24))
    assert [number.value for number in facts.numbers] == ["5"]


def test_overlap_needs_a_common_character() -> None:
    """Touching ends do not overlap."""
    edit = Facts("not so", [lexicon("en")], [(0, 3)]).negators[0]
    assert overlaps(edit, [(2, 4)])
    assert touched([edit], [(3, 6)]) == []
