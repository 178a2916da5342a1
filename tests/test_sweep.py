"""Tests of counting grams over a text."""

from __future__ import annotations

import random

import numpy as np
import pytest

from quotecheck.text import sweep
from quotecheck.text.sweep import GramSweep, Run, empty_table, hash_grams, runs_of_enough

FOX = "the quick brown fox jumps over the lazy dog. "


def naive_counts(text: str, pattern: str, length: int, cell: int, width: int) -> list[int]:
    grams = {pattern[at : at + length] for at in range(len(pattern) - length + 1)}
    hits = [text[at : at + length] in grams for at in range(len(text) - length + 1)]
    return [sum(hits[at : at + width * cell]) for at in range(0, len(hits), cell)]


@pytest.mark.parametrize("length", [1, 2, 3, 4, 16])
@pytest.mark.parametrize(("cell", "width"), [(8, 1), (8, 4), (16, 7), (16, 15)])
def test_counts_are_never_below_the_naive_ones(length: int, cell: int, width: int) -> None:
    """Each cell's sum holds all grams of the pattern there; here no two grams share a hash by chance."""
    patterns = [FOX[at : at + 25] for at in (0, 7, 19)]
    text = FOX * 6 + "é🙂" + FOX
    counts = GramSweep(text).counts(patterns, length, cell, width, empty_table(3))
    for pattern, row in zip(patterns, counts.tolist(), strict=True):
        expected = naive_counts(text, pattern, length, cell, width)
        assert row[: len(expected) - width] == expected[:-width]
        assert all(count >= least for count, least in zip(row, expected, strict=False))


def test_counts_do_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grams across the borders of chunks are counted like others."""
    text = "".join(random.Random(1).choices("abcd", k=500))
    whole = GramSweep(text).counts([text[90:140]], 4, 16, 4, empty_table(1))
    monkeypatch.setattr(sweep, "CHUNK", 32)
    assert (GramSweep(text).counts([text[90:140]], 4, 16, 4, empty_table(1)) == whole).all()


def test_counts_leave_the_table_empty() -> None:
    """A table can be used again at once."""
    table = empty_table(8)
    GramSweep(FOX).counts([FOX, FOX[::-1]], 3, 8, 2, table)
    assert table.shape == (65_536, 8)
    assert not table.any()


@pytest.mark.parametrize("text", ["", "ab", "abc"])
def test_counts_of_a_text_shorter_than_a_gram_are_none(text: str) -> None:
    """Such a text has no cells."""
    assert GramSweep(text).counts([FOX], 4, 16, 3, empty_table(1)).shape == (1, 0)


def test_hashes_of_equal_grams_are_equal_wherever_they_stand() -> None:
    """Also if one text is ASCII and the other is not."""
    for length in (1, 2, 3, 4, 16):
        plain, mixed = hash_grams(FOX, length), hash_grams("🙂" + FOX, length)
        assert (mixed[1:] == plain).all()
        assert len(plain) == len(FOX) - length + 1


def test_runs_of_enough_join_neighbouring_cells_of_a_row() -> None:
    """A run ends with its row; the most grams of any of its cells go with it."""
    counts = np.array([[0, 5, 7, 0, 6], [6, 0, 1, 2, 3]], np.uint8)
    assert runs_of_enough(counts, [5, 2], most_cells=3) == [
        [Run(1, 2, 7), Run(4, 4, 6)],
        [Run(0, 0, 6), Run(3, 4, 3)],
    ]


def test_runs_of_enough_are_none_where_there_are_too_many() -> None:
    """A row with too many cells, or one whose grams say nothing, has no runs; others keep theirs."""
    counts = np.array([[9, 9, 9], [0, 9, 0], [9, 9, 9]], np.uint8)
    assert runs_of_enough(counts, [5, 5, 0], most_cells=2) == [None, [Run(1, 1, 9)], None]
