"""Pieces joined in order, beside a search that tries every combination."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from quotecheck.models import Span
from quotecheck.text.chain import BRACKET_MEASURE, BRACKET_REACH, GAP_LIMIT, Chain
from quotecheck.text.plans import Piece
from quotecheck.text.views import Literal
from quotecheck.text.words import measure


def _first_by_trying(text: str, pieces: list[Piece]) -> tuple[Span, ...] | None:
    """Return the first combination of places, in the order of first, second, ... start, that fits."""
    places = [
        [place for place in range(len(text)) if text.startswith(piece.words, place)] for piece in pieces
    ]
    for starts in product(*places):
        spans = tuple((at, at + len(piece.words)) for at, piece in zip(starts, pieces, strict=True))
        if all(map(_fits, [text] * len(pieces), pieces, spans, spans[1:])):
            return spans
    return None


def _fits(text: str, piece: Piece, span: Span, following: Span) -> bool:
    gap = text[span[1] : following[0]]
    if following[0] < span[1]:
        return False
    if piece.bracket_follows:
        return measure(gap) <= BRACKET_MEASURE and len(gap) <= BRACKET_REACH
    return len(gap) <= GAP_LIMIT


@settings(deadline=None, max_examples=400)
@given(
    st.lists(st.sampled_from(["a ", "b ", "c ", "x y z w v ", "." * 999]), max_size=14),
    st.lists(st.tuples(st.sampled_from(["a ", "b ", "c ", "a b "]), st.booleans()), min_size=1, max_size=4),
)
def test_chain_equals_the_slow_search(parts: list[str], wanted: list[tuple[str, bool]]) -> None:
    """Earliest first piece for which all gaps fit, then the smallest gaps."""
    text = "".join(parts)
    pieces = [Piece((0, 0), words, bracket_follows=bracket) for words, bracket in wanted]
    pieces[-1] = Piece((0, 0), pieces[-1].words)
    assert Chain(Literal(text), pieces, strict=False).first() == _first_by_trying(text, pieces)
