"""Which marks of a sentence attribute which of its quotations: `"..." [1]`, `[1] says "..."`, `"..." so [1].`

A mark right behind a quotation is its own, unless it begins the next clause and leads to a quotation there. A
mark that a reader may also take for another's attributes nothing for certain: to be told that a right
quotation is misattributed is worse than to miss a wrong number. All rules are of place and punctuation, so
that they hold in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from quotecheck.citations.markers import Marker
from quotecheck.models import Span

_WIDE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Each character of scripts without spaces counts as a word here.
_WORD = re.compile(rf"[{_WIDE}]|[^\W_{_WIDE}]+")
_CLAUSE = ",;:.!?…—–،؛؟、，；：。！？।"
_CLAUSE_MARK = re.compile(f"[{_CLAUSE}]")
# What leads to a quotation: words of one clause, and at most a comma, colon or dash before the opening mark.
_LEADING = re.compile(rf"[^{_CLAUSE}]*[,:،、，：—–]?[^\w{_CLAUSE}]*")
# "[1] and [2]" is one mark, in the languages of the lexicon and some others.
_BETWEEN_MARKS = re.compile(
    r"[ \t,;、，/&]*(?:(?:and|or|und|oder|sowie|et|ou|y|e|o|и|или|ve|veya|och|og|en|oraz|i|a|lub"
    r"|和|及|與|与|或|と|や|및|와|과|و|ו|או|और|या)[ \t]*)?",
    re.IGNORECASE,
)
_CLOSERS = " \t)]*_\"'”’»」』）"
# Words of its clause before a mark that speaks: `As [1] says, "..."`; and `According to [1], "..."`.
_MOST_BEFORE_A_VERB, _MOST_BEFORE_A_QUOTE = 1, 3
_REACH = 500  # characters between a quotation and a mark that belong together


@dataclass(frozen=True, slots=True)
class Attribution:
    """The numbers of the marks that may attribute a quotation, the likeliest first.

    Where it is not `certain`, a quotation that stands in another source is not misattributed.
    """

    numbers: tuple[int, ...]
    certain: bool


def attribute(
    text: str, sentence: Span, quotes: Sequence[Span], markers: Sequence[Marker]
) -> list[Attribution]:
    """Return the attribution of each quotation of a sentence.

    `quotes` are the spans of the quoted words, `markers` the marks outside them, at least one; both in order.

    >>> marks = [Marker(0, 3, (1,)), Marker(25, 28, (2,))]
    >>> found = attribute('[1] says "it is so", but [2] says "no"', (0, 38), [(10, 18), (35, 37)], marks)
    >>> [attribution.numbers for attribution in found]
    [(1,), (2,)]
    """
    return _Sentence(text, sentence, quotes, markers).attributions()


class _Role(Enum):
    """What marks do: follow the quotation before them, lead to the one behind them, or just stand there."""

    TRAILS = 1
    LEADS = 2
    STANDS = 3


@dataclass(frozen=True, slots=True)
class _Part:
    """A quotation, or marks that stand together, which have numbers."""

    start: int
    end: int
    numbers: tuple[int, ...] = ()


class _Sentence:
    """A sentence as a row of quotations and marks, and what stands between them."""

    def __init__(self, text: str, sentence: Span, quotes: Sequence[Span], markers: Sequence[Marker]) -> None:
        self._text = text
        parts = [*(_Part(*quote) for quote in quotes), *_groups(text, markers)]
        # An empty part at each end, so that every part has neighbours.
        edges = [_Part(edge, edge) for edge in sentence]
        self._row = [edges[0], *sorted(parts, key=lambda part: part.start), edges[1]]
        self._roles: dict[int, _Role] = {}
        # From the end, for a quotation with marks right behind it is left to no other.
        for place in reversed(range(len(self._row))):
            if self._row[place].numbers:
                self._roles[place] = self._role(place)

    def attributions(self) -> list[Attribution]:
        """Return the attribution of each quotation, in order."""
        behind: list[int | None] = [None]
        for place in reversed(range(1, len(self._row))):
            behind.append(place if self._row[place].numbers else behind[-1])
        behind.reverse()
        found: list[Attribution] = []
        before: int | None = None
        for place in range(1, len(self._row) - 1):
            if self._row[place].numbers:
                before = place
            else:
                found.append(self._attribution(place, before, behind[place]))
        return found

    def _attribution(self, place: int, before: int | None, behind: int | None) -> Attribution:
        """Return the attribution of a quotation, given the places of the next marks on both sides."""
        if self._has_trailing(place):
            return Attribution(self._numbers(place + 1), certain=True)
        is_led = before is not None and before == place - 1 and self._roles[before] is _Role.LEADS
        closing = behind if behind is not None and self._roles[behind] is not _Role.LEADS else None
        in_clause = closing if closing is not None and self._closes_clause(place, closing) else None
        if is_led and before is not None and self._opens(before):
            return Attribution(self._numbers(before, in_clause), certain=True)
        if in_clause is not None:
            return Attribution(self._numbers(in_clause), certain=True)
        if closing is not None and not is_led and self._ends_sentence(closing):
            return Attribution(self._numbers(closing), certain=True)
        nearest = (before, behind) if is_led else (behind, before)
        return Attribution(self._numbers(*nearest), certain=False)

    def _role(self, place: int) -> _Role:
        """Return what the marks at a place do; those behind them have their roles."""
        leads = self._may_lead(place)
        if not self._is_tight(place):
            return _Role.LEADS if leads else _Role.STANDS
        if not leads:
            return _Role.TRAILS
        # `"..." [1], "..."` trails, `"...", [1] says "..."` leads, and so does the second mark of
        # `[1] says "...," [2] says "..."`, whose first quotation has a mark.
        quote = self._row[place - 1]
        is_parted = _CLAUSE_MARK.search(self._text, quote.end, self._row[place].start) is not None
        ends_parted = self._text[quote.end - 1] in _CLAUSE and self._may_lead(place - 2)
        return _Role.LEADS if is_parted or (ends_parted and not self._is_tight(place - 2)) else _Role.TRAILS

    def _may_lead(self, place: int) -> bool:
        """Tell whether marks stand before a quotation in its clause, and it has no marks right behind it."""
        if not self._row[place].numbers or not self._is_quote(place + 1) or self._has_trailing(place + 1):
            return False
        start, end = self._row[place].end, self._row[place + 1].start
        return end - start <= _REACH and _LEADING.fullmatch(self._text, start, end) is not None

    def _has_trailing(self, place: int) -> bool:
        return self._roles.get(place + 1) is _Role.TRAILS

    def _is_quote(self, place: int) -> bool:
        part = self._row[place]
        return not part.numbers and part.start < part.end

    def _is_tight(self, place: int) -> bool:
        """Tell whether no word stands between marks and the quotation before them."""
        return self._is_quote(place - 1) and not self._has_words(place - 1)

    def _has_words(self, place: int) -> bool:
        """Tell whether a word stands between a part and the next one."""
        return _WORD.search(self._text, self._row[place].end, self._row[place + 1].start) is not None

    def _opens(self, place: int) -> bool:
        """Tell whether marks begin the clause in which they lead to a quotation, for then they speak."""
        start, end = self._row[place - 1].end, self._row[place].start
        clause = _CLAUSE_MARK.split(self._text[max(start, end - _REACH) : end])[-1]
        most = _MOST_BEFORE_A_VERB if self._has_words(place) else _MOST_BEFORE_A_QUOTE
        return len(_WORD.findall(clause)) <= most

    def _closes_clause(self, place: int, marks: int) -> bool:
        """Tell whether marks end the clause that a quotation stands in."""
        start, end = self._row[place].end, self._row[marks].start
        if end - start > _REACH or _CLAUSE_MARK.search(self._text, start, end):
            return False
        behind, limit = self._row[marks].end, self._row[-1].end
        following = self._text[behind : min(behind + _REACH, limit)].lstrip(_CLOSERS)
        return not following or following[0] in _CLAUSE or self._ends_sentence(marks)

    def _ends_sentence(self, place: int) -> bool:
        return place == len(self._row) - 2 and not self._has_words(place)

    def _numbers(self, *places: int | None) -> tuple[int, ...]:
        numbers = (number for place in places if place is not None for number in self._row[place].numbers)
        return tuple(dict.fromkeys(numbers))


def _groups(text: str, markers: Sequence[Marker]) -> Iterator[_Part]:
    """Yield the marks, those with nothing but a comma or an "and" between them as one."""
    group: list[Marker] = []
    for marker in markers:
        if group and not _BETWEEN_MARKS.fullmatch(text, group[-1].end, marker.start):
            yield _joined(group)
            group = []
        group.append(marker)
    if group:
        yield _joined(group)


def _joined(group: Sequence[Marker]) -> _Part:
    numbers = dict.fromkeys(number for marker in group for number in marker.numbers)
    return _Part(group[0].start, group[-1].end, tuple(numbers))
