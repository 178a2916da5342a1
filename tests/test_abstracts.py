"""Reading open abstracts out of what the registries answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.extract.document import extract
from quotecheck.sources.abstracts import Abstract, Registry, registries

DOI = "10.1000/a<b"
CROSSREF, DATACITE, EUROPE_PMC = registries(DOI)


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def test_registries_are_asked_for_the_escaped_doi() -> None:
    """One after the other, the one with most abstracts first."""
    assert CROSSREF.url == "https://api.crossref.org/works/10.1000/a%3Cb"
    assert DATACITE.url == "https://api.datacite.org/dois/10.1000/a%3Cb"
    assert "query=DOI%3A%2210.1000%2Fa%3Cb%22&resultType=core" in EUROPE_PMC.url


def test_crossref_abstract_is_jats() -> None:
    """Its headings and emphasis come out as text, without gluing or splitting words."""
    sentence = "<jats:p>All <jats:italic>nine</jats:italic> mills &lt; 2 m.</jats:p>"
    jats = f"<jats:title>Results</jats:title>{sentence}"
    abstract = CROSSREF.read(_json({"message": {"title": ["On flour"], "abstract": jats}}))
    assert abstract is not None
    text = extract(abstract.as_page(), "text/html; charset=utf-8").text
    assert [line for line in text.split("\n") if line] == ["On flour", "Results", "All nine mills < 2 m."]


def test_crossref_abstract_that_was_deposited_escaped_is_unescaped() -> None:
    """Some registrants escape their markup once too often."""
    abstract = CROSSREF.read(_json({"message": {"abstract": "&lt;p&gt;Flour burns.&lt;/p&gt;"}}))
    assert abstract is not None
    assert extract(abstract.as_page(), "text/html").text.strip() == "Flour burns."


def test_datacite_abstract_is_the_description_of_that_type() -> None:
    """Others are methods or notes."""
    descriptions = [
        {"descriptionType": "Methods", "description": "We ground it."},
        {"descriptionType": "Abstract", "description": "Flour burns.\n\nMills do, too."},
    ]
    attributes = {"titles": [{"title": "On flour"}], "descriptions": descriptions}
    abstract = DATACITE.read(_json({"data": {"attributes": attributes}}))
    assert abstract == Abstract("On flour", "Flour burns.<p>Mills do, too.")


def test_europe_pmc_abstract_is_that_of_the_very_doi() -> None:
    """The search may find other works that mention it."""
    results = [
        {"doi": "10.1000/other", "title": "Other", "abstractText": "Not this."},
        {"doi": "10.1000/A<B", "title": "On flour", "abstractText": "<h4>Aim</h4>Flour burns."},
    ]
    abstract = EUROPE_PMC.read(_json({"resultList": {"result": results}}))
    assert abstract == Abstract("On flour", "<h4>Aim</h4>Flour burns.")


@pytest.mark.parametrize("registry", [CROSSREF, DATACITE, EUROPE_PMC])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"[" * 100_000,
        _json({"message": {"abstract": " "}}),
        _json({"message": []}),
        _json({"data": {"attributes": {"descriptions": [1, {"descriptionType": "Abstract"}]}}}),
        _json({"resultList": {"result": [{"doi": DOI}]}}),
        _json({"resultList": {"result": 7}}),
    ],
)
def test_answer_without_an_abstract_is_none(registry: Registry, body: bytes) -> None:
    """Another shape, an empty text, no JSON at all."""
    assert registry.read(body) is None


_NAMES = ["message", "title", "abstract", "data", "attributes", "descriptions", "resultList", "result", "doi"]
_SHAPES = st.recursive(
    st.none() | st.text(max_size=9) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(_SHAPES)
def test_any_json_is_an_abstract_or_none(value: object) -> None:
    """A stranger's answer never raises."""
    for registry in (CROSSREF, DATACITE, EUROPE_PMC):
        found = registry.read(_json(value))
        assert found is None or found.as_page()
