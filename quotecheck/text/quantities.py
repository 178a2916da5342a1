"""Whether edits change a number or a unit: in value, relation, range, or by its absence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz.distance import Indel

from quotecheck.models import Span
from quotecheck.text.facts import Change, Facts, overlaps, touched
from quotecheck.text.numerals import Number, agree
from quotecheck.text.pieces import Part
from quotecheck.text.units import Unit


def number_changed(ours: Facts, theirs: Facts, parts: Sequence[Part], changes: Sequence[Change]) -> bool:
    """Tell whether the numbers of the quotation are not those of the passage, in order.

    Numbers beside an end of the passage that a change reaches out to belong to it.
    """
    if not changes:
        return False
    outside = [span for change in changes for span in change.text_spans] if len(parts) == 1 else []
    return any(
        _Comparison(
            ours,
            theirs,
            touched(ours.numbers, [(part.quote_start, part.quote_end)]),
            touched(theirs.numbers, [(part.start, part.end), *outside]),
        ).differs(changes)
        for part in parts
    )


class _Comparison:
    """The numbers of one part of the quotation beside those of its passage, paired by value in order."""

    def __init__(self, ours: Facts, theirs: Facts, quoted: Sequence[Number], held: Sequence[Number]) -> None:
        self._ours = ours
        self._theirs = theirs
        self._pairs: list[tuple[Number, Number]] = []
        self._only_ours: list[Number] = []
        self._only_theirs: list[Number] = []
        for step in Indel.opcodes([n.value for n in quoted], [n.value for n in held]):
            from_quote = quoted[step.src_start : step.src_end]
            from_text = held[step.dest_start : step.dest_end]
            if step.tag == "equal":
                self._pairs += zip(from_quote, from_text, strict=True)
            else:
                self._only_ours += from_quote
                self._only_theirs += from_text

    def differs(self, changes: Sequence[Change]) -> bool:
        if any(number.certain for number in (*self._only_ours, *self._only_theirs)):
            return True
        return (
            any(self._replaced(change) for change in changes)
            or any(not agree(*pair) for pair in self._pairs)
            or any(_broken_into(*pair, change) for pair in self._pairs for change in changes)
            or any(self._joined_otherwise(*neighbours) for neighbours in pairwise(self._pairs))
        )

    def _replaced(self, change: Change) -> bool:
        """Tell whether an uncertain number stands for another one: "first" for "second"."""
        return bool(
            touched(self._only_ours, change.quote_spans) and touched(self._only_theirs, change.text_spans)
        )

    def _joined_otherwise(self, left: tuple[Number, Number], right: tuple[Number, Number]) -> bool:
        """Tell whether one side joins two numbers to a range and the other does not: "5-10", "5, 10"."""
        quote = self._ours.text[left[0].end : right[0].start]
        source = self._theirs.text[left[1].end : right[1].start]
        ranges = [re.fullmatch(r"[ ]?[-~][ ]?", between) is not None for between in (quote, source)]
        return ranges[0] != ranges[1] and not any(char.isalpha() for char in quote + source)


def _broken_into(quoted: Number, held: Number, change: Change) -> bool:
    """Tell whether an edit puts one other character for a part of a number that leaves its value.

    A dash for 一 in 一百零一 leaves 百零一, which is the same number written carelessly, or no number.
    """
    return any(
        overlaps(quoted, [(edit.quote_start, edit.quote_end)]) != overlaps(held, [(edit.start, edit.end)])
        and edit.quote_start < edit.quote_end
        and edit.start < edit.end
        and 1 in (edit.quote_end - edit.quote_start, edit.end - edit.start)
        for edit in change.edits
    )


def unit_changed(ours: Facts, theirs: Facts, change: Change) -> bool:
    """Tell whether a unit is replaced, or comes or goes while its number stays."""
    quoted, held = touched(ours.units, change.quote_spans), touched(theirs.units, change.text_spans)
    symbols, other_symbols = (Counter(unit.symbol for unit in side) for side in (quoted, held))
    only_ours, only_theirs = symbols - other_symbols, other_symbols - symbols
    if only_ours and only_theirs:
        return True
    # "US$" for "$": the edit puts something before a unit, which stands on the other side untouched.
    only_ours -= _beside(theirs, change.text_spans)
    only_theirs -= _beside(ours, change.quote_spans)
    if not only_ours and not only_theirs:
        return False
    only_ours -= _shared(theirs, change.text_spans)
    only_theirs -= _shared(ours, change.quote_spans)
    if not only_ours and not only_theirs:
        return False
    numbers = touched(ours.numbers, change.quote_spans), touched(theirs.numbers, change.text_spans)
    return _lost(quoted, *numbers) if only_ours else _lost(held, *reversed(numbers))


def _beside(facts: Facts, spans: Sequence[Span]) -> Counter[str]:
    """Return the units at insertions: where one side has nothing, a space may part the place from a unit."""
    places = [start for start, end in spans if start == end]
    return Counter(
        unit.symbol for unit in facts.units if any(unit.start - 1 <= place <= unit.end for place in places)
    )


# What joins two numbers that share the unit of the second: "between 5 and 10 mg".
_JOINS = re.compile(
    r"[ ]?(?:-|and|to|or|und|bis|oder|et|à|ou|y|a|o|e|и|до|или|ve|ile|en|tot|och|till"
    r"|[至到和やو]|から|에서)[ ]?"
)


def _shared(facts: Facts, spans: Sequence[Span]) -> Counter[str]:
    """Return the units that numbers at insertions share with the number that they are joined to."""
    places = [start for start, end in spans if start == end]
    found: Counter[str] = Counter()
    for number, follower in pairwise(facts.numbers):
        if any(number.end <= place <= number.end + 1 for place in places) and _JOINS.fullmatch(
            facts.text, number.end, follower.start
        ):
            found.update(u.symbol for u in facts.units if 0 <= u.start - follower.end <= 1)
    return found


def _lost(units: Sequence[Unit], numbers: Sequence[Number], other_numbers: Sequence[Number]) -> bool:
    """Tell whether a number stays without its unit; one that comes or goes with it is the number's matter."""
    return any(unit.attached for unit in units) and (bool(other_numbers) or not numbers)
