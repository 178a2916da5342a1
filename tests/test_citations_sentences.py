"""Sentences with the marks that belong to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.citations.markers import find_marks
from quotecheck.citations.markup import read_markup
from quotecheck.citations.numbering import Numbering
from quotecheck.citations.sentences import find_sentences
from quotecheck.citations.sources import read_sources

THREE = Numbering(read_sources(["a", "b", "c"]))


def sentences(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """Return each sentence with the numbers it cites."""
    markup = read_markup(text)
    found = find_sentences(text, markup, find_marks(text, markup, THREE))
    return [(text[sentence.start : sentence.end], sentence.numbers) for sentence in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A b [1]. C d [2].", [("A b [1].", (1,)), ("C d [2].", (2,))]),
        ("A b. [1] C d. [2]", [("A b. [1]", (1,)), ("C d. [2]", (2,))]),
        ("A b.[1][2] C d.", [("A b.[1][2]", (1, 2)), ("C d.", ())]),
        ("A b. [1], [2]. C d.", [("A b. [1], [2].", (1, 2)), ("C d.", ())]),
        ("A b.\n[1] [2]\n\nC d.", [("A b.\n[1] [2]", (1, 2)), ("C d.", ())]),
        ("A b.\n[1]\n[2]\nC.", [("A b.\n[1]", (1,)), ("C.", ())]),
        ("[1] A b. [2] C d.", [("[1] A b. [2]", (1, 2)), ("C d.", ())]),
        ("A [1] b [1] c [2].", [("A [1] b [1] c [2].", (1, 2))]),
        ("A b¹. C d.² E", [("A b¹.", ()), ("C d.²", (2,)), ("E", ())]),
        ("好。[1]壞！？[2]", [("好。[1]", (1,)), ("壞！？[2]", (2,))]),
        ("是「好。」[1]的", [("是「好。」[1]", (1,)), ("的", ())]),
        ("A b see e.g. [1] for more. C", [("A b see e.g. [1] for more.", (1,)), ("C", ())]),
        ("A et al. [1] say so. C", [("A et al. [1] say so.", (1,)), ("C", ())]),
        ("A b (Source 1). C d.", [("A b (Source 1).", (1,)), ("C d.", ())]),
        ("A b. (Source 1) C d.", [("A b. (Source 1)", (1,)), ("C d.", ())]),
        ("A [1, p. 3] b. C", [("A [1, p. 3] b.", (1,)), ("C", ())]),
        ("A b:\n[1]", []),
        ("A b: [1]", []),
        ("[1]", []),
        ("", []),
    ],
)
def test_sentences(text: str, found: list[tuple[str, tuple[int, ...]]]) -> None:
    """Marks behind a sentence, within it, and alone on the next line are its own."""
    assert sentences(text) == found


@given(
    st.lists(
        st.sampled_from(
            ["It froze", "港口", " [1]", ". ", ".", "。", "! ", "\n", "- ", "...", '"', ")", " "]
        ),
        max_size=30,
    )
)
def test_every_word_is_in_one_sentence(pieces: list[str]) -> None:
    """Sentences come in order, do not overlap, and none of prose is lost but lead-ins."""
    text = "".join(pieces)
    found = sentences(text)
    assert sum(sentence.count("It froze") for sentence, _ in found) == text.count("It froze")
    assert sum(sentence.count("港口") for sentence, _ in found) == text.count("港口")
