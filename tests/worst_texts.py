"""Five million characters or bytes of the worst kinds, and what the matcher takes beside each.

    python tests/worst_texts.py "wrapped Han"

prints the status of the first verdict and the megabytes that the process grew to beside the text (Linux). A
process of its own for each kind: the memory that a process once had says nothing of the next text.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

from quotecheck.models import Source
from quotecheck.text.match import PreparedText, check_text

SIZE = 5_000_000
_ENGLISH = "The keeper lit the lamp at nine and wrote the hour in the book. "
_VIETNAMESE = "Be\u0302\u0323nh vie\u0302\u0323n mo\u031b\u0309 cu\u031b\u0309a. "


def _english() -> Source:
    return Source(_ENGLISH * (SIZE // len(_ENGLISH)))


def _ignorable() -> Source:
    text = "no " * (SIZE // 3)
    return Source(text, ignorable=tuple((at, at + 2) for at in range(0, len(text), 3)))


def _letters(alphabet: str) -> Callable[[], Source]:
    return lambda: Source("".join(random.Random(5).choices(alphabet, k=SIZE)))


# A text of many bytes a character has fewer of them: five million bytes is what a source may have.
KINDS: dict[str, tuple[Callable[[], Source], Callable[[str], list[str]]]] = {
    "phrases in one character": (lambda: Source("ﷺ" * (SIZE // 3)), lambda text: [text[:90] + "x"]),
    "one base with all marks": (
        lambda: Source("a" + "\u0301\u0316\u0330" * (SIZE // 6)),
        lambda _: [_ENGLISH],
    ),
    "decomposed": (lambda: Source(_VIETNAMESE * (SIZE // 35)), lambda text: [text[70:900] + "x"]),
    "wrapped Han": (lambda: Source("灯\n" * (SIZE // 4)), lambda text: [text[:400] + "x"]),
    "ignorable words": (_ignorable, lambda text: [text[:400] + "x"]),
    "two letters": (_letters("ab"), lambda text: ["".join(random.Random(8).sample(text[:2_000], 1_000))]),
    "one letter": (lambda: Source("a" * SIZE), lambda text: [(text[:22] + "b") * 2_100]),
    "one sentence, many quotations": (
        _english,
        lambda _: [f"{_ENGLISH[: 20 + at % 40]}{at} lamps" for at in range(150)],
    ),
    "a quotation of five million characters": (_english, lambda text: [text[:-9] + "once more"]),
    "a thousand elisions": (_english, lambda text: [" ... ".join([text[:20]] * 1_000)]),
}


def measure(kind: str) -> tuple[str, float]:
    """Return the status of the first verdict, and the megabytes that checking took at most."""
    make_source, make_quotes = KINDS[kind]
    check_text("The lamp is wet.", "The lamp was wet.")  # loads what every check needs
    source = make_source()
    quotes = make_quotes(source.text)
    before = _megabytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    status = PreparedText(source).check_many(quotes)[0].status
    return str(status), _megabytes("VmHWM") - before


def _megabytes(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1_024 for line in lines if line.startswith(f"{field}:"))


if __name__ == "__main__":
    print(*measure(sys.argv[1]))
