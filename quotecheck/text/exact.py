"""Exact passages: where a quotation stands in some reading, how often, and which occurrence is reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from quotecheck.models import Span
from quotecheck.text.characters import DIGIT_FIRST, DIGIT_LAST, GUILLEMET, RAISED, traits_of
from quotecheck.text.forms import Form, Part
from quotecheck.text.quotation import Quotation
from quotecheck.text.readings import Readings

_TRIES = 2_000  # occurrences among which the one to report is chosen


@dataclass(frozen=True, slots=True)
class ExactPassage:
    """A passage that equals a quotation in some reading: offsets in one form's folded text."""

    part: Part
    form: Form
    quote: Readings
    start: int
    end: int
    occurrences: int = 1

    def verbatim_span(self, quotation: Quotation) -> Span | None:
        """Return where the quotation stands as given, outer spaces and invisible characters included."""
        lead = int(self.quote.folded.start[0])
        start = int(self.form.folded.start[self.start]) - lead
        return self.part.verbatim_span(quotation.raw, start)


def exact_in(part: Part, quotation: Quotation) -> ExactPassage | None:
    """Return where a quotation stands in one region, or None."""
    for variant in quotation.variants:
        passage = _in_some_reading(part, quotation, variant)
        if passage is not None:
            return passage
    return _as_given(part, quotation) if _folds_by_context(quotation.raw) else None


def _in_some_reading(part: Part, quotation: Quotation, quote: Readings) -> ExactPassage | None:
    """Find all occurrences; those that only the form without ignorable spans has are reported last."""
    seen: set[Span] = set()
    chosen: ExactPassage | None = None
    count = 0
    for form in part.forms:
        spans = iter(form.passages(quote))
        if len(part.forms) > 1:
            spans = _unseen(form, spans, seen)
        passages = [ExactPassage(part, form, quote, *span) for span in islice(spans, _TRIES)]
        count += len(passages) + sum(1 for _ in spans)
        chosen = chosen or _best_of(quotation, passages)
    return chosen and replace(chosen, occurrences=count)


def _unseen(form: Form, spans: Iterable[Span], seen: set[Span]) -> Iterator[Span]:
    for span in spans:
        original = form.folded.span(*span)
        if original not in seen:
            seen.add(original)
            yield span


def _best_of(quotation: Quotation, passages: Sequence[ExactPassage]) -> ExactPassage | None:
    """Return the first passage that cuts no word or number, else the first.

    Where the quotation stands as it was given, only such places are considered.
    """
    best: ExactPassage | None = None
    best_rank = (False, False)
    for passage in passages:
        verbatim = passage.verbatim_span(quotation) is not None
        rank = (verbatim, not passage.form.cuts(passage.start, passage.end))
        if best is None or rank > best_rank:
            best, best_rank = passage, rank
        if best_rank == (True, True):
            break
    return best


def _as_given(part: Part, quotation: Quotation) -> ExactPassage | None:
    """Find a quotation whose first or last character folds otherwise in its context.

    "⁶ people" folds to "6 people" by itself, but not behind the 10 of "10⁶ people".
    """
    start = part.find(quotation.raw)
    span = None if start < 0 else part.kept.folded_span(start, start + len(quotation.raw))
    return None if span is None else ExactPassage(part, part.kept, quotation.given, *span)


def _folds_by_context(quote: str) -> bool:
    return bool(traits_of(quote) & (DIGIT_FIRST | DIGIT_LAST | RAISED | GUILLEMET))
