"""One request and its body: every limit, and decoded right."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator

import brotli
import pytest
from servers import CLOSE, Server, fetch, page

from quotecheck.errors import SourceUnavailable
from quotecheck.models import ReasonCode

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MILLION = 1_000_000
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def _bombs() -> Iterator[tuple[str, bytes]]:
    """Yield 60 MB of zeros in each coding."""
    for coding, bits in (("gzip", 31), ("deflate", 15)):
        packer = zlib.compressobj(wbits=bits)
        yield coding, b"".join(packer.compress(bytes(MILLION)) for _ in range(60)) + packer.flush()
    brotli_packer = brotli.Compressor(quality=1)
    yield "br", b"".join(brotli_packer.process(bytes(MILLION)) for _ in range(60)) + brotli_packer.finish()
    zstd_packer = zstd.ZstdCompressor()
    yield "zstd", b"".join(zstd_packer.compress(bytes(MILLION)) for _ in range(60)) + zstd_packer.flush()


def _failure(script: bytes | list[bytes | float], **options: float) -> SourceUnavailable:
    with Server({"*": script}) as server, pytest.raises(SourceUnavailable) as caught:
        fetch(server.url(), server, **options)
    return caught.value


def test_body_of_exactly_the_limit_is_read() -> None:
    """The limit is 5,000,000 bytes, not one less."""
    with Server({"*": page(b"x" * 5_000_000)}) as server:
        assert len(fetch(server.url(), server).body) == 5_000_000


@pytest.mark.parametrize("status", [206, 226])
def test_part_of_a_page_is_refused(status: int) -> None:
    """Nobody asked for a part, and words that are not in it may be in the page."""
    refresh = "<meta http-equiv=refresh content='0; url=/whole'><p>Fog."
    error = _failure(page(refresh, status, content_range="bytes 0-20/5000"), deadline=1.0)
    assert error.reason_code is ReasonCode.HTTP_PROTOCOL_ERROR
    assert f"HTTP {status}, a part of the page" in error.reason


def test_body_of_no_page_is_left_where_it_says_nothing() -> None:
    """Bytes that decode to nothing are not read to their end, which is never."""
    fields = b"Content-Encoding: deflate\r\nContent-Length: 1000000\r\nLocation: /end\r\n\r\n"
    silence: list[bytes | float] = [b"\0\0\0\xff\xff" * 40_000, 30.0]
    missing = [b"HTTP/1.1 404 Said\r\n" + fields, *silence]
    assert _failure(missing, deadline=2.0).reason_code is ReasonCode.HTTP_404_NOT_FOUND
    moved = [b"HTTP/1.1 302 Said\r\n" + fields, *silence]
    with Server({"/": moved, "/end": page(b"Fog.")}) as server:
        assert fetch(server.url(), server, deadline=2.0).body == b"Fog."


def test_layers_that_come_out_as_nothing_are_bounded() -> None:
    """The limit holds for what the outer layer brings, not only for the page."""
    packed = zlib.compress(b"\0\0\0\xff\xff" * 2_000_000, wbits=31)
    error = _failure(page(packed, content_encoding="deflate, gzip"))
    assert error.reason_code is ReasonCode.TOO_LARGE_DECOMPRESSED
    assert "the limit is 5 MB" in error.reason


def test_declared_size_over_the_limit_is_refused_unread() -> None:
    """The header is enough: the server never sends the body here, and nobody waits for it."""
    error = _failure([HEAD + b"Content-Length: 5000001\r\n\r\n", 30.0])
    assert error.reason_code is ReasonCode.TOO_LARGE_DECLARED
    assert "the limit is 5 MB" in error.reason


def test_stream_over_the_limit_is_refused() -> None:
    """No length was declared; reading stops at the limit although the server goes on for ever."""
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    error = _failure([HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 100, 30.0])
    assert error.reason_code is ReasonCode.TOO_LARGE_STREAMED
    assert "5 MB" in error.reason


def test_more_than_was_declared_is_not_read() -> None:
    """The body ends where the header says, whatever follows."""
    with Server({"*": [HEAD + b"Content-Length: 4\r\n\r\nFog." + b"x" * MILLION, CLOSE]}) as server:
        assert fetch(server.url(), server).body == b"Fog."


def test_small_body_that_grows_over_the_limit_is_refused() -> None:
    """6 KB on the wire, 6 MB decoded: the limit is on what comes out."""
    error = _failure(page(gzip.compress(bytes(6 * MILLION)), content_encoding="gzip"))
    assert error.reason_code is ReasonCode.TOO_LARGE_DECOMPRESSED
    assert "5 MB" in error.reason


_MEASURE = """
import asyncio, json, resource, sys
from quotecheck._testing import allow_loopback_endpoints
from quotecheck.errors import SourceUnavailable
from quotecheck.sources.client import Fetcher
from quotecheck.sources.reference import parse_reference

async def main(port, codings):
    async with Fetcher(host_interval=0) as fetcher:
        await fetcher.fetch(parse_reference(f"http://127.0.0.1:{port}/page"))
        for coding in codings:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            try:
                await fetcher.fetch(parse_reference(f"http://127.0.0.1:{port}/{coding}"))
            except SourceUnavailable as error:
                grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
                print(json.dumps([coding, error.reason_code, grown]))

port, *codings = sys.argv[1:]
with allow_loopback_endpoints(("127.0.0.1", int(port))):
    asyncio.run(main(port, codings))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux alone")
def test_bombs_are_refused_close_to_the_limit_in_memory() -> None:
    """60 MB of zeros in each coding never need more than a few times the limit of 5 MB."""
    bombs = dict(_bombs())
    routes = {f"/{coding}": page(bomb, content_encoding=coding) for coding, bomb in bombs.items()}
    with Server(routes | {"/page": page()}) as server:
        command = [sys.executable, "-c", _MEASURE, str(server.port), *bombs]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    measured = [json.loads(line) for line in output.splitlines()]
    assert [row[:2] for row in measured] == [[coding, "too_large_decompressed"] for coding in bombs]
    assert all(kilobytes < 20_000 for _, _, kilobytes in measured), measured


@pytest.mark.parametrize(
    ("coding", "compress"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress), ("zstd", zstd.compress)],
)
def test_compressed_page_is_read(coding: str, compress: Callable[[bytes], bytes]) -> None:
    """Both sizes are known afterwards."""
    text = b"Fog on the weir. " * 1000
    with Server({"*": page(compress(text), content_encoding=coding)}) as server:
        fetched = fetch(server.url(), server)
    assert fetched.body == text
    assert fetched.wire_bytes == len(compress(text))


@pytest.mark.parametrize(
    ("body", "coding", "code"),
    [
        (b"zzz", "compress", ReasonCode.CONTENT_ENCODING_UNSUPPORTED),
        (b"<p>Fog.", "gzip", ReasonCode.CONTENT_DECODING_FAILED),
        (gzip.compress(b"Fog. " * 99, mtime=0)[:-9], "gzip", ReasonCode.BODY_TRUNCATED),
    ],
)
def test_body_that_cannot_be_decoded_is_refused(body: bytes, coding: str, code: ReasonCode) -> None:
    """It must not be taken for a page without the quotation."""
    error = _failure(page(body, content_encoding=coding), deadline=0.5)
    assert error.reason_code is code


@pytest.mark.parametrize(
    "steps",
    [
        [HEAD + b"Content-Length: 999\r\n\r\n", *[b"x", 0.05] * 60],
        [b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n", 0.05] * 60],
        [*[b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0.05] * 60],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n", 0.05] * 60],
        [3.0],
    ],
    ids=["body", "headers", "early hints", "chunks", "silence"],
)
def test_slow_drip_ends_at_the_deadline(steps: list[bytes | float]) -> None:
    """Each piece arrives in time, the whole does not: one deadline is for everything."""
    error = _failure(steps, deadline=0.4)
    assert error.reason_code is ReasonCode.DEADLINE_EXCEEDED
    assert "the deadline is 0.4 s" in error.reason


def test_codings_in_several_headers_are_one_list() -> None:
    """The second one is as good as the first (RFC 9110, 5.3)."""
    packed = gzip.compress(b"Fog.")
    fields = b"Content-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    with Server({"*": HEAD + fields % len(packed) + packed}) as server:
        assert fetch(server.url(), server).body == b"Fog."


def test_error_page_is_read_no_further_than_needed() -> None:
    """An endless error page costs no more than a glance."""
    endless = [
        b"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n",
        *[b"5000\r\n" + b"x" * 20480 + b"\r\n"] * 9,
    ]
    assert _failure([*endless, 30.0]).reason_code is ReasonCode.HTTP_404_NOT_FOUND


def test_damaged_error_page_is_still_the_error_that_its_status_says() -> None:
    """The body of a 404 is evidence only, so its coding does not matter."""
    broken = page(b"not gzip", 404, content_encoding="gzip")
    assert _failure(broken).reason_code is ReasonCode.HTTP_404_NOT_FOUND
