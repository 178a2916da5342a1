"""Source strings: their forms, their spelling variants, and what is no source at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.errors import InvalidSource
from quotecheck.models import ReasonCode
from quotecheck.sources.reference import Reference, SourceKind, doi_hint, parse_reference

SICI = "10.1002/(SICI)1097-0000(199909)36:1+<1::AID-X2>3.0.CO;2-0"


@pytest.mark.parametrize(
    "source",
    [
        "doi:10.1000/AbC",
        "DOI:10.1000/abc",
        "doi: 10.1000/abc",
        "DOI 10.1000/ABC",
        "10.1000/abc",
        " 10.1000/abc\n",
        "https://doi.org/10.1000/abc",
        "http://dx.doi.org/10.1000/abc",
        "HTTPS://DX.DOI.ORG/10.1000/ABC?x=1#y",
        "https://www.doi.org/10.1000/abc",
        "doi.org/10.1000/abc",
        "doi:https://doi.org/10.1000/abc",
        "https://doi.org/10.1000%2Fabc",
    ],
)
def test_doi_in_all_its_forms_is_one_source(source: str) -> None:
    """Label, proxy, letter case and escapes make no difference."""
    reference = parse_reference(source)
    assert (reference.kind, reference.key) == (SourceKind.DOI, "doi:10.1000/abc")
    assert reference.url is not None
    assert reference.url.lower() == "https://doi.org/10.1000/abc"


@pytest.mark.parametrize("source", [SICI, f"doi:{SICI}", f"https://doi.org/{SICI}"])
def test_doi_with_odd_characters_is_escaped_once(source: str) -> None:
    """Angle brackets and plus signs are part of real DOIs."""
    url = "https://doi.org/10.1002/(SICI)1097-0000(199909)36:1%2B%3C1::AID-X2%3E3.0.CO;2-0"
    assert parse_reference(source).url == url


def test_doi_escaped_already_is_not_escaped_twice() -> None:
    """An address copied from a browser is the same DOI."""
    escaped = "https://doi.org/10.1002/(SICI)1097-0000(199909)36%3A1%2B%3C1%3A%3AAID-X2%3E3.0.CO%3B2-0"
    assert parse_reference(escaped).key == parse_reference(SICI).key


def test_doi_keeps_question_mark_and_hash_outside_of_urls() -> None:
    """After doi: they are part of the name; in a URL they begin query and fragment."""
    assert parse_reference("doi:10.1000/a?b#c").url == "https://doi.org/10.1000/a%3Fb%23c"
    assert parse_reference("https://doi.org/10.1000/a?b#c").url == "https://doi.org/10.1000/a"


def test_doi_url_keeps_a_check_character_that_is_a_hash() -> None:
    """Old DOIs end with a check character after `;2-`, and that may be a #."""
    old = "10.1002/1521-3951(200011)222:1<319::AID-X>3.0.CO;2-#"
    assert parse_reference(f"https://doi.org/{old}").key == f"doi:{old.lower()}"


@pytest.mark.parametrize(
    "source", ["doi:", "doi:10.1000", "doi:abc/1", "doi:10.1000/a b", "DOI 11.1/a", "doi:10.1000/\ud800"]
)
def test_doi_that_is_none_raises(source: str) -> None:
    """A labelled string that is no DOI is the caller's mistake, and says which form is meant."""
    with pytest.raises(InvalidSource, match=r"is not a DOI: one has the form doi:10\.1234/suffix"):
        parse_reference(source)


@pytest.mark.parametrize(
    "doi",
    ["10.1000/../../evil", "10.1000/a/..", "10.1000/./a", "10.1000/%2e%2E/a", "10.1000/%2e./a", "10.1000/."],
)
def test_doi_that_leads_out_of_its_prefix_raises(doi: str) -> None:
    """In an address a segment of dots means another path."""
    for source in (f"doi:{doi}", doi):
        with pytest.raises(InvalidSource):
            parse_reference(source)


@pytest.mark.parametrize("doi", ["10.1000/a..b", "10.1000/...", "10.1000/..a/b", "10.1000/%252e%252e/a"])
def test_doi_with_other_dots_keeps_its_prefix(doi: str) -> None:
    """Whatever is taken for a DOI is resolved below its prefix."""
    assert str(parse_reference(f"doi:{doi}").url).startswith("https://doi.org/10.1000/")


@pytest.mark.parametrize(
    ("source", "shorter"),
    [
        ("doi:10.1000/abc.", "doi:10.1000/abc"),
        ("https://doi.org/10.1000/abc),", "doi:10.1000/abc"),
        ("10.1000/abc”", "doi:10.1000/abc"),
        ("10.1000/a(b)c)", "doi:10.1000/a(b)c"),
    ],
)
def test_doi_hint_names_what_a_sentence_left_behind(source: str, shorter: str) -> None:
    """A DOI is taken as it stands; when it does not exist the hint says what to try."""
    assert doi_hint(parse_reference(source)).endswith(f"hardly part of it; try {shorter}")


@pytest.mark.parametrize("source", ["10.1000/abc", "10.1000/a(b)", SICI])
def test_doi_hint_is_empty_for_an_ordinary_ending(source: str) -> None:
    """Balanced brackets end many real DOIs."""
    assert doi_hint(parse_reference(source)) == ""


@pytest.mark.parametrize("source", ["pmid:123", "PMID: 123", "pmid 123", "PMID:000123", " pmid:123 "])
def test_pubmed_number_in_all_its_forms_is_one_source(source: str) -> None:
    """Label, blanks and leading zeros make no difference."""
    reference = parse_reference(source)
    assert (reference.kind, reference.key) == (SourceKind.PUBMED, "pmid:123")
    assert "db=pubmed&id=123&rettype=abstract&retmode=text" in str(reference.url)


@pytest.mark.parametrize("source", ["pmid:", "pmid:0", "pmid:1a", "pmid:１２", "pmid:1234567890", "pmid:1 2"])
def test_pubmed_number_that_is_none_raises(source: str) -> None:
    """A labelled string that is no number is the caller's mistake."""
    with pytest.raises(InvalidSource, match="is not a PubMed number"):
        parse_reference(source)


@pytest.mark.parametrize("source", ["pmcid:PMC123", "PMCID: 123", "pmcid PMC000123", "pmcid:pmc123"])
def test_pmc_number_in_all_its_forms_is_one_source(source: str) -> None:
    """With and without its letters."""
    reference = parse_reference(source)
    assert (reference.kind, reference.key) == (SourceKind.PMC, "pmcid:PMC123")
    assert "db=pmc&id=123&retmode=xml" in str(reference.url)


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("arxiv:2101.00001", "arxiv:2101.00001"),
        ("arXiv: 2101.00001v2", "arxiv:2101.00001v2"),
        ("arxiv:hep-th/9901001", "arxiv:hep-th/9901001"),
        ("ARXIV:math.GT/0309136", "arxiv:math.gt/0309136"),
    ],
)
def test_arxiv_identifier_is_a_source(source: str, key: str) -> None:
    """New and old style; a version is another text."""
    reference = parse_reference(source)
    assert (reference.kind, reference.key) == (SourceKind.ARXIV, key)


@pytest.mark.parametrize("source", ["arxiv:210.1", "arxiv:", "arxiv:2101.00001/x", "pmcid:PMX1", "pmcid:"])
def test_identifier_that_is_none_raises(source: str) -> None:
    """The message shows the form."""
    with pytest.raises(InvalidSource, match=r"is not (an arXiv identifier|a PubMed Central number)"):
        parse_reference(source)


@pytest.mark.parametrize(
    ("source", "key"),
    [
        ("file:notes/weir.txt", "file:notes/weir.txt"),
        ("file:./notes//weir.txt", "file:notes/weir.txt"),
        ("file:/notes/weir.txt", "file:/notes/weir.txt"),
        ("file:///notes/weir.txt", "file:/notes/weir.txt"),
        ("FILE://localhost/notes/my%20weir.txt", "file:/notes/my weir.txt"),
    ],
)
def test_file_is_a_source(source: str, key: str) -> None:
    """Whether it may be read is for the client to say, which knows the folder."""
    reference = parse_reference(source)
    assert (reference.kind, reference.key, reference.refusal) == (SourceKind.FILE, key, None)


def test_file_on_another_machine_is_refused() -> None:
    """A share of another host is no local file."""
    refusal = parse_reference("file://server/share/x.txt").refusal
    assert refusal is not None
    assert refusal[0] is ReasonCode.FILE_OUTSIDE_ROOT


def test_web_address_is_its_own_source() -> None:
    """The string stays as it was given; the address is the one to fetch."""
    expected = Reference("http://Mill.org#a", SourceKind.WEB, "http://mill.org/", "http://mill.org/")
    assert parse_reference("http://Mill.org#a") == expected


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("ftp://mill.org/x", ReasonCode.SCHEME_NOT_ALLOWED),
        ("mailto:me@mill.org", ReasonCode.SCHEME_NOT_ALLOWED),
        ("javascript:alert(1)", ReasonCode.SCHEME_NOT_ALLOWED),
        ("http://me@mill.org/", ReasonCode.CREDENTIALS_IN_URL),
        ("http://127.0.0.1/", ReasonCode.ADDRESS_NOT_PUBLIC),
        ("http://localhost/", ReasonCode.HOST_NOT_PUBLIC),
        ("http://mill.org:25/", ReasonCode.PORT_NOT_ALLOWED),
        ("https:mill.org", ReasonCode.BAD_URL),
        ("https://me@doi.org/10.1000/abc", ReasonCode.CREDENTIALS_IN_URL),
    ],
)
def test_refused_address_is_a_reference_with_its_refusal(source: str, code: ReasonCode) -> None:
    """A table keeps the row: refusing an address is no mistake of the caller."""
    reference = parse_reference(source)
    assert reference.refusal is not None
    assert (reference.refusal[0], reference.url) == (code, None)


@pytest.mark.parametrize("source", ["", " ", "\t\n", "\u200b\ufeff"])
def test_blank_source_raises(source: str) -> None:
    """Nothing, also where it is made of invisible characters."""
    with pytest.raises(InvalidSource) as caught:
        parse_reference(source)
    assert caught.value.reason_code == "blank_source"


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("mill.org/page", "did you mean https://mill.org/page?"),
        ("12345678", "did you mean pmid:12345678?"),
        ("PMC1234567", "did you mean pmcid:PMC1234567?"),
        ("file 10 of 20", "give an http"),
        ("Smith 2020", "give an http"),
        ("Mill: a memoir", "give an http"),
        ("localhost:8080/x", "give an http"),
        ("C:\\notes.txt", "give an http"),
        ("./notes.txt", "give an http"),
        ("127.0.0.1", "give an http"),
    ],
)
def test_string_that_is_no_source_raises_with_a_hint(source: str, hint: str) -> None:
    """The message shows the string and says which forms there are."""
    with pytest.raises(InvalidSource) as caught:
        parse_reference(source)
    assert caught.value.reason_code == "not_a_source"
    assert hint in str(caught.value)
    assert ascii(source) in str(caught.value)


@given(st.text(max_size=50) | st.text(alphabet="doi:10./#?%abc<>();PMID https", max_size=40))
def test_parse_reference_gives_a_reference_or_raises_invalid_source(source: str) -> None:
    """Whatever the text, a row of a table ends in one of the two."""
    try:
        reference = parse_reference(source)
    except InvalidSource:
        return
    assert reference.source == source
    assert (reference.url is None) == (reference.refusal is not None)
