"""White space rules, spans and regions, on pieces joined with layout marks."""

from __future__ import annotations

import re

import numpy as np

from quotecheck.extract.layout import (
    BOX_CLOSE,
    BOX_OPEN,
    CELL,
    IGNORABLE_CLOSE,
    IGNORABLE_OPEN,
    LINE,
    PICTURE,
    PRE_CLOSE,
    PRE_OPEN,
    RAISED_CLOSE,
    RAISED_OPEN,
    WIDE,
    Settled,
    assemble,
    plain,
    settle,
)
from quotecheck.models import Region
from quotecheck.text import characters
from quotecheck.text.characters import character_table


def test_settle_collapses_ascii_blanks() -> None:
    """ASCII white space collapses and goes at the edges; a no-break space stays."""
    assert settle(" a \t\n\r\f b\u00a0 c ").text == "a b\u00a0 c"


def test_settle_lines() -> None:
    """Runs of line breaks are one newline, without blanks around it and without empty lines."""
    assert settle(f"{LINE}a {LINE} {LINE}{CELL}{LINE} b{LINE}").text == "a\nb"


def test_settle_cells() -> None:
    """Cells are parted by one tab; edges of a line and empty cells leave none."""
    assert settle(f"{CELL}a {CELL}{CELL} b{CELL}{LINE}{CELL}c").text == "a\tb\nc"


def test_settle_preformatted() -> None:
    """White space in preformatted parts stays, also in nested ones; the last newline goes."""
    assert settle(f"{PRE_OPEN}a  {PRE_OPEN}b\n\tc{PRE_CLOSE} d\n{PRE_CLOSE}").text == "a  b\n\tc d"


def test_settle_box() -> None:
    """A box within a line has no blanks at its inner edges."""
    assert settle(f"a {BOX_OPEN} b {BOX_CLOSE}c").text == "a bc"


def test_settle_box_with_a_picture() -> None:
    """A blank beside a picture is inside of the box, not at its edge; the picture itself is no text."""
    assert settle(f"a{BOX_OPEN} {PICTURE} b{BOX_CLOSE} {PICTURE} c").text == "a b c"


def test_settle_spans() -> None:
    """Spans are offsets into the settled text, end exclusive, one kind beside the other."""
    raw = f"a  b{RAISED_OPEN}2{RAISED_CLOSE}{IGNORABLE_OPEN}[1]{IGNORABLE_CLOSE} c"
    assert settle(raw) == Settled("a b2[1] c", ((4, 7),), ((3, 4),))


def test_settle_nested_spans_count_once() -> None:
    """A mark inside a mark of the same kind widens nothing and splits nothing."""
    raw = f"a{IGNORABLE_OPEN}[{IGNORABLE_OPEN}1{IGNORABLE_CLOSE}]{IGNORABLE_CLOSE}"
    assert settle(raw).ignorable == ((1, 4),)


def test_settle_blanks_around_marks_collapse() -> None:
    """Marks have no width: blanks on both sides of one are a single blank."""
    raw = f"a {RAISED_OPEN} 2 {RAISED_CLOSE} b"
    assert settle(raw) == Settled("a 2 b", (), ((2, 4),))


def test_settle_blanks_at_edges_of_marked_lines() -> None:
    """A blank between a mark and the edge of its line goes."""
    assert settle(f"a{LINE}{RAISED_OPEN} 2 {RAISED_CLOSE}{LINE}b").text == "a\n2\nb"


def test_settle_line_of_marks_alone_is_no_line() -> None:
    """Marks whose line has no text move to the next line and enclose nothing."""
    raw = f"a{LINE}{IGNORABLE_OPEN} {IGNORABLE_CLOSE}{LINE}b"
    assert settle(raw) == Settled("a\nb")


def test_settle_ignorable_takes_the_blank_before() -> None:
    """Where a mark stands between a blank and a blank or a full stop, the blank before it belongs to it."""
    raw = f"a {IGNORABLE_OPEN}[1]{IGNORABLE_CLOSE}. b {IGNORABLE_OPEN}[2]{IGNORABLE_CLOSE}c"
    assert settle(raw).ignorable == ((1, 5), (9, 12))


def test_settle_ignorable_takes_no_blank_of_the_one_before() -> None:
    """A blank that ends one span is not also the blank before the next."""
    settled = settle(f"a{IGNORABLE_OPEN}b {IGNORABLE_CLOSE}{IGNORABLE_OPEN}c{IGNORABLE_CLOSE}.")
    assert (settled.text, settled.ignorable) == ("ab c.", ((1, 3), (3, 4)))


def test_plain_keeps_text_without_marks() -> None:
    """Only NUL and lone surrogates are replaced."""
    assert plain("a\x00\ud800é\U0001f600") == "a\ufffd\ufffdé\U0001f600"


def test_assemble_moves_spans_of_regions() -> None:
    """Spans of a region are offsets into the whole text."""
    source = assemble(Settled("ab"), [("hidden", Settled("c2[1]", ((2, 5),), ((1, 2),)))])
    assert source.text == "ab\n\nc2[1]"
    assert source.regions == (Region("hidden", 4, 9),)
    assert (source.ignorable, source.raised) == (((6, 9),), ((5, 6),))


def test_wide_characters_are_those_of_the_matcher() -> None:
    """A line break is kept exactly where the matcher has readings for it."""
    wide = re.compile(f"[{WIDE}]")
    codes = np.array([*range(0x2000, 0xD800), *range(0xE000, 0x10000), *range(0x1AF00, 0x20010)])
    known = character_table().traits_of(codes) & characters.WIDE != 0
    assert [
        code for code, is_wide in zip(codes, known, strict=True) if is_wide != bool(wide.match(chr(code)))
    ] == []
