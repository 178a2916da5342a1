"""What a report says in words and as JSON values."""

from __future__ import annotations

import pytest

from quotecheck.citations.answer import RawAnswer
from quotecheck.citations.report import NOT_JUDGED, AnswerReport
from quotecheck.citations.review import check_answer
from quotecheck.citations.warnings import EXPLANATIONS, AnswerWarning

HARBOUR = ["The harbour froze in 1881 and stayed shut.", "Ferries ran again from 4 March 1882."]


def cited(*citations: object) -> AnswerReport:
    """Return the report on a JSON answer with these citations."""
    return check_answer(HARBOUR, {"answer": "x", "citations": list(citations)})


@pytest.mark.parametrize(
    ("citation", "finding"),
    [
        (
            {"source": 1, "quote": "Ferries ran"},
            'the quote of citation 1 is not in source [1] (it stands in [2]): "Ferries ran"',
        ),
        ({"source": 2, "quote": "no  words"}, 'the quote of citation 1 is not in source [2]: "no words"'),
        ({"source": 9}, "citation 1 cites source [9], which does not exist"),
        ({"source": "snow"}, "citation 1 cites source [snow], which does not exist"),
        ({"quote": "Ferries ran"}, 'citation 1 gives no number (it stands in [2]): "Ferries ran"'),
        ({}, "citation 1 names no source"),
        (
            {"source": 1, "quote": "The harbour froze in 1882 and stayed shut."},
            "the quote of citation 1 is not verbatim in source [1] (number_changed): "
            '"The harbour froze in 1882 and stayed shut."; '
            'the source says "The harbour froze in 1881 and stayed shut."',
        ),
    ],
)  # fmt: skip
def test_finding_for_each_kind_of_failure(citation: object, finding: str) -> None:
    """Each failed citation has a sentence that names it, its source and its words."""
    assert cited(citation).findings[0] == finding


def test_negation_beside_a_quote_is_a_finding_and_no_failure() -> None:
    """Words cut from a negated sentence stand in the source, so the report is ok and says what is beside."""
    citation = {"source": 1, "quote": "member may vote in May"}
    report = check_answer(["No member may vote in May."], {"answer": "x", "citations": [citation]})
    assert report.findings == (
        "a negation of source [1] stands beside the quote of citation 1, which may turn its meaning: "
        '"member may vote in May"',
    )
    assert report.ok


def test_findings_of_a_text() -> None:
    """Unknown numbers, sentences and sources without a citation are told, one finding each."""
    report = check_answer(HARBOUR, 'It froze [1]. It "thawed"\x1b[31m. Then [7].')
    assert report.findings == (
        "citation 2 cites source [7], which does not exist",
        'a sentence has no number: "It "thawed"\\x1b[31m."',
        "never cited: source [2]",
    )


def test_answer_without_citations_has_one_plain_finding() -> None:
    """Where nothing is cited the sentences are not told one by one."""
    assert check_answer(HARBOUR, "It froze. It thawed.").findings == (
        "the answer cites nothing",
        "never cited: source [1], [2]",
    )


def test_long_lists_say_how_many() -> None:
    """Findings of one kind end after twenty and say of how many."""
    report = check_answer(["x"] + [f"Fact {number}" for number in range(40)], "[1] " + "A b. " * 30)
    assert "first 20 of 30 sentences without a number" not in report.findings
    assert report.findings[-1].endswith("[21] and 20 more")
    many = check_answer(["x"], "Ice [1].\n" + "A b.\n" * 30)
    assert "first 20 of 30 sentences without a number" in many.findings


def test_marks_beside_json_citations_are_told_by_number() -> None:
    """An unknown number that only a mark cites is a finding too."""
    report = check_answer(HARBOUR, {"answer": "It froze [8].", "citations": [1]})
    assert "no source has the number 8" in report.findings


def test_warnings_are_explained() -> None:
    """Each warning has a sentence, and a server's error its own words."""
    assert set(EXPLANATIONS) == set(AnswerWarning)
    report = check_answer(HARBOUR, {"error": "out of memory"})
    assert "the server reported an error: out of memory" in report.findings


WHOLE = {"message": {"content": "It froze [1]."}, "done": True}


@pytest.mark.parametrize(
    ("answer", "ok"),
    [
        (WHOLE, True),
        ("It froze.", False),
        ("It froze [1] [3].", False),
        ({**WHOLE, "done_reason": "length"}, False),
        ({**WHOLE, "done": False}, False),
    ],
)
def test_ok_needs_a_citation_and_a_whole_answer(answer: RawAnswer, ok: bool) -> None:
    """Nothing cited, an unknown number, or a cut answer is not ok."""
    assert check_answer(HARBOUR, answer).ok is ok


def test_to_dict_has_every_documented_key() -> None:
    """The JSON form has all keys, in order, and says what is not judged."""
    value = cited({"source": 1, "quote": "froze"}).to_dict()
    assert list(value) == [
        "kind", "answer_text", "citations", "unknown_numbers", "uncited_sentences", "uncited_sources",
        "marks", "sentences", "warnings", "finish_reason", "truncated", "prompt_tokens", "model", "error",
        "findings", "ok", "not_judged",
    ]  # fmt: skip
    assert value["not_judged"] == NOT_JUDGED


def test_to_dict_of_a_citation() -> None:
    """A citation's keys are fixed, its offsets those of the source's text."""
    rows = cited({"source": 1, "quote": "froze"}).to_dict()["citations"]
    assert rows == [{
        "ordinal": 1, "origin": "json", "source": 1, "quote": "froze", "result": "EXACT", "similarity": 1.0,
        "char_start": 12, "char_end": 17, "snippet": "froze", "found_in": [1],
        "flags": [], "answer_start": None, "answer_end": None,
    }]  # fmt: skip
