"""Addresses of the services that turn an identifier into a document."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

DOI_PROXY = "https://doi.org/"
EFETCH = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"

# The proxy reads every other character of a DOI only when it is escaped; + < > # ? are part of real ones.
_DOI_PLAIN = "/:;()._-~!$&'*,=@"


def doi_url(doi: str) -> str:
    """Return the address at which the DOI proxy resolves `doi`, which is escaped once."""
    return DOI_PROXY + quote(doi, safe=_DOI_PLAIN)


def efetch_url(numbers: Sequence[str]) -> str:
    """Return the address of the records with these PubMed numbers, in text form."""
    return f"{EFETCH}?db=pubmed&id={','.join(numbers)}&rettype=abstract&retmode=text"
