"""Addresses of the services that turn an identifier into a document."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

DOI_PROXY = "https://doi.org/"
EFETCH = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
ARXIV = "https://arxiv.org/"
CROSSREF = "https://api.crossref.org/works/"
DATACITE = "https://api.datacite.org/dois/"
EUROPE_PMC = "https://www.ebi.ac.uk/europepmc/webservices/rest/search"

# The proxy reads every other character of a DOI only when it is escaped; + < > # ? are part of real ones.
_DOI_PLAIN = "/:;()._-~!$&'*,=@"


def escaped_doi(doi: str) -> str:
    """Return `doi` as it stands in a path."""
    return quote(doi, safe=_DOI_PLAIN)


def doi_url(doi: str) -> str:
    """Return the address at which the DOI proxy resolves `doi`, which is escaped once."""
    return DOI_PROXY + escaped_doi(doi)


def efetch_url(numbers: Sequence[str]) -> str:
    """Return the address of the records with these PubMed numbers, in text form."""
    return f"{EFETCH}?db=pubmed&id={','.join(numbers)}&rettype=abstract&retmode=text"


def pmc_url(number: str) -> str:
    """Return the address of the article with this PubMed Central number, as JATS."""
    return f"{EFETCH}?db=pmc&id={number}&retmode=xml"


def arxiv_url(form: str, identifier: str) -> str:
    """Return the address of a paper as `html`, `pdf` or `abs` (its abstract)."""
    return f"{ARXIV}{form}/{identifier}"
