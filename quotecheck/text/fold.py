"""Folding: two spellings of the same text become one, with a map back to the original characters.

Composition, white space, quotation marks, dashes and invisible characters are folded; letter case,
accents, digits, operators and all other punctuation never are, because looser folds accept 4.2 for 42.
The work is a chain of array operations over blocks, one function per rule; `tests/naive_fold.py` says the
same one character at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quotecheck.text import characters as ch
from quotecheck.text.characters import CharacterTable, character_table, cluster_image

Offsets = NDArray[np.int32]

_BLOCK = 1 << 17  # characters folded at once: the arrays of a block stay in the processor's cache
_ZWJ = 0x200D
_SOFT_HYPHEN = 0xAD
_MODIFIERS = (0x1F3FB, 0x1F3FF)  # skin tones
_REGIONAL = (0x1F1E6, 0x1F1FF)  # pairs of these are flags
_OPENING = np.array([ord(char) for char in " '\"([{-"], np.uint32)
# A block may end between two characters that no rule looks at together.
_LOOSE = ch.SPACE | ch.INVISIBLE | ch.MARK | ch.HYPHEN | ch.NEUTRAL | ch.GUILLEMET | ch.SYMBOL
_LOOSE |= ch.DIGIT_FIRST | ch.DIGIT_LAST | ch.RAISED


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text, and for each of its characters the span of original characters it came from.

    Attributes
    ----------
    text : the folded text, every line break read as a space.
    start, end : offsets in the original; characters of one cluster or expansion share a span, so a passage
        `text[a:b]` is the original's `[start[a]:end[b - 1]]`.
    breaks : offsets in `text`, ascending, of what a line break may have put there: a space between two wide
        characters, or a hyphen (with the space behind it) between two letters.
    """

    text: str
    start: Offsets
    end: Offsets
    breaks: Offsets

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span of `text[start:end]` (not empty)."""
        return int(self.start[start]), int(self.end[end - 1])

    def divides_cluster(self, position: int) -> bool:
        """Return whether the characters on both sides of a position share original characters."""
        return 0 < position < len(self.text) and bool(self.start[position] < self.end[position - 1])


def fold(text: str) -> Folded:
    """Fold a text.

    Examples
    --------
    >>> folded = fold("The oﬃce – closed")
    >>> folded.text
    'The office - closed'
    >>> folded.span(4, 10)
    (4, 8)
    """
    if text.isascii():
        blocks = [_fold_ascii(text[a:b], a) for a, b in _blocks(text, character_table())]
    else:
        table = character_table()
        blocks = [_fold_block(_codes(text[a:b]), a, table) for a, b in _blocks(text, table)]
    return _stripped(_joined(blocks))


# ------------------------------------------------------------------------------------------------ blocks


@dataclass(slots=True)
class _Block:
    """A piece of text on its way through the rules; offsets count from the start of the block.

    `codes` are the folded code points so far. `start`, `end` is each one's original span, and `original`
    the block's own characters.
    """

    original: NDArray[np.uint32] | NDArray[np.uint8]
    codes: NDArray[np.uint32] | NDArray[np.uint8]
    start: Offsets
    end: Offsets

    def take(self, chosen: NDArray[np.bool_] | NDArray[np.int32]) -> None:
        self.codes, self.start, self.end = self.codes[chosen], self.start[chosen], self.end[chosen]


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _blocks(text: str, table: CharacterTable) -> Iterator[tuple[int, int]]:
    """Cut a text where no rule looks across, so that temporary arrays stay small."""
    start = 0
    while len(text) - start > 2 * _BLOCK:
        end = _cut_after(text, start + _BLOCK, table)
        yield start, end
        start = end
    yield start, len(text)


def _cut_after(text: str, position: int, table: CharacterTable) -> int:
    """Return the first place at or after a position between two characters without loose traits."""
    step = 256
    while position < len(text):
        loose = table.traits_of(_codes(text[position - 1 : position + step])) & _LOOSE != 0
        free = np.flatnonzero(~loose[1:] & ~loose[:-1])
        if len(free):
            return position + int(free[0])
        position += step
        step = min(2 * step, _BLOCK)
    return len(text)


def _joined(blocks: list[tuple[_Block, Offsets, int]]) -> Folded:
    """Put folded blocks together; each comes with its breaks and its offset in the text."""
    texts, starts, ends, breaks, length = [], [], [], [], 0
    for block, block_breaks, offset in blocks:
        if block.codes.dtype == np.uint8:
            texts.append(block.codes.tobytes().decode("ascii"))
        else:
            texts.append(block.codes.tobytes().decode("utf-32-le", "surrogatepass"))
        starts.append(block.start + np.int32(offset))
        ends.append(block.end + np.int32(offset))
        breaks.append(block_breaks + np.int32(length))
        length += len(block.codes)
    if len(blocks) == 1:
        return Folded(texts[0], starts[0], ends[0], breaks[0])
    start = np.concatenate(starts)
    starts.clear()
    return Folded("".join(texts), start, np.concatenate(ends), np.concatenate(breaks))


def _stripped(folded: Folded) -> Folded:
    first = 1 if folded.text[:1] == " " else 0
    last = len(folded.text) - (1 if folded.text[first:][-1:] == " " else 0)
    if first == 0 and last == len(folded.text):
        return folded
    return Folded(
        folded.text[first:last],
        folded.start[first:last],
        folded.end[first:last],
        folded.breaks - np.int32(first),
    )


# ------------------------------------------------------------------------------------------------ rules


def _fold_ascii(text: str, offset: int) -> tuple[_Block, Offsets, int]:
    """Fold a block in which only white space and line ends can differ."""
    table = character_table()
    original = np.frombuffer(text.encode("ascii"), np.uint8)
    every = np.arange(len(original) + 1, dtype=np.int32)
    block = _Block(original, table.first[:128].astype(np.uint8)[original], every[:-1], every[1:])
    return block, _single_spaces(block, table), offset


def _fold_block(
    original: NDArray[np.uint32], offset: int, table: CharacterTable
) -> tuple[_Block, Offsets, int]:
    every = np.arange(len(original) + 1, dtype=np.int32)
    block = _Block(original, original, every[:-1], every[1:])
    traits = table.traits_of(original)
    present = int(np.bitwise_or.reduce(traits)) if len(traits) else 0
    joined = np.zeros(0, np.int32)
    if present & ch.INVISIBLE:
        joined = _drop_invisible(block, traits)
        traits = table.traits[block.codes]
    if present & ch.SYMBOL:
        _join_emoji(block, traits, joined)
    kept = _held_digits(traits) if present & (ch.DIGIT_FIRST | ch.DIGIT_LAST | ch.RAISED) else None
    _apply_images(block, traits, kept, table)
    breaks = _single_spaces(block, table)
    if present & ch.GUILLEMET:
        breaks = _close_guillemets(block, breaks, table)
    return block, breaks, offset


def _drop_invisible(block: _Block, traits: NDArray[np.uint16]) -> Offsets:
    """Remove invisible characters, and the line end behind a soft hyphen (rule 5).

    Return where, among the characters that stay, a zero-width joiner stood before one.
    """
    visible = traits & ch.INVISIBLE == 0
    if (block.codes == _SOFT_HYPHEN).any():
        visible &= ~_line_ends_after_soft_hyphens(block.codes, traits)
    joiners = np.flatnonzero(block.codes == _ZWJ)
    place = np.cumsum(visible, dtype=np.int32)
    block.take(visible)
    return np.unique(place[joiners])


def _line_ends_after_soft_hyphens(
    codes: NDArray[np.uint32] | NDArray[np.uint8], traits: NDArray[np.uint16]
) -> NDArray[np.bool_]:
    """Mark the white space with a line break right behind a soft hyphen (invisibles may stand between)."""
    space: NDArray[np.bool_] = traits & ch.SPACE != 0
    edges = np.flatnonzero(np.diff(space | (traits & ch.INVISIBLE != 0), prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    lines = np.append(0, np.cumsum(traits & ch.LINE != 0))
    hyphens = np.flatnonzero(codes == _SOFT_HYPHEN)
    runs, first = np.unique(np.searchsorted(starts, hyphens, "right") - 1, return_index=True)
    spaces = np.append(np.flatnonzero(space), len(codes))
    leads = hyphens[first] < spaces[np.searchsorted(spaces, starts[runs])]
    runs = runs[leads & (lines[stops[runs]] > lines[starts[runs]])]
    depth = np.zeros(len(codes) + 1, np.int8)
    depth[starts[runs]] = 1
    depth[stops[runs]] = -1
    inside: NDArray[np.bool_] = np.cumsum(depth[:-1], dtype=np.int8) > 0
    return space & inside


def _join_emoji(block: _Block, traits: NDArray[np.uint16], joined: Offsets) -> None:
    """Give the parts of an emoji sequence (joiners, skin tones, flags) one span, so that none is cut."""
    codes = block.codes
    symbol = traits & ch.SYMBOL != 0
    follows = (codes >= _MODIFIERS[0]) & (codes <= _MODIFIERS[1])
    follows[joined[joined < len(codes)]] = True
    follows[1:] &= symbol[1:] & symbol[:-1]
    follows[:1] = False
    regional = (codes >= _REGIONAL[0]) & (codes <= _REGIONAL[1])
    if regional.any():
        place = np.arange(len(codes))
        run_start = np.maximum.accumulate(np.where(regional & ~np.roll(regional, 1), place, 0))
        follows |= regional & ((place - run_start) % 2 == 1)
    if not follows.any():
        return
    heads = np.flatnonzero(~follows)
    sizes = np.diff(np.append(heads, len(codes)))
    block.start = np.repeat(block.start[heads], sizes)
    block.end = np.repeat(block.end[heads + sizes - 1], sizes)


def _held_digits(traits: NDArray[np.uint16]) -> NDArray[np.bool_] | None:
    """Find raised digits, fractions and circled digits next to a digit, which keep their form (rule 1)."""
    bases = np.flatnonzero(traits & ch.MARK == 0)
    own = traits[bases]
    raised = own & ch.RAISED != 0
    first = own & (ch.DIGIT | ch.DIGIT_FIRST) != 0
    last = own & (ch.DIGIT | ch.DIGIT_LAST) != 0
    before = np.append(False, last[:-1]) if len(own) else last
    after = np.append(first[1:], False) if len(own) else first
    plain = own & ch.DIGIT != 0
    held = ~plain & ~raised & ((first & before) | (last & after))
    if raised.any():  # a run of raised characters is held or folded as a whole
        touched = before & ~np.append(False, raised[:-1]) | after & ~np.append(raised[1:], False)
        touched &= raised
        run = np.cumsum(np.diff(raised, prepend=False))
        held |= raised & np.isin(run, run[touched])
    if not held.any():
        return None
    result = np.zeros(len(traits), np.bool_)
    result[bases[held]] = True
    return result


def _apply_images(
    block: _Block, traits: NDArray[np.uint16], kept: NDArray[np.bool_] | None, table: CharacterTable
) -> None:
    """Replace each character, or character with marks, by its image (rules 1, 3, 4)."""
    codes = block.codes.astype(np.uint32, copy=False)
    first = table.first[codes]
    count, pool_at, pool = table.count[codes].astype(np.int32), table.pool_at[codes], table.pool
    if kept is not None:
        first[kept], count[kept] = codes[kept], 1
    marks = traits & ch.MARK != 0
    if marks.any():
        heads = _cluster_heads(traits, marks)
        sizes = np.diff(np.append(heads, len(codes)))
        several = np.flatnonzero(sizes > 1)
        first, count, pool_at = first[heads], count[heads], pool_at[heads]
        keep = np.zeros(len(heads), np.bool_) if kept is None else kept[heads]
        images = _cluster_images(codes, heads[several], sizes[several], keep[several])
        first[several], count[several], extra_at, extra = images
        pool_at[several] = extra_at + len(pool)
        pool = np.concatenate([pool, extra])
        block.start, block.end = block.start[heads], block.end[heads + sizes - 1]
    block.codes = first
    if count.max(initial=1) > 1:
        _expand(block, count, pool_at, pool)


def _cluster_heads(traits: NDArray[np.uint16], marks: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Find where clusters begin: at each base, and at a mark that has none (after white space)."""
    baseless = np.append(True, traits[:-1] & ch.SPACE != 0)
    return np.flatnonzero(~marks | baseless)


def _cluster_images(
    codes: NDArray[np.uint32], heads: NDArray[np.intp], sizes: NDArray[np.intp], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.uint32], Offsets, Offsets, NDArray[np.uint32]]:
    """Return for each cluster the first character and length of its image, and images of several in a pool.

    Clusters of two and three code points are told apart by one 64-bit key each, so that every distinct one
    is composed once; longer ones go one by one.
    """
    key = codes[heads].astype(np.uint64) << np.uint64(42)
    key |= codes[heads + 1].astype(np.uint64) << np.uint64(21)
    triple = sizes == 3
    key[triple] |= codes[heads[triple] + 2]
    key |= kept.astype(np.uint64) << np.uint64(63)
    long = np.flatnonzero(sizes > 3)
    short = np.flatnonzero(sizes <= 3)
    ids = np.zeros(len(heads), np.int32)
    distinct, where, ids[short] = np.unique(key[short], return_index=True, return_inverse=True)
    del distinct
    images = [_image_at(codes, int(heads[i]), int(sizes[i]), bool(kept[i])) for i in short[where].tolist()]
    numbers: dict[str, int] = {}
    for index in long.tolist():
        form = _image_at(codes, int(heads[index]), int(sizes[index]), bool(kept[index]))
        if form not in numbers:
            numbers[form] = len(images)
            images.append(form)
        ids[index] = numbers[form]
    lengths = np.array([len(form) for form in images], np.int32)
    pool = _codes("".join(images))
    at = np.cumsum(lengths, dtype=np.int32) - lengths
    return pool[at][ids], lengths[ids], at[ids], pool


def _image_at(codes: NDArray[np.uint32], head: int, size: int, kept: bool) -> str:
    cluster = codes[head : head + size].tobytes().decode("utf-32-le", "surrogatepass")
    return cluster_image(cluster, keep_first=kept)


def _expand(block: _Block, count: Offsets, pool_at: Offsets, pool: NDArray[np.uint32]) -> None:
    """Write out images of several characters; all of them keep the span they came from."""
    source = np.repeat(np.arange(len(count), dtype=np.int32), count)
    begin = np.cumsum(count, dtype=np.int32) - count
    block.take(source)
    within = np.flatnonzero(count[source] > 1)
    number = within.astype(np.int32) - begin[source[within]]
    block.codes[within] = pool[pool_at[source[within]] + number]


def _single_spaces(block: _Block, table: CharacterTable) -> Offsets:
    """Make each run of spaces one (rule 2); return the breaks, as offsets in the result."""
    spaces = np.flatnonzero(block.codes == 32).astype(np.int32)
    if len(spaces) == 0:
        return spaces
    begin = np.flatnonzero(np.diff(spaces, prepend=-2) != 1)
    first, last = spaces[begin], spaces[np.append(begin[1:], len(spaces)) - 1]
    original = table.traits[block.original[block.start[spaces]]]
    lines = np.add.reduceat((original & ch.LINE != 0).astype(np.int32), begin)
    breaks = _breaks(block, first, last, lines, table)
    removed = np.cumsum(last - first, dtype=np.int32)  # up to and including each run
    if removed[-1]:
        keep = np.ones(len(block.codes), np.bool_)
        keep[spaces] = False
        keep[first] = True
        block.end = block.end.copy()
        block.end[first] = block.end[last]
        block.take(keep)
        run = np.searchsorted(first, breaks, "right")
        breaks -= np.append(np.int32(0), removed)[run - (first[run - 1] == breaks)]
    return breaks


def _breaks(block: _Block, first: Offsets, last: Offsets, lines: Offsets, table: CharacterTable) -> Offsets:
    """Return where runs of spaces first..last with a line break may be no space (section "Readings")."""
    inner = (lines > 0) & (first > 0) & (last < len(block.codes) - 1)
    first, last, lines = first[inner], last[inner], lines[inner]
    left, right = _original_traits(block, first - 1, table), _original_traits(block, last + 1, table)
    sides = ch.WIDE | ch.NEUTRAL
    wide = (left & ch.WIDE != 0) & (right & ch.WIDE != 0)
    for index in np.flatnonzero((left & sides != 0) & (right & sides != 0) & ~wide).tolist():
        wide[index] = _in_wide_text(block, int(first[index]), int(last[index]), table)
    hyphen = (left & ch.HYPHEN != 0) & (right & ch.LETTER != 0) & (first > 1)
    hyphen &= _original_traits(block, np.maximum(first - 2, 0), table) & ch.LETTER != 0
    hyphen &= (lines == 1) | _one_line_end(block, first, last, lines)
    return np.sort(np.concatenate([first[wide], first[hyphen & ~wide] - 1]))


def _original_traits(block: _Block, places: Offsets, table: CharacterTable) -> NDArray[np.uint16]:
    return table.traits[block.original[block.start[places]]]


def _one_line_end(block: _Block, first: Offsets, last: Offsets, lines: Offsets) -> NDArray[np.bool_]:
    """Tell which runs hold one line end only, where CR LF is one and a page break belongs to its line."""
    found = np.zeros(len(first), np.bool_)
    for index in np.flatnonzero((lines == 2) | (lines == 3)).tolist():
        run = block.original[block.start[first[index]] : block.end[last[index]]]
        text = "".join(map(chr, run.tolist()))
        found[index] = text.replace("\r\n", "\n").replace("\f", "").count("\n") == 1
    return found


def _in_wide_text(block: _Block, first: int, last: int, table: CharacterTable) -> bool:
    """Return whether the punctuation around a line break stands in Chinese or Japanese text."""
    for place, step in ((first - 1, -1), (last + 1, 1)):
        while 0 <= place < len(block.codes):
            traits = int(table.traits[block.original[block.start[place]]])
            if not traits & ch.NEUTRAL:
                break
            place += step
        if not (0 <= place < len(block.codes) and traits & ch.WIDE):
            return False
    return True


def _close_guillemets(block: _Block, breaks: Offsets, table: CharacterTable) -> Offsets:
    """Remove the space just inside « » and ‹ › (rule 2).

    Inside depends on the direction: in »German« use « closes. « opens after a space, an opening mark or an
    apostrophe (d'« une), » closes unless a word follows it directly.
    """
    codes = block.codes
    every = np.arange(len(codes), dtype=np.int32)
    place = np.flatnonzero(_original_traits(block, every, table) & ch.GUILLEMET)
    original = block.original[block.start[place]]
    opens = (original == ord("«")) | (original == ord("‹"))
    before = np.where(place > 0, codes[np.maximum(place - 1, 0)], 32)
    after_place = np.minimum(place + 1, len(codes) - 1)
    after = np.where(place + 1 < len(codes), codes[after_place], 32)
    neighbour = block.original[block.start[np.maximum(place - 1, 0)]]
    nested = np.isin(neighbour, [ord("«"), ord("‹")]) & (place > 0)
    word = table.traits[after] & (ch.LETTER | ch.DIGIT) != 0
    drop_after = place[opens & np.isin(before, _OPENING) & ~nested] + 1
    drop_before = place[~opens & ~word] - 1
    drop = np.concatenate([drop_after, drop_before])
    drop = drop[(drop >= 0) & (drop < len(codes))]
    drop = np.unique(drop[codes[drop] == 32])
    keep = np.ones(len(codes), np.bool_)
    keep[drop] = False
    block.take(keep)
    return breaks - np.searchsorted(drop, breaks).astype(np.int32)
