"""The record of `check_answer`: short, the urgent first, strangers' words in snippets only."""

from __future__ import annotations

import json

import pytest

from quotecheck.citations.review import check_answer
from quotecheck.citations.warnings import AnswerWarning
from quotecheck.mcp_server.answer_record import AnswerRecord, answer_record

SOURCES = ["At dawn the fog was grey and low.", "The boats stayed in the harbour all day long."]


def record(answer: str, sources: list[str] = SOURCES) -> AnswerRecord:
    """Return the record of an answer."""
    return answer_record(check_answer(sources, answer, inline_quotes=True))


def cited(*citations: tuple[object, str]) -> str:
    """Return a JSON answer with these sources and quotations."""
    rows = [{"source": source, "quote": quote} for source, quote in citations]
    return json.dumps({"answer": "It is so.", "citations": rows})


@pytest.mark.parametrize(
    ("source", "quote", "result", "finding"),
    [
        (1, "Gulls cried over the quay", "NOT_FOUND", "citation 1: the quoted words are in no source"),
        (1, "The boats stayed", "NOT_FOUND", "citation 1: the quoted words are in another source"),
        (2, "The boats stayed in the harbor all day", "NEAR", "citation 1: not verbatim"),
        (3, "Gulls cried", "UNKNOWN_SOURCE", "citation 1: there is no such source"),
        ("log", "Gulls cried", "UNKNOWN_SOURCE", "citation 1: there is no such source"),
        (None, "The boats stayed", "NO_NUMBER", "citation 1: no source is named"),
    ],
)
def test_finding_says_what_to_do(source: object, quote: str, result: str, finding: str) -> None:
    """Each way in which a citation fails has its remedy, with the words that are meant."""
    report = record(cited((source, quote)))
    (citation,) = report.citations
    assert (report.ok, citation.result) == (False, result)
    assert report.findings[0].startswith(finding)
    assert citation.quote is not None
    assert citation.quote.snippet == quote


@pytest.mark.parametrize(
    ("quote", "finding"),
    [
        ("member may vote in May", "citation 1: a negation stands beside the words"),
        ("ember may vote in May", "citation 1: the quotation begins or ends inside a word"),
        ("No member may vote in May", None),
    ],
)
def test_meaning_that_may_be_turned_is_a_finding(quote: str, finding: str | None) -> None:
    """Words that stand in the source, and may say the opposite there, are told beside an ok."""
    report = record(cited((1, quote)), ["No member may vote in May."])
    assert report.ok
    assert report.findings[0].startswith(finding) if finding else not report.findings


def test_citation_that_holds_repeats_no_words() -> None:
    """An agent needs no words where nothing is to be done."""
    (citation,) = record(cited((2, "the  BOATS stayed"))).citations
    assert (citation.result, citation.quote, citation.snippet) == ("NORMALIZED", None, None)


def test_name_that_no_source_has_is_not_repeated() -> None:
    """A source is a number or nothing."""
    assert [citation.source for citation in record(cited(("log", "Gulls"), (2, "boats"))).citations] == [
        None,
        2,
    ]


def test_number_in_the_text_of_a_json_answer_is_checked() -> None:
    """A number that is no citation of the list has a finding of its own."""
    answer = {"answer": "It is so [9].", "citations": [{"source": 1, "quote": "grey and low"}]}
    assert record(json.dumps(answer)).findings == [
        "no source has the number 9: the sources are numbered 1 to 2"
    ]


def test_number_without_end_is_not_shown() -> None:
    """Clients cannot read an integer of two hundred digits."""
    report = record(f'{{"citations": [{{"source": 1{"0" * 200}, "quote": "Gulls"}}]}}')
    assert (report.citations[0].source, report.unknown_numbers) == (None, [])
    assert report.findings == ["citation 1: there is no such source; the sources are numbered 1 to 2"]


def test_words_of_the_answer_are_cut() -> None:
    """A quotation and a sentence are shown up to 200 characters."""
    report = record("Gulls cried [1]. " + "And they cried and cried" * 50 + ".")
    assert len(report.uncited_sentences[0].snippet) == 200


def test_failing_citations_come_first_where_the_list_is_cut() -> None:
    """Of many citations fifty are listed, in their order; none that fails gives way to one that holds."""
    rows = [(2, "The boats stayed")] * 60 + [(1, f"Gulls cried {number}") for number in range(45)]
    report = record(cited(*rows))
    ordinals = [citation.ordinal for citation in report.citations]
    assert ordinals == [1, 2, 3, 4, 5, *range(61, 106)]
    assert "listed are 50 of 105 citations, those that fail first" in report.findings
    assert ", 80 and 25 more: the quoted words are in no source" in report.findings[0]


def test_long_lists_are_cut() -> None:
    """Numbers, sentences and sources are listed up to twenty, and the findings count them all."""
    answer = "".join(f"Gulls cried on day number {day}. " for day in range(30))
    report = record(answer + " ".join(f"Fog [{number}]." for number in range(60, 90)), SOURCES * 25)
    lists = (report.unknown_numbers, report.uncited_sentences, report.uncited_sources)
    assert [len(shown) for shown in lists] == [20, 20, 20]
    assert (
        "sentences without a source number: 30; add one where the sentence needs a source" in report.findings
    )
    assert report.findings[-2:] == [
        "listed are the first 20 of 30 sentences without a number",
        "listed are the first 20 of 50 sources that nothing cites",
    ]


@pytest.mark.parametrize(
    ("response", "warning"),
    [
        ({"message": {"content": "Fog [1]."}, "done_reason": "length", "done": True}, "TRUNCATED"),
        ({"message": {"content": ""}, "done": True}, "EMPTY_ANSWER"),
        ({"error": "out of memory"}, "RESPONSE_ERROR"),
    ],
)
def test_warning_is_explained(response: dict[str, object], warning: str) -> None:
    """A warning is a name, and a finding in words that are always the same."""
    report = record(json.dumps(response))
    assert warning in report.warnings
    assert not any("memory" in finding for finding in report.findings)
    assert len(report.findings) >= len(report.warnings)


def test_answer_that_counts_from_zero_is_told_to_count_from_one() -> None:
    """The remedy is one that an agent has: the tool has no option for the first number."""
    report = record("The fog was grey [0]. The boats stayed [1].")
    assert str(AnswerWarning.ZERO_BASED) in report.warnings
    assert "the answer seems to count sources from 0: the first source is number 1" in report.findings
