"""Find the best window of one text for many quotations.

Plain strings in, offsets out; folding is the caller's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from quotecheck.text.scan import best_by_scan

DEFAULT_THRESHOLD = Fraction(9, 10)


@dataclass(frozen=True, slots=True)
class BestWindow:
    """The window `text[start:end]` most similar to a quotation.

    `lcs` is the length of their longest common subsequence. `found` says that the similarity reaches the
    threshold. `proven` says that no window of the text is better (found), or that none reaches the threshold
    (not found: then the window is the best that was seen, and its similarity a lower bound of the best).
    """

    start: int
    end: int
    lcs: int
    found: bool
    proven: bool

    def similarity(self, quote_length: int) -> float:
        """Return 2·lcs / (|quote| + |window|), unrounded; 0.0 for nothing at all."""
        total = quote_length + self.end - self.start
        return 2 * self.lcs / total if total else 0.0


class TextIndex:
    """One text, and what was worked out about it for all its quotations; built when first needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def find_exact(self, quotes: Sequence[str]) -> list[int | None]:
        """Return for each quotation the start of its first occurrence, or None."""
        starts = (self.text.find(quote) for quote in quotes)
        return [start if start >= 0 else None for start in starts]

    def best_windows(
        self, quotes: Sequence[str], *, threshold: Fraction = DEFAULT_THRESHOLD
    ) -> list[BestWindow]:
        """Return for each quotation the window of greatest similarity, ties: smallest start, then shortest."""
        return [self._best_window(quote, threshold) for quote in quotes]

    def _best_window(self, quote: str, threshold: Fraction) -> BestWindow:
        whole = 0, len(self.text)
        best = best_by_scan(quote, self.text, *whole, *threshold.as_integer_ratio()) if quote else None
        if best is not None:
            return BestWindow(*best, found=True, proven=True)
        seen = best_by_scan(quote, self.text, *whole, 1, 1_000_000) if quote else None
        start, end, lcs = seen or (0, 0, 0)
        return BestWindow(start, end, lcs, found=False, proven=True)
