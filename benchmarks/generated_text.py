"""Text of our own for benchmarks: sentences of made-up words with the frequencies of a natural language.

Nothing is read from anywhere; a seed and a size give the same text on every machine.
"""

from __future__ import annotations

import random
from itertools import accumulate

_SHORT = """
the of and to in a is that it was for on are as with his they at be this have from or one had by not
but what all were we when there can an your which their if do will each about how up out them then she many
"""
_CONSONANTS = "b c d f g h j k l m n p r s t v w br cr dr fr gr pr tr bl cl fl gl pl sl st sp sh ch th"
_VOWELS = "a e i o u ai ea ee io ou oo"
_CODAS = ("", "", "", "n", "r", "s", "t", "l", "d", "m", "ng", "nt", "st", "ck", "rd")
_SUFFIXES = ("", "", "", "", "s", "ed", "ing", "ly", "tion")
_LETTERS = "abcdefghijklmnopqrstuvwxyz "
_VOCABULARY = 6_000


def make_text(size: int, *, seed: int) -> str:
    """Return a text of this many characters; texts of all seeds share one vocabulary."""
    rng = random.Random(seed)
    words = _vocabulary(random.Random(7))
    weights = list(accumulate(1 / (rank + 3) for rank in range(len(words))))  # Zipf's law
    sentences: list[str] = []
    length = 0
    while length < size:
        sentence = rng.choices(words, cum_weights=weights, k=rng.randint(5, 24))
        if rng.random() < 0.5:
            sentence[rng.randrange(len(sentence))] += ","
        sentences.append(" ".join(sentence).capitalize() + rng.choice((". ", ". ", ". ", "? ", "; ")))
        length += len(sentences[-1])
    return "".join(sentences)[:size]


def damaged(text: str, rate: float, rng: random.Random) -> str:
    """Return the text with so many edits per character: 40 % replace, 30 % delete, 30 % insert."""
    letters = list(text)
    for _ in range(max(1, round(rate * len(letters)))):
        at, kind = rng.randrange(len(letters)), rng.random()
        if kind < 0.4:
            letters[at] = rng.choice(_LETTERS)
        elif kind < 0.7:
            del letters[at]
        else:
            letters.insert(at, rng.choice(_LETTERS))
    return "".join(letters)


def _vocabulary(rng: random.Random) -> list[str]:
    words = dict.fromkeys(_SHORT.split())
    while len(words) < _VOCABULARY:
        syllables = rng.choice((1, 2, 2, 2, 3, 3, 4))
        word = "".join(_syllable(rng, last=number == syllables - 1) for number in range(syllables))
        words.setdefault(word + rng.choice(_SUFFIXES))
    return list(words)


def _syllable(rng: random.Random, *, last: bool) -> str:
    coda = rng.choice(_CODAS) if last or rng.random() < 0.3 else ""
    return rng.choice(_CONSONANTS.split()) + rng.choice(_VOWELS.split()) + coda
