"""The values that travel between the layers: verdicts, reason codes, and sources with their text.

Everything here is immutable and free of behaviour that needs a library, so that each layer, a worker
process and a result table can share it. Offsets are always (start, end) in code points, end exclusive.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from functools import cached_property

Span = tuple[int, int]


class Status(StrEnum):
    """The verdict on a quotation. INVALID exists for rows of a table only."""

    EXACT = "EXACT"
    NEAR = "NEAR"
    NOT_FOUND = "NOT_FOUND"
    SOURCE_UNAVAILABLE = "SOURCE_UNAVAILABLE"
    INVALID = "INVALID"


class Difference(StrEnum):
    """A class of difference between quotation and passage, from harmless to severe.

    The first three belong to EXACT, the others to NEAR. The order of the members is the order of severity.
    """

    NONE = "none"
    TYPOGRAPHY = "typography"
    LAYOUT = "layout"
    REFERENCE_MARK = "reference_mark"
    ELISION = "elision"
    EDITORIAL = "editorial"
    SPACING = "spacing"
    PUNCTUATION = "punctuation"
    CASE = "case"
    DIACRITICS = "diacritics"
    WORDS = "words"


class Flag(StrEnum):
    """An observation beside the verdict; a flag never changes the status."""

    NUMBER_CHANGED = "number_changed"
    NEGATION_CHANGED = "negation_changed"
    MODALITY_CHANGED = "modality_changed"
    UNIT_CHANGED = "unit_changed"
    NEGATION_NEARBY = "negation_nearby"
    NEGATION_ELIDED = "negation_elided"
    CUTS_WORD = "cuts_word"
    CUTS_NUMBER = "cuts_number"
    SHORT_QUOTE = "short_quote"
    REPEATED = "repeated"
    SUPERSCRIPT_DIGITS = "superscript_digits"
    ABSTRACT_ONLY = "abstract_only"
    OUTSIDE_VISIBLE_TEXT = "outside_visible_text"
    NEEDS_JAVASCRIPT = "needs_javascript"
    BEST_NOT_PROVEN = "best_not_proven"
    NEAR_NOT_SEARCHED = "near_not_searched"
    FOUND_ELSEWHERE = "found_elsewhere"


class ReasonCode(StrEnum):
    """Why a source could not be read (a closed list), grouped by who can act on it."""

    # input: fix the row
    BAD_URL = "bad_url"
    SCHEME_NOT_ALLOWED = "scheme_not_allowed"
    CREDENTIALS_IN_URL = "credentials_in_url"
    PORT_NOT_ALLOWED = "port_not_allowed"
    # refused: the guard says no
    HOST_NOT_PUBLIC = "host_not_public"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    REDIRECT_NOT_ALLOWED = "redirect_not_allowed"
    REDIRECT_INVALID = "redirect_invalid"
    FILE_OUTSIDE_ROOT = "file_outside_root"
    # dead: find an archived copy
    DNS_NOT_FOUND = "dns_not_found"
    HTTP_404_NOT_FOUND = "http_404_not_found"
    HTTP_410_GONE = "http_410_gone"
    HTTP_4XX_OTHER = "http_4xx_other"
    DOI_NOT_FOUND = "doi_not_found"
    PMID_NOT_FOUND = "pmid_not_found"
    CONNECT_REFUSED = "connect_refused"
    TLS_CERTIFICATE_EXPIRED = "tls_certificate_expired"
    TLS_HOSTNAME_MISMATCH = "tls_hostname_mismatch"
    TLS_UNTRUSTED_ISSUER = "tls_untrusted_issuer"
    TLS_HANDSHAKE_FAILED = "tls_handshake_failed"
    # blocked: check by hand
    HTTP_401_LOGIN_REQUIRED = "http_401_login_required"
    HTTP_403_FORBIDDEN = "http_403_forbidden"
    HTTP_451_LEGAL = "http_451_legal"
    BLOCKED_BY_BOT_PROTECTION = "blocked_by_bot_protection"
    # transient: run again later
    DNS_TEMPORARY_FAILURE = "dns_temporary_failure"
    DNS_TIMEOUT = "dns_timeout"
    CONNECT_FAILED = "connect_failed"
    CONNECTION_RESET = "connection_reset"
    BODY_TRUNCATED = "body_truncated"
    HTTP_PROTOCOL_ERROR = "http_protocol_error"
    DEADLINE_EXCEEDED = "deadline_exceeded"
    RATE_LIMITED = "rate_limited"
    HTTP_5XX_SERVER_ERROR = "http_5xx_server_error"
    # size
    TOO_LARGE_DECLARED = "too_large_declared"
    TOO_LARGE_STREAMED = "too_large_streamed"
    TOO_LARGE_DECOMPRESSED = "too_large_decompressed"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    # content
    CONTENT_TYPE_UNSUPPORTED = "content_type_unsupported"
    CONTENT_ENCODING_UNSUPPORTED = "content_encoding_unsupported"
    CONTENT_DECODING_FAILED = "content_decoding_failed"
    BINARY_CONTENT = "binary_content"
    EMPTY_BODY = "empty_body"
    NO_TEXT = "no_text"
    NO_ABSTRACT = "no_abstract"
    PDF_SUPPORT_MISSING = "pdf_support_missing"
    PDF_ENCRYPTED = "pdf_encrypted"
    PDF_DAMAGED = "pdf_damaged"
    EXTRACTION_LIMIT = "extraction_limit"
    # ours
    CANCELLED = "cancelled"
    INTERNAL_ERROR = "internal_error"
    NOT_IN_STORE = "not_in_store"


@dataclass(frozen=True, slots=True)
class WordDifference:
    """One place where quotation and passage differ.

    `quote` is `raw_quote[quote_start:quote_end]` and `source` is `text[source_start:source_end]`, each
    possibly empty; `text` is the source's whole text, so its offsets compare with `CheckResult.char_start`.
    """

    kind: Difference
    quote: str
    source: str
    quote_start: int
    quote_end: int
    source_start: int
    source_end: int


@dataclass(frozen=True, slots=True)
class Closest:
    """The best passage of a NOT_FOUND: a hint for a person, not a match."""

    char_start: int
    char_end: int
    text: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The verdict on one quotation; the order of the first seven fields is fixed.

    `char_start` and `char_end` are offsets into `fetch_source(source).text`, end exclusive, and
    `snippet == text[char_start:char_end]`. `similarity` is 2·LCS/(|quote|+|passage|) on folded text,
    unrounded.
    """

    status: Status
    char_start: int | None = None
    char_end: int | None = None
    similarity: float | None = None
    snippet: str | None = None
    source_final_url: str | None = None
    reason: str | None = None
    reason_code: ReasonCode | None = None
    difference: Difference | None = None
    flags: tuple[Flag, ...] = ()
    differences: tuple[WordDifference, ...] = ()
    occurrences: int = 0
    segments: tuple[Span, ...] = ()
    region: str | None = None
    page: int | None = None
    closest: Closest | None = None
    passage_url: str | None = None
    text_sha256: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the record as plain JSON values, keys in the documented order."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


def _plain(value: object) -> object:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, WordDifference | Closest):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a source's text that a reader does not see: `title`, `description` or `hidden`."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Source:
    """The text of a source, and what its markup said about parts of it.

    Attributes
    ----------
    text : what a reader sees, in reading order, then the regions, each behind a blank line.
    regions : parts behind the visible text, in order, not overlapping.
    ignorable : spans that the markup declares as apparatus (footnote marks, ruby, running heads), ascending.
    raised : spans that the markup raised or lowered (`sup`, `sub`), ascending: digits there are not plain.
    page_starts : offset of each PDF page's first character; empty for other formats.
    flags : observations that every verdict on this source carries (`abstract_only`, `needs_javascript`, ...).
    title : the page's own title, for people only.
    final_url : address after redirects; None for a text that was handed in.
    """

    text: str
    regions: tuple[Region, ...] = ()
    ignorable: tuple[Span, ...] = ()
    raised: tuple[Span, ...] = ()
    page_starts: tuple[int, ...] = ()
    flags: tuple[Flag, ...] = ()
    title: str | None = None
    final_url: str | None = None
    content_type: str | None = None
    charset: str | None = None
    fetched_at: datetime | None = None

    @cached_property
    def text_sha256(self) -> str:
        """SHA-256 of the text in UTF-8 (surrogatepass): what offsets refer to."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()
