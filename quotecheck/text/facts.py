"""What two folded strings say of negation, modality, numbers and units, looked up where they differ.

An edit touches few words, so patterns are tried on the edits' surroundings alone: a passage of ten thousand
characters with one changed letter costs what a sentence costs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeVar

from quotecheck.models import Difference, Span
from quotecheck.text.differences import Edit
from quotecheck.text.lexicon import Lexicon
from quotecheck.text.marks import ENTITY, reference_marks
from quotecheck.text.numerals import Number, numbers
from quotecheck.text.skeleton import is_diacritic
from quotecheck.text.units import Unit, units
from quotecheck.text.words import measure

_NEIGHBOURS = 4  # two words, or four characters without spaces: edits so near are one change
_REACH = 40  # characters around an edit in which phrases that it touches begin and end


@dataclass(frozen=True, slots=True)
class Change:
    """Neighbouring edits, which one decision of the writer may have made: "cannot" for "is not able to"."""

    edits: tuple[Edit, ...]

    @property
    def quote_spans(self) -> list[Span]:
        """Return what the edits touch in the quotation."""
        return [(edit.quote_start, edit.quote_end) for edit in self.edits]

    @property
    def text_spans(self) -> list[Span]:
        """Return what the edits touch in the text."""
        return [(edit.start, edit.end) for edit in self.edits]

    @property
    def rewording(self) -> Change:
        """Return the edits that change words, not only their punctuation, spaces, case or accents."""
        kinds = (Difference.WORDS, Difference.EDITORIAL)
        return Change(tuple(edit for edit in self.edits if edit.kind in kinds))


def changes_of(quote: str, text: str, edits: Iterable[Edit]) -> list[Change]:
    """Put edits together that have at most two words between them; reference marks and gaps stand aside."""
    groups: list[list[Edit]] = []
    for edit in edits:
        if edit.kind is Difference.REFERENCE_MARK or edit.kind is Difference.ELISION:
            continue
        last = groups[-1][-1] if groups else None
        if (
            last is not None
            and measure(quote[last.quote_end : edit.quote_start]) <= _NEIGHBOURS
            and measure(text[last.end : edit.start]) <= _NEIGHBOURS
        ):
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return [Change(tuple(group)) for group in groups]


class Spanned(Protocol):
    """What stands somewhere in a string."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


AnySpanned = TypeVar("AnySpanned", bound=Spanned)


@dataclass(frozen=True, slots=True)
class Fact:
    """A word or phrase of a class of the lexicon: `text[start:end]`."""

    name: str
    start: int
    end: int


class Facts:
    """What a folded string in some languages says at the spans that are looked at.

    `aside` are spans whose numbers do not count, nor do those of reference marks, but for `kept` ones;
    `within` is where numbers are read.
    """

    def __init__(
        self,
        text: str,
        lexicons: Sequence[Lexicon],
        spans: Sequence[Span],
        *,
        aside: Sequence[Span] = (),
        kept: Sequence[Span] = (),
        within: Span | None = None,
    ) -> None:
        self.text = text
        self.lexicons = lexicons
        self._spans = spans
        self._aside = aside
        self._kept = kept
        self._within = within or (0, len(text))

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers in order, without those of reference marks."""
        marks = [mark for mark in reference_marks(self.text) if mark not in self._kept]
        entities = [match.span() for match in ENTITY.finditer(self.text)] if "&#" in self.text else []
        aside = [*self._aside, *marks, *entities]
        start, end = self._within
        found = numbers(self.text[start:end], self.lexicons)
        shifted = [replace(n, start=n.start + start, end=n.end + start) for n in found]
        return [number for number in shifted if not overlaps(number, aside)]

    @cached_property
    def units(self) -> list[Unit]:
        """The units at the spans."""
        return units(self.text, self.numbers, self.lexicons, _around(self._spans, len(self.text)))

    @cached_property
    def negators(self) -> list[Fact]:
        """The negators at the spans, in order."""
        return self._at_spans(lexicon.negation for lexicon in self.lexicons)

    @cached_property
    def modals(self) -> list[Fact]:
        """The modal words at the spans, in order."""
        return self._at_spans(lexicon.modality for lexicon in self.lexicons)

    def _at_spans(self, patterns: Iterable[re.Pattern[str]]) -> list[Fact]:
        plain, origin = self._unpointed
        found: dict[Span, Fact] = {}
        for pattern in patterns:
            for low, high in self._surroundings:
                for match in pattern.finditer(plain, low, high):
                    start, end = origin[match.start()], origin[match.end() - 1] + 1
                    if match.lastgroup is not None and match.lastgroup != "skip":
                        found.setdefault((start, end), Fact(match.lastgroup, start, end))
        return sorted(touched(list(found.values()), self._spans), key=lambda fact: fact.start)

    @cached_property
    def _surroundings(self) -> list[Span]:
        """The stretches of the unpointed text around the spans, joined where they overlap."""
        plain, origin = self._unpointed
        places = [(_place(origin, start), _place(origin, end)) for start, end in self._spans]
        return _around(places, len(plain))

    @cached_property
    def _unpointed(self) -> tuple[str, Sequence[int]]:
        """The text without the vowel points of Arabic and Hebrew, and where its characters come from."""
        if _POINTS.search(self.text) is None:
            return self.text, range(len(self.text))
        origin = [place for place, char in enumerate(self.text) if not is_diacritic(char)]
        return "".join(self.text[place] for place in origin), origin


_POINTS = re.compile("[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")


def _place(origin: Sequence[int], offset: int) -> int:
    return offset if isinstance(origin, range) else bisect_left(origin, offset)


def _around(spans: Iterable[Span], length: int) -> list[Span]:
    joined: list[Span] = []
    for start, end in sorted(spans):
        low, high = max(0, start - _REACH), min(length, end + _REACH)
        if joined and low <= joined[-1][1]:
            low, high = joined[-1][0], max(high, joined.pop()[1])
        joined.append((low, high))
    return joined


def overlaps(fact: Spanned, spans: Iterable[Span]) -> bool:
    """Tell whether something stands, partly at least, in one of the spans."""
    return any(fact.start < end and start < fact.end for start, end in spans)


def touched(facts: Sequence[AnySpanned], spans: Sequence[Span]) -> list[AnySpanned]:
    """Return what overlaps one of the spans."""
    return [fact for fact in facts if overlaps(fact, spans)]
