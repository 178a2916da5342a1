"""Where a quotation and a passage differ: word by word, or character by character without spaces, and how.

Both sides are folded before, so that typography and layout are no differences. Tokens are aligned by their
longest common subsequence; each place that is left over is named by the least class that explains it.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Indel

from quotecheck.models import Difference, WordDifference
from quotecheck.text.chain import BRACKET_MEASURE
from quotecheck.text.fold import Folded, fold
from quotecheck.text.hebrew import equal_but_for_points
from quotecheck.text.marks import BRACKET, SIC
from quotecheck.text.pieces import Part
from quotecheck.text.plans import EDITED_MEASURE
from quotecheck.text.skeleton import skeleton_of
from quotecheck.text.words import Token, TokenKind, classes, measure, tokens

SEVERITY = {kind: rank for rank, kind in enumerate(Difference)}
# Cells of the alignment's table, an eighth of a byte each: 20,000 characters without spaces on both sides.
_ALIGNMENT_LIMIT = 400_000_000


@dataclass(frozen=True, slots=True)
class Edit:
    """A place where a folded quotation and a folded text differ, as offsets into both."""

    kind: Difference
    quote_start: int
    quote_end: int
    start: int
    end: int


def edits_between(quote: str, text: str, parts: Sequence[Part]) -> tuple[Edit, ...]:
    """Return where a folded quotation differs from the parts of a folded text it was found in, in order.

    A passage found whole is one `Part`. Between parts, before the first and behind the last, the quotation
    holds its elision marks and the text what they skip.

    >>> edits_between("Rents fell by 12 %.", "Rents rose by 12%.", [Part(0, 19, 0, 18)])[0]
    Edit(kind=<Difference.WORDS: 'words'>, quote_start=6, quote_end=10, start=6, end=10)
    """
    edited = measure(BRACKET.sub("", quote)) >= EDITED_MEASURE
    found: list[Edit] = []
    quote_done, text_done = 0, parts[0].start
    for part in parts:
        found += _gap(quote, text, Part(quote_done, part.quote_start, text_done, part.start))
        found += _Aligner(quote, text, part, brackets_for_words=edited).edits()
        quote_done, text_done = part.quote_end, part.end
    found += _gap(quote, text, Part(quote_done, len(quote), text_done, text_done))
    return tuple(found)


def word_differences(
    edits: Sequence[Edit], *, quote: str, folded_quote: Folded, text: str, folded_text: Folded
) -> tuple[WordDifference, ...]:
    """Return edits in the record's form: slices and offsets of quotation and text as they were given."""
    differences = []
    for edit in edits:
        quote_start, quote_end = _original(folded_quote, edit.quote_start, edit.quote_end)
        start, end = _original(folded_text, edit.start, edit.end)
        differences.append(
            WordDifference(
                edit.kind, quote[quote_start:quote_end], text[start:end], quote_start, quote_end, start, end
            )
        )
    return tuple(differences)


def most_severe(edits: Sequence[Edit]) -> Difference:
    """Return the class of a record: the most severe kind among its edits.

    >>> most_severe([])
    <Difference.NONE: 'none'>
    """
    return max((edit.kind for edit in edits), key=SEVERITY.__getitem__, default=Difference.NONE)


def _original(folded: Folded, start: int, end: int) -> tuple[int, int]:
    if start < end:
        return folded.span(start, end)
    if not folded.text:
        return 0, 0
    place = folded.span(start - 1, start)[1] if start else folded.span(0, 1)[0]
    return place, place


def _gap(quote: str, text: str, gap: Part) -> list[Edit]:
    """The elision between two parts, if the text does not hold the very mark."""
    quote_start, quote_end = _trimmed(quote, gap.quote_start, gap.quote_end)
    start, end = _trimmed(text, gap.start, gap.end)
    if quote[quote_start:quote_end] == text[start:end]:
        return []
    return [Edit(Difference.ELISION, quote_start, quote_end, start, end)]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out spaces at both ends; of spaces alone nothing is left, at their start."""
    stripped = text[start:end].strip(" ")
    if not stripped:
        return start, start
    start = text.index(stripped, start)
    return start, start + len(stripped)


class _Aligner:
    """The edits of one part, from the alignment of its tokens."""

    def __init__(self, quote: str, text: str, part: Part, *, brackets_for_words: bool) -> None:
        self._quote = quote
        self._text = text
        self._part = part
        self._brackets_for_words = brackets_for_words
        self._ours = tokens(quote[part.quote_start : part.quote_end])
        self._theirs = tokens(text[part.start : part.end])

    def edits(self) -> list[Edit]:
        """Return the differing places of the part, in order."""
        found: list[Edit] = []
        done_ours = done_theirs = 0
        for low_ours, high_ours, low_theirs, high_theirs in self._blocks():
            found += self._spacing(done_ours, low_ours, done_theirs)
            found += self._block(low_ours, high_ours, low_theirs, high_theirs)
            done_ours, done_theirs = high_ours, high_theirs
        return found + self._spacing(done_ours, len(self._ours), done_theirs)

    def _blocks(self) -> list[tuple[int, int, int, int]]:
        """Return the token ranges that are not equal; neighbouring deletions and insertions are one."""
        ours, theirs = [token.text for token in self._ours], [token.text for token in self._theirs]
        if len(ours) * len(theirs) > _ALIGNMENT_LIMIT:
            return [(0, len(ours), 0, len(theirs))]
        blocks: list[tuple[int, int, int, int]] = []
        for step in Indel.opcodes(ours, theirs):
            if step.tag == "equal":
                continue
            low_ours, low_theirs = step.src_start, step.dest_start
            if blocks and blocks[-1][1] == low_ours and blocks[-1][3] == low_theirs:
                low_ours, _, low_theirs, _ = blocks.pop()
            blocks.append((low_ours, step.src_end, low_theirs, step.dest_end))
        return blocks

    def _spacing(self, low: int, high: int, low_theirs: int) -> list[Edit]:
        """Find spaces that one side lacks between the equal tokens `low:high`."""
        found: list[Edit] = []
        for number in range(low, high - 1):
            other = number - low + low_theirs
            left, right = self._ours[number], self._ours[number + 1]
            if (left.end < right.start) == (self._theirs[other].end < self._theirs[other + 1].start):
                continue
            dash = "-" in (left.text, right.text)
            kind = Difference.PUNCTUATION if dash else Difference.SPACING
            edit = self._edit(kind, number, number + 2, other, other + 2)
            if found and found[-1].quote_end > edit.quote_start:
                edit = replace(edit, quote_start=found[-1].quote_start, start=found.pop().start)
            found.append(edit)
        return found

    def _block(self, low: int, high: int, low_theirs: int, high_theirs: int) -> list[Edit]:
        kind = self._kind(self._ours[low:high], self._theirs[low_theirs:high_theirs])
        if kind is not Difference.WORDS or high - low != high_theirs - low_theirs:
            return [self._edit(kind, low, high, low_theirs, high_theirs)]
        return self._pairs(low, high, low_theirs)

    def _pairs(self, low: int, high: int, low_theirs: int) -> list[Edit]:
        """Tell apart the words of a block of equal length: "The Old" for "the new" is a case and a word."""
        found: list[Edit] = []
        start = low
        kinds = [
            self._kind([ours], [theirs])
            for ours, theirs in zip(self._ours[low:high], self._theirs[low_theirs:], strict=False)
        ]
        shift = low_theirs - low
        for number in range(low + 1, high + 1):
            if number == high or kinds[number - low] is not kinds[start - low]:
                if kinds[start - low] is not Difference.NONE:
                    found.append(self._edit(kinds[start - low], start, number, start + shift, number + shift))
                start = number
        return found

    def _edit(self, kind: Difference, low: int, high: int, low_theirs: int, high_theirs: int) -> Edit:
        quote_start, quote_end = _span(self._ours, low, high)
        start, end = _span(self._theirs, low_theirs, high_theirs)
        part = self._part
        return Edit(
            kind,
            part.quote_start + quote_start,
            part.quote_start + quote_end,
            part.start + start,
            part.start + end,
        )

    def _kind(self, ours: Sequence[Token], theirs: Sequence[Token]) -> Difference:
        ours, our_marks = _without_marks(ours)
        theirs, their_marks = _without_marks(theirs)
        marks = Difference.REFERENCE_MARK if our_marks or their_marks else Difference.NONE
        return max(marks, self._kind_of_words(ours, theirs), key=SEVERITY.__getitem__)

    def _kind_of_words(self, ours: Sequence[Token], theirs: Sequence[Token]) -> Difference:
        quote, source = " ".join(t.text for t in ours), " ".join(t.text for t in theirs)
        if quote == source:
            return Difference.NONE
        only = ours[0] if len(ours) == 1 else None
        if only is not None and only.kind is TokenKind.ELISION:
            return Difference.ELISION
        if only is not None and only.kind is TokenKind.BRACKET and self._is_editorial(only.text, source):
            return Difference.EDITORIAL
        if any(token.kind is TokenKind.ENTITY for token in (*ours, *theirs)) and _unescaped(
            quote
        ) == _unescaped(source):
            return Difference.PUNCTUATION
        return least_class(quote, source)

    def _is_editorial(self, bracket: str, source: str) -> bool:
        """Tell whether an editor's bracket, with the letters it touches, stands for the source's words."""
        if SIC.fullmatch(bracket):
            return source == ""
        inner_end = bracket.index("]")
        if inner_end - bracket.index("[") == 2 and _bare(bracket).casefold() == source.casefold():
            return True
        return self._brackets_for_words and measure(source) <= BRACKET_MEASURE and "[" not in source


def _bare(bracket: str) -> str:
    return bracket.replace("[", "").replace("]", "")


def _unescaped(text: str) -> str:
    return fold(html.unescape(text)).text.replace(" ", "")


def _without_marks(side: Sequence[Token]) -> tuple[list[Token], bool]:
    kept = [token for token in side if token.kind is not TokenKind.REFERENCE_MARK]
    return kept, len(kept) < len(side)


def _span(side: Sequence[Token], low: int, high: int) -> tuple[int, int]:
    if low < high:
        return side[low].start, side[high - 1].end
    place = side[low - 1].end if low else 0
    return place, place


def least_class(quote: str, source: str) -> Difference:
    """Return the least class that explains how two folded strings differ.

    >>> least_class("inspectorwrote", "inspector wrote"), least_class("Été", "été")
    (<Difference.SPACING: 'spacing'>, <Difference.CASE: 'case'>)
    """
    quote, source = quote.replace(" ", ""), source.replace(" ", "")
    if quote == source:
        return Difference.SPACING
    if _same_numbers(quote, source):
        quote, source = _without_punctuation(quote), _without_punctuation(source)
        if quote == source:
            return Difference.PUNCTUATION
    if _lower(quote, source) == _lower(source, quote):
        return Difference.CASE
    if skeleton_of(quote) == skeleton_of(source) or equal_but_for_points(quote, source):
        return Difference.DIACRITICS
    return Difference.WORDS


def _same_numbers(quote: str, source: str) -> bool:
    """Tell whether leaving punctuation out would join no digits: 4.2 is not 42 but for a point."""
    return _digit_runs(quote) == _digit_runs(source)


def _digit_runs(text: str) -> list[str]:
    letters = classes(text)
    return "".join(c if k == "d" else " " for c, k in zip(text, letters, strict=True)).split()


def _without_punctuation(text: str) -> str:
    return "".join(c for c, k in zip(text, classes(text), strict=True) if k not in "ph.,a")


def _lower(text: str, other: str) -> str:
    """Fold case; I and İ beside a dotless ı are Turkish, where they are capitals of ı and i."""
    if "ı" in text + other and ("I" in text + other or "İ" in text + other):
        text = text.replace("I", "ı")
    return text.replace("İ", "i").casefold()
