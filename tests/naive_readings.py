"""All readings of a folded text, written out: the oracle of the search over readings, for short texts."""

from __future__ import annotations

from itertools import product

from quotecheck.text.fold import Folded


def all_readings(folded: Folded) -> list[list[int]]:
    """Return every reading as the list of places that it keeps."""
    choices: list[list[list[int]]] = []
    breaks = set(folded.breaks.tolist())
    place = 0
    while place < len(folded.text):
        if place not in breaks:
            choices.append([[place]])
        elif folded.text[place] == " ":
            choices.append([[place], []])
        else:
            assert folded.text[place : place + 2] == "- "
            choices.append([[place, place + 1], [place], []])
            place += 1
        place += 1
    return [[kept for part in parts for kept in part] for parts in product(*choices)]


def as_text(folded: Folded, reading: list[int]) -> str:
    return "".join(folded.text[place] for place in reading)


def naive_find(text: Folded, quote: Folded) -> set[tuple[int, int]]:
    """Return every span of a text that a quotation equals when both are read in some way."""
    wanted = {as_text(quote, reading) for reading in all_readings(quote)}
    found = set()
    for reading in all_readings(text):
        for words in wanted:
            whole = as_text(text, reading)
            for start in range(len(whole) - len(words) + 1):
                if whole.startswith(words, start):
                    found.add((reading[start], reading[start + len(words) - 1] + 1))
    return found
