"""Rows of a set of answers: fields as data sets name them, records for tables, figures of groups."""

from __future__ import annotations

import pytest

from quotecheck.citations.bulk import AnswerRecord, RowRecords, read_row, records_of, summarize
from quotecheck.citations.review import Reviewer, ReviewOptions
from quotecheck.errors import InvalidInput

HARBOUR = [{"title": "Ice", "text": "The harbour froze in 1881."}, "Ferries ran again from 4 March 1882."]
CITED = {
    "answer": "It froze [1]. It thawed. Ice [7].",
    "citations": [
        {"source": 1, "quote": "froze in 1881"},
        {"source": 1, "quote": "FROZE IN"},
        {"source": 1, "quote": "Ferries ran"},
        {"source": 1, "quote": "harbour froze in 1882"},
        {"source": "snow", "quote": "x"},
        {"source": 1},
        {"quote": "Ferries ran"},
    ],
}


def reviewed(row: dict[str, object], place: int = 0) -> RowRecords:
    """Return the records of a row."""
    read = read_row(row)
    reviewer = Reviewer(read.sources, ReviewOptions())
    return records_of(read, place, reviewer.review(read.answer), reviewer.sources)


@pytest.mark.parametrize(
    "row",
    [
        {"sources": ["a"], "answer": "x"},
        {"retrieved_contexts": ["a"], "response": "x", "reference": "y", "user_input": "q"},
        {"input": "q", "actual_output": "x", "retrieval_context": ["a"], "context": ["b"]},
        {"question": "q", "docs": [{"title": "t", "text": "a"}], "output": "x"},
        {"input": "q", "context": [{"page_content": "a", "metadata": {}}], "answer": "x"},
        {"sources": "a", "answer": {"message": {"content": "x"}, "done": True}},
        {"sources": {"documents": ["a"]}, "answer": [{"message": {"content": "x"}, "done": True}]},
    ],
    ids=["own", "ragas", "deepeval", "alce", "langchain", "response", "stream"],
)
def test_fields_of_data_sets_are_read_as_they_are(row: dict[str, object]) -> None:
    """Sources and answer are found under the names that RAGAS, DeepEval, ALCE and LangChain give them."""
    read = read_row(row)
    reviewer = Reviewer(read.sources, ReviewOptions())
    assert [source.text for source in reviewer.sources] == ["a"]
    assert reviewer.review(read.answer).answer_text == "x"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answer": "x"}, "no sources"),
        ({"sources": None, "answer": "x"}, "no sources"),
        ({"sources": 5, "answer": "x"}, "no sources"),
        ({"sources": ["a"]}, "no answer"),
        ({"sources": ["a"], "answer": None}, "no answer"),
        ({"sources": ["a"], "answer": 5}, "no answer"),
        ({}, "no sources"),
    ],
)
def test_row_without_sources_or_answer(row: dict[str, object], message: str) -> None:
    """A row that lacks one of them is an error that names the fields that were looked for."""
    with pytest.raises(InvalidInput, match=f"{message} \\(looked for: "):
        read_row(row)


def test_sources_for_all_rows() -> None:
    """Rows without sources of their own take those for all rows."""
    assert read_row({"answer": "x"}, sources=["shared"]).sources == ["shared"]
    assert read_row({"answer": "x", "docs": ["own"]}, sources=["shared"]).sources == ["own"]


@pytest.mark.parametrize(
    ("row", "names"),
    [
        ({"id": 7, "group": "a", "model": "m"}, ("7", "a")),
        ({"sample_id": "x", "model": "m"}, ("x", "m")),
        ({"id": None}, (None, None)),
    ],
)
def test_names_of_a_row(row: dict[str, object], names: tuple[str | None, str | None]) -> None:
    """Id and group are kept as text; the model is the group where there is no other."""
    read = read_row({"sources": ["a"], "answer": "x", **row})
    assert (read.id, read.group) == names


def test_answer_record_counts() -> None:
    """The answer's record counts each kind of result once."""
    record = reviewed({"sources": HARBOUR, "answer": CITED}, place=4).answer
    counts = {name: getattr(record, name) for name in AnswerRecord.__slots__ if name.startswith("n_")}
    assert counts == {
        "n_sources": 2,
        "n_sentences": 3,
        "n_cited_sentences": 2,
        "n_citations": 7,
        "n_quotes": 6,
        "n_exact": 1,
        "n_normalized": 1,
        "n_near": 1,
        "n_not_found": 1,
        "n_no_number": 1,
        "n_misattributed": 1,
        "n_unknown_source": 1,
    }
    assert (record.row, record.kind, record.unknown_numbers, record.uncited_sources) == (
        4,
        "json",
        (7,),
        (2,),
    )


def test_records_of_citations_and_sentences() -> None:
    """Citations carry the title of their source, sentences their place in the answer's text."""
    records = reviewed({"id": "a", "sources": HARBOUR, "answer": CITED})
    assert [(row.ordinal, row.source, row.source_title) for row in records.citations][3:6] == [
        (4, "1", "Ice"),
        (5, "snow", None),
        (6, "1", "Ice"),
    ]
    text = records.answer.answer_text
    assert [text[row.start : row.end] == row.text for row in records.sentences] == [True] * 3


def test_group_falls_back_to_the_model_of_the_response() -> None:
    """Where a row names neither group nor model, the response's model is the group."""
    response = {"model": "m", "message": {"content": "x"}, "done": True}
    assert reviewed({"sources": ["a"], "answer": response}).answer.group == "m"


def test_summary_of_groups() -> None:
    """Each group's rates are shares of its own answers, quotes, numbers and sentences."""
    rows: list[dict[str, object]] = [
        {"group": "b", "sources": HARBOUR, "answer": CITED},
        {"group": "a", "sources": HARBOUR, "answer": "It froze [1]."},
        {"group": "b", "sources": HARBOUR, "answer": "It froze [1][2]."},
    ]
    groups = summarize(reviewed(row).answer for row in rows)
    assert list(groups) == ["b", "a"]
    rates = {
        name: value for name, value in groups["b"].to_dict().items() if name.endswith(("rate", "coverage"))
    }
    assert rates == {
        "ok_rate": 1 / 2,
        "quote_hold_rate": 2 / 6,
        "number_valid_rate": 3 / 4,
        "sentence_coverage": 3 / 4,
    }


def test_rates_of_nothing_are_none() -> None:
    """Where nothing is quoted or cited, there is no share of it."""
    group = summarize([reviewed({"sources": ["a"], "answer": ""}).answer])[None].to_dict()
    assert (group["quote_hold_rate"], group["number_valid_rate"], group["sentence_coverage"]) == (None,) * 3
