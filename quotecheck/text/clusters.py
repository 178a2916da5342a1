"""Images of whole texts: what the rules make of each character, or of each character with its marks.

Every distinct cluster is composed once, so decomposed text is folded nearly as fast as composed text.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quotecheck.text import characters as ch
from quotecheck.text.characters import CharacterTable, Codes, Traits, cluster_image

Offsets = NDArray[np.int32]
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]


def apply_images(
    codes: Codes, start: Offsets, end: Offsets, traits: Traits, held: Mask | None, table: CharacterTable
) -> tuple[Codes, Offsets, Offsets]:
    """Return the images of characters, and the original span of each character of them.

    `held` marks characters that keep their own form. Images of several characters share one span.
    """
    first = table.first[codes]
    if held is not None:
        first[held] = codes[held]
    expands: Mask = traits & ch.EXPANDS != 0
    if held is not None:
        expands &= ~held
    heads, several = _clusters(traits)
    if len(several) == 0 and not expands.any():
        return first, start, end
    count = np.ones(len(codes), np.int32)
    count[expands] = table.count[codes[expands]]
    pool_at = np.zeros(len(codes), np.int32)
    pool_at[expands] = table.pool_at[codes[expands]]
    pool = table.pool
    if len(several):
        sizes = np.diff(np.append(heads, len(codes)))
        kept = np.zeros(len(several), np.bool_) if held is None else held[heads[several]]
        images = _Images(codes, heads[several], sizes[several], kept)
        first, count, pool_at = first[heads], count[heads], pool_at[heads]
        first[several], count[several] = images.first, images.count
        pool_at[several] = images.at + np.int32(len(pool))
        pool = np.concatenate([pool, images.pool])
        start, end = start[heads], end[heads + sizes - 1]
    return _expanded(first, start, end, count, pool_at, pool)


def _clusters(traits: Traits) -> tuple[Places, Places]:
    """Return where clusters begin, and which of them have several characters.

    A mark behind white space, or at the start, has no base and begins one itself.
    """
    marks: Mask = traits & ch.MARK != 0
    if not marks.any():
        return np.zeros(0, np.intp), np.zeros(0, np.intp)
    follows = marks & np.append(False, traits[:-1] & ch.SPACE == 0)
    heads = np.flatnonzero(~follows)
    return heads, np.flatnonzero(np.diff(np.append(heads, len(traits))) > 1)


class _Images:
    """The images of clusters: `first` character and `count` of each, and where in `pool` it stands (`at`).

    Clusters of two and three code points are told apart by one 64-bit key each (3 times 21 bits, and whether
    the first is held); longer ones go one by one.
    """

    def __init__(self, codes: Codes, heads: Places, sizes: Places, held: Mask) -> None:
        self._codes = codes
        number = np.zeros(len(heads), np.intp)
        short = np.flatnonzero(sizes <= 3)
        keys = _keys(codes, heads[short], sizes[short], held[short])
        _, examples, number[short] = np.unique(keys, return_index=True, return_inverse=True)
        images = [self._image(heads[i], sizes[i], held[i]) for i in short[examples].tolist()]
        known: dict[str, int] = {}
        for index in np.flatnonzero(sizes > 3).tolist():
            image = self._image(heads[index], sizes[index], held[index])
            if image not in known:
                known[image] = len(images)
                images.append(image)
            number[index] = known[image]
        self.pool = np.frombuffer("".join(images).encode("utf-32-le", "surrogatepass"), np.uint32)
        counts = np.array([len(image) for image in images], np.int32)
        self.count = counts[number]
        self.at = (np.cumsum(counts, dtype=np.int32) - counts)[number]
        self.first = self.pool[self.at]

    def _image(self, head: int, size: int, held: bool) -> str:
        cluster = self._codes[head : head + size].tobytes().decode("utf-32-le", "surrogatepass")
        return cluster_image(cluster, keep_first=bool(held))


def _keys(codes: Codes, heads: Places, sizes: Places, held: Mask) -> NDArray[np.uint64]:
    keys = held.astype(np.uint64)
    for shift in range(3):
        keys <<= np.uint64(21)
        present = sizes > shift
        keys[present] |= codes[heads[present] + shift]
    return keys


def _expanded(
    first: Codes, start: Offsets, end: Offsets, count: Offsets, pool_at: Offsets, pool: Codes
) -> tuple[Codes, Offsets, Offsets]:
    """Write out images of several characters; there are few, so only their places are worked on."""
    several = np.flatnonzero(count > 1)
    if len(several) == 0:
        return first, start, end
    sizes = count[several]
    added = np.cumsum(sizes) - sizes - np.arange(len(several))  # characters written before each of them
    number = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    codes = np.repeat(first, count)
    codes[np.repeat(several + added, sizes) + number] = pool[np.repeat(pool_at[several], sizes) + number]
    return codes, np.repeat(start, count), np.repeat(end, count)
