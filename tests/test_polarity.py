"""Negation and modality: a table of sentence pairs for each language of the lexicon."""

from __future__ import annotations

import pytest
from flag_pairs import flags_between, rows

from quotecheck.models import Flag
from quotecheck.text.lexicon import LANGUAGES
from quotecheck.text.polarity import negation_nearby


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize(
    ("table", "flag"), [("negation", Flag.NEGATION_CHANGED), ("modality", Flag.MODALITY_CHANGED)]
)
def test_flag_is_raised_where_the_pair_changes_and_nowhere_else(table: str, flag: Flag, code: str) -> None:
    """Each pair of a language's table raises the flag exactly if it is marked as changed."""
    pairs = rows(f"{table}_{code}.jsonl")
    wrong = [p for p in pairs if (flag in flags_between(p["source"], p["quote"])) is not p["changed"]]
    assert wrong == []


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("table", ["negation", "modality"])
def test_table_is_long_enough_to_list_the_language(table: str, code: str) -> None:
    """A language has twenty pairs that change and eight that do not, or it must leave the list."""
    changed = [pair["changed"] for pair in rows(f"{table}_{code}.jsonl")]
    assert changed.count(True) >= 20
    assert changed.count(False) >= 8


@pytest.mark.parametrize("row", rows("negation_nearby.jsonl"), ids=lambda row: row["text"][:40])
def test_negation_nearby(row: dict[str, str | bool]) -> None:
    """A negator just outside the passage is seen, one of another clause is not."""
    text, passage = str(row["text"]), str(row["passage"])
    start = text.index(passage)
    assert negation_nearby(passage, text, start, start + len(passage)) is row["nearby"]


@pytest.mark.parametrize(
    ("source", "quote"),
    [
        ("The guard was not able to lift it.", "The guard was no table to lift it."),
        ("There was no wonder in the hall.", "There was now onder in the hall."),
    ],
)
def test_negation_changes_where_spaces_cut_other_words(source: str, quote: str) -> None:
    """The same letters with other spaces may hold another negation."""
    assert Flag.NEGATION_CHANGED in flags_between(source, quote)


@pytest.mark.parametrize(
    ("spaced", "joined"),
    [("not able", "notable"), ("no table", "notable"), ("now here", "nowhere"), ("not iced", "noticed")],
)
def test_negation_changes_where_a_negator_is_glued_or_cut(spaced: str, joined: str) -> None:
    """A negator that is lost in a longer word, or made from two words, is told in both directions."""
    one, other = f"The ferry was {spaced} in the winter.", f"The ferry was {joined} in the winter."
    assert Flag.NEGATION_CHANGED in flags_between(one, other)
    assert Flag.NEGATION_CHANGED in flags_between(other, one)


@pytest.mark.parametrize(
    ("spaced", "joined"), [("is not safe", "isnot safe"), ("is a non smoker", "is a nonsmoker")]
)
def test_negation_stays_where_a_space_is_lost(spaced: str, joined: str) -> None:
    """A space lost before a negator, or behind a prefix, makes no other word."""
    assert flags_between(f"The miller {spaced}.", f"The miller {joined}.") == set()


def test_negation_elided_sees_not_only_and_lets_no_doubt_pass() -> None:
    """ "Not only" hides a negator from the reader; "without doubt" negates nothing."""
    source = "Das Mittel war nicht nur in Wien sicher, sondern ohne Zweifel auch in Linz zu kaufen."
    assert flags_between(source, "Das Mittel war ... in Wien sicher, sondern") == {Flag.NEGATION_ELIDED}
    rest = "Das Mittel war nicht nur in Wien sicher, sondern ... auch in Linz zu kaufen."
    assert flags_between(source, rest) == set()


@pytest.mark.parametrize(
    "quote",
    [
        "We don t know who did it.",
        "We DON'T know who did it.",
        "We don't know, who did it.",
        "We dont know who did it.",
    ],
)
def test_negation_is_unchanged_by_case_and_punctuation(quote: str) -> None:
    """A lost apostrophe, capitals or a comma leave the negation as it was."""
    assert flags_between("We don't know who did it.", quote) == set()


def test_negation_elided_sees_the_gap_alone() -> None:
    """A negation that an elision leaves out is flagged, one that is quoted is not."""
    source = "The landlord is, it says, not permitted to end this lease, and never was."
    assert flags_between(source, "The landlord is ... permitted to end this lease") == {Flag.NEGATION_ELIDED}
    assert flags_between(source, "The landlord is ... not permitted to end this lease") == set()


def test_bracket_that_hides_a_negation_is_a_change() -> None:
    """An editor's bracket may stand for four words, and a negation among them is told."""
    source = "The board had never once agreed to sell the orchard and the barn."
    quote = "The board had [always] agreed to sell the orchard and the barn."
    assert Flag.NEGATION_CHANGED in flags_between(source, quote)
