"""Observations on a passage that a reader must not miss; they never change the verdict.

At 0.97 similarity the meaning may be reversed: a number, a negation, a modal verb or a unit may differ, or
stand just outside the passage. What is compared are the facts of these kinds that the edits touch, edit by
edit, so that a contraction or a synonym on both sides raises nothing. The lexicon says in which languages
negation and modality are looked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Protocol, TypeVar

from rapidfuzz.distance import Indel

from quotecheck.models import Difference, Flag, Span
from quotecheck.text.affixes import negated_by_affix
from quotecheck.text.boundaries import cuts_number, cuts_word, is_short
from quotecheck.text.differences import Edit
from quotecheck.text.fold import Folded
from quotecheck.text.furniture import furniture
from quotecheck.text.language import lexicons_for
from quotecheck.text.lexicon import Lexicon
from quotecheck.text.marks import REFERENCE_MARK
from quotecheck.text.numerals import Number, agree, numbers
from quotecheck.text.pieces import Part
from quotecheck.text.skeleton import is_diacritic
from quotecheck.text.units import Unit, units
from quotecheck.text.words import classes, measure, tokens

_NEIGHBOURS = 4  # two words, or four characters without spaces: edits so near are one change
_BEFORE_MEASURE = 4  # two words may stand between a negator and the passage ("not yet been")
_BEFORE_CHARACTERS = 80
_OUTSIDE = 100  # characters beyond an end of the passage that a quotation may reach out to
_WORDS_LIMIT = 40  # words of one change that are compared for affixes, each with each
_BLOCK = 4_000  # characters of a text that are in one language, as far as the word lists go
_CLAUSE_END = re.compile(r"[.,;:!?()\"。，、；：！？،؛؟।…]")


def passage_flags(quote: str, text: str, parts: Sequence[Part]) -> tuple[Flag, ...]:
    """Return what an exact or near passage says of its surroundings, for a folded quotation and text.

    `negation_nearby`, `cuts_word`, `cuts_number` and `short_quote`, in the order of `Flag`.

    >>> text = "No member may vote twice."
    >>> passage_flags("member may vote twice", text, [Part(0, 21, 3, 24)])
    (<Flag.NEGATION_NEARBY: 'negation_nearby'>,)
    """
    start, end = parts[0].start, parts[-1].end
    found = []
    if _negation_nearby(text, start, end):
        found.append(Flag.NEGATION_NEARBY)
    if any(cuts_word(text, part.start, part.end) for part in parts):
        found.append(Flag.CUTS_WORD)
    if any(cuts_number(text, part.start, part.end) for part in parts):
        found.append(Flag.CUTS_NUMBER)
    if is_short(quote):
        found.append(Flag.SHORT_QUOTE)
    return tuple(found)


def change_flags(
    quote: str, folded: Folded, parts: Sequence[Part], edits: Sequence[Edit], *, original: str
) -> tuple[Flag, ...]:
    """Return what the edits of a near passage change, for a folded quotation and a folded text.

    `number_changed`, `negation_changed`, `modality_changed`, `unit_changed` and `negation_elided`, in the
    order of `Flag`. `folded` may hold some context on both sides of the parts, which tells its language;
    `original` is what it was folded from, whose lines tell page numbers from content.
    """
    text = folded.text
    lexicons = lexicons_for(quote, text)
    changes = _changes(quote, text, _reaching_out(quote, text, parts, edits))
    ours, theirs = _Facts(quote, lexicons), _Facts(text, lexicons, furniture(folded, parts, original))
    raised = {
        Flag.NUMBER_CHANGED: _number_changed(ours, theirs, parts, changes),
        Flag.NEGATION_CHANGED: any(_negation_changed(ours, theirs, change) for change in changes),
        Flag.MODALITY_CHANGED: any(_modality_changed(ours, theirs, change) for change in changes),
        Flag.UNIT_CHANGED: any(_unit_changed(ours, theirs, change) for change in changes),
        Flag.NEGATION_ELIDED: _negation_elided(theirs, edits),
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)


# --- what is compared ---


@dataclass(frozen=True, slots=True)
class _Change:
    """Neighbouring edits: the spans of quotation and text from the first to the last, and the edits."""

    edits: tuple[Edit, ...]

    def quote_spans(self) -> list[Span]:
        return [(edit.quote_start, edit.quote_end) for edit in self.edits]

    def text_spans(self) -> list[Span]:
        return [(edit.start, edit.end) for edit in self.edits]


def _changes(quote: str, text: str, edits: Sequence[Edit]) -> list[_Change]:
    """Put edits together that have at most two words between them; reference marks and gaps stand aside."""
    groups: list[list[Edit]] = []
    for edit in edits:
        if edit.kind is Difference.REFERENCE_MARK or edit.kind is Difference.ELISION:
            continue
        near = groups and (
            measure(quote[groups[-1][-1].quote_end : edit.quote_start]) <= _NEIGHBOURS
            and measure(text[groups[-1][-1].end : edit.start]) <= _NEIGHBOURS
        )
        if near:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return [_Change(tuple(group)) for group in groups]


_F = TypeVar("_F", bound="_Spanned")


def _reaching_out(quote: str, text: str, parts: Sequence[Part], edits: Sequence[Edit]) -> list[Edit]:
    """Set words that the quotation has beyond an end of the passage beside as many words of the text there.

    "A member may vote" is most like the end of "No member may vote": what differs stands just outside.
    """
    first, last = parts[0], parts[-1]
    reaching = []
    for edit in edits:
        count = len(tokens(quote[edit.quote_start : edit.quote_end]))
        if edit.start < edit.end or edit.kind is Difference.ELISION:
            pass
        elif edit.quote_start == first.quote_start and edit.start == first.start:
            before = tokens(text[max(0, first.start - _OUTSIDE) : first.start])[-count:]
            shift = max(0, first.start - _OUTSIDE)
            edit = replace(edit, start=before[0].start + shift if before else edit.start)
        elif edit.quote_end == last.quote_end and edit.end == last.end:
            behind = tokens(text[last.end : last.end + _OUTSIDE])[:count]
            edit = replace(edit, end=last.end + behind[-1].end if behind else edit.end)
        reaching.append(edit)
    return reaching


class _Spanned(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class _Fact:
    """A word or phrase of a class of the lexicon: `text[start:end]`."""

    name: str
    start: int
    end: int


class _Facts:
    """What a folded text says of numbers, units, negation and modality, each found when first asked for."""

    def __init__(self, text: str, lexicons: Sequence[Lexicon], furniture: Sequence[Span] = ()) -> None:
        self.text = text
        self.lexicons = lexicons
        self._furniture = furniture

    @cached_property
    def numbers(self) -> list[Number]:
        aside = [*self._furniture, *(match.span() for match in REFERENCE_MARK.finditer(self.text))]
        return [n for n in numbers(self.text, self.lexicons) if not _overlaps(n, aside)]

    @cached_property
    def units(self) -> list[Unit]:
        return units(self.text, self.numbers, self.lexicons)

    @cached_property
    def negators(self) -> list[_Fact]:
        return self._find(lexicon.negation for lexicon in self.lexicons)

    @cached_property
    def modals(self) -> list[_Fact]:
        return self._find(lexicon.modality for lexicon in self.lexicons)

    def _find(self, patterns: Iterable[re.Pattern[str]]) -> list[_Fact]:
        plain, origin = self._unpointed
        found: dict[Span, _Fact] = {}
        for pattern in patterns:
            for match in pattern.finditer(plain):
                start, end = origin[match.start()], origin[match.end() - 1] + 1
                if match.lastgroup != "skip" and match.lastgroup is not None:
                    found.setdefault((start, end), _Fact(match.lastgroup, start, end))
        return sorted(found.values(), key=lambda fact: fact.start)

    @cached_property
    def _unpointed(self) -> tuple[str, Sequence[int]]:
        """The text without the vowel points of Arabic and Hebrew, and where its characters come from."""
        if not any("\u0590" < char < "\u0700" for char in self.text):
            return self.text, range(len(self.text))
        origin = [place for place, char in enumerate(self.text) if not is_diacritic(char)]
        return "".join(self.text[place] for place in origin), origin


def _overlaps(fact: _Spanned, spans: Iterable[Span]) -> bool:
    return any(fact.start < end and start < fact.end for start, end in spans)


def _touched(facts: Sequence[_F], spans: Sequence[Span]) -> list[_F]:
    return [fact for fact in facts if _overlaps(fact, spans)]


# --- negation and modality ---


def _negation_changed(ours: _Facts, theirs: _Facts, change: _Change) -> bool:
    quote_spans, text_spans = change.quote_spans(), change.text_spans()
    quote_words, text_words = _words(ours.text, quote_spans), _words(theirs.text, text_spans)
    affixes = _affixed(quote_words, text_words, ours.lexicons)
    opposed = _affixed(text_words, quote_words, ours.lexicons)
    quoted, held = _touched(ours.negators, quote_spans), _touched(theirs.negators, text_spans)
    if len(quoted) + affixes != len(held) + opposed:
        return True
    spaces_only = all(edit.kind is Difference.SPACING for edit in change.edits)
    if spaces_only and len(quote_words) == len(text_words):
        # The same letters cut otherwise: "no table" and "not able".
        return {_text_of(ours, fact) for fact in quoted} != {_text_of(theirs, fact) for fact in held}
    return _poles_swapped(_around(ours.text, quote_spans), _around(theirs.text, text_spans), ours.lexicons)


def _text_of(facts: _Facts, fact: _Fact) -> str:
    return facts.text[fact.start : fact.end].casefold()


def _words(text: str, spans: Sequence[Span]) -> list[str]:
    return [token.text.casefold() for start, end in spans for token in tokens(text[start:end])][:_WORDS_LIMIT]


def _affixed(words: Sequence[str], others: Sequence[str], lexicons: Sequence[Lexicon]) -> int:
    return sum(any(negated_by_affix(word, other, lexicons) for other in others) for word in words)


def _around(text: str, spans: Sequence[Span]) -> str:
    """The text from the first span to the last; one character more where words have no spaces."""
    start, end = spans[0][0], spans[-1][1]
    if start and classes(text[start - 1]) == "c":
        start -= 1
    if end < len(text) and classes(text[end]) == "c":
        end += 1
    return text[start:end]


def _poles_swapped(quote: str, source: str, lexicons: Sequence[Lexicon]) -> bool:
    """Tell whether a word stands on one side and its opposite on the other: "increase", "decrease"."""
    for lexicon in lexicons:
        for positive, negative in lexicon.opposites:
            gained = len(positive.findall(quote)) - len(positive.findall(source))
            lost = len(negative.findall(source)) - len(negative.findall(quote))
            if gained * lost > 0:
                return True
    return False


def _modality_changed(ours: _Facts, theirs: _Facts, change: _Change) -> bool:
    """Modal words count where they come, go or change class; those of quantity where they change class."""
    quoted = Counter(fact.name for fact in _touched(ours.modals, change.quote_spans()))
    held = Counter(fact.name for fact in _touched(theirs.modals, change.text_spans()))
    gone, come = held - quoted, quoted - held
    if any(not name.startswith("q_") for name in (*gone, *come)):
        return True
    return bool(gone and come)


def _negation_elided(theirs: _Facts, edits: Sequence[Edit]) -> bool:
    gaps = [(edit.start, edit.end) for edit in edits if edit.kind is Difference.ELISION]
    return any(start <= fact.start and fact.end <= end for fact in theirs.negators for start, end in gaps)


def _negation_nearby(text: str, start: int, end: int) -> bool:
    """Tell whether a negator stands just before the passage, or just behind where the language has it there."""
    lexicons = _lexicons_around(text, start)
    first = max(0, start - _BEFORE_CHARACTERS)
    facts = _Facts(text[first : start + _BEFORE_CHARACTERS], lexicons)
    for fact in facts.negators:
        between = text[first + fact.end : start]
        limit = _BEFORE_MEASURE if " " in between.strip() or between[:1] == " " else _BEFORE_MEASURE // 2
        if first + fact.end <= start and measure(between) <= limit and not _CLAUSE_END.search(between):
            return True
    return any(
        lexicon.negation_behind is not None and lexicon.negation_behind.match(text, end) is not None
        for lexicon in lexicons
    )


def _lexicons_around(text: str, place: int) -> tuple[Lexicon, ...]:
    """The languages of the block of text around a place; a few blocks serve all passages of a text."""
    block = place // _BLOCK * _BLOCK
    return lexicons_for(text[max(0, block - _BLOCK // 4) : block + _BLOCK + _BLOCK // 4])


# --- numbers and units ---


def _number_changed(ours: _Facts, theirs: _Facts, parts: Sequence[Part], changes: Sequence[_Change]) -> bool:
    outside = [span for change in changes for span in change.text_spans()]
    return bool(changes) and any(
        _numbers_differ(
            ours,
            theirs,
            _touched(ours.numbers, [(part.quote_start, part.quote_end)]),
            _touched(theirs.numbers, [(part.start, part.end), *(outside if len(parts) == 1 else ())]),
            changes,
        )
        for part in parts
    )


def _numbers_differ(
    ours: _Facts, theirs: _Facts, quoted: Sequence[Number], held: Sequence[Number], changes: Sequence[_Change]
) -> bool:
    """Compare the numbers of one part in order: their values, their relations, and what joins them."""
    lone_ours: list[Number] = []
    lone_theirs: list[Number] = []
    pairs: list[tuple[Number, Number]] = []
    for step in Indel.opcodes([n.value for n in quoted], [n.value for n in held]):
        if step.tag == "equal":
            pairs += zip(
                quoted[step.src_start : step.src_end], held[step.dest_start : step.dest_end], strict=True
            )
        else:
            lone_ours += quoted[step.src_start : step.src_end]
            lone_theirs += held[step.dest_start : step.dest_end]
    if any(number.certain for number in (*lone_ours, *lone_theirs)):
        return True
    if any(
        _touched(lone_ours, change.quote_spans()) and _touched(lone_theirs, change.text_spans())
        for change in changes
    ):
        return True
    return any(
        not agree(*pair) or any(_broken_into(*pair, change) for change in changes) for pair in pairs
    ) or any(
        _joined_otherwise(ours.text[a.end : b.start], theirs.text[c.end : d.start])
        for (a, c), (b, d) in pairwise(pairs)
    )


def _broken_into(quoted: Number, held: Number, change: _Change) -> bool:
    """Tell whether an edit puts something else for a part of a number whose rest has the same value.

    A dash for 一 in 一百零一 leaves 百零一, which is the same number written carelessly, or no number.
    """
    return any(
        edit.quote_start < edit.quote_end
        and edit.start < edit.end
        and _overlaps(quoted, [(edit.quote_start, edit.quote_end)])
        != _overlaps(held, [(edit.start, edit.end)])
        and (edit.end - edit.start == 1 or edit.quote_end - edit.quote_start == 1)
        for edit in change.edits
    )


def _joined_otherwise(quote: str, source: str) -> bool:
    """Tell whether one side joins two numbers to a range and the other does not: "5-10", "5, 10"."""
    ranges = [re.fullmatch(r"[ ]?[-~][ ]?", between) is not None for between in (quote, source)]
    return ranges[0] != ranges[1] and not any(char.isalpha() for char in quote + source)


def _unit_changed(ours: _Facts, theirs: _Facts, change: _Change) -> bool:
    quoted = _touched(ours.units, change.quote_spans())
    held = _touched(theirs.units, change.text_spans())
    ours_only = Counter(unit.symbol for unit in quoted) - Counter(unit.symbol for unit in held)
    theirs_only = Counter(unit.symbol for unit in held) - Counter(unit.symbol for unit in quoted)
    if ours_only and theirs_only:
        return True
    # A unit that comes or goes with its number is the number's matter.
    if ours_only:
        return _lost_its_unit(quoted, theirs.numbers, change.text_spans(), ours.numbers, change.quote_spans())
    return bool(theirs_only) and _lost_its_unit(
        held, ours.numbers, change.quote_spans(), theirs.numbers, change.text_spans()
    )


def _lost_its_unit(
    present: Sequence[Unit],
    other_numbers: Sequence[Number],
    other_spans: Sequence[Span],
    own_numbers: Sequence[Number],
    own_spans: Sequence[Span],
) -> bool:
    if not any(unit.attached for unit in present):
        return False
    return bool(_touched(other_numbers, other_spans)) or not _touched(own_numbers, own_spans)
