"""Errors that quotecheck raises.

    QuotecheckError
    ├── InvalidQuote (ValueError)      the quotation is empty, blank, or only punctuation
    ├── InvalidSource (ValueError)     the string names no source
    ├── InvalidOption (ValueError)     an option has a value that it cannot have
    ├── InvalidInput (ValueError)      a table cannot be read or written as asked
    ├── MissingExtra (ImportError)     an optional dependency is needed; the message names the extra
    └── SourceUnavailable              the source could not be read (see `quotecheck.models.ReasonCode`)

A caller's mistake raises, and `reason_code` names it in a batch row. `SourceUnavailable` is raised by
`fetch_source` alone: a check returns it as the verdict SOURCE_UNAVAILABLE.
"""

from __future__ import annotations

from quotecheck.models import ReasonCode


class QuotecheckError(Exception):
    """Base of everything that quotecheck raises on purpose."""


class InvalidQuote(QuotecheckError, ValueError):
    """The quotation holds nothing that could be looked for."""

    reason_code = "blank_quote"


class InvalidSource(QuotecheckError, ValueError):
    """The string is blank or is none of the source forms.

    `reason_code` is `blank_source` or `not_a_source`.
    """

    def __init__(self, message: str, *, reason_code: str = "not_a_source") -> None:
        super().__init__(message)
        self.reason_code = reason_code


class InvalidOption(QuotecheckError, ValueError):
    """An option has a value outside its documented range."""


class InvalidInput(QuotecheckError, ValueError):
    """A table cannot be read or written as asked; the message names the file and the remedy."""


class MissingExtra(QuotecheckError, ImportError):
    """A feature needs an optional dependency that is not installed; the message names the extra."""


class SourceUnavailable(QuotecheckError):
    """The source could not be read, so nothing is known about the quotation.

    Attributes
    ----------
    reason_code : why, from the closed list of `ReasonCode`.
    reason : a sentence that names what failed, at which host, and what to do.
    final_url : the last address contacted, after redirects, or None.
    """

    def __init__(self, reason_code: ReasonCode, reason: str, *, final_url: str | None = None) -> None:
        super().__init__(reason)
        self.reason_code = reason_code
        self.reason = reason
        self.final_url = final_url

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_unavailable, (self.reason_code, self.reason, self.final_url)


def _rebuild_unavailable(reason_code: ReasonCode, reason: str, final_url: str | None) -> SourceUnavailable:
    return SourceUnavailable(reason_code, reason, final_url=final_url)
