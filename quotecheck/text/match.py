"""The verdict on quotations against one text: exact in some reading, near, or not there.

A text is prepared once for all its quotations. Exact comes first, then what equals a passage but for marked
or harmless differences, then the most similar passage; visible text comes before regions that a reader does
not see.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from quotecheck.errors import InvalidOption
from quotecheck.models import CheckResult, Source
from quotecheck.text.exact import ExactPassage, exact_in
from quotecheck.text.forms import parts_of
from quotecheck.text.near import NearPassage, best_near, in_pieces
from quotecheck.text.quotation import Quotation
from quotecheck.text.quotation import validate_quote as validate_quote
from quotecheck.text.record import Recorder

NEAR_LIMIT = 50_000  # characters; longer quotations are matched exactly only (the worst texts take 10 s)


def check_text(text: str, quote: str, *, near_threshold: float = 0.90) -> CheckResult:
    """Check one quotation against a text.

    Raises
    ------
    InvalidQuote : the quotation is empty, blank, invisible, or only punctuation and symbols.
    InvalidOption : `near_threshold` is not between 0.5 and 1.0.

    Examples
    --------
    >>> result = check_text("The lamp – he said – is never lit.", "The lamp - he said - is never lit.")
    >>> result.status, result.char_start, result.char_end
    (<Status.EXACT: 'EXACT'>, 0, 34)
    """
    return PreparedText(Source(text)).check(quote, near_threshold=near_threshold)


class PreparedText:
    """The text of a source, ready for many quotations; parts of it are folded and indexed when needed.

    Examples
    --------
    >>> prepared = PreparedText(Source("Hold fast. The rope is wet. Hold fast."))
    >>> [result.occurrences for result in prepared.check_many(["Hold fast.", "rope is wet"])]
    [2, 1]
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._parts = parts_of(source)
        self._phrases = self._parts[0].phrases
        self._recorder = Recorder(source, complete=self._phrases)

    def check(self, quote: str, *, near_threshold: float = 0.90) -> CheckResult:
        """Return the verdict on one quotation. Raises InvalidQuote, InvalidOption."""
        return self.check_many([quote], near_threshold=near_threshold)[0]

    def check_many(self, quotes: Sequence[str], *, near_threshold: float = 0.90) -> list[CheckResult]:
        """Return the verdict on each quotation, in order. Raises InvalidQuote, InvalidOption."""
        threshold = _as_fraction(near_threshold)
        distinct = {quote: Quotation(quote, phrases=self._phrases) for quote in quotes}
        results: dict[str, CheckResult] = {}
        for quotation in distinct.values():
            passage = self._exact(quotation)
            if passage is not None:
                results[quotation.raw] = self._recorder.exact(quotation, passage)
        rest = [quotation for quotation in distinct.values() if quotation.raw not in results]
        for quotation, result in zip(rest, self._near(rest, threshold), strict=True):
            results[quotation.raw] = result
        return [results[quote] for quote in quotes]

    def find_exact(self, quote: str) -> CheckResult | None:
        """Return the verdict on a quotation that is EXACT, else None; near passages are not looked for.

        Raises InvalidQuote.
        """
        quotation = Quotation(quote, phrases=self._phrases)
        passage = self._exact(quotation)
        return None if passage is None else self._recorder.exact(quotation, passage)

    def _exact(self, quotation: Quotation) -> ExactPassage | None:
        for part in self._parts:
            passage = exact_in(part, quotation)
            if passage is not None:
                return passage
        return None

    def _near(self, quotations: Sequence[Quotation], threshold: Fraction) -> list[CheckResult]:
        found: dict[str, NearPassage] = {}
        best: dict[str, NearPassage] = {}
        for part in self._parts:
            pending = [quotation for quotation in quotations if quotation.raw not in found]
            for quotation in pending:
                pieces = in_pieces(part, quotation, threshold)
                if pieces is not None:
                    found[quotation.raw] = pieces
            pending = [quotation for quotation in pending if quotation.raw not in found]
            searched = [quotation for quotation in pending if len(quotation.given.folded.text) <= NEAR_LIMIT]
            for quotation, passage in zip(searched, best_near(part, searched, threshold), strict=True):
                if passage.found:
                    found[quotation.raw] = passage
                elif quotation.raw not in best or passage.similarity > best[quotation.raw].similarity:
                    best[quotation.raw] = passage
        return [
            self._recorder.near(quotation, found[quotation.raw])
            if quotation.raw in found
            else self._recorder.not_found(quotation, best.get(quotation.raw))
            for quotation in quotations
        ]


def _as_fraction(near_threshold: float) -> Fraction:
    """Return a threshold as the decimal fraction that was written, so that verdicts compare integers."""
    if not 0.5 <= near_threshold <= 1.0:
        raise InvalidOption(f"near_threshold is {near_threshold}; it can be 0.5 to 1.0")
    return Fraction(str(near_threshold)).limit_denominator(10_000)
