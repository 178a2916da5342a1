"""From a reference to the document it means, whatever its kind: what to ask for, and what to ask next.

A web address, a DOI and a PubMed number are one fetch. An arXiv identifier is its full text where arXiv has
one, else its abstract. A PubMed Central number is the article's XML, which for some journals holds the
abstract alone. A file is read from the disk.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path

import anyio.to_thread

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import abstracts, endpoints
from quotecheck.sources.chain import Manner
from quotecheck.sources.fetched import Fetched, FetchRequest, NotModified
from quotecheck.sources.files import read_file
from quotecheck.sources.reasons import REFUSED, unavailable
from quotecheck.sources.reference import Reference, SourceKind
from quotecheck.sources.session import Session
from quotecheck.sources.url import parse_url

# Where nothing was wrong with the publisher's page, its abstract elsewhere is no remedy.
_NO_FALLBACK = REFUSED | {ReasonCode.DOI_NOT_FOUND, ReasonCode.REDIRECT_NOT_ALLOWED}


class Documents:
    """Reads documents through one session.

    `files_root` is the folder below which `file:` sources may be read. With `doi_fallback` the open abstract
    stands in for a DOI whose page cannot be read.
    """

    def __init__(self, session: Session, *, files_root: Path | None, doi_fallback: bool) -> None:
        self.session = session
        self._files_root = files_root
        self._doi_fallback = doi_fallback

    async def read(self, request: FetchRequest, manner: Manner) -> Fetched | NotModified:
        """Return the document that `request` means. Raises SourceUnavailable."""
        match request.reference.kind:
            case SourceKind.FILE if request.reference.refusal is None:
                return await self._read_file(request.reference, manner)
            case SourceKind.ARXIV:
                return await self._read_arxiv(request, manner)
            case SourceKind.PMC:
                return _article(await self.session.read(request, manner))
            case SourceKind.DOI:
                return await self._read_doi(request, manner)
            case _:
                return await self.session.read(request, manner)

    async def abstract(self, reference: Reference, manner: Manner) -> Fetched | None:
        """Return the open abstract of a DOI, or None where there is none or it was not asked for."""
        if not self._doi_fallback or reference.kind is not SourceKind.DOI:
            return None
        for registry in abstracts.registries(reference.key.removeprefix("doi:")):
            try:
                answer = await self.session.read(_web_request(registry.url), manner)
            except SourceUnavailable:
                continue  # the reason of the publisher's page is the one to report
            found = registry.read(answer.body) if isinstance(answer, Fetched) else None
            if isinstance(answer, Fetched) and found is not None:
                return dataclasses.replace(
                    answer,
                    reference=reference,
                    content_type="text/html; charset=utf-8",
                    body=found.as_page(),
                    etag=None,  # the registry's: the publisher, who is asked next time, has others
                    last_modified=None,
                    abstract_only=True,
                )
        return None

    async def _read_file(self, reference: Reference, manner: Manner) -> Fetched:
        return await anyio.to_thread.run_sync(
            lambda: read_file(self._files_root, reference, max_bytes=manner.max_bytes)
        )

    async def _read_doi(self, request: FetchRequest, manner: Manner) -> Fetched | NotModified:
        try:
            return await self.session.read(request, manner)
        except SourceUnavailable as error:
            if error.reason_code in _NO_FALLBACK:
                raise
            abstract = await self.abstract(request.reference, manner)
            if abstract is None:
                raise
            return abstract

    async def _read_arxiv(self, request: FetchRequest, manner: Manner) -> Fetched | NotModified:
        identifier = request.reference.key.removeprefix("arxiv:")
        full_texts = ["html", "pdf"] if importlib.util.find_spec("pypdfium2") else ["html"]
        for form in full_texts:
            try:
                return await self._read_arxiv_form(request, form, identifier, manner)
            except SourceUnavailable as error:
                if error.reason_code is not ReasonCode.HTTP_404_NOT_FOUND:
                    raise
        outcome = await self._read_arxiv_form(request, "abs", identifier, manner)
        return (
            outcome if isinstance(outcome, NotModified) else dataclasses.replace(outcome, abstract_only=True)
        )

    async def _read_arxiv_form(
        self, request: FetchRequest, form: str, identifier: str, manner: Manner
    ) -> Fetched | NotModified:
        web = _web_request(endpoints.arxiv_url(form, identifier))
        outcome = await self.session.read(dataclasses.replace(request, reference=web.reference), manner)
        return dataclasses.replace(outcome, reference=request.reference)


def _web_request(url: str) -> FetchRequest:
    return FetchRequest(Reference(source=url, kind=SourceKind.WEB, key=url, url=url))


def _article(outcome: Fetched | NotModified) -> Fetched | NotModified:
    """Return an article of PubMed Central; one whose publisher gives away the abstract only is marked.

    Raises SourceUnavailable (`pmid_not_found`) where the answer holds no article.
    """
    if isinstance(outcome, NotModified) or b"<body" in outcome.body:
        return outcome
    if b"<article" in outcome.body:
        return dataclasses.replace(outcome, abstract_only=True)
    host = parse_url(outcome.final_url).host
    number = outcome.reference.key.removeprefix("pmcid:")
    raise unavailable(ReasonCode.PMID_NOT_FOUND, host, number, final_url=outcome.final_url)
