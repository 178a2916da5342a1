"""How requests introduce themselves: the program, its page, and whom to write to."""

from __future__ import annotations

import functools
import re
from importlib import metadata

from quotecheck import __version__
from quotecheck.errors import InvalidOption
from quotecheck.sources.content import accept_encoding

_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.9,application/pdf;q=0.8,*/*;q=0.5"


def request_headers(contact: str | None) -> list[tuple[bytes, bytes]]:
    """Return the headers of every request. Raises InvalidOption for a contact that fits in no header."""
    return [
        (b"User-Agent", user_agent(contact).encode("ascii")),
        (b"Accept", _ACCEPT.encode("ascii")),
        (b"Accept-Encoding", accept_encoding().encode("ascii")),
        (b"Accept-Language", b"en,*;q=0.5"),
    ]


def user_agent(contact: str | None) -> str:
    """Return `quotecheck/<version>`, with the project's URL where it has one, and the contact.

    `contact` is a mail address or a URL. Raises InvalidOption where it is neither.
    """
    # Neither blanks nor parentheses: it stands in a comment of the header.
    if contact is not None and not re.fullmatch(r"[!-'*-~]+@[!-'*-~]+|https?://[!-'*-~]+", contact):
        raise InvalidOption(f"contact is {contact!r}: it must be a mail address or a URL, in ASCII")
    named = [f"+{url}" for url in [_project_url()] if url] + [contact for contact in [contact] if contact]
    return f"quotecheck/{__version__}" + (f" ({'; '.join(named)})" if named else "")


@functools.cache
def _project_url() -> str | None:
    try:
        entries = metadata.metadata("quotecheck-audit").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return None
    return next((entry.partition(",")[2].strip() for entry in entries), None)
