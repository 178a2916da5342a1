"""PubMed records through NCBI's efetch, one or up to 200 in a call.

A record's text is cut out of the answer here, so that one record is one body, however it was fetched.
"""

from __future__ import annotations

import dataclasses
from urllib.parse import quote

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.decode import decode
from quotecheck.extract.pubmed import PubmedRecord, parse_records
from quotecheck.models import ReasonCode
from quotecheck.sources.endpoints import efetch_url
from quotecheck.sources.fetched import Fetched
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.reference import Reference, SourceKind
from quotecheck.sources.url import parse_url

# NCBI asks for POST above about 200 identifiers (NBK25499), and we send GET only.
IDS_PER_CALL = 200
MAX_BYTES_PER_CALL = 25_000_000

# What efetch says, with status 200 or 400, where it knows none of the numbers.
_UNKNOWN = (b"ID list is empty", b"cannot get document summary", b"Cannot process ID list")


def introduced(url: str, contact: str | None) -> str:
    """Return an efetch address with the parameters by which NCBI knows who asks."""
    mail = f"&email={quote(contact, safe='@')}" if contact and "@" in contact else ""
    return f"{url}&tool=quotecheck{mail}"


def call_for(references: list[Reference], contact: str | None) -> Reference:
    """Return the address of one call for several PubMed records, as a reference of its own."""
    url = introduced(efetch_url([pmid(reference) for reference in references]), contact)
    return Reference(source=url, kind=SourceKind.WEB, key=url, url=url)


def pmid(reference: Reference) -> str:
    """Return the number of a PubMed reference."""
    return reference.key.removeprefix("pmid:")


def says_unknown(status: int, body: bytes) -> bool:
    """Tell whether an answer says that there is no record with any of the numbers asked for."""
    words = any(words in body[:2000] for words in _UNKNOWN)
    return status in (200, 400) and (words or not body.strip())


def not_found(reference: Reference) -> SourceUnavailable:
    """Return the error for a number that NCBI does not know."""
    host = parse_url(reference.url or efetch_url([])).host
    return unavailable(ReasonCode.PMID_NOT_FOUND, host, f"PMID {pmid(reference)}")


def records_of(call: Fetched) -> dict[str, PubmedRecord]:
    """Return the records of an answer by their numbers."""
    return parse_records(decode(call.body, call.content_type).text)


def record_fetched(call: Fetched, record: PubmedRecord | None, reference: Reference) -> Fetched:
    """Return one record of an answer as what was fetched for `reference`.

    Raises SourceUnavailable: `pmid_not_found` where the answer has no such record, `no_abstract` where the
    record has none.
    """
    if record is None:
        raise not_found(reference)
    final_url = reference.url or call.final_url
    if not record.has_abstract:
        host = parse_url(final_url).host
        raise unavailable(ReasonCode.NO_ABSTRACT, host, f"PMID {record.pmid}", final_url=final_url)
    body = record.text.encode("utf-8", "surrogatepass")
    return dataclasses.replace(
        call,
        reference=reference,
        final_url=final_url,
        content_type="text/plain; charset=utf-8",
        body=body,
        abstract_only=True,
    )
