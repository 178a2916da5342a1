"""Observations on a passage that a reader must not miss; they never change the verdict.

At 0.97 similarity the meaning may be reversed: a number, a negation, a modal verb or a unit may differ, or
stand just outside the passage. What is compared is what the edits touch, change by change, so that a
contraction or a synonym on both sides raises nothing. The lexicon says in which languages negation and
modality are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quotecheck.models import Difference, Flag, Span
from quotecheck.text.boundaries import cuts_number, cuts_word, inside_word, is_short
from quotecheck.text.differences import Edit
from quotecheck.text.facts import Change, Facts, changes_of, touched
from quotecheck.text.fold import Folded
from quotecheck.text.furniture import furniture, list_numbers, note_numbers, raised_notes
from quotecheck.text.language import lexicons_at
from quotecheck.text.lexicon import Lexicon
from quotecheck.text.numerals import cuts_spelled_number, may_cut_spelled_number, numbers
from quotecheck.text.pieces import Part
from quotecheck.text.polarity import (
    modality_changed,
    negated_before,
    negated_behind,
    negation_changed,
    negation_elided,
    negation_nearby,
)
from quotecheck.text.quantities import number_changed, unit_changed
from quotecheck.text.words import TokenKind, classes, tokens

_BESIDE = 50  # characters in which a number that reaches into the passage begins or ends
_OUTSIDE = 100  # characters beyond an end of the passage that a quotation may reach out to
_TAIL = 3  # words behind the passage in which its sentence may still be qualified (characters: twice that)
_OPENING = 5  # words and marks before the passage in which its sentence may begin otherwise
_STOPS = tuple(".!?。！？؟।")


def passage_flags(quote: str, text: str, parts: Sequence[Part]) -> tuple[Flag, ...]:
    """Return what an exact or near passage says of its surroundings, for a folded quotation and text.

    `negation_nearby`, `cuts_word`, `cuts_number` and `short_quote`, in the order of `Flag`.

    >>> text = "No member may vote twice."
    >>> passage_flags("member may vote twice", text, [Part(0, 21, 3, 24)])
    (<Flag.NEGATION_NEARBY: 'negation_nearby'>,)
    """
    raised = {
        Flag.NEGATION_NEARBY: negation_nearby(quote, text, parts[0].start, parts[-1].end),
        Flag.CUTS_WORD: any(cuts_word(text, part.start, part.end) for part in parts),
        Flag.CUTS_NUMBER: any(_cuts_number(quote, text, part) for part in parts),
        Flag.SHORT_QUOTE: is_short(quote),
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)


def _cuts_number(quote: str, text: str, part: Part) -> bool:
    if cuts_number(text, part.start, part.end):
        return True
    places = [place for place in (part.start, part.end) if may_cut_spelled_number(text, place)]
    lexicons = lexicons_at(text, part.start, quote) if places else ()
    return any(cuts_spelled_number(text, place, lexicons) for place in places)


def change_flags(
    quote: str, folded: Folded, parts: Sequence[Part], edits: Sequence[Edit], *, original: str
) -> tuple[Flag, ...]:
    """Return what the edits of a near passage change, for a folded quotation and a folded text.

    `number_changed`, `negation_changed`, `modality_changed`, `unit_changed` and `negation_elided`, in the
    order of `Flag`. `folded` may hold some context on both sides of the parts, which tells its language;
    `original` is what it was folded from, whose lines tell page numbers from content.
    """
    text = folded.text
    changes = changes_of(quote, text, [_reaching_out(quote, text, parts, edit) for edit in edits])
    sentences = changes_of(quote, text, [_as_sentence(quote, text, parts, edit) for edit in edits])
    gaps = [(edit.start, edit.end) for edit in edits if edit.kind is Difference.ELISION]
    looked_at = [*gaps, *(span for change in (*changes, *sentences) for span in change.text_spans)]
    ours = _facts_of_quote(quote, text, parts, edits, changes)
    theirs = _facts_of_text(folded, parts, edits, looked_at, ours.lexicons, original)
    raised = {
        Flag.NUMBER_CHANGED: number_changed(ours, theirs, parts, changes),
        Flag.NEGATION_CHANGED: any(negation_changed(ours, theirs, change) for change in changes)
        or _ends_before_negation(ours, text, parts[-1], edits)
        or _begins_behind_negation(ours, text, parts[0], edits),
        Flag.MODALITY_CHANGED: any(modality_changed(ours, theirs, change) for change in sentences),
        Flag.UNIT_CHANGED: any(unit_changed(ours, theirs, change) for change in changes),
        Flag.NEGATION_ELIDED: negation_elided(theirs, gaps),
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)


def _facts_of_quote(
    quote: str, text: str, parts: Sequence[Part], edits: Sequence[Edit], changes: Sequence[Change]
) -> Facts:
    lexicons = lexicons_at(text, parts[0].start, quote)
    added = [(edit.quote_start, edit.quote_end) for edit in edits if edit.start == edit.end]
    # An editor's number in brackets is a number where it stands for one, and a note's mark elsewhere.
    instead = [
        (edit.quote_start, edit.quote_end)
        for edit in edits
        if quote[edit.quote_start : edit.quote_start + 1] == "["
        and numbers(text[edit.start : edit.end], lexicons)
    ]
    return Facts(
        quote,
        lexicons,
        [span for change in changes for span in change.quote_spans],
        aside=[*note_numbers(quote, added)],
        kept=instead,
    )


def _facts_of_text(
    folded: Folded,
    parts: Sequence[Part],
    edits: Sequence[Edit],
    looked_at: Sequence[Span],
    lexicons: Sequence[Lexicon],
    original: str,
) -> Facts:
    text = folded.text
    left_out = [(edit.start, edit.end) for edit in edits if edit.quote_start == edit.quote_end]
    notes = (*note_numbers(text, left_out), *raised_notes(folded, left_out, original))
    items = list_numbers(folded, left_out, original)
    return Facts(
        text,
        lexicons,
        looked_at,
        aside=[*furniture(folded, parts, original), *notes, *items],
        within=(max(0, parts[0].start - _BESIDE), parts[-1].end + _BESIDE),
    )


def _begins_behind_negation(ours: Facts, text: str, first: Part, edits: Sequence[Edit]) -> bool:
    """Tell whether the quotation begins otherwise where the text's word before the passage negates it.

    "Anyone may enter" for "No one may enter": the passage that is most alike begins with "one". And "Dogs
    are allowed" for "No dogs are allowed": what the quotation begins a sentence with, the text negates.
    Where letters have no case, no edit tells that a sentence begins, so any passage behind the negator that
    begins a sentence counts.
    """
    edited = [edit for edit in edits if edit.kind not in (Difference.ELISION, Difference.REFERENCE_MARK)]
    begins_otherwise = any(
        _is_first(edit, first, text)
        and edit.quote_start < edit.quote_end
        and not touched(ours.negators, [(edit.quote_start, edit.quote_end)])
        for edit in edited
    )
    letter = text[first.start : first.start + 1]
    if not begins_otherwise and not (edited and letter.isalpha() and letter.lower() == letter.upper()):
        return False
    return negated_before(text, first.start, ours.lexicons, opening=not begins_otherwise)


def _ends_before_negation(ours: Facts, text: str, last: Part, edits: Sequence[Edit]) -> bool:
    """Tell whether the quotation ends a sentence, or goes on, where the text's next word negates it.

    "... für den Hafen." for "... für den Hafen nicht.": the verb stands before, the passage ends too early.
    """
    return any(
        _is_last(edit, last, text)
        and edit.quote_start < edit.quote_end
        and not touched(ours.negators, [(edit.quote_start, edit.quote_end)])
        and negated_behind(text, last.end, ours.lexicons)
        for edit in edits
        if edit.kind is not Difference.ELISION
    )


def _reaching_out(quote: str, text: str, parts: Sequence[Part], edit: Edit) -> Edit:
    """Set words that the quotation has beyond an end of the passage beside as many words of the text there.

    "A member may vote" is most like the end of "No member may vote": what differs stands just outside. So
    does the "two" of "two thirds" for the quotation "one third".
    """
    if edit.kind is Difference.ELISION:
        return edit
    is_first, is_last = _is_first(edit, parts[0], text), _is_last(edit, parts[-1], text)
    if is_first or is_last:
        edit = _of_whole_words(text, edit)
    count = _count_words(quote[edit.quote_start : edit.quote_end]) - _count_words(text[edit.start : edit.end])
    if count > 0 and is_first:
        return replace(edit, start=_words_before(text, edit.start, count))
    if count > 0 and is_last:
        return replace(edit, end=_words_behind(text, edit.end, count))
    return edit


def _of_whole_words(text: str, edit: Edit) -> Edit:
    """Widen an edit to the ends of words that the passage cuts: "azaldı" is like the "a" of "arttı"."""
    start, end = edit.start, edit.end
    if start < end:
        while inside_word(text, start):
            start -= 1
        while inside_word(text, end):
            end += 1
    return replace(edit, start=start, end=end)


def _count_words(text: str) -> int:
    return sum(token.kind is not TokenKind.PUNCTUATION for token in tokens(text))


def _as_sentence(quote: str, text: str, parts: Sequence[Part], edit: Edit) -> Edit:
    """Add what the text's sentence has beyond the passage, where the quotation begins or ends a sentence.

    "Members vote." leaves out the "only" of "Only members vote", or the "it seems" of "... vote, it seems".
    """
    edit = _reaching_out(quote, text, parts, edit)
    if edit.kind is Difference.ELISION:
        return edit
    first, last = parts[0], parts[-1]
    if _is_first(edit, first, text) and quote[:1].isupper() and text[first.start : first.start + 1].islower():
        return replace(edit, kind=Difference.WORDS, start=_opening(text, edit.start))
    if _is_last(edit, last, text) and quote[-1:] in _STOPS and text[last.end - 1 : last.end] not in _STOPS:
        tail = _TAIL * 2 if classes(text[last.end : last.end + 1]) == "c" else _TAIL
        return replace(edit, kind=Difference.WORDS, end=_words_behind(text, edit.end, tail))
    return edit


def _is_first(edit: Edit, first: Part, text: str) -> bool:
    return edit.quote_start == first.quote_start and not text[first.start : edit.start].strip()


def _is_last(edit: Edit, last: Part, text: str) -> bool:
    return edit.quote_end == last.quote_end and not text[edit.end : last.end].strip()


def _words_before(text: str, place: int, count: int) -> int:
    """Return where the `count` tokens before a place begin; none beyond the start of the sentence."""
    begin = max(0, place - _OUTSIDE)
    before = tokens(text[begin:place])
    for token in reversed(before[-count:]):
        if token.text in _STOPS:
            break
        place = begin + token.start
    return place


def _opening(text: str, place: int) -> int:
    """Return where the few words begin with which the sentence begins before a place, else the last of them.

    "Reportedly, the mayor knew", "It may be that members vote".
    """
    start = _words_before(text, place, _OPENING)
    begins = not text[:start].strip() or text[:start].rstrip()[-1:] in _STOPS
    return start if begins else _words_before(text, place, 1)


def _words_behind(text: str, place: int, count: int) -> int:
    """Return where the `count` tokens behind a place end; none beyond the end of the sentence."""
    begin = place
    for token in tokens(text[begin : begin + _OUTSIDE])[:count]:
        if token.text in _STOPS:
            break
        place = begin + token.end
    return place
