"""The services that turn an identifier into a document."""

from __future__ import annotations

DOI_PROXY = "https://doi.org/"
EFETCH = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
