"""How fast is folding, beside the same rules one character at a time?

    python benchmarks/folding.py [--characters 5000000]

Texts are generated from a fixed seed. Speeds are CPU time over the size of the text in UTF-8; each text is
folded three times and the best is shown, so that no table is filled on the clock. The naive loop
(`tests/naive_fold.py`) folds a shorter stretch and its speed is given for the same kind of text.
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
import time
import unicodedata
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np

from quotecheck.text.fold import fold

SEED = 20240611
NAIVE_CHARACTERS = 20_000
TARGETS = {
    "ASCII": 50,
    "curly quotes and dashes": 30,
    "Chinese": 30,
    "accented, NFC": 30,
    "accented, NFD": 15,
}
CONSONANTS, VOWELS = "bcdfghlmnprstvz", "aeiou"


def words(randomness: random.Random, count: int) -> list[str]:
    """Return made-up words of one to four syllables."""
    return [
        "".join(
            randomness.choice(CONSONANTS) + randomness.choice(VOWELS) for _ in range(randomness.randint(1, 4))
        )
        for _ in range(count)
    ]


def prose(randomness: random.Random, size: int) -> str:
    """Return lines of about 70 characters and blank lines between paragraphs."""
    vocabulary = words(randomness, 5_000)
    stretch: list[str] = []
    for number in range(20_000):
        stretch.append(randomness.choice(vocabulary))
        stretch.append("\n\n" if number % 90 == 89 else "\n" if number % 11 == 10 else " ")
    text = "".join(stretch)
    return (text * (size // len(text) + 1))[:size]


def curly(randomness: random.Random, size: int) -> str:
    """Return prose in which 3 % of the characters are curly quotes, dashes and ellipses."""
    marks = ["“", "”", "’", "–", "—", "…"]
    letters = list(prose(randomness, 200_000))
    for _ in range(6_000):
        letters[randomness.randrange(len(letters))] = randomness.choice(marks)
    text = "".join(letters)
    return (text * (size // len(text) + 1))[:size]


def chinese(randomness: random.Random, size: int) -> str:
    """Return ideographs with full-width punctuation and wrapped lines."""
    letters = [chr(randomness.randrange(0x4E00, 0x6E00)) for _ in range(100_000)]
    for place in range(0, len(letters), 12):
        letters[place] = randomness.choice("，。：；“”")
    for place in range(39, len(letters), 40):
        letters[place] = "\n"
    text = "".join(letters)
    return (text * (size // len(text) + 1))[:size]


def accented(randomness: random.Random, size: int) -> str:
    """Return prose in which every fourth vowel has an accent, some have two."""
    accents = {"a": "áàâấ", "e": "éèêệ", "i": "íïî", "o": "óôöộ", "u": "úüû"}
    text = "".join(
        randomness.choice(accents[letter]) if letter in accents and randomness.random() < 0.25 else letter
        for letter in prose(randomness, 200_000)
    )
    return (text * (size // len(text) + 1))[:size]


def texts(size: int) -> dict[str, str]:
    """Return the five kinds of text."""
    makers: dict[str, Callable[[random.Random, int], str]] = {
        "ASCII": prose,
        "curly quotes and dashes": curly,
        "Chinese": chinese,
        "accented, NFC": accented,
    }
    made = {name: maker(random.Random(SEED), size) for name, maker in makers.items()}
    made["accented, NFD"] = unicodedata.normalize("NFD", made["accented, NFC"])
    return made


def megabytes_per_second(work: Callable[[str], object], text: str, *, rounds: int) -> float:
    """Return the best speed of some rounds, in millions of UTF-8 bytes per second of CPU."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        work(text)
        best = min(best, time.process_time() - begin)
    return len(text.encode("utf-8")) / best / 1e6


def main() -> None:
    """Print one row per kind of text."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--characters", type=int, default=5_000_000, help="size of each text")
    size = parser.parse_args().characters
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    naive_fold = import_module("naive_fold").naive_fold

    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, Unicode {unicodedata.unidata_version}"
    )
    print(f"{size:,} characters a text, seed {SEED}, MB of UTF-8 per second of CPU\n")
    print(f"{'text':<26}{'fold':>9}{'target':>9}{'naive':>9}{'ratio':>9}")
    for name, text in texts(size).items():
        fast = megabytes_per_second(fold, text, rounds=3)
        slow = megabytes_per_second(naive_fold, text[:NAIVE_CHARACTERS], rounds=1)
        print(f"{name:<26}{fast:>9.1f}{TARGETS[name]:>9}{slow:>9.3f}{fast / slow:>8.0f}x")


if __name__ == "__main__":
    main()
