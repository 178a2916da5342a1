"""Tests of the sorted grams of a text."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from quotecheck.text import postings
from quotecheck.text.bounds import Window, reaches
from quotecheck.text.postings import PLACES, Postings
from quotecheck.text.sweep import hash_grams

SENTENCE = "the old harbour lay quiet under grey rain while seven small ships waited for a wind"


def test_first_occurrences_are_those_of_str_find() -> None:
    """Also of strings shorter than a gram, of strings that occur very often, and of none."""
    text = "ab" * PLACES + SENTENCE + " again: " + SENTENCE + "abab"
    quotes = ["abab", SENTENCE, "a", "", "zz", "quiet over grey", "b" + SENTENCE[:20], "abab" * 3, text]
    found = Postings(text).first_occurrences(quotes)
    assert found == [text.find(quote) if quote in text else None for quote in quotes]


def test_first_occurrences_of_nothing_are_nothing() -> None:
    """No quotations, and a text shorter than a gram, are ordinary input."""
    assert Postings("").first_occurrences([]) == []
    assert Postings("abc").first_occurrences(["abc", "abcd", "b"]) == [0, None, 1]


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), edits=st.integers(0, 12), ratio=st.sampled_from([(9, 10), (97, 100)]))
def test_runs_hold_the_start_of_every_window_that_reaches_the_ratio(
    seed: int, edits: int, ratio: tuple[int, int]
) -> None:
    """No start of a window that is similar enough lies outside the runs."""
    rng = random.Random(seed)
    text = SENTENCE * 2 + " and " + SENTENCE.replace("a", "e") + " " + SENTENCE[::-1] + SENTENCE
    letters = list(SENTENCE)
    for _ in range(edits):
        letters[rng.randrange(len(letters))] = rng.choice(["", "x", "ee"])
    quote = "".join(letters)
    found = Postings(text).runs(quote, *ratio, most=10**6)
    assert found is not None
    for start in range(len(text)):
        for end in range(start + len(quote) - 18, start + len(quote) + 18):
            window = Window(start, end, LCSseq.similarity(quote, text[start:end]))
            if end <= len(text) and reaches(window, len(quote), *ratio):
                assert any(run.first <= start <= run.last for run in found[0])


def test_runs_miss_nothing_where_as_few_grams_are_intact_as_can_be() -> None:
    """27 of 107 grams are intact, the least there can be at 0.9, and those are the most frequent ones."""
    quote = "".join(map(chr, random.Random(9).sample(range(0x4E00, 0x9FA5), 110)))  # no gram by chance
    missing = {3 + round(at * 5.4) for at in range(20)}
    passage = "".join(letter for at, letter in enumerate(quote) if at not in missing)
    intact = [quote[at : at + 4] for at in range(107) if not missing.intersection(range(at, at + 4))]
    assert len(intact) == 27
    text = "#".join(intact * 3) + "." * 500 + passage
    found = Postings(text).runs(quote, 9, 10, most=10**6)
    assert found is not None
    assert any(run.first <= len(text) - len(passage) <= run.last for run in found[0])


def test_runs_count_what_can_be_intact() -> None:
    """An exact copy has all its grams, wherever it stands; the favourite start is its own."""
    runs, favourite, _ = Postings("xyz " * 30 + SENTENCE).runs(SENTENCE, 9, 10, most=10**6) or ([], 0, 0)
    assert [(run.first <= 120 <= run.last, run.most) for run in runs] == [(True, len(SENTENCE) - 3)]
    assert favourite == 120


def test_runs_of_frequent_grams_or_low_ratios_are_none() -> None:
    """Too many places, or a ratio at which no gram need be intact, are left to other ways."""
    assert Postings("abcd" * 500).runs("abcd" * 20, 9, 10, most=1_000) is None
    assert Postings(SENTENCE).runs(SENTENCE, 1, 2, most=1_000) is None


def test_runs_of_absent_grams_are_empty() -> None:
    """A pattern whose grams do not occur has no place, and no favourite."""
    assert Postings("abcd" * 50).runs("xyz!" * 20, 9, 10, most=1_000) == ([], 0, 0)


@pytest.mark.parametrize("alphabet", ["a", "ab", "acgt", "abcdefghijklmnopqrstuvwxyz "])
def test_places_are_in_order_whichever_way_they_are_sorted(
    alphabet: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By quarters of the hashes, or by stretches of a text of few letters."""
    monkeypatch.setattr(postings, "_BLOCK", 64)
    text = "".join(random.Random(3).choices(alphabet, k=1_000))
    hashes = hash_grams(text, 4)
    starts = np.append(0, np.cumsum(np.bincount(hashes, minlength=1 << 16)))
    expected = np.argsort(hashes, kind="stable").tolist()
    assert postings._by_quarter(hashes, starts).tolist() == expected
    assert postings._by_block(hashes, starts).tolist() == expected
