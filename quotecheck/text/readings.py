"""Readings of a line break: the ways in which a reader may put two lines together again.

A line break between two wide characters reads as nothing or as a space; a hyphen and a line break between
two letters read as nothing, as a hyphen, or as a hyphen and a space. `Folded.breaks` marks these places. A
passage matches a quotation when some reading of the one equals some reading of the other.

Readings differ in hyphens and spaces only, so both sides without any hyphen or space (the bare text) tell
where a match can be, and comparing the gaps there decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from heapq import merge
from itertools import product

import numpy as np
from numpy.typing import NDArray

from quotecheck.models import Span
from quotecheck.text.fold import Folded, Offsets
from quotecheck.text.occurrences import occurrences

_GAP = re.compile("[- ]+")
# Characters compared in one search before it ends unproven; only a page made of broken letters needs more.
_WORK_LIMIT = 10_000_000


class Shortened:
    """A text without some of its characters, and the way back to it."""

    def __init__(self, text: str, removed: Offsets) -> None:
        self.text = text
        self._removed = removed
        # How long the shortened text is at each removed character, ascending.
        self.before = removed - np.arange(len(removed), dtype=np.int32)

    def origin(self, offset: int) -> int:
        """Return where the character at an offset stands in the full text."""
        return offset + int(np.searchsorted(self.before, offset, "right"))

    def span(self, start: int, end: int) -> Span:
        """Return the full text's span of a passage (not empty)."""
        return self.origin(start), self.origin(end - 1) + 1

    def offset(self, origin: int) -> int:
        """Return how many characters are left before a place in the full text."""
        return origin - int(np.searchsorted(self._removed, origin))


class Readings:
    """A folded text with all its readings."""

    def __init__(self, folded: Folded) -> None:
        self.folded = folded

    @cached_property
    def joined(self) -> Shortened:
        """The reading in which no line break leaves a trace."""
        text, breaks = self.folded.text, self.folded.breaks
        if not len(breaks):
            return Shortened(text, breaks)
        removed: list[int] = []
        kept: list[str] = []
        last = 0
        for place in breaks.tolist():
            kept.append(text[last:place])
            last = place + (1 if text[place] == " " else 2)
            removed += range(place, last)
        return Shortened("".join([*kept, text[last:]]), np.array(removed, np.int32))

    @cached_property
    def bare(self) -> Shortened:
        """The text without hyphens and spaces."""
        text = self.folded.text
        gaps = [
            np.flatnonzero((codes == ord(" ")) | (codes == ord("-"))) + start
            for start, codes in _code_blocks(text)
        ]
        removed = np.concatenate([np.zeros(0, np.int32), *gaps]).astype(np.int32)
        return Shortened(text.replace("-", "").replace(" ", ""), removed)

    def joined_folded(self, start: int, end: int) -> Folded:
        """Return `joined.text[start:end]` with the map to the original text."""
        places = np.arange(start, end, dtype=np.int32)
        places += np.searchsorted(self.joined.before, places, "right").astype(np.int32)
        folded = self.folded
        none = np.zeros(0, np.int32)
        return Folded(self.joined.text[start:end], folded.start[places], folded.width[places], none)

    def find(self, quote: Readings) -> Iterator[Span]:
        """Yield each span of the folded text that a quotation equals in some reading, by ascending start."""
        words = quote.folded.text
        plain = ((start, start + len(words)) for start in occurrences(words, self.folded.text))
        if not len(self.folded.breaks) and not len(quote.folded.breaks):
            return plain
        return merge(plain, self._find_by_reading(quote))

    def _find_by_reading(self, quote: Readings) -> Iterator[Span]:
        words, bare = quote.folded.text, self.bare
        work = 0
        for start, end in self._zones(len(quote.bare.text), everywhere=bool(len(quote.folded.breaks))):
            for hit in occurrences(quote.bare.text, bare.text[start:end]):
                passage = self._match_at(quote, *bare.span(start + hit, start + hit + len(quote.bare.text)))
                if passage is not None and self.folded.text[slice(*passage)] != words:
                    yield passage
                work += len(words)
                if work > _WORK_LIMIT:
                    return

    def _zones(self, size: int, *, everywhere: bool) -> Iterable[Span]:
        """Return the spans of the bare text in which a passage of a size may touch a line break."""
        if everywhere:
            return [(0, len(self.bare.text))]
        zones: list[Span] = []
        for place in self.folded.breaks.tolist():
            center = self.bare.offset(place)
            start, end = max(0, center - size), center + size
            if zones and start <= zones[-1][1]:
                start = zones.pop()[0]
            zones.append((start, end))
        return zones

    def _match_at(self, quote: Readings, start: int, end: int) -> Span | None:
        """Compare a quotation with the passage whose first and last bare characters are given."""
        lead, inner, trail = quote._quote_gaps
        if not _alike(self._gaps(start, end), inner):
            return None
        text = self.folded.text
        first, last = start, end
        while first > 0 and text[first - 1] in "- ":
            first -= 1
        while last < len(text) and text[last] in "- ":
            last += 1
        for kept in self._gap_readings(first, start):
            if "".join(text[place] for place in kept).endswith(lead):
                start = kept[len(kept) - len(lead)] if lead else start
                break
        else:
            return None
        for kept in self._gap_readings(end, last):
            if "".join(text[place] for place in kept).startswith(trail):
                return start, kept[len(trail) - 1] + 1 if trail else end
        return None

    @cached_property
    def _quote_gaps(self) -> tuple[str, dict[int, set[str]], str]:
        """The hyphens and spaces before, inside and behind a quotation's bare text."""
        text = self.folded.text
        start, end = self.bare.span(0, len(self.bare.text))
        return text[:start], self._gaps(start, end), text[end:]

    def _gaps(self, start: int, end: int) -> dict[int, set[str]]:
        """Return the readings of each gap of a passage, by the number of bare characters before it."""
        text, removed, found = self.folded.text, start, {}
        for match in _GAP.finditer(text, start, end):
            readings = self._gap_readings(*match.span())
            found[match.start() - removed] = {"".join(text[place] for place in kept) for kept in readings}
            removed += match.end() - match.start()
        return found

    def _gap_readings(self, start: int, end: int) -> list[tuple[int, ...]]:
        """Return the readings of one gap, each as the offsets that it keeps; the fullest comes first."""
        text, breaks = self.folded.text, self.folded.breaks
        first, last = np.searchsorted(breaks, [start, end]).tolist()
        optional = set(breaks[first:last].tolist())
        choices: list[list[tuple[int, ...]]] = []
        place = start
        while place < end:
            if place not in optional:
                choices.append([(place,)])
            elif text[place] == " ":
                choices.append([(place,), ()])
            else:
                choices.append([(place, place + 1), (place,), ()])
                place += 1
            place += 1
        return [tuple(place for part in parts for place in part) for parts in product(*choices)]


def _alike(passage: dict[int, set[str]], quote: dict[int, set[str]]) -> bool:
    """Return whether two bare-equal passages have a reading in common."""
    return all(
        not passage.get(place, {""}).isdisjoint(quote.get(place, {""})) for place in {*passage, *quote}
    )


def _code_blocks(text: str) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    for start in range(0, len(text), 1 << 18):
        block = text[start : start + (1 << 18)].encode("utf-32-le", "surrogatepass")
        yield start, np.frombuffer(block, np.uint32)
