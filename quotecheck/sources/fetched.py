"""What is asked of the client and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from quotecheck.errors import SourceUnavailable
from quotecheck.sources.reference import Reference


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """A source to fetch; with `etag` or `last_modified` only if it has changed since.

    `final_url` is the address that gave these two, if it is known: no other is asked about them, for a source
    that leads to another page by now has changed, however old that page is.
    """

    reference: Reference
    etag: str | None = None
    last_modified: str | None = None
    final_url: str | None = None

    @property
    def is_conditional(self) -> bool:
        """Tell whether an unchanged page need not be sent again."""
        return self.etag is not None or self.last_modified is not None


@dataclass(frozen=True, slots=True)
class Fetched:
    """The bytes of a source and how they came.

    Attributes
    ----------
    reference : what was asked for.
    final_url : the address that delivered the body.
    body : the body, decoded from its Content-Encoding, at most `max_bytes`.
    wire_bytes : its size as it was sent.
    hops : addresses that redirected, in order, before `final_url`.
    etag, last_modified : what the server gives to ask later whether the page has changed.
    abstract_only : the body is an abstract, not the document itself.
    """

    reference: Reference
    final_url: str
    status: int
    content_type: str | None
    body: bytes
    wire_bytes: int
    hops: tuple[str, ...]
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    abstract_only: bool = False


@dataclass(frozen=True, slots=True)
class NotModified:
    """The page is still the one that the request's `etag` or `last_modified` stand for."""

    reference: Reference
    final_url: str
    checked_at: datetime


Outcome = Fetched | NotModified | SourceUnavailable
