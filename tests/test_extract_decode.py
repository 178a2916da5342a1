"""Charsets: what the bytes are goes before what they are said to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import webencodings
from hypothesis import given, settings
from hypothesis import strategies as st
from shared_data import shared_path

from quotecheck.extract.decode import How, decode, has_wide_characters

TEXTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "charset_texts.jsonl").read_text("utf-8").splitlines()
]
# Content-Type and head of a page in the charset {0}.
LABELS = {
    "header": ("text/html; charset={0}", ""),
    "quoted header": ('text/html;Charset="{0}"', ""),
    "meta": ("text/html", "<meta charset={0}>"),
    "http-equiv": ("text/html", '<meta content="text/html; charset={0}" http-equiv=content-type>'),
    "late meta": ("text/html", f"<!-- {'x' * 3000} --><meta charset='{{0}}'>"),
    "wrong utf-8 header, right meta": ("text/html; charset=utf-8", "<meta charset={0}>"),
    "wrong latin-1 header, right meta": ("text/html; charset=iso-8859-1", "<meta charset={0}>"),
    "wrong utf-8 header": ("text/html; charset=utf-8", ""),
    "wrong utf-8 meta": ("text/html", "<meta charset=utf-8>"),
    "wrong latin-1 header": ("text/html; charset=iso-8859-1", ""),
    "nothing": ("text/html", ""),
}
# A Latin-1 header is believed among the charsets of Latin letters: nothing refutes it for sure.
BELIEVED = {"windows-1250", "iso-8859-2", "windows-1254", "iso-8859-9"}


def _encode(text: str, label: str) -> bytes:
    return text.encode(webencodings.lookup(label).codec_info.name)


PAGES = [(row["text"], charset, how) for row in TEXTS for charset in row["charsets"] for how in LABELS]


@pytest.mark.parametrize(("text", "charset", "how"), PAGES, ids=lambda value: value[:12])
def test_decode_page(text: str, charset: str, how: str) -> None:
    """Pages in 17 languages are read right whatever their labels say, but for the exceptions above."""
    content_type, head = (part.format(charset) for part in LABELS[how])
    body = _encode(f"<html><head>{head}<title>Page</title></head><p>{text}</p></html>", charset)
    believed = how == "wrong latin-1 header" and charset in BELIEVED
    if not (believed and text.encode(charset) != text.encode("cp1252", "replace")):
        assert text in decode(body, content_type).text


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset", "how"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "text/html; charset=latin1", "café", "utf-8", How.BYTE_ORDER_MARK),
        (b"\xff\xfe<\x00p\x00>\x00", "text/html; charset=utf-8", "<p>", "utf-16le", How.BYTE_ORDER_MARK),
        (b"\xfe\xff\x00<\x00p", None, "<p", "utf-16be", How.BYTE_ORDER_MARK),
        (b"\xff\xfe\x00\x00a\x00\x00\x00", None, "a", "utf-32le", How.BYTE_ORDER_MARK),
        ("a page".encode("utf-16-le"), None, "a page", "utf-16le", How.NUL_PATTERN),
        ("a page".encode("utf-32-be"), None, "a page", "utf-32be", How.NUL_PATTERN),
        ("水車".encode("iso2022_jp"), "x; charset=utf-8", "水車", "iso-2022-jp", How.ESCAPE_SEQUENCES),
        ("방앗간".encode("iso2022_kr"), None, "방앗간", "iso-2022-kr", How.ESCAPE_SEQUENCES),
        (b"plain", "text/plain; charset=iso-8859-2", "plain", "iso-8859-2", How.HEADER),
        (b"plain", "text/plain; charset=utf-16", "plain", "utf-8", How.VALID_UTF8),
        (b"plain", None, "plain", "utf-8", How.VALID_UTF8),
        (b"a\x93b\x94", "text/html; charset=iso-8859-1", "a“b”", "windows-1252", How.HEADER),
        (b"a\x93b\x94", "text/html; charset=x-no-such-label", "a“b”", "windows-1252", How.DEFAULT),
        (b"\x87\x40", "text/html; charset=shift_jis", "①", "shift_jis", How.HEADER),
        (b"\x90\x30\x81\x30", "text/html; charset=gb2312", "\U00010000", "gbk", How.HEADER),
        (b"\xbc\xdb\x80 5", "text/html; charset=gb2312", "价€ 5", "gbk", How.HEADER),
        (b"\xa9 2004", None, "© 2004", "windows-1252", How.DEFAULT),
        ("Größe".encode() + b"\xc3", None, "Größe\ufffd", "utf-8", How.VALID_UTF8),
    ],
)  # fmt: skip
def test_decode_case(body: bytes, content_type: str | None, text: str, charset: str, how: How) -> None:
    """Marks, patterns, labels and defaults each decide where they should."""
    decoded = decode(body, content_type)
    assert (decoded.text, decoded.charset, decoded.how) == (text, charset, how)


@pytest.mark.parametrize(
    "text", ["be «\xa0and\xa0»", "“be” «\xa0B\xa0» ±3", "“A” ‘yes’ – I £5", "‘A’ it", "«\xa0élève\xa0»"]
)
@pytest.mark.parametrize("label", [None, "text/html; charset=windows-1252", "text/html; charset=utf-8"])
def test_decode_takes_punctuation_for_no_letters(text: str, label: str | None) -> None:
    """A short text with much punctuation of windows-1252 is in no other script, whatever its label says."""
    assert decode(text.encode("cp1252"), label).text == text


def test_decode_keeps_stray_windows_quotes_in_utf8() -> None:
    """Bytes pasted from windows-1252 into a UTF-8 page are read as what they were."""
    body = "Größe, Länge, Höhe, Nähe und Fläche: ".encode() + b"\x93so\x94"
    assert decode(body, "text/html; charset=utf-8").text.endswith("“so”")


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"<meta charset=utf-8>We don\xe2\x80\x99t, Ren\xe9.", "text/html", "We don’t, René."),
        (b"We don\xe2\x80\x99t, Ren\xe9.", "text/html; charset=utf-8", "We don’t, René."),
        (b"<meta charset=utf-8>caf\xc3\xa9 Ren\xe9.", "text/html; charset=utf-8", "café René."),
        (b"<meta charset=utf-8>caf\xc3\xa9 Ren\xe9.", "text/html; charset=iso-8859-1", "café René."),
        (b"Don\xe2\x80\x99t, Ren\xe9.", None, "Don’t, René."),
        (b"<meta charset=iso-8859-1>Don\xe2\x80\x99t, Ren\xe9.", "text/html", "Don’t, René."),
        (b"\xc3\xa0 l\xe2\x80\x99\xc3\xa9t\xc3\xa9, Ren\xe9.", "x; charset=iso-8859-1", "l’été, René."),
        (b"\xc3\xa9t\xc3\xa9, \xc3\xa0 la, Ren\xe9.", "x; charset=iso-8859-1", "à la, René."),
        ("水車水車".encode() + b" \x93so", "text/html; charset=utf-8", "水車水車 “so"),
    ],
)  # fmt: skip
def test_decode_keeps_a_few_sequences_of_utf8(body: bytes, content_type: str | None, text: str) -> None:
    """One stray byte does not turn the quotation marks of a short UTF-8 page into other characters."""
    assert decode(body, content_type).text.endswith(text)


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("„Das macht Spaß“, so hieß es.", "cp1252"),
        ("« Un bel été », dit-on.", "cp1252"),
        ("LIBERTÉ» au café.", "cp1252"),
        ("食要沿着旧路", "gb2312"),
        ("сгорела на днях", "koi8-r"),
    ],
)
def test_decode_sees_no_utf8_by_chance(text: str, charset: str) -> None:
    """A mark behind a letter, or a pair of letters, can be a sequence of UTF-8 and is none."""
    body = f"<meta charset=utf-8>{text}".encode(charset)
    assert decode(body, "text/html; charset=utf-8").charset != "utf-8"


def test_decode_believes_much_utf8_against_a_label() -> None:
    """One broken byte in a long UTF-8 text does not make it Latin-1."""
    body = "Größe ".encode() * 30 + b"\xff"
    assert decode(body, "text/html; charset=iso-8859-1").text.startswith("Größe Größe")


@pytest.mark.parametrize("head", ["<!-- {} -->", "<script>'{}'</script>", "<title>{}</title>"])
def test_decode_reads_no_declaration_in_other_content(head: str) -> None:
    """A meta tag in a comment, script or title declares nothing."""
    body = head.format("<meta charset=koi8-r>").encode() + b"<p>caf\xe9"
    assert decode(body).charset == "windows-1252"


def test_decode_skips_unknown_declarations() -> None:
    """A declaration with a label that does not exist gives way to the next one."""
    body = b"<meta charset=bogus><meta charset=iso-8859-2><p>\xb1"
    assert decode(body).text.endswith("ą")


@pytest.mark.parametrize(
    ("body", "content_type", "wide"),
    [
        ("a page".encode("utf-16-be"), None, True),
        ("水車".encode("utf-16-le"), "text/html; charset=utf-16le", True),
        (b"\xff\xfea\x00", None, True),
        (b"\xef\xbb\xbfpage", None, False),
        (b"a page", None, False),
    ],
)
def test_has_wide_characters(body: bytes, content_type: str | None, *, wide: bool) -> None:
    """UTF-16 is known by its mark, its NULs or its label."""
    assert has_wide_characters(body, content_type) is wide


@settings(deadline=None)
@given(
    st.binary(max_size=300),
    st.sampled_from([None, "text/html", "text/html; charset=shift_jis", "x; charset="]),
)
def test_decode_never_raises(body: bytes, content_type: str | None) -> None:
    """Any bytes under any label give a text without lone surrogates."""
    decode(body, content_type).text.encode("utf-8")


# Files whose index names a charset that a reader of web pages must not use, or none.
OTHERWISE = {
    "jsdom__charset-utf-16.html": "declares UTF-16 in ASCII bytes: read as UTF-8, as browsers do",
    "jsdom__charset-utf-16be.html": "declares UTF-16 in ASCII bytes: read as UTF-8, as browsers do",
    "jsdom__charset-utf-16le.html": "declares UTF-16 in ASCII bytes: read as UTF-8, as browsers do",
}
# Lists of pages, each with the charset that its text is in; two are read as another text.
LISTS = {
    "html5lib__tests1.dat": ["a script writes the declaration"],
    "html5lib__tests2.dat": [],
    "html5lib__test-yahoo-jp.dat": ["declares EUC-JP for what is valid UTF-8"],
}


@pytest.mark.parametrize("name", LISTS)
def test_decode_shared_lists_of_pages(name: str) -> None:
    """Each page of the lists is read as the text that it is in, or is one of those named above."""
    wrong = []
    for part in (shared_path("data/charsets") / name).read_bytes().split(b"#data\n")[1:]:
        body, _, answer = part.partition(b"\n#encoding\n")
        encoding = webencodings.lookup(answer.split(b"\n")[0].decode())
        assert encoding is not None
        if decode(body).text != body.decode(encoding.codec_info.name, "replace").lstrip("\ufeff"):
            wrong.append(body)
    assert len(wrong) == len(LISTS[name]), wrong


def test_decode_shared_files() -> None:
    """Every file of the shared charset collection is decoded as its index says, or named above."""
    folder = shared_path("data/charsets")
    wrong = []
    for row in json.loads((folder / "index.json").read_text("utf-8")):
        body = (folder.parent / row["file"]).read_bytes()
        known = None if row["encoding"] == "UTF-16" else webencodings.lookup(row["encoding"])
        codec = known.codec_info.name if known and known.name != "replacement" else row["encoding"]
        name = row["file"].rpartition("/")[2]
        if name not in {*OTHERWISE, *LISTS} and decode(body).text != body.decode(codec, "replace").lstrip(
            "\ufeff"
        ):
            wrong.append(name)
    assert wrong == []
