"""Which of very many quotations may stand exactly in a text, for audits that ask every source.

Readings of a text differ in hyphens and spaces only (see `readings`), so a quotation that stands in a text is
a substring of it when both are stripped of those: of the bare text. All quotations are looked for at once, by
the hashes of two of their grams; what is found is a candidate that the matcher decides. Nothing is missed but
what the work limit cuts off, and that is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quotecheck.models import Source
from quotecheck.text.characters import DIGIT, DIGIT_FIRST, DIGIT_LAST, RAISED, traits_of
from quotecheck.text.fold import fold
from quotecheck.text.forms import parts_of
from quotecheck.text.quotation import Quotation

Codes = NDArray[np.uint32]
Indexes = NDArray[np.intp]
Counts = NDArray[np.signedinteger]

# Lengths of grams, longest first; a quotation is looked for by the longest that it has.
_LENGTHS: Final = (16, 8, 4, 2, 1)
# Odd, without structure: the hash of a gram of 2n letters is the hash of its first half times this, plus the
# hash of its second half, modulo 2^32.
_FACTORS: Final = {2: 0x9E3779B1, 4: 0x85EBCA6B, 8: 0xC2B2AE35, 16: 0x27D4EB2F}
_SPREAD: Final = np.uint32(0x2C1B3C6D)
_LEAST_BITS, _MOST_BITS = 8, 22  # of tables; one with a place of a byte for each of 2^22 hashes takes 4 MB
_CORES_AT_ONCE: Final = 8_192
# Places of grams in one text that are looked at closely; only texts made for it, or of few letters, have more
MOST_PLACES: Final = 200_000

# What folding makes a space, a hyphen or nothing; it leaves all other ASCII characters as they are.
_DROPPED: Final = bytes(code for code in range(128) if fold(f"a{chr(code)}a").text[1:-1] in ("", " ", "-"))
_ENCLOSING: Final = "\"'"
_CLOSING: Final = "\"'」』"


@dataclass(slots=True)
class Found:
    """What was found in one text: numbers of quotations, and whether the work limit cut the search."""

    candidates: list[int] = field(default_factory=list)
    is_cut: bool = False


class ManyQuotes:
    """Quotations, indexed for texts that are asked which of them they may hold.

    `unsearchable` counts those that fold differently in every context (bare powers and fractions).

    >>> quotes = ManyQuotes(["grey fog", "the weir", "half-open door"])
    >>> quotes.look(Source("A half-\\nopen door, and grey  fog.")).candidates
    [0, 2]
    """

    def __init__(self, quotes: Sequence[str]) -> None:
        cores: dict[str, list[int]] = {}
        self.unsearchable = 0
        for number, quote in enumerate(quotes):
            core = core_of(quote)
            if core:
                cores.setdefault(core, []).append(number)
            else:
                self.unsearchable += 1
        self._numbers = list(cores.values())
        by_length: dict[int, dict[str, int]] = {}
        for number, core in enumerate(cores):
            length = next(size for size in _LENGTHS if size <= len(core))
            by_length.setdefault(length, {})[core] = number
        self._probes = [_Probes(length, by_length[length]) for length in sorted(by_length)]

    def look(self, source: Source) -> Found:
        """Return the numbers of the quotations that may stand in a source, ascending."""
        found = Found()
        cores: set[int] = set()
        for bare in bare_texts(source):
            hashes, length = _codes(bare), 1
            for probes in self._probes:
                while length < probes.length:
                    length *= 2
                    hashes = _doubled(hashes, length)
                if probes.look(hashes, bare, cores):
                    found.is_cut = True
        found.candidates = sorted(number for core in cores for number in self._numbers[core])
        return found


def bare_texts(source: Source) -> Iterator[str]:
    """Yield each form of each region, folded and without hyphens and spaces."""
    if source.text.isascii() and not source.ignorable:
        for part in parts_of(source):
            yield _bare_ascii(source.text[slice(*part.span)])
        return
    for part in parts_of(source):
        for form in part.forms:
            yield _bare(form.folded.text)


def core_of(quote: str) -> str:
    """Return the part of a quotation, bare, that every text holds in which it stands; it may be empty.

    That is the quotation without the marks that enclose it. Where it holds characters that fold by their
    neighbours (raised digits, fractions), it is the longest stretch without any.
    """
    if quote.isascii():
        bare = _bare_ascii(quote)
        return bare[1:-1] if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in _ENCLOSING else bare
    if not traits_of(quote) & _BY_CONTEXT:
        return _bare(Quotation(quote).variants[-1].folded.text)
    pieces = "".join("\0" if traits_of(char) & (_BY_CONTEXT | DIGIT) else char for char in quote).split("\0")
    return max((_bare(fold(_from_letter(piece)).text).rstrip(_CLOSING) for piece in pieces), key=len)


_BY_CONTEXT: Final = DIGIT_FIRST | DIGIT_LAST | RAISED


def _from_letter(piece: str) -> str:
    """Return a piece from its first letter on: marks before it belong to what was cut off."""
    letter = re.search(r"\w", piece)
    return "" if letter is None else piece[letter.start() :]


def _bare_ascii(text: str) -> str:
    return text.encode("ascii").translate(None, _DROPPED).decode("ascii")


def _bare(folded: str) -> str:
    return folded.replace("-", "").replace(" ", "")


def _codes(text: str) -> Codes:
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8).astype(np.uint32)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _doubled(hashes: Codes, length: int) -> Codes:
    """Return the hashes of grams of `length` from those of half that length."""
    half = length // 2
    if len(hashes) <= half:
        return hashes[:0]
    doubled = hashes[:-half] * np.uint32(_FACTORS[length])
    doubled += hashes[half:]
    return doubled


def _slots(hashes: Codes, bits: int) -> Codes:
    """Return the place of each hash in a table of 2^bits."""
    return (hashes * _SPREAD) >> np.uint32(32 - bits)


class _Probes:
    """Cores that are looked for by grams of one length.

    Each has two: the gram that fewest of the cores share, and another one far from it.
    """

    def __init__(self, length: int, cores: Mapping[str, int]) -> None:
        self.length = length
        self._cores = list(cores)
        self._numbers = list(cores.values())
        self._sizes = np.array([len(core) for core in cores], np.int32)
        # A place in 32 is taken: that leaves few grams of a text to be looked up among the hashes.
        self._bits = min(max(_LEAST_BITS, len(cores).bit_length() + 5), _MOST_BITS)
        shared = np.zeros(1 << self._bits, np.int32)
        for hashes, _ in self._parts():
            shared += np.bincount(_slots(hashes, self._bits), minlength=len(shared)).astype(np.int32)
        grams = [
            _chosen_grams(hashes, shared[_slots(hashes, self._bits)], sizes, length)
            for hashes, sizes in self._parts()
        ]
        self._first, self._second, first_hashes, self._second_hashes = map(
            np.concatenate, zip(*grams, strict=True)
        )
        self._order = np.argsort(first_hashes, kind="stable")
        self._hashes, self._begins, self._counts = np.unique(
            first_hashes[self._order], return_index=True, return_counts=True
        )
        self._table = np.zeros(1 << self._bits, np.bool_)
        self._table[_slots(self._hashes, self._bits)] = True

    def _parts(self) -> Iterator[tuple[Codes, Counts]]:
        """Yield the hashes of the grams of some thousand cores in a row, and the sizes of the cores."""
        for start in range(0, len(self._cores), _CORES_AT_ONCE):
            hashes, length = _codes("".join(self._cores[start : start + _CORES_AT_ONCE])), 1
            while length < self.length:
                length *= 2
                hashes = _doubled(hashes, length)
            yield hashes, self._sizes[start : start + _CORES_AT_ONCE]

    def look(self, hashes: Codes, bare: str, cores: set[int]) -> bool:
        """Add the numbers of the cores that a bare text holds; return whether the work limit was met."""
        places = np.flatnonzero(self._table[_slots(hashes, self._bits)])
        index = np.searchsorted(self._hashes, hashes[places])
        index[index == len(self._hashes)] = 0
        equal = self._hashes[index] == hashes[places]
        places, index = places[equal], index[equal]
        if not len(places):
            return False
        counts = self._counts[index]
        kept = np.cumsum(counts) <= MOST_PLACES
        starts, candidates = self._fitting(places[kept], index[kept], counts[kept], len(bare))
        agrees = hashes[starts + self._second[candidates]] == self._second_hashes[candidates]
        for candidate, start in zip(candidates[agrees].tolist(), starts[agrees].tolist(), strict=True):
            number = self._numbers[candidate]
            if number not in cores and bare.startswith(self._cores[candidate], start):
                cores.add(number)
        return not kept.all()

    def _fitting(
        self, places: Indexes, index: Indexes, counts: Indexes, size: int
    ) -> tuple[Indexes, Indexes]:
        """Return where cores may begin, from the places of their first grams, and which cores they are."""
        ends = np.cumsum(counts)
        within = np.arange(counts.sum()) - np.repeat(ends - counts, counts)
        candidates = self._order[np.repeat(self._begins[index], counts) + within]
        starts = np.repeat(places, counts) - self._first[candidates]
        fits = (starts >= 0) & (starts + self._sizes[candidates] <= size)
        return starts[fits], candidates[fits]


def _chosen_grams(
    hashes: Codes, counts: Counts, sizes: Counts, length: int
) -> tuple[Counts, Counts, Codes, Codes]:
    """Return where the two grams of each core begin, and their hashes.

    `hashes` are those of cores in a row, `counts` how many grams of all cores have each of them, or about.
    """
    starts, lasts = np.cumsum(sizes) - sizes, sizes - length
    ends = np.cumsum(lasts + 1)
    core = np.repeat(np.arange(len(sizes)), lasts + 1)
    offsets = np.arange(ends[-1]) - np.repeat(ends - lasts - 1, lasts + 1)
    counts = counts[starts[core] + offsets]
    least = np.minimum.reduceat(counts, ends - lasts - 1)
    rarest = np.flatnonzero(counts == least[core])
    first = offsets[rarest[np.unique(core[rarest], return_index=True)[1]]]
    # A core of less than two grams' length is covered by its first and its last gram.
    first = np.where(sizes <= 2 * length, 0, first)
    second = np.where(2 * first < lasts, lasts, 0)
    return first, second, hashes[starts + first], hashes[starts + second]
