"""How much is read of one answer: beyond it, the input is no answer of a model, and is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from quotecheck.errors import InvalidInput

T = TypeVar("T")

MAX_CHARACTERS = 100_000_000
MAX_MARKS = 1_000_000
MAX_SPANS = 1_000_000
MAX_SENTENCES = 1_000_000
MAX_CITATIONS = 100_000


def require_readable(what: str, value: object) -> None:
    """Raise InvalidInput for a text of more than 100,000,000 characters."""
    if isinstance(value, str) and len(value) > MAX_CHARACTERS:
        raise InvalidInput(f"the {what} is {len(value):,} characters long: the limit is {MAX_CHARACTERS:,}")


def at_most(limit: int, what: str, items: Iterable[T]) -> Iterator[T]:
    """Yield the items; raises InvalidInput at the first one beyond the limit.

    >>> list(at_most(2, "marks", [1, 2]))
    [1, 2]
    """
    for place, item in enumerate(items):
        if place == limit:
            raise InvalidInput(f"the answer has more than {limit:,} {what}: split it before it is checked")
        yield item
