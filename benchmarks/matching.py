"""What does it cost to find a quotation in a text, and who finds the near ones?

Our matcher, alone (with its index) and among many quotations that share one, beside four usual ways:
windows anchored at shared words and compared with difflib (all anchors, and those of the eight rarest words),
RapidFuzz's `partial_ratio_alignment`, a sliding window, and edlib. All get the same generated text and the
same quotations: present word for word, near (2 to 6 % of the letters edited), or absent (other text of the
same vocabulary). Times are CPU milliseconds per quotation; folding and differences are no part of them. NEAR
is the share of near quotations for which a way reports a window of similarity 0.9 or more, by one formula for
all: of all quotations for ours, of those that ours found for the others.

    python benchmarks/matching.py [--quick]

A cell of a peer that would take longer than 30 s is not run. Exits with 1 if a target is missed. edlib is
optional, and only compared with: pip install edlib
"""

from __future__ import annotations

import argparse
import platform
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

from generated_text import damaged, make_text
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

from quotecheck.text.grams import TextIndex

TEXT_SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
QUOTE_SIZES = (20, 80, 200, 1_000, 5_000, 20_000)
KINDS = ("present", "near", "absent")
AMONG = 100  # quotations that share an index
LIMIT = 30.0  # seconds that a peer's cell may take
QUICK_LIMIT = 2.0
ENOUGH = 0.3  # seconds after which a time is not taken again
NEAR = 0.9

Span = tuple[int, int]


class Way(NamedTuple):
    """A way of finding a quotation: where its best window is, and how many seconds that will take."""

    name: str
    find: Callable[[str, str], Span | None]
    estimate: Callable[[str, str], float]


@dataclass(slots=True)
class Cell:
    """One text size, quotation size and kind: milliseconds by way, and the share of near ones found."""

    text_size: int
    quote_size: int
    kind: str
    times: dict[str, float] = field(default_factory=dict)
    estimates: dict[str, float] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    missed: int = 0  # quotations that a peer found and ours did not


def find_ours(index: TextIndex, quotes: Sequence[str]) -> list[Span | None]:
    """Find all quotations by our matcher: exactly, and the others by their best window."""
    starts = index.find_exact(quotes)
    missing = iter(
        index.best_windows([quote for quote, at in zip(quotes, starts, strict=True) if at is None])
    )
    spans: list[Span | None] = []
    for quote, at in zip(quotes, starts, strict=True):
        if at is not None:
            spans.append((at, at + len(quote)))
        else:
            window = next(missing)
            spans.append((window.start, window.end) if window.found else None)
    return spans


def find_anchored(text: str, quote: str, *, rarest: int | None) -> Span | None:
    """Compare a window at every occurrence of a word (or of one of the rarest words) with difflib."""
    matcher = SequenceMatcher()
    matcher.set_seq2(quote)
    best, best_ratio = None, 0.0
    for start in anchored_starts(text, quote, rarest):
        window = start, min(len(text), start + len(quote))
        matcher.set_seq1(text[slice(*window)])
        ratio = matcher.ratio()
        if ratio > best_ratio:
            best, best_ratio = window, ratio
    return best


def anchored_starts(text: str, quote: str, rarest: int | None) -> set[int]:
    """Return the starts of the windows that have a word of the quotation at its place."""
    occurrences = word_places(text)
    places = {word: starts[0] for word, starts in word_places(quote).items()}
    words = sorted(places, key=lambda word: len(occurrences.get(word, ())))[:rarest]
    return {max(0, at - places[word]) for word in words for at in occurrences.get(word, ())}


@lru_cache(maxsize=4)
def word_places(text: str) -> dict[str, list[int]]:
    """Return where each word of a text begins; worked out once for a text, and not timed after that."""
    places: dict[str, list[int]] = {}
    for word in re.finditer(r"\w+", text):
        places.setdefault(word.group(), []).append(word.start())
    return places


def estimate_anchored(text: str, quote: str, *, rarest: int | None) -> float:
    """Return the number of windows times the time of one, as the mean of a few."""
    starts = sorted(anchored_starts(text, quote, rarest))
    few = starts[:: 1 + len(starts) // 4]
    matcher = SequenceMatcher()
    matcher.set_seq2(quote)
    began = time.process_time()
    for start in few:
        matcher.set_seq1(text[start : start + len(quote)])
        matcher.ratio()
    return (time.process_time() - began) * len(starts) / max(1, len(few))


def find_partial(text: str, quote: str) -> Span | None:
    """Take RapidFuzz's best window of the quotation's own length."""
    found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=100 * NEAR)
    return (found.dest_start, found.dest_end) if found else None


def find_sliding(text: str, quote: str) -> Span | None:
    """Slide a window of 1.3 times the quotation's length by a quarter of that length."""
    size, step = len(quote) * 13 // 10, max(1, len(quote) // 4)
    starts = range(0, max(1, len(text) - size + step), step)
    best = max(starts, key=lambda start: fuzz.ratio(quote, text[start : start + size]))
    return best, min(len(text), best + size)


def edlib_finder(align: Callable[..., dict[str, Any]]) -> Callable[[str, str], Span | None]:
    """Take edlib's window of least edit distance, within the distance that a similarity of 0.9 allows."""

    def find(text: str, quote: str) -> Span | None:
        found = align(quote, text, mode="HW", task="locations", k=2 * len(quote) // 9)
        if found["editDistance"] < 0:
            return None
        start, last = found["locations"][0]
        return start, last + 1

    return find


def by_prefix(find: Callable[[str, str], Span | None]) -> Callable[[str, str], float]:
    """Return an estimate for a way that is linear in the text: the time for a prefix, scaled up."""

    def estimate(text: str, quote: str) -> float:
        prefix = text[: max(10_000, 2 * len(quote))]
        return _seconds(lambda: find(prefix, quote), once=True) * len(text) / len(prefix)

    return estimate


def ways() -> list[Way]:
    """Return the ways that are installed, ours not among them."""
    all_ways = [
        Way(name, partial(find_anchored, rarest=rarest), partial(estimate_anchored, rarest=rarest))
        for name, rarest in (("difflib", None), ("difflib 8", 8))
    ]
    all_ways.append(Way("partial", find_partial, by_prefix(find_partial)))
    all_ways.append(Way("sliding", find_sliding, by_prefix(find_sliding)))
    try:
        find = edlib_finder(import_module("edlib").align)
    except ImportError:
        return all_ways
    return [*all_ways, Way("edlib", find, by_prefix(find))]


def _seconds(run: Callable[[], object], *, once: bool = False) -> float:
    """Return the least CPU time of a few runs: other work on the machine can only add to it."""
    best, began = float("inf"), time.process_time()
    while True:
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
        if once or time.process_time() - began > ENOUGH:
            return best


def make_quotes(text: str, other: str, size: int, kind: str, count: int) -> list[str]:
    """Return quotations of one kind; the same arguments give the same ones."""
    rng = random.Random(f"{len(text)} {size} {kind}")
    source = other if kind == "absent" else text
    starts = [rng.randrange(len(source) - size + 1) for _ in range(count)]
    quotes = [source[start : start + size] for start in starts]
    if kind == "near":
        quotes = [damaged(quote, rng.choice((0.02, 0.04, 0.06)), rng) for quote in quotes]
    return quotes


def measure(text: str, other: str, size: int, kind: str, peers: Sequence[Way], limit: float) -> Cell:
    """Time all ways on one cell; a peer whose cell would take longer than `limit` seconds is left out."""
    cell = Cell(len(text), size, kind)
    quotes = make_quotes(text, other, size, kind, AMONG)
    cell.times["alone"] = per_quote(partial(_alone, text), quotes)
    cell.times["among"] = per_quote(lambda _: find_ours(TextIndex(text), quotes), quotes[:1]) / len(quotes)
    spans = find_ours(TextIndex(text), quotes)
    found = [is_near(text, quote, span) for quote, span in zip(quotes, spans, strict=True)]
    if kind == "near":
        cell.shares["ours"] = _mean(found)
    for way in peers:
        expected = way.estimate(text, quotes[0])
        cell.estimates[way.name] = 1000 * expected
        if expected <= limit:
            _measure_peer(cell, way, text, quotes, found, limit)
    return cell


def _measure_peer(
    cell: Cell, way: Way, text: str, quotes: Sequence[str], found: Sequence[bool], limit: float
) -> None:
    began = time.process_time()
    spans = [way.find(text, quotes[0])]
    first = time.process_time() - began
    slow = first > ENOUGH
    cell.times[way.name] = 1000 * first if slow else per_quote(partial(way.find, text), quotes)
    several = 1 if slow else min(len(quotes), int(limit / 10 / max(first, 1e-6)) + 1)
    spans += [way.find(text, quote) for quote in quotes[1:several]]
    theirs = [is_near(text, quote, span) for quote, span in zip(quotes, spans, strict=False)]
    cell.missed += sum(hit and not ours for hit, ours in zip(theirs, found, strict=False))
    share = [hit for hit, ours in zip(theirs, found, strict=False) if ours]
    if cell.kind == "near" and share:
        cell.shares[way.name] = _mean(share)


def per_quote(find: Callable[[str], object], quotes: Sequence[str]) -> float:
    """Return CPU milliseconds per quotation, over as many different ones as a tenth of a second allows.

    One and the same search, repeated, would flatter whatever the processor can learn by heart.
    """
    first = _seconds(lambda: find(quotes[0]), once=True)
    several = quotes[: min(len(quotes), int(0.1 / max(first, 1e-6)) + 1)]
    if first > ENOUGH:
        return 1000 * first
    return 1000 * _seconds(lambda: [find(quote) for quote in several]) / len(several)


def _alone(text: str, quote: str) -> list[Span | None]:
    return find_ours(TextIndex(text), [quote])


def is_near(text: str, quote: str, span: Span | None) -> bool:
    """Tell whether a reported window has the similarity of a near one."""
    return span is not None and Indel.normalized_similarity(quote, text[slice(*span)]) >= NEAR


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def mixed_batch(text: str, other: str, edlib: Way | None) -> tuple[float, float | None]:
    """Return seconds for 10,000 mixed quotations of 80 characters: ours together, edlib one by one."""
    parts = (("present", 6_000), ("near", 2_500), ("absent", 1_500))
    quotes = [quote for kind, count in parts for quote in make_quotes(text, other, 80, kind, count)]
    random.Random(1).shuffle(quotes)
    ours = _seconds(lambda: find_ours(TextIndex(text), quotes))
    if edlib is None:
        return ours, None
    sample = quotes[:60]
    each = _seconds(lambda: [edlib.find(text, quote) for quote in sample]) / len(sample)
    return ours, each * len(quotes)


def print_cell(cell: Cell, names: Sequence[str]) -> None:
    """Print one row of the table."""
    times = [f"{cell.times[name]:,.3f}" if name in cell.times else "skipped" for name in names]
    shares = " ".join(f"{name} {share:.0%}" for name, share in cell.shares.items())
    columns = "".join(f"{value:>12}" for value in times)
    print(f"{cell.text_size:>9,} {cell.quote_size:>6,} {cell.kind:<8}{columns}  {shares}", flush=True)


def targets(cells: Sequence[Cell]) -> Iterator[tuple[bool, str]]:
    """Yield whether each target is reached, and what it is."""
    for cell in cells:
        where = f"{cell.text_size:,} / {cell.quote_size:,} / {cell.kind}"
        alone, among = cell.times["alone"], cell.times["among"]
        if "edlib" in cell.times:
            edlib = cell.times["edlib"]
            yield alone <= 2 * edlib, f"alone, at most twice edlib: {where}: {alone / edlib:.2f}"
            yield among <= edlib, f"among {AMONG}, no slower than edlib: {where}: {among / edlib:.2f}"
        least = {80: 20, 1_000: 1_000}.get(cell.quote_size)
        if least and cell.kind != "present" and cell.text_size == 100_000:
            difflib = cell.times.get("difflib", cell.estimates["difflib"])
            how = "measured" if "difflib" in cell.times else "estimated"
            yield (
                difflib >= least * alone,
                f"alone, {least} times difflib ({how}): {where}: {difflib / alone:,.0f}",
            )
            yield difflib >= 100 * among, f"among, 100 times difflib ({how}): {where}: {difflib / among:,.0f}"
        yield not cell.missed, f"nothing missed that a peer finds: {where}: {cell.missed}"


def main() -> int:
    """Run the comparison and print the table, the mixed batch, and the targets missed."""
    parser = argparse.ArgumentParser(
        description="Time our matcher beside the usual ways of finding quotations."
    )
    parser.add_argument("--quick", action="store_true", help="small texts and quotations only")
    quick = parser.parse_args().quick
    peers = ways()
    names = ["alone", "among", *(way.name for way in peers)]
    print(
        f"Python {platform.python_version()}, {', '.join(map(_versioned, ('numpy', 'rapidfuzz', 'edlib')))}"
    )
    print("CPU ms per quotation")
    print(f"{'text':>9} {'quote':>6} {'kind':<8}" + "".join(f"{name:>12}" for name in names) + "  NEAR")
    text = make_text(TEXT_SIZES[1 if quick else -1], seed=1)
    other = make_text(1_000_000, seed=2)
    cells = []
    for text_size in TEXT_SIZES[: 2 if quick else None]:
        for quote_size in QUOTE_SIZES[: 4 if quick else None]:
            for kind in KINDS if quote_size < text_size else ():
                cells.append(
                    measure(text[:text_size], other, quote_size, kind, peers, QUICK_LIMIT if quick else LIMIT)
                )
                print_cell(cells[-1], names)
    reached = list(targets(cells))
    if not quick:
        reached += print_mixed(text[:1_000_000], other, peers)
    missed = [target for is_reached, target in reached if not is_reached]
    for is_reached, target in reached:
        if is_reached and ("difflib" in target or "mixed" in target):
            print("reached:", target)
    print(f"targets: {len(reached) - len(missed)} of {len(reached)} reached")
    for target in missed:
        print("missed:", target)
    return 1 if missed else 0


def print_mixed(text: str, other: str, peers: Sequence[Way]) -> list[tuple[bool, str]]:
    """Time and print the mixed batch; return its target, if edlib is there to compare with."""
    ours, theirs = mixed_batch(text, other, next((way for way in peers if way.name == "edlib"), None))
    compared = "edlib not installed" if theirs is None else f"edlib one by one {theirs:.1f} s"
    print(f"10,000 mixed quotations of 80 characters, text of 1,000,000: ours {ours:.2f} s, {compared}")
    if theirs is None:
        return []
    return [(theirs >= 50 * ours, f"mixed batch, 50 times edlib: {theirs / ours:.0f}")]


def _versioned(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} not installed"


if __name__ == "__main__":
    sys.exit(main())
