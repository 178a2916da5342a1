"""Audit quotations against their cited sources: do the words stand there, where, and what differs?

The public names load on first use, so that `import quotecheck` costs nothing heavy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from quotecheck.batch.options import BatchOptions as BatchOptions
    from quotecheck.batch.options import FetchOptions as FetchOptions
    from quotecheck.batch.run import audit as audit
    from quotecheck.batch.run import run_batch as run_batch
    from quotecheck.citations.report import AnswerReport as AnswerReport
    from quotecheck.citations.review import check_answer as check_answer
    from quotecheck.errors import InvalidInput as InvalidInput
    from quotecheck.errors import InvalidOption as InvalidOption
    from quotecheck.errors import InvalidQuote as InvalidQuote
    from quotecheck.errors import InvalidSource as InvalidSource
    from quotecheck.errors import MissingExtra as MissingExtra
    from quotecheck.errors import QuotecheckError as QuotecheckError
    from quotecheck.errors import SourceUnavailable as SourceUnavailable
    from quotecheck.models import CheckResult as CheckResult
    from quotecheck.models import Difference as Difference
    from quotecheck.models import Flag as Flag
    from quotecheck.models import ReasonCode as ReasonCode
    from quotecheck.models import Source as Source
    from quotecheck.models import Status as Status
    from quotecheck.models import WordDifference as WordDifference
    from quotecheck.single import Client as Client
    from quotecheck.single import check as check
    from quotecheck.single import fetch_source as fetch_source
    from quotecheck.sources.importing import import_folder as import_folder
    from quotecheck.sources.store import Store as Store
    from quotecheck.text.match import check_text as check_text

_HOME = {
    "check": "quotecheck.single",
    "check_answer": "quotecheck.citations.review",
    "check_text": "quotecheck.text.match",
    "fetch_source": "quotecheck.single",
    "audit": "quotecheck.batch.run",
    "run_batch": "quotecheck.batch.run",
    "BatchOptions": "quotecheck.batch.options",
    "FetchOptions": "quotecheck.batch.options",
    "Store": "quotecheck.sources.store",
    "import_folder": "quotecheck.sources.importing",
    "Client": "quotecheck.single",
    "AnswerReport": "quotecheck.citations.report",
    "CheckResult": "quotecheck.models",
    "Difference": "quotecheck.models",
    "Flag": "quotecheck.models",
    "ReasonCode": "quotecheck.models",
    "Source": "quotecheck.models",
    "Status": "quotecheck.models",
    "WordDifference": "quotecheck.models",
    "InvalidInput": "quotecheck.errors",
    "InvalidOption": "quotecheck.errors",
    "InvalidQuote": "quotecheck.errors",
    "InvalidSource": "quotecheck.errors",
    "MissingExtra": "quotecheck.errors",
    "QuotecheckError": "quotecheck.errors",
    "SourceUnavailable": "quotecheck.errors",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'quotecheck' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
