"""What a source string names: a web address, a DOI, a PubMed record, a paper, a file.

A string that has none of the source forms is the caller's mistake and raises. An address that has the form
but is refused by the guard is an ordinary `Reference` that carries its refusal, so that a table keeps its
row. Spelling variants of one source share one `key`.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote

from quotecheck.errors import InvalidSource, SourceUnavailable
from quotecheck.models import ReasonCode
from quotecheck.sources import endpoints
from quotecheck.sources.reasons import unavailable
from quotecheck.sources.url import parse_url, trimmed

Refusal = tuple[ReasonCode, str]
FILE_KEY = "file:"  # the keys of files begin so


class SourceKind(StrEnum):
    """How a source is reached."""

    WEB = "web"
    DOI = "doi"
    PUBMED = "pmid"
    PMC = "pmcid"
    ARXIV = "arxiv"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Reference:
    """One source that a caller named.

    Attributes
    ----------
    source : the string as it was given.
    kind : how it is reached.
    key : equal for spelling variants of one source: `https://host/path`, `doi:10....`, `pmid:123`,
        `pmcid:PMC123`, `arxiv:2101.00001`, `file:notes/weir.txt`.
    url : where reading begins; None where the reference is refused.
    refusal : reason code and sentence where the guard refuses the address as it is written, else None.
    """

    source: str
    kind: SourceKind
    key: str
    url: str | None
    refusal: Refusal | None = None


_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_DOI_LABEL = re.compile(r"doi(?:\s*:\s*|\s+)", re.IGNORECASE)
_DOI_PROXY = re.compile(r"(?:https?://)?(?:dx\.|www\.)?doi\.org(?::80|:443)?/", re.IGNORECASE)
_DOI_START = re.compile(r"10\.[0-9]{4,9}[./]")
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
# In the proxy's address these would lead out of the DOI's own prefix; no real DOI has them.
_DOT_SEGMENT = re.compile(r"/\.\.?(?:/|$)")
_LABELLED = re.compile(r"(?:(pmid|pmcid|arxiv)(?:\s*:\s*|\s+)|(file):)(.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"0*([1-9][0-9]{0,8})")
_PMC_NUMBER = re.compile(r"(?:pmc)?0*([1-9][0-9]{0,8})", re.IGNORECASE)
_ARXIV = re.compile(
    r"(?:[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[a-z]{2})?/[0-9]{7})(?:v[0-9]{1,3})?", re.IGNORECASE
)

_SENTENCE_ENDS = ".,;:!?'\"’”»…"
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}

_FORMS = "an http(s) URL, doi:10.... or pmid:N"


def parse_reference(source: str) -> Reference:
    """Return what `source` names.

    Raises InvalidSource for a blank string (`blank_source`) and for one that has none of the source forms
    (`not_a_source`). Never raises for an address that is refused: that is in `refusal`.

    >>> parse_reference("https://dx.doi.org/10.1000/ABC").key
    'doi:10.1000/abc'
    >>> parse_reference("ftp://example.org/x").refusal[0]
    <ReasonCode.SCHEME_NOT_ALLOWED: 'scheme_not_allowed'>
    """
    text = trimmed(source)
    if not text:
        raise InvalidSource(f"the source is blank: give {_FORMS}", reason_code="blank_source")
    if doi := _doi_text(text):
        return _doi_reference(source, doi)
    if label := _LABELLED.fullmatch(text):
        return _READERS[(label[1] or label[2]).lower()](source, label[3])
    if _looks_like_url(text):
        return _web_reference(source, text)
    raise InvalidSource(f"{_shown(text)} is not a source: give {_FORMS}{_hint(text)}")


def require_fetchable(reference: Reference) -> str:
    """Return the address at which reading begins, or raise SourceUnavailable with the refusal."""
    if reference.refusal is not None:
        raise SourceUnavailable(*reference.refusal)
    if reference.url is None:
        raise unavailable(ReasonCode.BAD_URL, None)
    return reference.url


def doi_hint(reference: Reference) -> str:
    """Return what may be wrong with a DOI that does not exist: marks of a sentence at its end."""
    doi = reference.key.removeprefix("doi:")
    shorter = doi
    while shorter and (shorter[-1] in _SENTENCE_ENDS or _closes_nothing(shorter)):
        shorter = shorter[:-1]
    if shorter == doi or not _is_doi(shorter):
        return ""
    return f"it ends with {doi[len(shorter) :]!a}, which is hardly part of it; try doi:{shorter}"


def _closes_nothing(text: str) -> bool:
    opening = _BRACKETS.get(text[-1])
    return opening is not None and text.count(opening) < text.count(text[-1])


def _doi_text(text: str) -> str | None:
    """Return the DOI in any of its forms, unescaped; None where the text has another form."""
    label = _DOI_LABEL.match(text)
    rest = text[label.end() :] if label else text
    doi = _doi_of_proxy_url(rest) or (_unescaped(rest) if label or _DOI_START.match(rest) else None)
    if doi is not None and _is_doi(doi):
        return doi
    if label:
        raise InvalidSource(
            f"{_shown(text)} is not a DOI: one has the form doi:10.1234/suffix, without spaces"
        )
    return None


def _is_doi(text: str) -> bool:
    return _DOI.fullmatch(text) is not None and not _DOT_SEGMENT.search(text)


def _doi_of_proxy_url(text: str) -> str | None:
    proxy = _DOI_PROXY.match(text)
    if proxy is None:
        return None
    # In a URL, what follows ? or # is no part of the DOI. Old DOIs end with a check character: ;2-#
    path, _, _ = re.split(r"([?#])", text[proxy.end() :] + "#", maxsplit=1)
    return _unescaped(path + "#" if text.endswith(";2-#") else path)


def _unescaped(text: str) -> str:
    """Undo percent-escapes once, unless they do not spell text."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def _doi_reference(source: str, doi: str) -> Reference:
    key = "doi:" + re.sub("[A-Z]+", lambda match: match.group().lower(), doi)
    return _fetchable(source, SourceKind.DOI, key, endpoints.doi_url(doi))


def _pubmed_reference(source: str, number: str) -> Reference:
    match = _NUMBER.fullmatch(number)
    if match is None:
        raise InvalidSource(f"{_shown(source)} is not a PubMed number: one has the form pmid:12345678")
    pmid = match.group(1)
    return _fetchable(source, SourceKind.PUBMED, f"pmid:{pmid}", endpoints.efetch_url([pmid]))


def _pmc_reference(source: str, number: str) -> Reference:
    match = _PMC_NUMBER.fullmatch(number)
    if match is None:
        raise InvalidSource(f"{_shown(source)} is not a PubMed Central number: one is pmcid:PMC1234567")
    number = match.group(1)
    return _fetchable(source, SourceKind.PMC, f"pmcid:PMC{number}", endpoints.pmc_url(number))


def _arxiv_reference(source: str, identifier: str) -> Reference:
    if not _ARXIV.fullmatch(identifier):
        raise InvalidSource(f"{_shown(source)} is not an arXiv identifier: one is arxiv:2101.00001")
    url = endpoints.arxiv_url("html", identifier)
    return _fetchable(source, SourceKind.ARXIV, f"arxiv:{identifier.lower()}", url)


def _file_reference(source: str, address: str) -> Reference:
    """Read `file:path`, `file:///path` and `file://localhost/path`; whether it may be read comes later."""
    if address.startswith("//"):
        host, slash, path = address[2:].partition("/")
        if host.lower() not in ("", "localhost") or not slash:
            error = unavailable(ReasonCode.FILE_OUTSIDE_ROOT, None, "it is on another machine")
            return Reference(
                source, SourceKind.FILE, "file:" + address, None, (error.reason_code, error.reason)
            )
        address = "/" + path
    path = posixpath.normpath(_unescaped(address))
    return Reference(source, SourceKind.FILE, f"file:{path}", f"file:{path}")


_READERS = {
    "pmid": _pubmed_reference,
    "pmcid": _pmc_reference,
    "arxiv": _arxiv_reference,
    "file": _file_reference,
}


def _web_reference(source: str, text: str) -> Reference:
    return _fetchable(source, SourceKind.WEB, None, text)


def _fetchable(source: str, kind: SourceKind, key: str | None, text: str) -> Reference:
    try:
        url = parse_url(text)
    except SourceUnavailable as error:
        return Reference(source, kind, key or text, None, (error.reason_code, error.reason))
    return Reference(source, kind, key or url.key, str(url))


def _looks_like_url(text: str) -> bool:
    scheme = _SCHEME.match(text)
    if scheme is None:
        return False
    name, rest = scheme.group()[:-1].lower(), text[scheme.end() :]
    if name in ("http", "https") or rest.startswith("//"):
        return True
    # "host:8080/x", "C:\\file" and "Title: subtitle" are no URLs; "mailto:a@b" and "javascript:x" are.
    return len(name) > 1 and "." not in name and re.fullmatch(r"(?![0-9]+(?:/|$))\S+", rest) is not None


def _hint(text: str) -> str:
    if re.fullmatch(r"(?:[\w-]+\.)+[a-z]{2,}(?::[0-9]+)?(?:[/?#]\S*)?", text, re.IGNORECASE):
        return f"; did you mean https://{text}?"
    if re.fullmatch(r"[0-9]{5,9}", text):
        return f"; did you mean pmid:{text}?"
    if re.fullmatch(r"PMC[0-9]{1,9}", text):
        return f"; did you mean pmcid:{text}?"
    return ""


def _shown(text: str) -> str:
    text = trimmed(text)
    return ascii(text if len(text) <= 80 else text[:77] + "...")
