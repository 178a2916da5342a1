"""The report on an answer as a whole: a table of cases, laws that hold for any text, and hostile input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from shared_data import shared_path, shared_rows

from quotecheck.citations.report import AnswerReport
from quotecheck.citations.review import check_answer
from quotecheck.errors import InvalidInput, InvalidOption

TABLE = (Path(__file__).parent / "data/answer_cases.jsonl").read_text(encoding="utf-8")
CASES = [json.loads(line) for line in TABLE.split("\n") if line]
REPORTS = [case for case in CASES if "refused" not in case["expect"]]
REFUSED = [case for case in CASES if "refused" in case["expect"]]
HARBOUR = ["The harbour froze in 1881.", "Ferries ran again from 4 March 1882."]

# Pieces that meet in answers in every order: marks, quotations, ends of sentences, markup, many scripts.
MARKS = [
    "[1]",
    "[2, p. 3]",
    "[1]–[2]",
    "【1】",
    "［２］",
    "[[1]](https://example.org)",
    "[^1]",
    "(Source 2)",
    ".¹",
    "[9]",
]
MARKUP = [
    "- ",
    "1. ",
    "# ",
    "> ",
    "| ",
    "|-|-|\n",
    "**",
    "`",
    "```",
    "~~~\n",
    "[a](",
    "![",
    "https://a.b/c",
    "[1]: x",
]
QUOTES = [
    '"',
    "“",
    "”",
    "「",
    "」",
    "«",
    "»",
    "'",
    "\\",
    "\\[1\\]",
    "x[1]",
    "f(x)[2]",
    "]",
    "}",
    "{",
    '"citations": [',
]
ENDS = [
    ". ",
    ".",
    "? ",
    "!",
    "。",
    "…",
    "... ",
    "\n",
    "\n\n",
    "\r\n",
    "e.g. ",
    "J. ",
    " ",
    "\t",
    "\u3000",
    "Sources:\n",
]
WORDS = [
    "froze in 1881",
    "Ferries ran again from ",
    "港口結冰",
    "港が凍った",
    "항구가 얼었다",
    "الميناء",
    "הנמל",
    "बंदरगाह। ",
]
ODD = [
    "ท่าเรือ",
    "naïve",
    "e\u0301",
    "👩\u200d🚀",
    "\ud800",
    "\u200b",
    "\u202e",
    "\x00",
    "\ue200cite",
    "【4:0†source】",
]
PIECES = [*MARKS, *MARKUP, *QUOTES, *ENDS, *WORDS, *ODD, "<think>", "</think>", "data: {"]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)


def answer_of(report: AnswerReport, field: str) -> object:
    """Return what a case calls by a short name."""
    rows = report.to_dict()
    citations: list[dict[str, Any]] = rows["citations"]  # type: ignore[assignment]
    short = {
        "cited": [row["source"] for row in citations],
        "rows": [[row["source"], row["quote"], row["result"]] for row in citations],
        "found_in": [row["found_in"] for row in citations],
        "origins": [row["origin"] for row in citations],
        "unknown": rows["unknown_numbers"],
        "uncited": [sentence.text for sentence in report.uncited_sentences],
    }
    return short[field] if field in short else rows[field]


@pytest.mark.parametrize("case", REPORTS, ids=[case["id"] for case in REPORTS])
def test_case(case: dict[str, Any]) -> None:
    """Each case of the table gives what it says."""
    report = check_answer(case["sources"], case["answer"], **case.get("options", {}))
    assert {field: answer_of(report, field) for field in case["expect"]} == case["expect"]


@pytest.mark.parametrize("case", REFUSED, ids=[case["id"] for case in REFUSED])
def test_refused_case(case: dict[str, Any]) -> None:
    """Each case of the table that cannot be read gives the error that it names."""
    with pytest.raises(InvalidInput, match=re.escape(case["expect"]["refused"])):
        check_answer(case["sources"], case["answer"])


def test_shared_cases() -> None:
    """All shared cases give the citations, numbers, sentences, sources and warnings that they state."""
    wrong = {}
    for case in shared_rows("cases/rag_cases.jsonl"):
        report = check_answer(case["sources"], case["answer"], **case.get("options", {}))
        expected = case["expect"]
        fields = {"unknown": "unknown_numbers", "uncited": "uncited_sentences"}
        found = {fields.get(name, name): answer_of(report, name) for name in ("unknown", "uncited")}
        found |= {name: answer_of(report, name) for name in ("uncited_sources", "warnings")}
        found["citations"] = [
            dict(zip(("source", "quote", "result"), row, strict=True)) for row in _rows(report)
        ]
        if found != expected:
            wrong[case["id"]] = found
    assert wrong == {}


def _rows(report: AnswerReport) -> list[list[object]]:
    return [[citation.source, citation.quote, str(citation.result)] for citation in report.citations]


def is_refused(answer: str) -> bool:
    """Tell whether an answer is JSON of no known shape."""
    try:
        check_answer(HARBOUR, answer)
    except InvalidInput as error:
        return "no known shape" in str(error)
    return False


def test_recorded_responses() -> None:
    """Every recorded response gives a report, or an error where it is no response."""
    paths = shared_path("data/rag").glob("*/*")
    refused = {
        path.stem.split("_test_")[-1] for path in paths if is_refused(path.read_text(encoding="utf-8"))
    }
    assert refused == {"openai_openapi_chat_04", "invalid_response_0"}


def test_copied_snippets() -> None:
    """Snippets that a model was asked to copy get the verdict of their true similarity."""
    names = {"exact": "EXACT", "near": "NEAR", "below": "NOT_FOUND"}
    rows = shared_rows("data/rag/alce_extractions.jsonl")
    found = [
        str(
            check_answer([row["source"]], {"citations": [{"source": 1, "quote": row["quote"]}]})
            .citations[0]
            .result
        )
        for row in rows
    ]
    assert found == [names[row["class"]] for row in rows]


def report_of(text: str) -> AnswerReport:
    """Return the report on a text, quotations in it included; JSON of no known shape is no example."""
    try:
        return check_answer(HARBOUR, text, inline_quotes=True)
    except InvalidInput:
        reject()


FROZE, RAN = "harbour froze in 1881", "Ferries ran again from"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f'[1] says "{FROZE}", while [2] says "{RAN}".', [(1, "EXACT"), (2, "EXACT")]),
        (f'[2] says "{FROZE}", while [1] says "{RAN}".', [(2, "NOT_FOUND"), (1, "NOT_FOUND")]),
        (f'"{FROZE}" [2].', [(2, "NOT_FOUND")]),
        (f'"{FROZE}," says [2].', [(2, "NOT_FOUND")]),
        (f'According to [2], "{FROZE}".', [(2, "NOT_FOUND")]),
        (f'As "{FROZE}" shows, and [2] too.', []),
        (f'As "{RAN}" shows, and [2] too.', [(2, "EXACT")]),
        ('As "the quay burned down" shows, and [2] too.', [(2, "NOT_FOUND")]),
        (f'The authors of [1] say that "{FROZE}", and [2] agrees.', [(1, "EXACT")]),
    ],
)
def test_inline_quotes_are_ascribed_to_their_marks(text: str, found: list[tuple[int, str]]) -> None:
    """A wrong mark that is clear is told; where none is, words of another source are passed over."""
    report = check_answer(HARBOUR, text, inline_quotes=True)
    inline = [row for row in report.citations if row.origin == "inline"]
    assert [(row.source, row.result) for row in inline] == found


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_offsets_slice_back_for_any_text(text: str) -> None:
    """The spans of sentences, marks and quotes give back their text, sentences in order and apart."""
    report = report_of(text)
    end = 0
    for sentence in report.sentences:
        assert end <= sentence.start < sentence.end
        assert report.answer_text[sentence.start : sentence.end] == sentence.text
        assert sentence.text == sentence.text.strip()
        end = sentence.end
    end = 0
    for mark in report.marks:
        assert end <= mark.start
        assert report.answer_text[mark.start : mark.end] == mark.text != ""
        end = mark.end
    for citation in report.citations:
        if citation.origin == "inline":
            assert report.answer_text[citation.answer_start : citation.answer_end] == citation.quote
        if citation.snippet is not None and isinstance(citation.source, int):
            source = HARBOUR[citation.source - 1]
            assert source[citation.char_start : citation.char_end] == citation.snippet


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_report_is_json_for_any_text(text: str) -> None:
    """Every report can be written as JSON, and each number that is cited is a source or unknown."""
    report = report_of(text)
    assert json.loads(json.dumps(report.to_dict()))["kind"] == report.kind
    cited = {row.source for row in report.citations if isinstance(row.source, int)}
    assert {number for number in cited if number not in (1, 2)} <= set(report.unknown_numbers)
    assert cited.isdisjoint(report.uncited_sources)


KEYS = [
    "answer",
    "citations",
    "source",
    "quote",
    "text",
    "message",
    "content",
    "choices",
    "delta",
    "error",
    "usage",
]
KEYS += [
    "output",
    "type",
    "annotations",
    "prompt_eval_count",
    "finish_reason",
    "done",
    "response",
    "id",
    "documents",
]
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["x", "[1]", "message", "text"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(st.lists(JSON, max_size=3), st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1, max_size=5))
def test_any_values_in_known_fields(sources: list[object], answer: dict[str, object]) -> None:
    """Known fields with values of any kind give a report or an error, never a crash."""
    try:
        report = check_answer(sources, answer)
    except InvalidInput:
        return
    assert report.n_sources == len(sources)
    assert list(report.to_dict())


def test_deeply_nested_fields_are_read_as_text() -> None:
    """What a field nests too deeply does no harm, wherever it stands."""
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    answer = {"answer": deep, "citations": [deep, {"source": deep, "quote": deep}]}
    assert len(check_answer(HARBOUR, answer).citations) == 2
    assert check_answer(HARBOUR, {"error": deep}).error is not None


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 60), st.sampled_from(["[1]", "【2】", "(Source 1)", "[1, 2]", "[^2]", "[[1]]"]))
def test_mark_is_found_in_every_position(position: int, mark: str) -> None:
    """A mark put anywhere into prose of several scripts is a citation, with its span."""
    prose = "The harbour froze. 港口結冰。 Порт замёрз! 항구가 얼었다 and then it thawed"
    text = f"{prose[:position]} {mark} {prose[position:]}"
    report = check_answer(HARBOUR, text)
    citation = report.citations[0]
    assert report.answer_text[citation.answer_start : citation.answer_end] == mark


HOSTILE = [
    "[",
    "[1 ",
    "[1][2]",
    "【",
    "(Source 1 ",
    "`",
    "```\n",
    "[a](b ",
    "![a](",
    "https://a.b/c[",
    "A. ",
    "x\n",
]
HOSTILE += [
    "。",
    '"',
    "{",
    '{"a":',
    "[[",
    "> ",
    "|a|b|\n",
    "e.g. ",
    "a.¹",
    "\ud800",
    "\u0301",
    "<think>",
    "</think>",
]
HOSTILE += [
    '{"answer": "x", "citations": [',
    '"citations": [{"a"',
    "data: {\n",
    '{"message": {"content": "x"\n',
    "'",
    "«a",
    '"a b c d" ',
    '"a b c d" [1], ',
    '[1] says "a b c d", ',
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_repetition_ends(piece: str) -> None:
    """Twenty thousand repetitions of what opens, nests or ends something give a report."""
    report = check_answer(HARBOUR, "x " + piece * 20_000, inline_quotes=True)
    assert report.answer_text


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting_is_an_error(opening: str, closing: str) -> None:
    """Five thousand nested arrays or objects are refused, as sources and as an answer."""
    nested = opening * 5_000 + "1" + closing * 5_000
    with pytest.raises(InvalidInput, match="nest too deeply"):
        check_answer(HARBOUR, nested)
    with pytest.raises(InvalidInput, match="nest too deeply"):
        check_answer(nested, "It froze [1].")


def test_unclosed_brackets_are_text() -> None:
    """Twenty thousand opening brackets are a text without citations."""
    assert check_answer(HARBOUR, "[" * 20_000).warnings == ("NO_CITATIONS",)


def test_large_answer_is_read_to_its_end() -> None:
    """An answer of fifty million characters is read as a whole, its last mark included."""
    report = check_answer(HARBOUR, "ice " * 12_500_000 + "[2]")
    assert (len(report.answer_text), report.citations[0].source) == (50_000_003, 2)


def test_huge_input_is_an_error() -> None:
    """Beyond a hundred million characters the input is refused before anything is read."""
    with pytest.raises(InvalidInput, match="100,000,001 characters long: the limit is 100,000,000"):
        check_answer(HARBOUR, "x" * 100_000_001)


@pytest.mark.parametrize("options", [{"first_number": -1}, {"near_threshold": 0.4}, {"near_threshold": 1.1}])
def test_option_outside_its_range(options: dict[str, Any]) -> None:
    """An option that cannot hold is an error that names it."""
    with pytest.raises(InvalidOption, match=next(iter(options))):
        check_answer(HARBOUR, "x", **options)


@pytest.mark.parametrize("answer", [None, 5, b"x", ["a"], [1], []])
def test_answer_of_another_type(answer: Any) -> None:
    """What is neither text nor objects is no answer."""
    with pytest.raises(InvalidInput, match="an answer is text, a response object, or a list"):
        check_answer(HARBOUR, answer)


def test_near_threshold_decides() -> None:
    """A quote below the given threshold is not found."""
    answer = {"answer": "x", "citations": [{"source": 1, "quote": "The harbour thawed in 1881."}]}
    found = [str(check_answer(HARBOUR, answer, near_threshold=x).citations[0].result) for x in (0.7, 0.95)]
    assert found == ["NEAR", "NOT_FOUND"]


def test_four_digits_are_a_number_among_a_thousand_sources() -> None:
    """With 1,000 sources [1000] is one of them; elsewhere four digits are a year."""
    sources = [f"Fact {number}." for number in range(1, 1001)]
    assert check_answer(sources, "As said [1000].").unknown_numbers == ()
    assert check_answer(sources, "As said [1000].").citations[0].source == 1000


def test_paragraph_cited_looks_at_other_sentences() -> None:
    """A sentence without a number is told apart when its paragraph has one elsewhere."""
    report = check_answer(HARBOUR, "It froze [1]. Hard.\nVery.\n\nIt thawed.\n- a b [1]\n- c d")
    assert [sentence.paragraph_cited for sentence in report.uncited_sentences] == [True, True, False, False]
