"""The HTML report of answers: marks as links, verdicts, and strangers' text that stays text."""

from __future__ import annotations

import re

from quotecheck.batch.answers_page import AnswersPage, card_of, render
from quotecheck.citations.bulk import read_row, records_of, summarize
from quotecheck.citations.review import Reviewer, ReviewOptions

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>'


def page_of(*rows: dict[str, object]) -> str:
    """Return the page over some rows."""
    cards, answers = [], []
    for place, row in enumerate(rows):
        read = read_row(row)
        reviewer = Reviewer(read.sources, ReviewOptions(inline_quotes=True))
        report = reviewer.review(read.answer)
        answers.append(records_of(read, place, report, reviewer.sources).answer)
        cards.append(card_of(answers[-1], report, reviewer.sources))
    return render(
        AnswersPage(
            title=HOSTILE,
            finished="today",
            answers=len(answers),
            answers_ok=sum(answer.ok for answer in answers),
            rejected=0,
            warnings={"TRUNCATED": 1},
            groups=tuple(summarize(answers).values()),
            gates=((f"--strict {HOSTILE}", False),),
            cards=tuple(cards),
        )
    )


def test_each_number_of_a_mark_links_to_its_source() -> None:
    """Lists and ranges link each number that is written; a number without a source is no link."""
    page = page_of({"sources": ["a", "b", "c"], "answer": "It froze [1, 3]. It thawed [1-2] [7]."})
    words = page[page.index('<p class="words"') : page.index("</p>", page.index('<p class="words"'))]
    assert re.findall(r'href="#row-0-source-(\d)">(\d)<', words) == [
        ("1", "1"),
        ("3", "3"),
        ("1", "1"),
        ("2", "2"),
    ]
    assert '<span class="mark unknown">7</span>' in words


def test_marks_without_digits_link_as_a_whole() -> None:
    """An id, and words that a server cites natively, are one link."""
    citation = {"type": "char_location", "cited_text": "froze", "document_index": 0}
    native = {"type": "message", "content": [{"type": "text", "text": "Ice.", "citations": [citation]}]}
    page = page_of(
        {"sources": [{"id": "ice", "text": "a"}], "answer": "It froze [ice]."},
        {"sources": ["it froze"], "answer": native},
    )
    assert '<a class="mark" href="#row-0-source-1">[ice]</a>' in page
    assert '<a class="mark" href="#row-1-source-1">Ice.</a>' in page


def test_verdict_shows_the_passage_in_context() -> None:
    """A quote that is not verbatim stands beside the source's own words."""
    row: dict[str, object] = {
        "sources": ["The harbour froze in 1881 and stayed shut for weeks."],
        "answer": {"answer": "x", "citations": [{"source": 1, "quote": "froze in 1882 and stayed shut"}]},
    }
    page = page_of(row)
    assert (
        '<span class="result NEAR">NEAR</span> [<a class="mark" href="#row-0-source-1"><bdi>1</bdi></a>]'
        in page
    )
    assert '<span class="flag alarm">number changed</span>' in page
    assert 'The harbour <span class="passage">froze in 1881 and stayed shut</span> for weeks.' in page


def test_groups_stand_below_the_figures_of_all() -> None:
    """The table of groups begins with all answers; those without a group are called that."""
    row: dict[str, object] = {"sources": ["a"], "answer": "x [1]"}
    names = r"<tr><td>(?:<bdi>)?([^<]*)"
    assert re.findall(names, page_of(row, {**row, "group": "g"})) == ["all answers", "without a group", "g"]
    assert re.findall(names, page_of(row)) == ["all answers"]


def test_strangers_text_is_inert() -> None:
    """Markup in answers, sources, names and quotes is shown, not run; direction marks are shown by number."""
    row: dict[str, object] = {
        "id": HOSTILE,
        "group": HOSTILE,
        "sources": [{"title": HOSTILE, "text": HOSTILE + "\u202e"}],
        "answer": {"answer": HOSTILE + " [1]", "citations": [{"source": HOSTILE, "quote": HOSTILE}]},
    }
    page = page_of(row)
    assert page.count("<script>") == 1
    assert "<img" not in page
    assert '<span class="control">U+202E</span>' in page


def test_long_answers_and_lists_say_what_is_left_out() -> None:
    """Cut texts and lists say how much of them is shown."""
    citations = [{"source": 1}] * 150
    row: dict[str, object] = {"sources": ["a"], "answer": {"answer": "ice " * 6_000, "citations": citations}}
    page = page_of(row)
    assert "first 20,000 of 23,999 characters" in page
    assert "first 100 of 150" in page


def test_page_says_what_is_not_judged() -> None:
    """The foot of the page says that a citation that holds is not a right answer."""
    assert "Whether the answer is right" in page_of({"sources": ["a"], "answer": "x [1]"})
