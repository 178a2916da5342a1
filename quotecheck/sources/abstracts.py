"""The open abstract of a DOI, as the registries give it: for papers whose page cannot be read.

Pure: addresses to ask, and how to read their answers. Crossref has the abstracts of about half of today's
journal articles, DataCite those of data sets and preprints, Europe PMC those of the life sciences.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from quotecheck.sources import endpoints

# Crossref abstracts are JATS; these of its tags mean something else, or nothing, to an HTML parser.
_TAGS = {"title": "h2", "sec": "section", "italic": "i", "bold": "b", "list": "ul", "list-item": "li"}
_TAG = re.compile(r"<(/?)(?:[a-z]+:)?([a-z][a-z-]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Abstract:
    """Title and abstract of a work, as HTML fragments."""

    title: str
    text: str

    def as_page(self) -> bytes:
        """Return a web page that holds the two, in UTF-8."""
        return f"<!doctype html><h1>{self.title}</h1>{self.text}".encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Registry:
    """A service that knows abstracts: where to ask for a DOI, and how to read its answer."""

    url: str
    read: Callable[[bytes], Abstract | None]


def registries(doi: str) -> list[Registry]:
    """Return the services to ask for the abstract of `doi`, in order."""
    query = quote(f'DOI:"{doi}"', safe="")
    return [
        Registry(endpoints.CROSSREF + quote(doi, safe="/"), _read_crossref),
        Registry(endpoints.DATACITE + quote(doi, safe="/"), _read_datacite),
        Registry(
            f"{endpoints.EUROPE_PMC}?query={query}&resultType=core&format=json",
            lambda body: _read_europe_pmc(body, doi),
        ),
    ]


def _read_crossref(body: bytes) -> Abstract | None:
    work = _at(_parsed(body), "message")
    return _abstract(_at(work, "title", 0), _at(work, "abstract"))


def _read_datacite(body: bytes) -> Abstract | None:
    attributes = _at(_parsed(body), "data", "attributes")
    descriptions = _at(attributes, "descriptions")
    for item in descriptions if isinstance(descriptions, list) else []:
        if _at(item, "descriptionType") == "Abstract":
            return _abstract(_at(attributes, "titles", 0, "title"), _at(item, "description"))
    return None


def _read_europe_pmc(body: bytes, doi: str) -> Abstract | None:
    results = _at(_parsed(body), "resultList", "result")
    for item in results if isinstance(results, list) else []:
        # The search is by words; only the work with this very DOI counts.
        if str(_at(item, "doi")).lower() == doi.lower():
            return _abstract(_at(item, "title"), _at(item, "abstractText"))
    return None


def _abstract(title: object, text: object) -> Abstract | None:
    if not isinstance(text, str) or not text.strip():
        return None
    return Abstract(_as_html(title) if isinstance(title, str) else "", _as_html(text))


def _as_html(text: str) -> str:
    """Return JATS, HTML or plain text as HTML: tags in their HTML spelling, blank lines as paragraphs."""
    if "<" not in text and "&lt;" in text:
        text = html.unescape(text)  # some registrants deposit their markup escaped
    tagged = _TAG.sub(lambda tag: f"<{tag[1]}{_TAGS.get(tag[2].lower(), tag[2])}", text)
    return re.sub(r"\n\s*\n", "<p>", tagged)


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _at(value: object, *path: str | int) -> object:
    """Return what stands at `path` in parsed JSON, or None where the shape is another one."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
