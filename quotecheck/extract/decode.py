"""Decode the bytes of a source: what they are counts more than what they are said to be.

Browsers believe the label; strangers' labels are often wrong, and a wrongly decoded page turns each true
quotation into a false NOT_FOUND. So the evidence of the bytes goes first: a byte order mark, a NUL
pattern, escape sequences, valid UTF-8. Then come the HTTP header and the page's own declaration, each only
if the bytes fit it, then statistics on the text without its markup, and windows-1252 at last. On 539
labelled, mislabelled and unlabelled pages in 17 languages this order is right for 532, a browser's for 263.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum

import chardet
import webencodings

from quotecheck.extract.metatags import charset_in_content_type, declared_charsets

_HEAD = 8192  # bytes searched for a declaration; browsers look at 1,024, authors do not count
_SAMPLE = 20_000  # bytes of text given to the detector: more does not change its answer, only its time


class How(StrEnum):
    """What decided the charset."""

    BYTE_ORDER_MARK = "byte_order_mark"
    NUL_PATTERN = "nul_pattern"
    ESCAPE_SEQUENCES = "escape_sequences"
    VALID_UTF8 = "valid_utf8"
    HEADER = "header"
    DECLARATION = "declaration"
    DETECTED = "detected"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text, the charset it was decoded from (a WHATWG name where there is one), and what decided it."""

    text: str
    charset: str
    how: How


@dataclass(frozen=True, slots=True)
class _Charset:
    name: str
    codec: str


_UTF8 = _Charset("utf-8", "utf-8")
_WINDOWS_1252 = _Charset("windows-1252", "cp1252")
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, _UTF8),
    (codecs.BOM_UTF32_LE, _Charset("utf-32le", "utf-32-le")),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, _Charset("utf-32be", "utf-32-be")),
    (codecs.BOM_UTF16_LE, _Charset("utf-16le", "utf-16-le")),
    (codecs.BOM_UTF16_BE, _Charset("utf-16be", "utf-16-be")),
)
_ESCAPES = (
    (b"\x1b$)C", _Charset("iso-2022-kr", "iso2022_kr")),
    (b"\x1b$B", _Charset("iso-2022-jp", "iso2022_jp_2")),
    (b"\x1b$@", _Charset("iso-2022-jp", "iso2022_jp_2")),
    (b"\x1b(J", _Charset("iso-2022-jp", "iso2022_jp_2")),
)
_HIGH = bytes(range(0x80, 0x100))
_C1 = re.compile("[\x80-\x9f]")
# A sequence of UTF-8 that in windows-1252 is a letter before a mark or two: "LIBERTÉ»", "Spaß“", "été »".
_MARK = rb"[\x80\x85\x91-\x97\x99\x9b\xa0\xab\xae\xb0\xbb]"
_BY_CHANCE = re.compile(rb"[\xc4-\xdf]" + _MARK + rb"|[\xe0-\xef](?!\x80)" + _MARK * 2)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a body by its bytes, its labels, or the statistics of its text, in this order of trust.

    Bytes that the charset does not know become U+FFFD; nothing is dropped and nothing raises.

    >>> decode("Größe".encode("cp1252"), "text/html; charset=utf-8").text
    'Größe'
    """
    evident = _by_unmistakable_bytes(body)
    if evident:
        return evident
    header = _lookup(charset_in_content_type(content_type))
    declaration = _declaration(body)
    ascii_bytes = len(body.translate(None, _HIGH))
    if ascii_bytes == len(body):
        label, how = _first_label(header, declaration)
        return Decoded(body.decode("ascii"), label.name, how)
    return (
        _by_utf8_validity(body, ascii_bytes, header, declaration)
        or _by_labels(body, len(body) - ascii_bytes, header, declaration)
        or _by_detection(body)
    )


def _by_unmistakable_bytes(body: bytes) -> Decoded | None:
    for mark, charset in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return _decoded(body[len(mark) :], charset, How.BYTE_ORDER_MARK)
    charset_of_nuls = _nul_pattern(body)
    if charset_of_nuls:
        return _decoded(body, charset_of_nuls, How.NUL_PATTERN)
    if b"\x1b" in body and body.isascii():
        for escape, charset in _ESCAPES:
            if escape in body:
                return _decoded(body, charset, How.ESCAPE_SEQUENCES)
    return None


def has_wide_characters(body: bytes, content_type: str | None) -> bool:
    """Tell whether a body is UTF-16 or UTF-32, by mark, NULs or label: such NULs are not binary data."""
    marked = any(body.startswith(mark) for mark, charset in _BYTE_ORDER_MARKS if charset is not _UTF8)
    return (
        marked or _nul_pattern(body) is not None or _is_utf16(_lookup(charset_in_content_type(content_type)))
    )


def _nul_pattern(body: bytes) -> _Charset | None:
    """Recognise UTF-16 and UTF-32 without a mark: ASCII characters leave NULs in fixed places."""
    sample = body[: min(len(body), 4096) & ~3]
    quarter = len(sample) // 4
    if quarter < 2 or b"\x00" not in sample:
        return None
    nuls = [sample[i::4].count(0) / quarter for i in range(4)]
    if nuls[0] > 0.9 and nuls[1] > 0.9 and nuls[3] < 0.1:
        return _Charset("utf-32be", "utf-32-be")
    if nuls[2] > 0.9 and nuls[3] > 0.9 and nuls[0] < 0.1:
        return _Charset("utf-32le", "utf-32-le")
    even, odd = (nuls[0] + nuls[2]) / 2, (nuls[1] + nuls[3]) / 2
    if odd > 0.4 and even < 0.1:
        return _Charset("utf-16le", "utf-16-le")
    if even > 0.4 and odd < 0.1:
        return _Charset("utf-16be", "utf-16-be")
    return None


def _declaration(body: bytes) -> _Charset | None:
    """Return the first charset that the page declares under a label that exists."""
    labels = declared_charsets(body[:_HEAD].decode("latin-1"))
    charset = next(filter(None, map(_lookup, labels)), None)
    if _is_utf16(charset):
        return _UTF8  # a declaration that is readable as ASCII cannot be in UTF-16 (WHATWG)
    return charset


def _first_label(header: _Charset | None, declaration: _Charset | None) -> tuple[_Charset, How]:
    if header and not _is_utf16(header):
        return header, How.HEADER
    if declaration:
        return declaration, How.DECLARATION
    return _UTF8, How.VALID_UTF8


def _is_utf16(charset: _Charset | None) -> bool:
    return charset is not None and charset.name.startswith("utf-16")


def _by_utf8_validity(
    body: bytes, ascii_bytes: int, header: _Charset | None, declaration: _Charset | None
) -> Decoded | None:
    """Take UTF-8 when it is valid, or all but valid: no text in another charset looks like it for long."""
    try:
        return Decoded(body.decode("utf-8"), _UTF8.name, How.VALID_UTF8)
    except UnicodeDecodeError as error:
        cut_at_end = len(body) - error.start < 4 and "unexpected end" in error.reason
        if cut_at_end and not body[: error.start].isascii():
            return _decoded(body, _UTF8, How.VALID_UTF8)
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd") - body.count("\ufffd".encode())
    good = len(text) - ascii_bytes - bad
    if not _is_utf8_with_strays(body, good, bad, {header, declaration} - {None}):
        return None
    return _decoded_with_strays(body, How.VALID_UTF8)


def _is_utf8_with_strays(body: bytes, good: int, bad: int, labels: set[_Charset | None]) -> bool:
    """Weigh `good` sequences of UTF-8 against `bad` bytes (one at least) that belong to none.

    Other scripts look like some sequences of UTF-8 between many bytes that are none, and western letters
    like one where a mark follows. Sequences that stand apart from both are evidence from the first one on,
    also against a Latin-1 label, which may be a server's default: of 38,949 windows of up to 120 characters
    in 24 other charsets 4 have as many of them as bad bytes, all of 8 characters at most.
    """
    is_declared = _UTF8 in labels
    if bad * (4 if is_declared or not labels else 20) <= good and (is_declared or good >= 8):
        return True
    if not labels <= {_UTF8, _WINDOWS_1252}:
        return False
    return bad <= sum(map(_sequences_apart, _HIGH_RUN.findall(body)))


def _sequences_apart(run: bytes) -> int:
    """Count the characters of a run of bytes beyond ASCII, if all of it is UTF-8 and can be nothing else."""
    try:
        return len(run.decode("utf-8")) - len(_BY_CHANCE.findall(run))
    except UnicodeDecodeError:
        return 0


def _by_labels(
    body: bytes, high_bytes: int, header: _Charset | None, declaration: _Charset | None
) -> Decoded | None:
    for charset, how in ((header, How.HEADER), (declaration, How.DECLARATION)):
        if charset is None or charset == _UTF8:
            continue
        if charset == _WINDOWS_1252 and _latin_label_is_refuted(body, how, declaration):
            continue
        decoded = _decoded(body, charset, how)
        undefined = decoded.text.count("\ufffd") + len(_C1.findall(decoded.text))
        if undefined < 0.02 * high_bytes:
            return decoded
    return None


def _latin_label_is_refuted(body: bytes, how: How, declaration: _Charset | None) -> bool:
    """Judge a Latin-1 label: servers send it by default, so the page's own word or another script wins."""
    if how is How.HEADER and declaration not in (None, _UTF8, _WINDOWS_1252):
        return True
    return _evidence(_text_sample(body)).other_script


def _by_detection(body: bytes) -> Decoded:
    charset = _detect(_text_sample(body))
    if charset == _UTF8:
        return _decoded_with_strays(body, How.DETECTED)
    return _decoded(body, charset, How.DEFAULT if charset == _WINDOWS_1252 else How.DETECTED)


# Comments, scripts and styles, each to its end or to the end of all; then single tags.
_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1|\Z)|<[^<>]*>?", re.DOTALL | re.IGNORECASE
)
_LONG_ASCII = re.compile(rb"[\x00-\x7f]{40,}")
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
# Quotation marks, dashes, ellipsis and no-break space of windows-1252 at the edges of a run of such bytes:
# evidence of no script. Of 6,000 short English texts with them 107 were read in another charset for it.
_MARKS = rb"[\x82\x84\x85\x8b\x91-\x97\x9b\xa0\xab\xbb]"
_PUNCTUATION = re.compile(
    rb"(?<![\x80-\xff])" + _MARKS + rb"++|(?<!" + _MARKS + rb")" + _MARKS + rb"++(?![\x80-\xff])"
)
_WEB = chardet.EncodingEra.MODERN_WEB | chardet.EncodingEra.LEGACY_ISO
_ALL = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME  # no page is EBCDIC
_LATIN = [*(f"windows-{page}" for page in (1250, 1252, 1254, 1257, 1258)), "iso-8859-1", "iso-8859-2"]
_LATIN_LEGACY = [
    *_LATIN,
    *(f"iso-8859-{part}" for part in (3, 4, 9, 10, 13, 14, 15, 16)),
    *("mac-roman", "mac-latin2", "mac-turkish", "cp437", "cp850", "cp852", "cp857"),
]


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the words that hold bytes outside ASCII show: western words mix both, other scripts do not."""

    words: int
    high_bytes: int
    other_script: bool


def _text_sample(body: bytes) -> bytes:
    """Return up to 20,000 bytes of text: no markup, and long runs of ASCII shortened to their ends."""
    text = _MARKUP.sub(b" ", body)
    return _LONG_ASCII.sub(lambda run: run[0][:20] + b" " + run[0][-19:], text)[:_SAMPLE]


def _evidence(sample: bytes) -> _Evidence:
    words = [word for word in _WORD.findall(_PUNCTUATION.sub(b" ", sample)) if not word.isascii()]
    joined = b"".join(words)
    high = len(joined) - len(joined.translate(None, _HIGH))
    return _Evidence(len(words), high, other_script=high > 0.5 * len(joined))


def _detect(sample: bytes) -> _Charset:
    """Ask the detector, among the charsets that the amount and kind of evidence allow.

    Of a few bytes it makes anything: four accented letters were Macedonian, one copyright sign Persian.
    """
    evidence = _evidence(sample)
    if evidence.words < 3 and not evidence.other_script:
        return _WINDOWS_1252
    much = evidence.high_bytes >= 60
    if evidence.other_script:
        name = chardet.detect(sample, encoding_era=_ALL if much else _WEB)["encoding"]
    else:
        latin = _LATIN_LEGACY if much else _LATIN
        name = chardet.detect(sample, include_encodings=latin)["encoding"]
    return (_lookup(name) or _python_charset(name)) if name else _WINDOWS_1252


def _python_charset(name: str) -> _Charset:
    try:
        return _Charset(name.lower(), codecs.lookup(name).name)
    except LookupError:
        return _WINDOWS_1252


def _lookup(label: str | None) -> _Charset | None:
    """Return the charset a label stands for by the WHATWG table, or None for a label it does not know."""
    encoding = webencodings.lookup(label.strip()) if label else None
    if encoding is None or encoding.name == "replacement":
        return None
    if encoding.name == "x-user-defined":
        return _WINDOWS_1252
    codec = encoding.codec_info.name
    return _Charset(encoding.name, "gb18030" if codec == "gbk" else codec)  # WHATWG: one decoder for both


def _decoded(body: bytes, charset: _Charset, how: How) -> Decoded:
    errors = "quotecheck-gbk" if charset.codec == "gb18030" else "replace"
    return Decoded(body.decode(charset.codec, errors), charset.name, how)


def _decoded_with_strays(body: bytes, how: How) -> Decoded:
    return Decoded(body.decode(_UTF8.codec, "quotecheck-stray-cp1252"), _UTF8.name, how)


def _stray_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are no UTF-8 as windows-1252: quotation marks pasted into a UTF-8 page survive."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


def _lone_euro(error: UnicodeError) -> tuple[str, int]:
    """Read the byte 0x80 as the euro sign, which Windows added to GBK (WHATWG); else replace."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    if error.object[error.start] == 0x80:
        return "€", error.start + 1
    return "\ufffd", error.end


codecs.register_error("quotecheck-stray-cp1252", _stray_cp1252)
codecs.register_error("quotecheck-gbk", _lone_euro)
