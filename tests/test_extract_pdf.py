"""PDF files: lines, hyphens, raised digits, running heads, and files that cannot be read."""

from __future__ import annotations

import sys

import pytest
from pdf_files import Piece, lines, make_pdf
from shared_data import shared_path

from quotecheck.errors import SourceUnavailable
from quotecheck.extract.pdf import extract_pdf
from quotecheck.models import ReasonCode, Source

pytest.importorskip("pypdfium2", reason="the extra quotecheck-audit[pdf] is not installed")


def _slices(source: Source, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [source.text[start:end] for start, end in spans]


def _refusal(body: bytes) -> SourceUnavailable:
    with pytest.raises(SourceUnavailable) as refusal:
        extract_pdf(body)
    return refusal.value


def test_extract_pdf_pages() -> None:
    """Lines and pages end in a newline, and the start of each page is known."""
    source = extract_pdf(make_pdf([lines("The mill", "burned."), lines("Nobody", "knew.")]))
    assert source.text == "The mill\nburned.\nNobody\nknew."
    assert [source.text[start : start + 3] for start in source.page_starts] == ["The", "Nob"]


def test_extract_pdf_hyphen_at_line_end_stays() -> None:
    """A hyphen between two letters stays before a line break, for the matcher to read both ways."""
    source = extract_pdf(make_pdf([lines("It hap-", "pened at night.")]))
    assert source.text == "It hap-\npened at night."


def test_extract_pdf_hyphen_beside_a_digit_does_not_break() -> None:
    """A hyphen beside a digit is no broken word, so no line break follows it."""
    source = extract_pdf(make_pdf([lines("the years of COVID-", "19 and after")]))
    assert source.text == "the years of COVID-19 and after"


def test_extract_pdf_power_is_raised() -> None:
    """A digit set smaller and higher is raised; behind a number or a unit it is no note mark."""
    source = extract_pdf(
        make_pdf([[(72, 700, 12, "about 10"), (119, 705, 7, "6"), (124, 700, 12, " seeds")]])
    )
    assert source.text == "about 106 seeds"
    assert (_slices(source, source.raised), source.ignorable) == (["6"], ())


def test_extract_pdf_note_mark_is_ignorable() -> None:
    """A raised number behind a word is a note mark."""
    pieces = [(72, 700, 12, "the envoy left."), (146.7, 705, 7, "12"), (154.5, 700, 12, " Nobody saw it.")]
    source = extract_pdf(make_pdf([pieces]))
    assert source.text == "the envoy left.12 Nobody saw it."
    assert _slices(source, source.ignorable) == ["12"]


def test_extract_pdf_digit_on_the_line_is_plain() -> None:
    """A digit of the same size is text, whatever stands before it."""
    source = extract_pdf(make_pdf([lines("windows10 and m2")]))
    assert (source.raised, source.ignorable) == ((), ())


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([(72, 700, 12, "Poincar"), (114, 700, 12, "´"), (112.7, 700, 12, "e said")], "Poincaré said"),
        ([(72, 700, 12, "Age"), (88.7, 700, 12, "ˆ"), (93.4, 700, 12, "ncia")], "Agência"),
        ([(72, 700, 12, "Svanda"), (74, 703, 12, "ˆ"), (112.7, 700, 12, " 2021")], "Ŝvanda 2021"),
        ([(72, 700, 12, "a ´ b")], "a ´ b"),
    ],
)
def test_extract_pdf_accents(pieces: list[Piece], text: str) -> None:
    """An accent that is drawn by itself goes onto the letter under it; one with no letter stays."""
    assert extract_pdf(make_pdf([pieces])).text == text


def test_extract_pdf_running_heads_are_ignorable() -> None:
    """Lines that repeat at one place of neighbouring pages, digits aside, are apparatus."""
    pages = [lines(f"{number} THE SIEGE", f"Line {word} of it.", f"The {word} line.") for number, word in
             enumerate(("first", "second", "third"), start=8)]  # fmt: skip
    source = extract_pdf(make_pdf(pages))
    assert _slices(source, source.ignorable) == ["8 THE SIEGE\n", "\n9 THE SIEGE", "\n10 THE SIEGE"]


def test_extract_pdf_running_heads_of_left_and_right_pages() -> None:
    """Heads that alternate are compared with the page before the last."""
    heads = ("Oak: Mills 1", "2 Of mills", "Oak: Mills 3", "4 Of mills")
    pages = [lines(head, f"Text number {chr(65 + number)}.") for number, head in enumerate(heads)]
    source = extract_pdf(make_pdf(pages))
    assert [line.strip() for line in _slices(source, source.ignorable)] == list(heads)


def test_extract_pdf_words_go_on_behind_running_heads() -> None:
    """Without its running head a page goes on where the one before it ended, after one line break."""
    first = [*lines("8 THE SIEGE", "The mill be-"), (300, 60, 12, "12")]
    second = [*lines("9 THE SIEGE", "gan to burn."), (300, 60, 12, "13")]
    source = extract_pdf(make_pdf([first, second]))
    reduced = source.text
    for start, end in reversed(source.ignorable):
        reduced = reduced[:start] + reduced[end:]
    assert reduced == "The mill be-\ngan to burn."


def test_extract_pdf_two_running_heads_take_one_line_break_each() -> None:
    """Two lines of apparatus at the start of the file leave the text behind them without a line break."""
    pages = [lines("THE SIEGE", f"Part {number}", f"Line {word} of it.", f"The {word} line.")
             for number, word in enumerate(("first", "second"), start=8)]  # fmt: skip
    source = extract_pdf(make_pdf(pages))
    assert _slices(source, source.ignorable)[:2] == ["THE SIEGE\n", "Part 8\n"]
    assert _slices(source, source.ignorable)[2:] == ["\nTHE SIEGE", "\nPart 9"]


def test_extract_pdf_single_page_has_no_running_heads() -> None:
    """Lines of a single page are text."""
    assert extract_pdf(make_pdf([lines("Same line", "Same line")])).ignorable == ()


def test_extract_pdf_without_text() -> None:
    """Pages without text are `no_text`."""
    refusal = _refusal(make_pdf([[], []]))
    assert refusal.reason_code is ReasonCode.NO_TEXT
    assert "2 pages" in refusal.reason


def test_extract_pdf_encrypted() -> None:
    """A file that needs a password is `pdf_encrypted`."""
    assert _refusal(make_pdf([lines("secret")], encrypted=True)).reason_code is ReasonCode.PDF_ENCRYPTED


@pytest.mark.parametrize("body", [b"%PDF-1.4\n1 0 obj", b"%PDF-1.7\n" + b"\x00\xff" * 500])
def test_extract_pdf_damaged(body: bytes) -> None:
    """A file that the library cannot open is `pdf_damaged`."""
    assert _refusal(body).reason_code is ReasonCode.PDF_DAMAGED


def test_extract_pdf_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the library the reason names the extra to install."""
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    refusal = _refusal(make_pdf([lines("text")]))
    assert refusal.reason_code is ReasonCode.PDF_SUPPORT_MISSING
    assert "quotecheck-audit[pdf]" in refusal.reason


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("pdfminer__aes-256.pdf", ReasonCode.PDF_ENCRYPTED),
        ("py-pdf__libreoffice-writer-password.pdf", ReasonCode.PDF_ENCRYPTED),
        ("py-pdf__r6-user-password.pdf", ReasonCode.PDF_ENCRYPTED),
        ("py-pdf__unreadablemetadata.pdf", ReasonCode.PDF_DAMAGED),
    ],
)
def test_extract_pdf_shared_refused(name: str, code: ReasonCode) -> None:
    """Real files with passwords and damages are refused with their code."""
    assert _refusal(shared_path(f"data/pdf/{name}").read_bytes()).reason_code is code


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("py-pdf__r6-empty-password.pdf", "pdf encryption test"),
        ("pdfminer__zen_of_python_corrupted.pdf", "Beautiful is better than ugly."),
        ("pdfminer__jo.pdf", "みんなのおのおののなかのすべてですから"),
        ("zotero__demo.pdf", "Trace-based Just-in-Time Type Specialization for Dynamic\nLanguages"),
        ("zotero__demo.pdf", "Brendan Eich∗, Mike Shaver∗, David Anderson∗"),
        ("perrette__bg-8-515-2011.pdf", "A. Yool1, G. D. Quartly1, and E. E. Popova1"),
        ("jsvine__federal-register-2020-17221.pdf", "Federal Register / Vol. 85, No. 152"),
    ],
)
def test_extract_pdf_shared_text(name: str, text: str) -> None:
    """Real files give their lines, without breaks at raised glyphs."""
    assert text in extract_pdf(shared_path(f"data/pdf/{name}").read_bytes()).text
