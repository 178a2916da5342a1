"""Folding: two spellings of the same text become one, with a map back to the original characters.

Composition, white space, quotation marks, dashes and invisible characters are folded; letter case,
accents, digits, operators and all other punctuation never are, because looser folds accept 4.2 for 42.
The work is a chain of array operations over blocks, one function per rule; `tests/naive_fold.py` says the
same one character at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from quotecheck.text import characters as ch
from quotecheck.text.characters import CharacterTable, Codes, Traits, character_table
from quotecheck.text.clusters import apply_images

Offsets = NDArray[np.int32]
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]

_BLOCK = 1 << 17  # characters folded at once: the arrays of a block stay in the processor's cache
_LONGEST_BLOCK = 1 << 18  # how far the end of a block is sought
_SOFT_HYPHEN = 0xAD
_ZERO_WIDTH_JOINER = 0x200D
_PHRASE_LIMIT = 4_000_000  # characters added
_SKIN_TONES = (0x1F3FB, 0x1F3FF)
_REGIONAL = (0x1F1E6, 0x1F1FF)  # letters; two of them are a flag
_OPENING = np.array([ord(char) for char in " '\"([{-"])
_OPENING_GUILLEMETS = np.array([ord("«"), ord("‹")])
# A block may end between two characters of which no rule looks at a neighbour.
_LOOSE = ch.SPACE | ch.INVISIBLE | ch.MARK | ch.HYPHEN | ch.NEUTRAL | ch.GUILLEMET | ch.SYMBOL
_LOOSE |= ch.DIGIT_FIRST | ch.DIGIT_LAST | ch.RAISED


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text, and for each of its characters the span of original characters it came from.

    Attributes
    ----------
    text : the folded text, every line break read as a space.
    start : offset of each character's first original character.
    width : how many original characters it came from. The characters of one cluster or expansion share
        their span.
    breaks : offsets in `text`, ascending, of what a line break may have put there: a space between two wide
        characters, or a hyphen (with the space behind it) between two letters.
    """

    text: str
    start: Offsets
    width: NDArray[np.integer]
    breaks: Offsets

    @property
    def end(self) -> Offsets:
        """Offset behind each character's last original character."""
        return self.start + self.width.astype(np.int32)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of `text[start:end]` (not empty)."""
        return int(self.start[start]), int(self.start[end - 1]) + int(self.width[end - 1])

    def divides_cluster(self, place: int) -> bool:
        """Return whether the characters on both sides of a place share original characters."""
        if not 0 < place < len(self.text):
            return False
        return int(self.start[place]) < int(self.start[place - 1]) + int(self.width[place - 1])

    def part(self, start: int, end: int) -> Folded:
        """Return `text[start:end]` folded, with offsets into the same original."""
        breaks = self.breaks[(self.breaks >= start) & (self.breaks < end)] - np.int32(start)
        return Folded(self.text[start:end], self.start[start:end], self.width[start:end], breaks)


def has_too_many_phrases(text: str) -> bool:
    """Return whether phrases in single characters would blow a text up past all bounds.

    U+FDFA stands for 18 letters: written out, five million bytes of it would take a gigabyte of memory. A
    book that honours each name with one stays a hundred times below the limit.
    """
    if text.isascii():
        return False
    added = 0
    for first in range(0, len(text), _BLOCK):
        codes = _codes(text[first : first + _BLOCK])
        for code, count in zip(*np.unique(codes[_are_phrases(codes)], return_counts=True), strict=True):
            added += int(count) * (len(ch.image(chr(code))) - 1)
    return added > _PHRASE_LIMIT


def _are_phrases(codes: NDArray[np.unsignedinteger]) -> Mask:
    """Mark Arabic phrases (U+FDF0 to U+FDFC) and Japanese words (U+3300 to U+3357) in one character."""
    found: Mask = (codes - np.uint32(0xFDF0) <= 0xC) | (codes - np.uint32(0x3300) <= 0x57)
    return found


def fold(text: str, *, phrases: bool = True) -> Folded:
    """Fold a text. Where `phrases` is off, phrases in single characters are not written out.

    Examples
    --------
    >>> folded = fold("The oﬃce – closed")
    >>> folded.text
    'The office - closed'
    >>> folded.span(4, 10)
    (4, 8)
    """
    folded = _as_it_is(text) if _is_plain(text) else _in_blocks(text, phrases=phrases)
    begin = 1 if folded.text.startswith(" ") else 0
    end = len(folded.text) - (1 if folded.text[begin:].endswith(" ") else 0)
    return folded if (begin, end) == (0, len(folded.text)) else folded.part(begin, end)


def _is_plain(text: str) -> bool:
    """Tell whether no rule changes a text: printable ASCII with single spaces, as most quotations are."""
    return text.isascii() and text.isprintable() and "  " not in text


def _as_it_is(text: str) -> Folded:
    places = np.arange(len(text), dtype=np.int32)
    return Folded(text, places, np.ones(len(text), np.uint8), np.zeros(0, np.int32))


def _in_blocks(text: str, *, phrases: bool) -> Folded:
    table = character_table()
    codes_of = _ascii_codes if text.isascii() else _codes
    texts: list[str] = []
    starts: list[Offsets] = []
    widths: list[NDArray[np.integer]] = []
    breaks: list[Offsets] = []
    length = 0
    for first, last in _blocks(text, table):
        block = _fold_block(codes_of(text[first:last]), table, phrases=phrases)
        texts.append(block.text)
        starts.append(block.start + np.int32(first))
        widths.append(small(block.end - block.start))
        breaks.append(block.breaks + np.int32(length))
        length += len(texts[-1])
    whole = "".join(texts)
    texts.clear()
    return Folded(whole, _joined(starts), _joined(widths), _joined(breaks))


_Array = TypeVar("_Array", bound=np.generic)


def _joined(blocks: list[NDArray[_Array]]) -> NDArray[_Array]:
    """Put blocks together and let go of them, so that one field at a time stands in memory twice."""
    joined = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    blocks.clear()
    return joined


# --- blocks -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Block:
    """A stretch of text on its way through the rules; offsets count from its own start.

    `codes` are the folded code points so far, `start` and `end` the span of each in `original`.
    """

    original: NDArray[np.unsignedinteger]
    codes: NDArray[np.unsignedinteger] = field(init=False)
    start: Offsets = field(init=False)
    end: Offsets = field(init=False)
    breaks: Offsets = field(init=False)

    def __post_init__(self) -> None:
        offsets = np.arange(len(self.original) + 1, dtype=np.int32)
        self.codes, self.start, self.end = self.original, offsets[:-1], offsets[1:]
        self.breaks = np.zeros(0, np.int32)

    def keep(self, kept: Mask) -> None:
        """Leave out the characters that are not marked."""
        places = np.flatnonzero(kept)
        self.codes, self.start, self.end = self.codes[places], self.start[places], self.end[places]

    def originals(self, places: Places | Offsets) -> NDArray[np.unsignedinteger]:
        """Return the first original character of folded ones."""
        return self.original[self.start[places]]

    @property
    def text(self) -> str:
        """The folded text."""
        if self.codes.dtype == np.uint8:
            return self.codes.tobytes().decode("ascii")
        return self.codes.tobytes().decode("utf-32-le", "surrogatepass")


def _ascii_codes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("ascii"), np.uint8)


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def small(width: Offsets) -> NDArray[np.integer]:
    """Return widths in one byte each; a block with a very long run of spaces or marks keeps four."""
    return width.astype(np.uint8) if width.max(initial=0) < 256 else width


def _blocks(text: str, table: CharacterTable) -> Iterator[tuple[int, int]]:
    """Cut a text where no rule looks across, so that temporary arrays stay small."""
    start = 0
    while len(text) - start > 2 * _BLOCK:
        end = _cut_after(text, start + _BLOCK, table)
        yield start, end
        start = end
    yield start, len(text)


def _cut_after(text: str, place: int, table: CharacterTable) -> int:
    """Return the first place from `place` on where no rule looks across.

    A text that offers none for a long stretch (a page of powers or of flags) is cut where the character
    behind needs no neighbour; cutting nowhere would take 50 bytes a character.
    """
    limit = min(place + _LONGEST_BLOCK, len(text))
    start, step = place, 256
    while start < limit:
        traits = table.traits_of(_codes(text[start - 2 : start + step]))
        free = np.flatnonzero(_is_free(traits))
        if len(free):
            return start + int(free[0])
        start += step
        step = min(2 * step, _BLOCK)
    if limit == len(text):
        return limit
    plain = np.flatnonzero(table.traits_of(_codes(text[place:limit])) & _LOOSE == 0)
    return place + int(plain[-1]) if len(plain) else limit


def _is_free(traits: Traits) -> Mask:
    """Tell for each place from the third character on whether no rule looks across it.

    That is so between two characters without loose traits, behind a single space between two such unless a
    line break there may be none, and before a letter that follows a mark.
    """
    plain: Mask = traits & _LOOSE == 0
    wide: Mask = traits & ch.WIDE != 0
    behind_space: Mask = plain[:-2] & (traits[1:-1] & ch.SPACE != 0) & ~(wide[:-2] & wide[2:])
    behind_mark: Mask = (traits[1:-1] & ch.MARK != 0) & (traits[2:] & ch.LETTER != 0)
    free: Mask = plain[2:] & (plain[1:-1] | behind_space | behind_mark)
    return free


def _fold_block(codes: NDArray[np.unsignedinteger], table: CharacterTable, *, phrases: bool = True) -> _Block:
    block = _Block(codes)
    if codes.dtype == np.uint8:  # only white space and line ends can differ
        block.codes = table.ascii[codes]
        _single_spaces(block, table)
        return block
    traits = table.traits_of(codes)
    present = int(np.bitwise_or.reduce(traits, initial=0))
    joiners = np.zeros(0, np.intp)
    if present & ch.INVISIBLE:
        joiners = _drop_invisible(block, traits)
        traits = table.traits[block.codes]
    if present & ch.SYMBOL and (len(joiners) or codes.max() >= _REGIONAL[0]):
        _join_emoji(block, traits, joiners)
    held = _held_digits(traits) if present & (ch.DIGIT_FIRST | ch.DIGIT_LAST | ch.RAISED) else None
    if not phrases and present & ch.EXPANDS:
        whole = _are_phrases(block.codes)
        held = whole if held is None else held | whole
    block.codes, block.start, block.end = apply_images(
        block.codes, block.start, block.end, traits, held, table
    )
    _single_spaces(block, table)
    if present & ch.GUILLEMET:
        _close_guillemets(block, table)
    return block


# --- rule 5: invisible characters ---------------------------------------------------------------------------


def _drop_invisible(block: _Block, traits: Traits) -> Places:
    """Remove invisible characters, and the line end behind a soft hyphen.

    Return where, among the characters that stay, a zero-width joiner stood before one.
    """
    visible: Mask = traits & ch.INVISIBLE == 0
    if (block.codes == _SOFT_HYPHEN).any():
        visible &= ~_line_ends_after_soft_hyphens(block.codes, traits)
    joiners = np.flatnonzero(block.codes == _ZERO_WIDTH_JOINER)
    places = np.searchsorted(np.flatnonzero(visible), joiners)
    block.keep(visible)
    return np.unique(places)


def _line_ends_after_soft_hyphens(codes: NDArray[np.unsignedinteger], traits: Traits) -> Mask:
    """Mark the white space with a line break right behind a soft hyphen (invisibles may stand between).

    Two digits are no word that the line breaks: joined, they would make another number.
    """
    space: Mask = traits & ch.SPACE != 0
    edges = np.flatnonzero(np.diff(space | (traits & ch.INVISIBLE != 0), prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    lines = np.append(0, np.cumsum(traits & ch.LINE != 0))
    hyphens = np.flatnonzero(codes == _SOFT_HYPHEN)
    runs, first = np.unique(np.searchsorted(starts, hyphens, "right") - 1, return_index=True)
    spaces = np.append(np.flatnonzero(space), len(codes))
    leads = hyphens[first] < spaces[np.searchsorted(spaces, starts[runs])]
    runs = runs[leads & (lines[stops[runs]] > lines[starts[runs]])]
    digits = np.append(traits & ch.DIGIT != 0, False)  # before the first and behind the last run: none
    runs = runs[~(digits[starts[runs] - 1] & digits[stops[runs]])]
    depth = np.zeros(len(codes) + 1, np.int8)
    depth[starts[runs]] = 1
    depth[stops[runs]] = -1
    inside: Mask = np.cumsum(depth[:-1], dtype=np.int8) > 0
    return space & inside


# --- rule 1: composition and compatibility (the images are in clusters.py) ----------------------------------


def _join_emoji(block: _Block, traits: Traits, joiners: Places) -> None:
    """Give the parts of an emoji sequence (joiners, skin tones, flags) one span, so that none is cut."""
    codes = block.codes
    follows: Mask = (codes >= _SKIN_TONES[0]) & (codes <= _SKIN_TONES[1])
    follows[joiners[joiners < len(codes)]] = True
    symbol: Mask = traits & ch.SYMBOL != 0
    follows &= symbol
    follows[1:] &= symbol[:-1]
    follows[:1] = False
    regional: Mask = (codes >= _REGIONAL[0]) & (codes <= _REGIONAL[1])
    if regional.any():
        places = np.arange(len(codes))
        begins = regional & ~np.append(False, regional[:-1])
        number = places - np.maximum.accumulate(np.where(begins, places, 0))
        follows |= regional & (number % 2 == 1)
    follows[1:] |= (traits[1:] & ch.MARK != 0) & (traits[:-1] & ch.SPACE == 0)
    heads = np.flatnonzero(~follows)
    sizes = np.diff(np.append(heads, len(codes)))
    block.start = np.repeat(block.start[heads], sizes)
    block.end = np.repeat(block.end[heads + sizes - 1], sizes)


def _held_digits(traits: Traits) -> Mask | None:
    """Mark raised digits, fractions and circled digits next to a digit, which keep their own form."""
    # A mark does not part two digits, but a vowel sign or jamo that is a letter does.
    bases = np.flatnonzero((traits & ch.MARK == 0) | (traits & ch.LETTER != 0))
    own = traits[bases]
    raised: Mask = own & ch.RAISED != 0
    first: Mask = own & (ch.DIGIT | ch.DIGIT_FIRST) != 0
    last: Mask = own & (ch.DIGIT | ch.DIGIT_LAST) != 0
    before, after = np.append(False, last)[:-1], np.append(first, False)[1:]
    held = (own & ch.DIGIT == 0) & ~raised & ((first & before) | (last & after))
    if raised.any():  # a run of raised characters is held or folded as a whole
        outer_left, outer_right = ~np.append(False, raised)[:-1], ~np.append(raised, False)[1:]
        touched = raised & ((before & outer_left) | (after & outer_right))
        run = np.cumsum(np.diff(raised, prepend=False))
        held |= raised & np.isin(run, run[touched])
    if not held.any():
        return None
    result = np.zeros(len(traits), np.bool_)
    result[bases[held]] = True
    return result


# --- rule 2: white space, and the readings of line breaks ---------------------------------------------------


def _single_spaces(block: _Block, table: CharacterTable) -> None:
    """Make each run of spaces one, and note which of them may be none."""
    spaces = np.flatnonzero(block.codes == ord(" ")).astype(np.int32)
    is_line = table.traits[block.originals(spaces)] & ch.LINE != 0
    if not is_line.any() and not (spaces[1:] - spaces[:-1] == 1).any():
        return
    begins = np.flatnonzero(np.diff(spaces, prepend=-2) != 1)
    first, last = spaces[begins], spaces[np.append(begins[1:], len(spaces)) - 1]
    lines = np.add.reduceat(is_line, begins, dtype=np.int32)
    broken = np.flatnonzero(lines)
    breaks = block.breaks
    if len(broken):
        breaks = _breaks(block, first[broken], last[broken], lines[broken], table)
    removed = np.cumsum(last - first, dtype=np.int32)
    if removed[-1]:
        before = np.append(np.int32(0), removed)[np.searchsorted(last, breaks)]
        breaks = breaks - before
        block.end = block.end.copy()
        block.end[first] = block.end[last]
        kept = np.ones(len(block.codes), np.bool_)
        kept[spaces] = False
        kept[first] = True
        block.keep(kept)
    block.breaks = breaks


def _breaks(block: _Block, first: Offsets, last: Offsets, lines: Offsets, table: CharacterTable) -> Offsets:
    """Return which runs of spaces with a line break have several readings.

    A run between two wide characters, not both digits, is given by its first space, one behind a hyphen by
    the hyphen.
    """
    inner = (first > 0) & (last < len(block.codes) - 1)
    first, last, lines = first[inner], last[inner], lines[inner]
    left, right = table.traits[block.originals(first - 1)], table.traits[block.originals(last + 1)]
    wide: Mask = (left & ch.WIDE != 0) & (right & ch.WIDE != 0)
    sides = ch.WIDE | ch.NEUTRAL
    for index in np.flatnonzero((left & sides != 0) & (right & sides != 0) & ~wide).tolist():
        wide[index] = _in_wide_text(block, int(first[index]), int(last[index]), table)
    places = np.flatnonzero(wide)  # two lines of digits are two numbers
    before, behind = block.codes[first[places] - 1], block.codes[last[places] + 1]
    wide[places[table.traits_of(before) & table.traits_of(behind) & ch.DIGIT != 0]] = False
    second = table.traits[block.originals(np.maximum(first - 2, 0))]
    hyphen: Mask = (
        (left & ch.HYPHEN != 0) & (right & ch.LETTER != 0) & (second & ch.LETTER != 0) & (first > 1)
    )
    for index in np.flatnonzero(hyphen & (lines > 1)).tolist():
        hyphen[index] = _is_one_line_end(block, int(first[index]), int(last[index]))
    return np.sort(np.concatenate([first[wide], first[hyphen & ~wide] - np.int32(1)]))


def _in_wide_text(block: _Block, first: int, last: int, table: CharacterTable) -> bool:
    """Return whether the punctuation around a line break stands in Chinese or Japanese text."""
    for place, step in ((first - 1, -1), (last + 1, 1)):
        while 0 <= place < len(block.codes):
            traits = int(table.traits[block.original[block.start[place]]])
            if not traits & ch.NEUTRAL:
                break
            place += step
        else:
            return False
        if not traits & ch.WIDE:
            return False
    return True


def _is_one_line_end(block: _Block, first: int, last: int) -> bool:
    """Return whether a run holds one line end: CR LF is one, and a page break belongs to its line."""
    run = "".join(map(chr, block.original[block.start[first] : block.end[last]].tolist()))
    return sum(char in ch.LINE_ENDS for char in run.replace("\r\n", "\n").replace("\f", "")) <= 1


def _close_guillemets(block: _Block, table: CharacterTable) -> None:
    """Remove the space just inside « » and ‹ ›.

    Where inside is depends on the direction: in »German« use « closes. So « opens behind a space, an opening
    mark or an apostrophe (d'« une) only, and » closes unless a word follows it, or the run it stands in.
    """
    codes = block.codes
    places = np.flatnonzero((codes == ord('"')) | (codes == ord("'")))
    places = places[table.traits[block.originals(places)] & ch.GUILLEMET != 0]
    begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)  # nested ones stand in a run
    sizes = np.diff(np.append(begins, len(places)))
    left, right = places[begins] - 1, places[begins + sizes - 1] + 1
    behind_opening = (left < 0) | np.isin(codes[left], _OPENING)
    before_word = (right < len(codes)) & (
        table.traits[codes[np.minimum(right, len(codes) - 1)]] & (ch.LETTER | ch.DIGIT) != 0
    )
    opens = np.isin(block.originals(places), _OPENING_GUILLEMETS)
    inside = np.concatenate(
        [
            places[opens & np.repeat(behind_opening, sizes)] + 1,
            places[~opens & ~np.repeat(before_word, sizes)] - 1,
        ]
    )
    inside = inside[(inside >= 0) & (inside < len(codes))]
    kept = np.ones(len(codes), np.bool_)
    kept[inside[codes[inside] == ord(" ")]] = False
    block.breaks = block.breaks - np.searchsorted(np.flatnonzero(~kept), block.breaks).astype(np.int32)
    block.keep(kept)
