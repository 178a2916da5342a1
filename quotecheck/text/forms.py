"""The forms in which a source's text is searched: each region by itself, with and without its apparatus.

A region is folded alone, so no passage can cross its border. Where markup declared spans ignorable, a second
form leaves them out; its offsets still refer to the full text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from functools import cached_property

import numpy as np

from quotecheck.models import Region, Source, Span
from quotecheck.text.boundaries import cuts_number, cuts_word
from quotecheck.text.characters import is_invisible, is_mark
from quotecheck.text.fold import Folded, Offsets, fold, has_too_many_phrases, small
from quotecheck.text.grams import TextIndex
from quotecheck.text.pieces import PieceFinder
from quotecheck.text.readings import Readings

_BLOCK = 1 << 18  # characters looked at together: for all at once NumPy needs twelve bytes each
# Behind these the hyphen stands for a word's second half: "pre- and post-war".
_SUSPENDED = re.compile(r"(?:and|or|nor|to|und|oder|bis|sowie|et|ou|y|o|e|en|of|och|eller|og|и|или)\b", re.I)
_STRETCHES = 10_000  # between ignorable spans, put together at once


class Edge(Enum):
    """What a place between two folded characters is in the original text."""

    FREE = auto()
    EXPANDED = auto()  # inside one character (the second f of a ligature): a passage is widened to it
    CLOSED = auto()  # between a character and its marks, or in an emoji sequence: no passage ends there


class Form:
    """One folded text and what was worked out about it for all quotations; built when first needed."""

    def __init__(self, original: str, folded: Folded) -> None:
        self._original = original
        self.folded = folded
        self.readings = Readings(folded)

    @cached_property
    def index(self) -> TextIndex:
        """The joined reading, to be searched for near passages."""
        return TextIndex(self.readings.joined.text, self.inside_characters)

    @cached_property
    def pieces(self) -> PieceFinder:
        """The joined reading, to be searched for quotations in pieces."""
        return PieceFinder(self.readings.joined.text, self.inside_characters)

    def edge(self, place: int) -> Edge:
        """Tell what a place in the folded text is in the original."""
        inside = self._inside_clusters
        if place >= len(inside) or not inside[place]:
            return Edge.FREE
        if is_mark(self.folded.text[place]):
            return Edge.CLOSED
        start, end = self.folded.span(place, place + 1)
        bases = [char for char in self._original[start:end] if not is_invisible(char) and not is_mark(char)]
        return Edge.CLOSED if len(bases) > 1 else Edge.EXPANDED

    @cached_property
    def inside_characters(self) -> bytes:
        """For each place in the joined reading whether it lies inside a cluster or expansion.

        Nothing if none does. No near passage begins or ends there: widened, it would be less similar.
        """
        if not self._inside_clusters:
            return b""
        joined = self.readings.joined
        inside = np.frombuffer(self._inside_clusters, np.uint8)
        found = np.zeros(len(joined.text) + 1, np.uint8)
        for first in range(1, len(joined.text), _BLOCK):
            places = np.arange(first, min(first + _BLOCK, len(joined.text)), dtype=np.int32)
            found[places] = inside[places + joined.before.searchsorted(places, "right").astype(np.int32)]
        return found.tobytes()

    def cuts(self, start: int, end: int) -> bool:
        """Return whether a passage begins or ends inside a word, a number or an expanded character."""
        text = self.folded.text
        return cuts_word(text, start, end) or cuts_number(text, start, end) or self.cuts_original(start, end)

    def cuts_original(self, start: int, end: int) -> bool:
        """Return whether an end lies inside a character of the original, or in a word on two lines."""
        return any(self.edge(place) is Edge.EXPANDED or self._breaks_word(place) for place in (start, end))

    def _breaks_word(self, place: int) -> bool:
        """Tell whether a place stands at the hyphen and the line break within a word: "un-", "likely"."""
        text, breaks = self.folded.text, self.folded.breaks
        if not len(breaks):
            return False
        first = max(0, place - len("- "))
        low, high = breaks.searchsorted(np.array([first, place + 1], np.int32))
        return any(
            text[hyphen] == "-" and _SUSPENDED.match(text, hyphen + len("- ")) is None
            for hyphen in breaks[low:high].tolist()
        )

    def folded_span(self, start: int, end: int) -> Span | None:
        """Return the folded span of an original passage, or None where it is empty or would cut a cluster."""
        folded = self.folded
        first = int(folded.start.searchsorted(np.int32(start)))
        last = int(folded.start.searchsorted(np.int32(end)))
        if first >= last or Edge.CLOSED in (self.edge(first), self.edge(last)):
            return None
        cut_before = first > 0 and folded.span(first - 1, first)[1] > start
        return None if cut_before or folded.span(first, last)[1] > end else (first, last)

    @cached_property
    def _inside_clusters(self) -> bytes:
        """For each place whether it lies inside a cluster or expansion, or nothing if none does.

        A million occurrences are looked up in bytes as fast as they are found.
        """
        start, width = self.folded.start, self.folded.width
        inside = np.append(False, np.diff(start) < width[:-1])
        return inside.tobytes() if inside.any() else b""

    def passages(self, quote: Readings) -> Iterator[Span]:
        """Yield each span of the folded text that equals a quotation in some reading and cuts no cluster."""
        found = self.readings.find(quote)
        if not self._inside_clusters:
            return found
        return (
            (start, end)
            for start, end in found
            if self.edge(start) is not Edge.CLOSED and self.edge(end) is not Edge.CLOSED
        )


class Part:
    """One region of a source (`None`: the visible text) in its one or two forms.

    `phrases` is for `fold`; the same holds for all parts of a source, and for the quotations.
    """

    def __init__(self, source: Source, region: str | None, span: Span, *, phrases: bool = True) -> None:
        self.region = region
        self.span = span
        self.phrases = phrases
        self._source = source
        start, end = span
        self._dropped_spans = [cut for cut in source.ignorable if start <= cut[0] and cut[1] <= end]

    def find(self, words: str) -> int:
        """Return where the part holds a string as it is, or -1."""
        return self._source.text.find(words, *self.span)

    def verbatim_span(self, words: str, start: int) -> Span | None:
        """Return the span of a string if it stands at an offset, as it is, inside the part."""
        end = start + len(words)
        if self.span[0] <= start and end <= self.span[1] and self._source.text.startswith(words, start):
            return start, end
        return None

    @cached_property
    def kept(self) -> Form:
        """The text with everything in it."""
        return self._form([])

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """The text with everything in it, and, where the markup declares any, without ignorable spans."""
        if not self._dropped_spans:
            return (self.kept,)
        return self.kept, self._form(self._dropped_spans)

    def _form(self, cuts: Sequence[Span]) -> Form:
        text = self._source.text
        return Form(text, _fold_without(text, self.span, cuts, phrases=self.phrases))


def parts_of(source: Source) -> list[Part]:
    """Return the visible text and then the regions of a source."""
    regions = [Region("", len(source.text), len(source.text)), *source.regions]
    visible_end = min(region.start for region in regions)
    named = [(None, (0, visible_end)), *((r.name, (r.start, r.end)) for r in source.regions)]
    phrases = not has_too_many_phrases(source.text)
    return [Part(source, name, span, phrases=phrases) for name, span in named]


def _fold_without(text: str, span: Span, cuts: Sequence[Span], *, phrases: bool) -> Folded:
    """Fold a part of a text without some spans of it; offsets refer to the whole text."""
    if span == (0, len(text)) and not cuts:
        return fold(text, phrases=phrases)
    edges = np.concatenate([span[:1], np.array(cuts, np.int32).reshape(-1), span[1:]]).astype(np.int32)
    begins, ends = edges[::2], edges[1::2]
    begins, ends = begins[begins < ends], ends[begins < ends]
    folded = fold(_stretches(text, begins, ends), phrases=phrases)
    stops = np.cumsum(ends - begins, dtype=np.int32)  # in the text that was folded
    shift = ends - stops
    start = folded.start + shift[stops.searchsorted(folded.start, "right")]
    end = folded.end
    end += shift[stops.searchsorted(end, "left")]
    end -= start
    return Folded(folded.text, start, small(end), folded.breaks)


def _stretches(text: str, begins: Offsets, ends: Offsets) -> str:
    """Join stretches of a text, some at a time: a million strings take more memory than their text."""
    pieces = []
    for first in range(0, len(begins), _STRETCHES):
        some = slice(first, first + _STRETCHES)
        pairs = zip(begins[some].tolist(), ends[some].tolist(), strict=True)
        pieces.append("".join([text[start:end] for start, end in pairs]))
    return "".join(pieces)
