"""The files of an input: which they are, how they are opened, and that they have not changed.

Nothing is guessed silently. A file whose bytes cannot be read as they should (UTF-16, old Macintosh line
ends, a workbook) is refused with the remedy, and what was assumed (windows-1252) is said in a notice.
"""

from __future__ import annotations

import codecs
import glob
import gzip
import hashlib
import importlib
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from quotecheck.errors import InvalidInput, MissingExtra

RESULT_MARK = ".quotecheck"  # in the names of results that were not named
UTF8 = "utf-8"
WINDOWS_1252 = "cp1252"
_CHUNK = 1 << 20
_HEAD = 1 << 16

_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".txt": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_COMPRESSED_SUFFIXES = (".gz", ".zst")
_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_SAVE = "save the table as CSV (UTF-8), then audit that"
_UNPACK = "unpack it, or compress it with gzip"
# What files begin with that are no tables, and what to do with them.
_OTHER_FILES = {
    rb"PK\x03\x04": f"a workbook or archive: {_SAVE}",
    rb"\xd0\xcf\x11\xe0": f"a workbook: {_SAVE}",
    rb"BZh[1-9]1AY&SY": f"compressed with bzip2: {_UNPACK}",
    rb"\xfd7zXZ": f"compressed with xz: {_UNPACK}",
}


@dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input.

    Attributes
    ----------
    path : where it is read from.
    name : how results name it; None for standard input.
    kind : `csv`, `json` or `parquet`.
    """

    path: Path
    name: str | None
    kind: str

    @property
    def shown(self) -> str:
        """The name for messages."""
        return self.name or "standard input"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What identifies a file's content; two runs over equal fingerprints read the same rows."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of a text file are to be read.

    `damaged` counts bytes that are not UTF-8 in a file that otherwise is: their records are rejected.
    """

    charset: str
    has_bom: bool
    damaged: int = 0


def expand_inputs(inputs: tuple[str, ...]) -> list[InputFile]:
    """Return the files that paths, folders and glob patterns name, each once, in natural order.

    Raises InvalidInput for a pattern or folder that names nothing, and for a file of an unknown kind.
    """
    paths: dict[Path, None] = {}
    for entry in inputs:
        for path in _paths_of(entry):
            paths.setdefault(path, None)
    files = [InputFile(path, _name(path), recognise(path, _name(path))) for path in paths]
    kinds = sorted({file.kind for file in files})
    if len(kinds) > 1:
        raise InvalidInput(f"the inputs mix {' and '.join(kinds)} files: audit each kind by itself")
    return files


def _name(path: Path) -> str:
    """Return the name of a file as text that every table can hold."""
    return str(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _paths_of(entry: str) -> list[Path]:
    path = Path(entry)
    if path.is_dir():
        found = [file for file in path.rglob("*") if _is_table(file, path) and not _is_result(file)]
        if not found:
            raise InvalidInput(f"the folder {entry} holds no tables ({', '.join(_SUFFIXES)}, also .gz, .zst)")
        return sorted(found, key=_natural)
    if path.is_file():
        return [path]
    if path.exists():
        raise InvalidInput(
            f"{entry} is no regular file and can be read only once: pipe it to quotecheck batch -"
        )
    if glob.has_magic(entry):
        names = glob.glob(entry, recursive=True)  # noqa: PTH207 - patterns may be absolute
        found = [file for file in map(Path, names) if file.is_file() and not _is_result(file)]
        if found:
            return sorted(found, key=_natural)
        raise InvalidInput(f"no file matches {entry}")
    raise InvalidInput(f"{entry} does not exist")


def _is_table(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    return file.is_file() and not hidden and _kind_by_name(file) is not None


def _is_result(file: Path) -> bool:
    """Tell whether the name was derived for the results of an earlier audit."""
    return f"{RESULT_MARK}." in file.name


def _natural(path: Path) -> list[tuple[int, str]]:
    """Return a sort key under which part2 comes before part10."""
    pieces = re.split(r"([0-9]+)", str(path))
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in pieces]


def _kind_by_name(path: Path) -> str | None:
    name = path.name.lower()
    for suffix in _COMPRESSED_SUFFIXES:
        name = name.removesuffix(suffix)
    return _SUFFIXES.get(Path(name).suffix)


def recognise(path: Path, shown: str) -> str:
    """Return the kind of a file: by its name, checked against its first bytes. Raises InvalidInput."""
    head = read_head(path, shown)
    if head.startswith(_PARQUET):
        with path.open("rb") as stream:
            if stream.read(len(_PARQUET)) != _PARQUET:
                raise InvalidInput(f"{shown} is Parquet that was compressed once more: unpack it")
        return "parquet"
    for magic, what in _OTHER_FILES.items():
        if re.match(magic, head):
            raise InvalidInput(f"{shown} is {what}")
    kind = _kind_by_name(path)
    if kind == "parquet":
        raise InvalidInput(f"{shown} is not a Parquet file, whatever its name says: write it again")
    _refuse_wide_characters(head, shown)
    if b"\n" not in head and b"\r" in head.rstrip(b"\r"):
        raise old_line_ends(shown)
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    if kind is None or path.suffix.lower() == ".txt":
        return "json" if text[:1] in (b"{", b"[") else "csv"
    return kind


def _refuse_wide_characters(head: bytes, shown: str) -> None:
    nulls = head.count(0)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or nulls > len(head) // 5:
        raise InvalidInput(
            f"{shown} is UTF-16 (or binary), not UTF-8: save it as CSV UTF-8, or convert it:"
            f" iconv -f utf-16 -t utf-8"
        )


def old_line_ends(shown: str) -> InvalidInput:
    """Return the error for a file whose lines end with carriage returns alone."""
    return InvalidInput(
        f"{shown} has old Macintosh line ends (carriage returns alone): save it as CSV UTF-8, or convert it: "
        "tr '\\r' '\\n'"
    )


def open_bytes(path: Path, shown: str) -> BinaryIO:
    """Open a file for reading its content, decompressed where it is gzip or zstd. Raises InvalidInput."""
    try:
        with path.open("rb") as raw:
            magic = raw.read(4)
        if magic.startswith(_GZIP):
            return cast(BinaryIO, io.BufferedReader(gzip.GzipFile(path), _CHUNK))
        if magic == _ZSTD:
            return cast(BinaryIO, io.BufferedReader(_zstd_file(path, shown), _CHUNK))
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"{shown} cannot be read: {error.strerror or error}") from error


def _zstd_file(path: Path, shown: str) -> io.RawIOBase:
    for module in ("compression.zstd", "backports.zstd"):
        try:
            zstd = importlib.import_module(module)
        except ImportError:
            continue
        opened: io.RawIOBase = zstd.ZstdFile(path)
        return opened
    raise MissingExtra(f"{shown} is compressed with zstd: install quotecheck-audit[compression]")


def read_head(path: Path, shown: str) -> bytes:
    """Return the first 64 KiB of a file's content. Raises InvalidInput."""
    with open_bytes(path, shown) as stream, reading(shown):
        return stream.read(_HEAD)


@contextmanager
def reading(shown: str) -> Iterator[None]:
    """Turn what goes wrong while reading a file into InvalidInput that names the file."""
    try:
        yield
    except EOFError as error:
        raise InvalidInput(f"{shown} is cut short: its compressed data ends too early") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{shown} cannot be read as {error.encoding}: save it as UTF-8") from error
    except Exception as error:
        if isinstance(error, OSError | zlib.error) or type(error).__name__ == "ZstdError":
            raise InvalidInput(f"{shown} cannot be read: {error}") from error
        raise


def chunks(path: Path, shown: str) -> Iterator[bytes]:
    """Yield the content of a file in bounded pieces. Raises InvalidInput."""
    with open_bytes(path, shown) as stream, reading(shown):
        while piece := stream.read(_CHUNK):
            yield piece


def fingerprint(file: InputFile) -> Fingerprint:
    """Return what identifies the file as it is on disk now. Raises InvalidInput."""
    try:
        with file.path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
            return Fingerprint(file.shown, stream.tell(), digest)
    except OSError as error:
        raise InvalidInput(f"{file.shown} cannot be read: {error.strerror or error}") from error


def find_encoding(file: InputFile) -> Encoding:
    """Read a text file once and return how to decode it.

    UTF-8 where it is valid, or where more of its other characters are valid than not; else windows-1252, as
    a spreadsheet saves it. Raises InvalidInput where neither fits.
    """
    has_bom = read_head(file.path, file.shown).startswith(codecs.BOM_UTF8)
    decoder = codecs.getincrementaldecoder(UTF8)()
    try:
        for piece in chunks(file.path, file.shown):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return _damaged_or_other(file, has_bom)
    return Encoding(UTF8, has_bom)


def _damaged_or_other(file: InputFile, has_bom: bool) -> Encoding:
    decoder = codecs.getincrementaldecoder(UTF8)("surrogateescape")
    valid = damaged = 0
    sample = bytearray()
    for piece in chunks(file.path, file.shown):
        text = decoder.decode(piece)
        damaged += len(re.findall("[\udc80-\udcff]", text))
        valid += len(re.findall("[^\x00-\x7f\udc80-\udcff]", text))
        if len(sample) < _HEAD:
            sample += b"\n".join(line for line in piece.split(b"\n") if not line.isascii())[:_HEAD]
    if has_bom or valid > damaged:
        return Encoding(UTF8, has_bom, damaged)
    _require_windows_1252(file, bytes(sample))
    return Encoding(WINDOWS_1252, has_bom)


def _require_windows_1252(file: InputFile, sample: bytes) -> None:
    from quotecheck.batch.charsets import WINDOWS_1252 as WESTERN
    from quotecheck.batch.charsets import charset_of

    found = charset_of(sample)
    if found is None:
        raise InvalidInput(
            f"{file.shown} is neither UTF-8 nor windows-1252, as far as can be told: save it as UTF-8"
            " (spreadsheets call it CSV UTF-8)"
        )
    if found != WESTERN:
        raise InvalidInput(
            f"{file.shown} is not UTF-8 and may be {found}: save it as UTF-8 (spreadsheets call it CSV UTF-8)"
            f" or, if you know that it is {found}, convert it: iconv -f {found} -t utf-8"
        )
    for piece in chunks(file.path, file.shown):
        if re.search(rb"[\x81\x8d\x8f\x90\x9d]", piece):
            raise InvalidInput(f"{file.shown} is neither UTF-8 nor windows-1252: save it as UTF-8")
