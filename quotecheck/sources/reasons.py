"""What each reason code means, in a sentence that names the host and says what to do.

One table serves every front end: the record's `reason` adds what was seen (`detail`), and readers that may
show no words of a stranger's server use the sentence without it.
"""

from __future__ import annotations

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode

_SAVE_IT = "Open the page yourself, save its text, and check the quotation against that text"
_CORRECT_IT = "Correct the address"
_ARCHIVED = "Correct the address or cite an archived copy"
_LATER = "Run the check again later"
_PUBLIC_ONLY = "Only public web addresses are contacted; save the text and check the quotation against it"

# code: (what happened; {host} is the host's name or "the source", what to do)
_EXPLANATIONS: dict[ReasonCode, tuple[str, str]] = {
    ReasonCode.BAD_URL: ("the address of {host} is not a valid web address", _CORRECT_IT),
    ReasonCode.SCHEME_NOT_ALLOWED: (
        "{host} is not an http or https address",
        "Only http and https addresses are fetched",
    ),
    ReasonCode.CREDENTIALS_IN_URL: (
        "the address of {host} carries a user name or password",
        "Remove everything up to the @ in front of the host",
    ),
    ReasonCode.PORT_NOT_ALLOWED: (
        "the address of {host} names a port that is not used for web pages",
        "Ports 80, 443 and most ports from 1024 on are allowed",
    ),
    ReasonCode.HOST_NOT_PUBLIC: ("{host} is not the name of a public host", _PUBLIC_ONLY),
    ReasonCode.ADDRESS_NOT_PUBLIC: ("{host} is not at a public address", _PUBLIC_ONLY),
    ReasonCode.REDIRECT_NOT_ALLOWED: (
        "{host} redirects to an address that is refused",
        "Cite the page at its own public address",
    ),
    ReasonCode.REDIRECT_INVALID: ("{host} redirects to something that is not an address", _ARCHIVED),
    ReasonCode.FILE_OUTSIDE_ROOT: (
        "{host} is not below the folder from which files may be read",
        "Move the file there, or name another folder with --files-root",
    ),
    ReasonCode.DNS_NOT_FOUND: ("the name {host} does not exist", _ARCHIVED),
    ReasonCode.HTTP_404_NOT_FOUND: ("{host} has no such page (HTTP 404)", _ARCHIVED),
    ReasonCode.HTTP_410_GONE: ("{host} has removed the page (HTTP 410)", "Cite an archived copy"),
    ReasonCode.HTTP_4XX_OTHER: ("{host} rejected the request", _SAVE_IT),
    ReasonCode.DOI_NOT_FOUND: ("{host} does not know this DOI", "Correct the DOI"),
    ReasonCode.PMID_NOT_FOUND: ("{host} has no record with this number", "Correct the number"),
    ReasonCode.CONNECT_REFUSED: ("{host} accepts no connections", _ARCHIVED),
    ReasonCode.TLS_CERTIFICATE_EXPIRED: ("the certificate of {host} is not valid today", _SAVE_IT),
    ReasonCode.TLS_HOSTNAME_MISMATCH: ("the certificate of {host} is for another name", _SAVE_IT),
    ReasonCode.TLS_UNTRUSTED_ISSUER: (
        "the certificate of {host} is not from an issuer that is trusted here, or the server leaves out a "
        "certificate in between",
        _SAVE_IT,
    ),
    ReasonCode.TLS_HANDSHAKE_FAILED: ("no secure connection to {host} could be made", _SAVE_IT),
    ReasonCode.HTTP_401_LOGIN_REQUIRED: ("{host} asks for a login", _SAVE_IT),
    ReasonCode.HTTP_403_FORBIDDEN: ("{host} refuses programs access to the page (HTTP 403)", _SAVE_IT),
    ReasonCode.HTTP_451_LEGAL: ("{host} withholds the page for legal reasons (HTTP 451)", _SAVE_IT),
    ReasonCode.BLOCKED_BY_BOT_PROTECTION: (
        "{host} answered with a bot check in place of the page",
        _SAVE_IT,
    ),
    ReasonCode.DNS_TEMPORARY_FAILURE: ("the name {host} could not be looked up just now", _LATER),
    ReasonCode.DNS_TIMEOUT: ("the name servers of {host} did not answer in time", _LATER),
    ReasonCode.CONNECT_FAILED: ("no connection to {host} could be made", _LATER),
    ReasonCode.CONNECTION_RESET: ("{host} closed the connection without an answer", _LATER),
    ReasonCode.BODY_TRUNCATED: ("{host} closed the connection before the page was complete", _LATER),
    ReasonCode.HTTP_PROTOCOL_ERROR: ("{host} sent something that is not valid HTTP", _LATER),
    ReasonCode.DEADLINE_EXCEEDED: ("{host} did not deliver the page within the deadline", _LATER),
    ReasonCode.RATE_LIMITED: ("{host} limits how often it may be asked", _LATER),
    ReasonCode.HTTP_5XX_SERVER_ERROR: ("{host} reported a fault of its own", _LATER),
    ReasonCode.TOO_LARGE_DECLARED: ("the page at {host} is declared larger than the limit", _SAVE_IT),
    ReasonCode.TOO_LARGE_STREAMED: ("the page at {host} is larger than the limit", _SAVE_IT),
    ReasonCode.TOO_LARGE_DECOMPRESSED: (
        "the page at {host} is larger than the limit when decompressed",
        _SAVE_IT,
    ),
    ReasonCode.TOO_MANY_REDIRECTS: (
        "{host} redirects again after the limit of redirects",
        "Cite the page at its final address",
    ),
    ReasonCode.CONTENT_TYPE_UNSUPPORTED: ("{host} delivers a type of file that holds no text", _SAVE_IT),
    ReasonCode.CONTENT_ENCODING_UNSUPPORTED: (
        "{host} compressed the page in a way that was not offered",
        _SAVE_IT,
    ),
    ReasonCode.CONTENT_DECODING_FAILED: ("the compressed page from {host} is damaged", _SAVE_IT),
    ReasonCode.BINARY_CONTENT: ("{host} delivers binary data under the name of text", _SAVE_IT),
    ReasonCode.EMPTY_BODY: ("{host} delivered an empty page", _SAVE_IT),
    ReasonCode.NO_TEXT: ("the document from {host} holds no text", _SAVE_IT),
    ReasonCode.NO_ABSTRACT: ("the record at {host} has no abstract", "Check against the paper itself"),
    ReasonCode.PDF_SUPPORT_MISSING: (
        "{host} delivers a PDF, and PDF support is not installed",
        "Install quotecheck-audit[pdf], quotecheck with its extra for PDF",
    ),
    ReasonCode.PDF_ENCRYPTED: ("the PDF from {host} needs a password", _SAVE_IT),
    ReasonCode.PDF_DAMAGED: ("the PDF from {host} is damaged", _SAVE_IT),
    ReasonCode.EXTRACTION_LIMIT: (
        "the document from {host} needs more time or memory than one document may use",
        _SAVE_IT,
    ),
    ReasonCode.CANCELLED: ("the fetch from {host} was cancelled", "Run the check again"),
    ReasonCode.INTERNAL_ERROR: (
        "the fetch from {host} failed because of a fault in quotecheck",
        "Report it, with the source",
    ),
    ReasonCode.NOT_IN_STORE: (
        "{host} is not in the store, and nothing is fetched offline",
        "Run again without --offline",
    ),
}

# Worth another try within minutes. A 408 or 425 is too, which only the status tells.
TRANSIENT = frozenset(
    {
        ReasonCode.DNS_TEMPORARY_FAILURE,
        ReasonCode.DNS_TIMEOUT,
        ReasonCode.CONNECT_FAILED,
        ReasonCode.CONNECTION_RESET,
        ReasonCode.BODY_TRUNCATED,
        ReasonCode.HTTP_PROTOCOL_ERROR,
        ReasonCode.DEADLINE_EXCEEDED,
        ReasonCode.RATE_LIMITED,
        ReasonCode.HTTP_5XX_SERVER_ERROR,
    }
)

# What the guard refuses before it contacts anything.
REFUSED = frozenset(
    {
        ReasonCode.BAD_URL,
        ReasonCode.SCHEME_NOT_ALLOWED,
        ReasonCode.CREDENTIALS_IN_URL,
        ReasonCode.PORT_NOT_ALLOWED,
        ReasonCode.HOST_NOT_PUBLIC,
        ReasonCode.ADDRESS_NOT_PUBLIC,
    }
)


def explain(code: ReasonCode, host: str | None, detail: str = "") -> str:
    """Return the sentence for `code`: what happened at `host`, what was seen, what to do.

    >>> explain(ReasonCode.HTTP_410_GONE, "example.org")
    'example.org has removed the page (HTTP 410). Cite an archived copy.'
    """
    failure, remedy = _EXPLANATIONS[code]
    what = failure.format(host=host or "the source")
    if not failure.startswith("{host}") or not host:
        what = what[0].upper() + what[1:]
    seen = f": {detail}" if detail else ""
    return f"{what}{seen}. {remedy}."


def unavailable(
    code: ReasonCode, host: str | None, detail: str = "", *, final_url: str | None = None
) -> SourceUnavailable:
    """Return the error for `code` at `host`, ready to be raised."""
    return SourceUnavailable(code, explain(code, host, detail), final_url=final_url)
