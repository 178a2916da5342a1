"""The lexicons as data: every pattern is sound in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quotecheck.text import languages
from quotecheck.text.lexicon import LANGUAGES, Lexicon, classes, lexicon, poles, spelled


def _patterns(found: Lexicon) -> list[re.Pattern[str]]:
    optional = (found.comparators, found.negation_behind)
    poles_of = [pole for pair in found.opposites.pairs for pole in pair]
    return [found.negation, found.modality, *poles_of, *(pattern for pattern in optional if pattern)]


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_pattern_matches_nothing(code: str) -> None:
    """An empty alternative would match everywhere and hide the others."""
    assert [pattern.pattern for pattern in _patterns(lexicon(code)) if pattern.match("") is not None] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_lexicon_names_its_language(code: str) -> None:
    """The module, the list and the lexicon agree on the code."""
    assert lexicon(code).code == code


def test_every_language_module_is_listed() -> None:
    """A language that is not listed would never be used."""
    folder = Path(str(languages.__file__)).parent
    assert tuple(sorted(path.stem for path in folder.glob("??.py"))) == LANGUAGES


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.timeout(20)
def test_patterns_are_fast_on_hostile_text(code: str) -> None:
    """Long runs of one letter or word do not make a pattern retry."""
    for text in ("a" * 5_000, "ne " * 2_000, "не " * 2_000, "ما " * 2_000, "지 " * 2_000, "な" * 5_000):
        for pattern in _patterns(lexicon(code)):
            assert sum(1 for _ in pattern.finditer(text)) <= len(text)


def test_classes_match_whole_words_in_any_case() -> None:
    """`_` is a space; a part of a word is no match."""
    pattern = classes(negator="no no_longer")
    assert [m.group() for m in pattern.finditer("No longer known, no.")] == ["No", "no"]
    assert classes(negator="no_longer no").findall("no longer") == ["no longer"]


def test_classes_without_bounds_match_inside_words() -> None:
    """Scripts without spaces have no word bounds to look at."""
    assert classes(bounded=False, skip="不但", negator="不").search("我不去").lastgroup == "negator"  # type: ignore[union-attr]


def test_opposites_are_swapped_only_across_the_sides() -> None:
    """Both words on both sides are no swap."""
    opposites = poles(("more", "less"))
    assert opposites.swapped("more boats", "less boats")
    assert not opposites.swapped("more or less boats", "more or less ships")
    assert not opposites.swapped("more boats", "boats")


def test_spelled_reads_symbols_and_names() -> None:
    """`_` stands for a space."""
    assert spelled("%: percent per_cent; km: kilometre") == {
        "percent": "%",
        "per cent": "%",
        "kilometre": "km",
    }
