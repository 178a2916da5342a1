"""The files of an input."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import sys
from pathlib import Path

import pytest

from quotecheck.batch.inputs import (
    Encoding,
    InputFile,
    chunks,
    expand_inputs,
    find_encoding,
    fingerprint,
    recognise,
)
from quotecheck.errors import InvalidInput, MissingExtra

LINES = b'{"quote": "a", "source": "pmid:1"}\n'


def written(path: Path, data: bytes) -> InputFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return InputFile(path, str(path), "csv")


def names(*inputs: str) -> list[str]:
    return [file.path.name for file in expand_inputs(inputs)]


def test_folder_gives_its_tables_in_natural_order(tmp_path: Path) -> None:
    """Part 2 comes before part 10; hidden files and others are left out."""
    for name in (
        "p10.jsonl",
        "p2.jsonl.gz",
        "p1.jsonl",
        ".hidden.jsonl",
        "_tmp/p.jsonl",
        "notes.md",
        "p3.zip",
    ):
        written(tmp_path / name, LINES)
    assert names(str(tmp_path)) == ["p1.jsonl", "p2.jsonl.gz", "p10.jsonl"]


def test_pattern_gives_its_files_in_natural_order_and_each_once(tmp_path: Path) -> None:
    """Patterns and names may overlap."""
    for name in ("p10.jsonl", "p9.jsonl", "q.jsonl"):
        written(tmp_path / name, LINES)
    assert names(str(tmp_path / "q.jsonl"), str(tmp_path / "*.jsonl")) == ["q.jsonl", "p9.jsonl", "p10.jsonl"]


def test_pattern_leaves_out_results_of_earlier_audits(tmp_path: Path) -> None:
    """A second run over a folder does not read what the first has written there."""
    for name in ("p.jsonl", "p.quotecheck.jsonl", "p.quotecheck.rejects.jsonl"):
        written(tmp_path / name, LINES)
    assert names(str(tmp_path)) == ["p.jsonl"]
    assert names(str(tmp_path / "*.jsonl")) == ["p.jsonl"]


def test_file_with_brackets_in_its_name_is_no_pattern(tmp_path: Path) -> None:
    """A name that exists is taken as it is."""
    written(tmp_path / "rows[1].jsonl", LINES)
    assert names(str(tmp_path / "rows[1].jsonl")) == ["rows[1].jsonl"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [("none.jsonl", "does not exist"), ("*.parquet", "no file matches"), (".", "holds no tables")],
)
def test_input_that_names_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str, message: str
) -> None:
    """An audit of nothing is a mistake in its input."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput, match=message):
        expand_inputs((entry,))


def test_input_that_can_be_read_only_once_is_refused(tmp_path: Path) -> None:
    """A table is read more than once; a pipe is spooled only as standard input."""
    os.mkfifo(tmp_path / "rows.csv")
    with pytest.raises(InvalidInput, match="pipe it to quotecheck batch -"):
        expand_inputs((str(tmp_path / "rows.csv"),))


def test_name_that_is_not_utf8_is_shown_with_its_damage(tmp_path: Path) -> None:
    """Every table can hold the name of its file."""
    path = os.fsdecode(os.fsencode(tmp_path) + b"/rows-\xff.jsonl")
    written(Path(path), LINES)
    (file,) = expand_inputs((path,))
    assert file.shown.endswith("rows-\ufffd.jsonl")


def test_files_of_several_kinds_are_refused(tmp_path: Path) -> None:
    """One audit reads one kind of table."""
    written(tmp_path / "a.csv", b"quote,source\n")
    written(tmp_path / "b.jsonl", LINES)
    with pytest.raises(InvalidInput, match="mix csv and json files"):
        expand_inputs((str(tmp_path),))


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("rows.csv", b"quote,source\n", "csv"),
        ("rows.TSV", b"quote\tsource\n", "csv"),
        ("rows.ndjson", LINES, "json"),
        ("rows.jsonl.gz", gzip.compress(LINES, mtime=0), "json"),
        ("rows.parquet", b"PAR1" + b"\0" * 9, "parquet"),
        ("rows", LINES, "json"),
        ("rows", b'\xef\xbb\xbf [{"quote"', "json"),
        ("rows.txt", b"quote;source\n", "csv"),
        ("rows.dat", b"PAR1" + b"\0" * 9, "parquet"),
    ],
)
def test_kind_is_known_by_name_and_content(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    """The name decides, and the content where the name says nothing."""
    file = written(tmp_path / name, data)
    assert recognise(file.path, file.shown) == kind


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("rows.csv", "quote,source\n".encode("utf-16"), "UTF-16"),
        ("rows.csv", b"q\0u\0o\0t\0e\0,\0s\0", "UTF-16"),
        ("rows.jsonl", LINES.decode().encode("utf-16-be"), "UTF-16"),
        ("rows.csv", b"PK\x03\x04", "workbook"),
        ("rows.csv", b"\xd0\xcf\x11\xe0\xa1", "workbook"),
        ("rows.csv.bz2", bz2.compress(b"quote,source\n"), "compressed with bzip2: unpack it"),
        ("rows.csv.xz", lzma.compress(b"quote,source\n"), "compressed with xz: unpack it"),
        ("rows.parquet.gz", gzip.compress(b"PAR1 and more"), "compressed once more: unpack it"),
        ("rows.parquet", b"quote,source\n", "not a Parquet file"),
        ("rows.csv", b"quote,source\ra,pmid:1\r", "old Macintosh line ends"),
        ("rows.jsonl", LINES.replace(b"\n", b"\r") * 2, "old Macintosh line ends"),
        ("rows.csv.gz", gzip.compress(b"quote,source\n" * 99, mtime=0)[:30], "cut short"),
        ("rows.csv.gz", gzip.compress(b"quote,source\n", mtime=0)[:-8] + b"wrongsum", "cannot be read"),
    ],
)
def test_file_that_would_be_misread_is_refused(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    """What cannot be read as it should is refused with the remedy."""
    file = written(tmp_path / name, data)
    with pytest.raises(InvalidInput, match=message):
        recognise(file.path, file.shown)


def test_gzip_and_zstd_are_unpacked_by_content(tmp_path: Path) -> None:
    """The first bytes tell, whatever the name says; several members are one file."""
    zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    packed = written(tmp_path / "a.csv", gzip.compress(b"fog ") + gzip.compress(b"mist"))
    other = written(tmp_path / "b.csv", zstd.compress(b"fog mist"))
    assert b"".join(chunks(packed.path, "a")) == b"".join(chunks(other.path, "b")) == b"fog mist"


def test_zstd_without_its_module_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    for module in ("compression.zstd", "backports.zstd"):
        monkeypatch.setitem(sys.modules, module, None)
    file = written(tmp_path / "a.csv.zst", b"\x28\xb5\x2f\xfd rest")
    with pytest.raises(MissingExtra, match="compression"):
        list(chunks(file.path, file.shown))


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"plain", Encoding("utf-8", False)),
        ("grey – fög".encode(), Encoding("utf-8", False)),
        ("grey – fög".encode("utf-8-sig"), Encoding("utf-8", True)),
        ("“fög”, he said".encode("cp1252"), Encoding("cp1252", False)),
        ("fög é ü ".encode() * 9 + b"\xff", Encoding("utf-8", False, 1)),
        (b"\xef\xbb\xbfquote\xff", Encoding("utf-8", True, 1)),
    ],
)
def test_encoding_is_judged_by_all_bytes(tmp_path: Path, data: bytes, encoding: Encoding) -> None:
    """Valid UTF-8 is that; some damage does not make it windows-1252, no valid character does."""
    assert find_encoding(written(tmp_path / "a.csv", data)) == encoding


def test_character_that_crosses_a_piece_is_no_damage(tmp_path: Path) -> None:
    """The bytes are read in pieces, the characters are not."""
    assert find_encoding(written(tmp_path / "a.csv", b"x" * ((1 << 20) - 1) + "é".encode())).damaged == 0


@pytest.mark.parametrize("charset", ["cp1251", "gbk", "shift_jis", "euc-kr", "cp1253", "iso-8859-8"])
def test_file_in_another_charset_is_refused_and_not_misread(tmp_path: Path, charset: str) -> None:
    """Windows-1252 would turn it into other letters without a word."""
    texts = {
        "cp1251": "Серый туман стоял над рекой",
        "gbk": "灰色的雾笼罩着河堤",
        "shift_jis": "灰色の霧が川の上に立っていた",
        "euc-kr": "회색 안개가 강 위에 서 있었다",
        "cp1253": "Η γκρίζα ομίχλη στεκόταν",
        "iso-8859-8": "ערפל אפור עמד מעל הנהר",
    }
    with pytest.raises(InvalidInput, match=r"not UTF-8 and may be .*: save it as UTF-8 .*if you know that"):
        find_encoding(written(tmp_path / "a.csv", f"quote,source\n{texts[charset]},x\n".encode(charset)))


def test_charset_is_not_named_from_a_few_bytes(tmp_path: Path) -> None:
    """A guess from three words would be followed, and spoil the file."""
    with pytest.raises(InvalidInput, match="as far as can be told: save it as UTF-8") as refused:
        find_encoding(written(tmp_path / "a.csv", "quote,source\nтуман,x\n".encode("cp1251")))
    assert "iconv" not in str(refused.value)


def test_file_that_is_neither_charset_is_refused(tmp_path: Path) -> None:
    """Windows-1252 has no character for five bytes."""
    with pytest.raises(InvalidInput, match="neither UTF-8 nor windows-1252"):
        find_encoding(written(tmp_path / "a.csv", b"caf\xe9 \x81 fog"))


def test_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    """Equal bytes, equal fingerprint; a changed byte changes it."""
    first = fingerprint(written(tmp_path / "a.csv", b"fog"))
    assert (first.bytes, fingerprint(written(tmp_path / "a.csv", b"fog"))) == (3, first)
    assert fingerprint(written(tmp_path / "a.csv", b"fig")) != first
