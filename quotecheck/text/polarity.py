"""Whether edits change a negation or a modal word, or a negation stands where a reader misses it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from quotecheck.models import Difference, Span
from quotecheck.text.affixes import negated_by_affix, opposed_by_prefix
from quotecheck.text.facts import Change, Facts, touched
from quotecheck.text.language import lexicons_at
from quotecheck.text.lexicon import NOT_ONLY, PHRASE, PREFIX, SECOND, Lexicon
from quotecheck.text.words import classes, measure, tokens

_BEFORE_MEASURE = 4  # two words may stand between a negator and the passage ("not yet been")
_BEFORE_MEASURE_UNSPACED = 2
_BEFORE = 40  # characters in which the negator and those words stand
_WORDS_LIMIT = 40  # words of one change that are compared for affixes, each with each
# What may stand between a negator and a passage that it negates; the French "ne" belongs to the negator.
_BETWEEN = re.compile(" ?(?:n'|ne )?")
_UNSPACED_NEGATORS = "\u0600"  # Arabic often has no space behind "لا", and the scripts of East Asia have none
_GLUED = re.compile(r"[\[\]]|^\w{1,6}'(?=\w{4})")
_STROKES = "\u0337\u0338\u20d2"
_CLAUSE_MARKS = '.,;:!?()"。，、；：！？،؛؟।…'
# Punctuation, and the words that join another clause in the languages of the lexicon; but what is denied
# stands behind "that", with a comma where the language wants it.
_CLAUSE_END = re.compile(
    rf"(?!,[ ](?:dass|daß|ob|что)\b)[{_CLAUSE_MARKS}]"
    r"|\b(?:and|but|or|und|aber|oder|sondern|et|mais|ou|y|pero|sino|mas|ma|и|но|а|или|ve|ama|veya|אבל|או|لكن|بل|أو)\b",
    re.IGNORECASE,
)


def negation_changed(ours: Facts, theirs: Facts, change: Change) -> bool:
    """Tell whether a negation comes or goes, by word or affix, or a word is replaced by its opposite."""
    if _recut(ours, theirs, change):
        return True
    quote_spans, text_spans = change.rewording.quote_spans, change.rewording.text_spans
    if not quote_spans:
        return False
    quote_words, text_words = _words(ours, quote_spans), _words(theirs, text_spans)
    lexicons = ours.lexicons
    count = _negated(ours, quote_spans, theirs, text_spans)
    count["negator"] += _affixed(quote_words, text_words, lexicons)
    other = _negated(theirs, text_spans, ours, quote_spans)
    other["negator"] += _affixed(text_words, quote_words, lexicons)
    if count != other or _struck(ours.text, quote_spans) != _struck(theirs.text, text_spans):
        return True
    if opposed_by_prefix(quote_words, text_words, lexicons):
        return True
    quote, source = _around(ours.text, quote_spans), _around(theirs.text, text_spans)
    return any(lexicon.opposites.swapped(quote, source) for lexicon in lexicons)


def _negated(facts: Facts, spans: Sequence[Span], others: Facts, other_spans: Sequence[Span]) -> Counter[str]:
    """Count the negators that edits touch on one side, apart those like "few", which leave something.

    "Not only" and "without doubt" negate nothing as a whole. They count where an edit touches the negator
    and leaves the rest ("only"), or puts another word for "only" in the place of both.
    """
    count: Counter[str] = Counter()
    found = touched(facts.negators, spans)
    if any(fact.name == "negator" for fact in found):  # "neither ... nor" is one negation
        found = [fact for fact in found if fact.name != SECOND]
    for fact in found:
        if not fact.name.startswith(PHRASE):
            count["few" if fact.name == "few" else "negator"] += 1
        elif touched([replace(fact, end=fact.start + 1)], spans):
            leaves_rest = not touched([replace(fact, start=fact.end - 1)], spans)
            modals = {modal.name for modal in touched(others.modals, other_spans)}
            count["negator"] += leaves_rest or (fact.name == NOT_ONLY and "only" in modals)
    return count


def _struck(text: str, spans: Sequence[Span]) -> int:
    """Count the strokes through signs, which negate them: ≠, ∉."""
    return sum(
        char in _STROKES for start, end in spans for char in unicodedata.normalize("NFD", text[start:end])
    )


def _recut(ours: Facts, theirs: Facts, change: Change) -> bool:
    """Tell whether the same letters, cut otherwise, make another negation.

    "No table" and "not able"; "not able" and "notable", unless the one word is the negation of the other
    ("non smoker", "nonsmoker").
    """
    for edit in change.edits:
        quoted = _Cut(ours, (edit.quote_start, edit.quote_end))
        held = _Cut(theirs, (edit.start, edit.end))
        if edit.kind is not Difference.SPACING:
            continue
        if len(quoted.words) == len(held.words) and quoted.negators != held.negators:
            return True
        if any(one.glued_in(two) or one.split_in(two) for one, two in ((quoted, held), (held, quoted))):
            return True
    return False


class _Cut:
    """The words of a span, and which negators are among them."""

    def __init__(self, facts: Facts, span: Span) -> None:
        self.words = facts.text[slice(*span)].casefold().split()
        self._prefixes = {prefix for lexicon in facts.lexicons for prefix in lexicon.prefixes}
        self._common = {word for lexicon in facts.lexicons for word in lexicon.common}
        found = touched(facts.negators, [span])
        self.negators = {facts.text[fact.start : fact.end].casefold() for fact in found}

    def glued_in(self, other: _Cut) -> bool:
        """Tell whether a negator is glued to the word behind it on the other side, and lost there.

        Where it stands glued to the word before it ("isnot"), or its script often has no space behind it
        ("لايمكن"), that is a space lost in printing, and no other word.
        """
        return not other.negators and any(
            word in self.negators
            and word not in self._prefixes
            and max(word) < _UNSPACED_NEGATORS
            and any(joined.startswith(word + follower) for joined in other.words)
            for word, follower in pairwise(self.words)
        )

    def split_in(self, other: _Cut) -> bool:
        """Tell whether a negator of one word is cut into other words there: "nowhere", "now here"."""
        return not other.negators and any(
            first + second in self.negators and first in self._common
            for first, second in pairwise(other.words)
        )


def modality_changed(ours: Facts, theirs: Facts, change: Change) -> bool:
    """Tell whether a modal word comes, goes or changes class; those of quantity count where they change.

    So do those that an accent alone tells apart: "konnte" and "könnte".
    """
    gone, come = _modals_between(ours, theirs, change.rewording)
    if any(not name.startswith("q_") for name in (*gone, *come)):
        return True
    if gone and come:
        return True
    accented = Change(tuple(edit for edit in change.edits if edit.kind is Difference.DIACRITICS))
    return all(_modals_between(ours, theirs, accented))


def _modals_between(ours: Facts, theirs: Facts, change: Change) -> tuple[Counter[str], Counter[str]]:
    """Return the classes of modal words that a change takes from the text, and those that it adds."""
    quoted = Counter(fact.name for fact in touched(ours.modals, change.quote_spans))
    held = Counter(fact.name for fact in touched(theirs.modals, change.text_spans))
    return held - quoted, quoted - held


def negation_elided(theirs: Facts, gaps: Sequence[Span]) -> bool:
    """Tell whether a gap between the parts of an elided quotation holds a negation."""
    return any(
        start <= fact.start and fact.end <= end and fact.name not in (PHRASE, PREFIX)
        for start, end in gaps
        for fact in theirs.negators
    )


def negation_nearby(quote: str, text: str, start: int, end: int) -> bool:
    """Tell whether a negator stands just before the passage, or just behind where the language has it there.

    >>> negation_nearby("member may vote twice", "No member may vote twice.", 3, 24)
    True
    """
    before = text[max(0, start - 2) : start].rstrip()[-1:]
    ended = end >= len(text) or text[end] in _CLAUSE_MARKS or text[end - 1] in _CLAUSE_MARKS
    if ended and (not before or before in _CLAUSE_MARKS):
        return False  # whole sentences need no look at the language
    lexicons = lexicons_at(text, start, quote)
    first = max(0, start - _BEFORE)
    for fact in Facts(text[first : start + _BEFORE], lexicons, [(0, start - first)]).negators:
        between = text[first + fact.end : start]
        if first + fact.end > start:  # the passage begins inside it: 有人 in 没有人
            return True
        if fact.name == PHRASE:
            continue
        limit = _BEFORE_MEASURE if between[:1] == " " else _BEFORE_MEASURE_UNSPACED
        if measure(between) <= limit and not _CLAUSE_END.search(between):
            return True
    return not ended and negated_behind(text, end, lexicons)


def negated_before(text: str, start: int, lexicons: Sequence[Lexicon], *, opening: bool = False) -> bool:
    """Tell whether a negator stands directly before a passage, with no word between, or reaches into it.

    `opening` asks for one that begins a sentence.

    >>> negated_before("No one may enter.", 3, lexicons_at("No one may enter.", 0, ""))
    True
    """
    first = max(0, start - _BEFORE)
    for fact in Facts(text[first : start + _BEFORE], lexicons, [(0, start - first)]).negators:
        at = first + fact.start
        before = text[max(0, at - 2) : at].rstrip()[-1:]
        if (
            (fact.name != PHRASE or first + fact.end > start)
            and _BETWEEN.fullmatch(text, min(first + fact.end, start), start)
            and (not opening or not before or before in _CLAUSE_MARKS)
        ):
            return True
    return False


def negated_behind(text: str, end: int, lexicons: Sequence[Lexicon]) -> bool:
    """Tell whether words stand directly behind a passage that negate what stands before them."""
    return any(
        lexicon.negation_behind is not None and lexicon.negation_behind.match(text, end) is not None
        for lexicon in lexicons
    )


def _words(facts: Facts, spans: Sequence[Span]) -> list[str]:
    """Return the words at spans, but for negators, which are counted as such.

    They come without an editor's brackets and without an article that is glued to them: "l'inefficacité".
    """
    found = []
    for start, end in spans:
        for token in tokens(facts.text[start:end]):
            whole = replace(token, start=start + token.start, end=start + token.end)
            if not any(fact.start <= whole.start and whole.end <= fact.end for fact in facts.negators):
                found.append(_GLUED.sub("", token.text.casefold()))
    return found[:_WORDS_LIMIT]


def _affixed(words: Sequence[str], others: Sequence[str], lexicons: Sequence[Lexicon]) -> int:
    return sum(any(negated_by_affix(word, other, lexicons) for other in others) for word in words)


def _around(text: str, spans: Sequence[Span]) -> str:
    """Return the text from the first span to the last; one character more where words have no spaces."""
    start, end = spans[0][0], spans[-1][1]
    if start and classes(text[start - 1]) == "c":
        start -= 1
    if end < len(text) and classes(text[end]) == "c":
        end += 1
    return text[start:end]
