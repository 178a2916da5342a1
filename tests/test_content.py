"""Content codings: what comes out, within bounds, and what is refused."""

from __future__ import annotations

import gzip
import random
import sys
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotecheck.models import ReasonCode
from quotecheck.sources.content import STEP, ContentDecoder, ContentError, accept_encoding

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LIMIT = 20_000_000
TEXT = b"".join(b"Line %d of the miller's book.\n" % number for number in range(5000))
NOISE = random.Random(7).randbytes(30_000)  # does not compress, so a cut is a cut anywhere


def _raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data, wbits=-15)


CODINGS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", _raw_deflate),
    ("br", brotli.compress),
    ("zstd", zstd.compress),
]
BY_CODING = pytest.mark.parametrize(
    ("name", "compress"), CODINGS, ids=lambda item: getattr(item, "__name__", item)
)


def _decode(header: str, *pieces: bytes) -> bytes:
    decoder = ContentDecoder(header, max_bytes=LIMIT)
    text = b"".join(part for piece in pieces for part in decoder.feed(piece))
    decoder.finish()
    return text


def _code(header: str, *pieces: bytes) -> ReasonCode:
    with pytest.raises(ContentError) as caught:
        _decode(header, *pieces)
    return caught.value.code


@BY_CODING
def test_coding_is_undone(name: str, compress: Callable[[bytes], bytes]) -> None:
    """Whole, and byte by byte as a slow server sends it."""
    packed = compress(TEXT)
    assert _decode(name, packed) == TEXT
    assert _decode(name, *(packed[i : i + 1] for i in range(len(packed)))) == TEXT


@BY_CODING
def test_truncated_body_is_refused(name: str, compress: Callable[[bytes], bytes]) -> None:
    """Half a page proves nothing, so a cut stream is no page."""
    packed = compress(NOISE)
    for end in (1, 9, len(packed) // 2, len(packed) - 1):
        assert _code(name, packed[:end]) is ReasonCode.BODY_TRUNCATED


@BY_CODING
def test_damaged_body_is_refused(name: str, compress: Callable[[bytes], bytes]) -> None:
    """A body that is not what its header says is never taken for text."""
    damaged = b"\x07This is not compressed at all, whatever the header says." * 50
    assert _code(name, damaged) is ReasonCode.CONTENT_DECODING_FAILED


@BY_CODING
def test_no_step_of_a_bomb_is_large(name: str, compress: Callable[[bytes], bytes]) -> None:
    """A bomb comes out in small steps, so the caller can stop close to its limit."""
    bomb = compress(bytes(20_000_000))
    assert len(bomb) < 25_000
    tracemalloc.start()
    sizes = [len(piece) for piece in ContentDecoder(name, max_bytes=LIMIT).feed(bomb)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(sizes) == 20_000_000
    assert max(sizes) <= STEP
    assert peak < 1_000_000


_ENDLESS_NAME = b"\x1f\x8b\x08\x08\0\0\0\0\0\xff" + b"a" * 20_000_000
_EMPTY_BLOCKS = b"\0\0\0\xff\xff" * 4_000_001


@pytest.mark.parametrize(
    ("header", "inner"), [("gzip, gzip", _ENDLESS_NAME), ("deflate, gzip", _EMPTY_BLOCKS)]
)
def test_layer_that_grows_and_ends_as_nothing_is_bounded(header: str, inner: bytes) -> None:
    """What comes out between two layers counts as well, and every step of it can be waited after."""
    decoder = ContentDecoder(header, max_bytes=LIMIT)
    steps: list[bytes] = []
    with pytest.raises(ContentError) as caught:
        steps.extend(decoder.feed(gzip.compress(inner)))
    assert caught.value.code is ReasonCode.TOO_LARGE_DECOMPRESSED
    assert len(steps) >= LIMIT // STEP
    assert set(steps) == {b""}


@pytest.mark.parametrize(("name", "compress"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
def test_concatenated_members_are_all_read(name: str, compress: Callable[[bytes], bytes]) -> None:
    """Text after the first member is not lost, however the bytes are split."""
    packed = compress(b"First. ") + compress(b"") + compress(b"Second.")
    assert _decode(name, packed) == b"First. Second."
    assert _decode(name, *(packed[i : i + 1] for i in range(len(packed)))) == b"First. Second."


def test_gzip_ignores_what_is_no_member_at_the_end() -> None:
    """Padding and garbage after the last member are known from real servers, and from tape."""
    packed = gzip.compress(b"All of it.")
    assert _decode("gzip", packed + bytes(512)) == b"All of it."
    assert _decode("gzip", packed + b"garbage", b"more") == b"All of it."
    assert _decode("gzip", packed + bytes(3), bytes(5), gzip.compress(b" More.")) == b"All of it. More."


def test_second_member_that_is_cut_is_refused() -> None:
    """The first member alone would look like a whole page."""
    second = gzip.compress(NOISE)
    assert _code("gzip", gzip.compress(b"First.") + second[:5000]) is ReasonCode.BODY_TRUNCATED
    assert _code("gzip", gzip.compress(b"First.") + second[:1]) is ReasonCode.BODY_TRUNCATED


@pytest.mark.parametrize(("name", "compress"), [("gzip", gzip.compress), ("zstd", zstd.compress)])
def test_endless_row_of_empty_members_is_refused(name: str, compress: Callable[[bytes], bytes]) -> None:
    """Members that hold nothing cost time and give no output that a limit could count."""
    assert _code(name, compress(b"") * 1001) is ReasonCode.CONTENT_DECODING_FAILED


def test_two_layers_are_undone_in_reverse_order() -> None:
    """The header lists the codings in the order in which they were applied."""
    assert _decode("deflate, gzip", gzip.compress(zlib.compress(TEXT))) == TEXT


@pytest.mark.parametrize("header", ["compress", "br, gzip, deflate", "gzip, gzip, gzip", "exi", "aes128gcm"])
def test_coding_that_was_not_offered_is_refused(header: str) -> None:
    """Compressed bytes are no text, and three layers are an attack."""
    assert _code(header, b"x") is ReasonCode.CONTENT_ENCODING_UNSUPPORTED


@pytest.mark.parametrize("header", ["", "identity", " Identity ", "utf-8", "none", ",", "binary"])
def test_header_that_names_no_coding_changes_nothing(header: str) -> None:
    """Servers send charsets and other words there; the body is what it is."""
    assert _decode(header, b"plain", b" text") == b"plain text"


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_empty_body_decodes_to_nothing(name: str) -> None:
    """An empty body is not a truncated one."""
    assert _decode(name) == b""
    assert _decode(name, b"") == b""


def test_zstd_window_beyond_the_web_s_is_refused() -> None:
    """RFC 9659 bounds the window, and with it the memory of a decoder, to 8 MiB."""
    options = {zstd.CompressionParameter.window_log: 27}
    packed = zstd.ZstdCompressor(options=options).compress(NOISE, zstd.ZstdCompressor.FLUSH_BLOCK)
    assert _code("zstd", packed) is ReasonCode.CONTENT_DECODING_FAILED


def test_accept_encoding_offers_what_can_be_bounded() -> None:
    """Every offered coding is one that this decoder undoes."""
    offered = accept_encoding()
    assert offered == "gzip, deflate, br, zstd"
    ContentDecoder("gzip, deflate", max_bytes=LIMIT)
    ContentDecoder("br, zstd", max_bytes=LIMIT)


@given(
    st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br"]),
    st.lists(st.binary(max_size=200), max_size=5),
)
def test_any_bytes_decode_or_raise_content_error(header: str, pieces: list[bytes]) -> None:
    """A stranger's body never causes another error."""
    decoder = ContentDecoder(header, max_bytes=LIMIT)
    try:
        for piece in pieces:
            for part in decoder.feed(piece):
                assert len(part) <= STEP
        decoder.finish()
    except ContentError:
        pass
