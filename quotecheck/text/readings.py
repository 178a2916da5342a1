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
# Gaps compared in one search before it gives up; only a page made of broken letters needs more.
_WORK_LIMIT = 200_000
_BLOCK = 1 << 18


class Shortened:
    """A text without some of its characters, and the way back to it.

    Places are looked up as 32-bit numbers: for others NumPy would copy the whole array at every look-up.
    """

    def __init__(self, text: str, removed: Offsets) -> None:
        self.text = text
        self._removed = removed
        # How long the shortened text is at each removed character, ascending.
        self.before = removed - np.arange(len(removed), dtype=np.int32)

    def origin(self, offset: int) -> int:
        """Return where the character at an offset stands in the full text."""
        return offset + int(self.before.searchsorted(np.int32(offset), "right"))

    def span(self, start: int, end: int) -> Span:
        """Return the full text's span of a passage (not empty)."""
        return self.origin(start), self.origin(end - 1) + 1

    def offsets(self, origins: Offsets) -> Offsets:
        """Return how many characters are left before each of several places in the full text."""
        return origins - self._removed.searchsorted(origins).astype(np.int32)


class Readings:
    """A folded text with all its readings.

    Attributes
    ----------
    folded : the text with every line break as it stands.
    gave_up : whether a search for this text (a quotation) ended before it had looked everywhere.
    """

    def __init__(self, folded: Folded) -> None:
        self.folded = folded
        self.gave_up = False

    @cached_property
    def joined(self) -> Shortened:
        """The reading in which no line break leaves a trace."""
        text, breaks = self.folded.text, self.folded.breaks
        if not len(breaks):
            return Shortened(text, breaks)
        removed = [breaks]
        for start, codes in _code_blocks(text):
            places = _within(breaks, start, start + len(codes))
            hyphens = places[codes[places - start] == ord("-")]
            removed.append(hyphens + np.int32(1))  # the space behind a hyphen goes with it
        all_removed = np.sort(np.concatenate(removed))
        return Shortened(_without(text, all_removed), all_removed)

    @cached_property
    def bare(self) -> Shortened:
        """The text without hyphens and spaces."""
        text = self.folded.text
        gaps = [
            np.flatnonzero((codes == ord(" ")) | (codes == ord("-"))).astype(np.int32) + np.int32(start)
            for start, codes in _code_blocks(text)
        ]
        removed = np.concatenate([np.zeros(0, np.int32), *gaps])
        return Shortened(text.replace("-", "").replace(" ", ""), removed)

    def joined_folded(self, start: int, end: int) -> Folded:
        """Return `joined.text[start:end]` with the map to the original text."""
        places = np.arange(start, end, dtype=np.int32)
        places += self.joined.before.searchsorted(places, "right").astype(np.int32)
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
        words, bare = quote.folded.text, quote.bare.text
        work = 0
        for start, end in self._zones(len(bare), everywhere=bool(len(quote.folded.breaks))):
            for hit in occurrences(bare, self.bare.text[start:end]):
                span = self.bare.span(start + hit, start + hit + len(bare))
                gaps = self._gaps(*span)
                passage = self._match_at(quote, *span) if _alike(gaps, quote._quote_gaps[1]) else None
                if passage is not None and self.folded.text[slice(*passage)] != words:
                    yield passage
                work += 1 + len(gaps)
                if work > _WORK_LIMIT:
                    quote.gave_up = True
                    return

    def _zones(self, size: int, *, everywhere: bool) -> Iterable[Span]:
        """Return the spans of the bare text in which a passage of a size may touch a line break."""
        if everywhere:
            return [(0, len(self.bare.text))]
        centers = self.bare.offsets(self.folded.breaks)
        parted = np.flatnonzero(np.diff(centers) > 2 * size)
        first, last = centers[np.append(0, parted + 1)], centers[np.append(parted, len(centers) - 1)]
        return zip(np.maximum(first - size, 0).tolist(), (last + size).tolist(), strict=True)

    def _match_at(self, quote: Readings, start: int, end: int) -> Span | None:
        """Add a quotation's hyphens before and behind the bare passage, or return None if they differ."""
        lead, _, trail = quote._quote_gaps
        text = self.folded.text
        first, last = start, end
        while first > 0 and text[first - 1] in "- ":
            first -= 1
        while last < len(text) and text[last] in "- ":
            last += 1
        optional = self._optional(first, last)
        starts = [
            kept[len(kept) - len(lead)] if lead else start
            for kept in self._gap_readings(first, start, optional)
            if "".join(text[place] for place in kept).endswith(lead)
        ]
        ends = [
            kept[len(trail) - 1] + 1 if trail else end
            for kept in self._gap_readings(end, last, optional)
            if "".join(text[place] for place in kept).startswith(trail)
        ]
        return (starts[0], ends[0]) if starts and ends else None

    @cached_property
    def _quote_gaps(self) -> tuple[str, dict[int, set[str]], str]:
        """The hyphens and spaces before, inside and behind a quotation's bare text."""
        text = self.folded.text
        start, end = self.bare.span(0, len(self.bare.text))
        return text[:start], self._gaps(start, end), text[end:]

    def _gaps(self, start: int, end: int) -> dict[int, set[str]]:
        """Return the readings of each gap of a passage, by the number of bare characters before it."""
        text, removed, found = self.folded.text, start, {}
        optional = self._optional(start, end)
        for match in _GAP.finditer(text, start, end):
            first, last = match.span()
            if optional.isdisjoint(range(first, last)):
                found[first - removed] = {match.group()}
            else:
                readings = self._gap_readings(first, last, optional)
                found[first - removed] = {"".join(text[place] for place in kept) for kept in readings}
            removed += last - first
        return found

    def _gap_readings(self, start: int, end: int, optional: set[int]) -> list[tuple[int, ...]]:
        """Return the readings of one gap, each as the offsets that it keeps; the fullest comes first."""
        choices: list[list[tuple[int, ...]]] = []
        place = start
        while place < end:
            if place not in optional:
                choices.append([(place,)])
            elif self.folded.text[place] == " ":
                choices.append([(place,), ()])
            else:
                choices.append([(place, place + 1), (place,), ()])
                place += 1
            place += 1
        return [tuple(place for part in parts for place in part) for parts in product(*choices)]

    def _optional(self, start: int, end: int) -> set[int]:
        return set(_within(self.folded.breaks, start, end).tolist())


def _alike(passage: dict[int, set[str]], quote: dict[int, set[str]]) -> bool:
    """Return whether two bare-equal passages have a reading in common."""
    return all(
        not passage.get(place, {""}).isdisjoint(quote.get(place, {""})) for place in {*passage, *quote}
    )


def _code_blocks(text: str) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Yield the code points of a text block by block: all at once they would take four bytes each."""
    for start in range(0, len(text), _BLOCK):
        block = text[start : start + _BLOCK].encode("utf-32-le", "surrogatepass")
        yield start, np.frombuffer(block, np.uint32)


def _within(places: Offsets, start: int, end: int) -> Offsets:
    """Return those of ascending places that lie in start..end."""
    first, last = places.searchsorted(np.array([start, end], np.int32))
    return places[first:last]


def _without(text: str, removed: Offsets) -> str:
    return "".join(
        np.delete(codes, _within(removed, start, start + len(codes)) - start)
        .tobytes()
        .decode("utf-32-le", "surrogatepass")
        for start, codes in _code_blocks(text)
    )
