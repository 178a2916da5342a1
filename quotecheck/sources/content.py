"""Undo Content-Encoding with hard bounds: on what each step produces, and on what each layer does in all.

A decompression bomb is therefore noticed close to the limit, also one that grows between two layers and
comes out as nothing. Read right here and wrong in common clients: concatenated gzip members, truncated
streams (refused, since half a page proves nothing), and unknown encodings (refused, since compressed bytes
are no text).
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Iterator
from typing import Any, Protocol

from quotecheck.models import ReasonCode

STEP = 65536
MAX_LAYERS = 2
MAX_MEMBERS = 1000
# brotli fills whole blocks, the first of this size; a larger limit overshoots (google/brotli#1396).
_BROTLI_STEP = 32752


def _optional(*names: str) -> Any:
    """Return the first module of `names` that is installed, or None."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


brotli = _optional("brotli")
if brotli is not None and not hasattr(brotli.Decompressor, "can_accept_more_data"):
    brotli = None  # before 1.2 its output cannot be bounded, so it is not offered
zstd = _optional("compression.zstd", "backports.zstd")  # the standard library's own from Python 3.14 on

# Not encodings, but servers send them where there is none.
_NO_ENCODING = frozenset({"identity", "none", "binary", "8bit", "7bit", "utf-8", "utf8"})
# RFC 9659: a decoder of web content need not accept a window above 8 MiB.
_ZSTD_WINDOW_LOG_MAX = 23


class ContentError(Exception):
    """The body cannot be decoded; `code` says why and `detail` what was seen."""

    def __init__(self, code: ReasonCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class _Layer(Protocol):
    """One content coding."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` decodes to, in pieces of at most `STEP` bytes."""

    def finish(self) -> None:
        """Raise ContentError if the stream is not complete."""


def accept_encoding() -> str:
    """Return the Accept-Encoding header: only what is decoded here within bounds."""
    return ", ".join(["gzip", "deflate"] + ["br"] * (brotli is not None) + ["zstd"] * (zstd is not None))


class ContentDecoder:
    """Decodes one body, given its Content-Encoding header; no layer may produce more than `max_bytes`.

    Raises ContentError with `content_encoding_unsupported` for an encoding that was not offered or more than
    two layers.

    >>> decoder = ContentDecoder("gzip", max_bytes=5_000_000)
    >>> b"".join(decoder.feed(zlib.compress(b"text", wbits=31)))
    b'text'
    """

    def __init__(self, header: str, *, max_bytes: int) -> None:
        names = [name.strip().lower() for name in header.split(",")]
        codings = [name for name in names if name and name not in _NO_ENCODING]
        if len(codings) > MAX_LAYERS:
            raise ContentError(
                ReasonCode.CONTENT_ENCODING_UNSUPPORTED, f"{len(codings)} encodings on top of each other"
            )
        self._layers = [_layer(name) for name in reversed(codings)]
        self._max_bytes = max_bytes
        self._produced = [0] * len(self._layers)

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the next bytes decode to, step by step; a step may bring nothing.

        Raises ContentError (`content_decoding_failed`, `too_large_decompressed`).
        """
        return self._through(0, data)

    def _through(self, index: int, data: bytes) -> Iterator[bytes]:
        if index == len(self._layers):
            yield data
            return
        for piece in self._layers[index].feed(data):
            self._produced[index] += len(piece)
            if self._produced[index] > self._max_bytes:
                detail = f"the limit is {self._max_bytes / 1e6:g} MB"
                raise ContentError(ReasonCode.TOO_LARGE_DECOMPRESSED, detail)
            yield from self._through(index + 1, piece)
        yield b""  # the work is done, whatever it brought: others may have their turn

    def finish(self) -> None:
        """Check that the body was complete. Raises ContentError (`body_truncated`)."""
        for layer in self._layers:
            layer.finish()


def _layer(name: str) -> _Layer:
    if name in ("gzip", "x-gzip"):
        return _Gzip()
    if name == "deflate":
        return _Deflate()
    if name == "br" and brotli is not None:
        return _Brotli()
    if name == "zstd" and zstd is not None:
        return _Zstd()
    raise ContentError(ReasonCode.CONTENT_ENCODING_UNSUPPORTED, f"Content-Encoding {name[:40]!a}")


def _damaged(error: Exception) -> ContentError:
    return ContentError(ReasonCode.CONTENT_DECODING_FAILED, str(error))


def _truncated() -> ContentError:
    return ContentError(ReasonCode.BODY_TRUNCATED, "the compressed data ends early")


def _counted(members: int) -> int:
    """Return one more, within the limit: each member costs a copy of the rest, however small it is."""
    if members == MAX_MEMBERS:
        raise ContentError(
            ReasonCode.CONTENT_DECODING_FAILED, f"it has more than {MAX_MEMBERS} compressed members"
        )
    return members + 1


def _inflate(stream: Any, data: bytes) -> Iterator[bytes]:
    """Yield the output of a zlib decompressor for `data`, stopping at the end of its stream."""
    while data and not stream.eof:
        piece = stream.decompress(data, STEP)
        if piece:
            yield piece
        data = stream.unconsumed_tail
    # Output that filled the last step exactly may leave more inside.
    while not stream.eof and (piece := stream.decompress(b"", STEP)):
        yield piece


class _Gzip:
    """gzip, with any number of members one after the other (RFC 1952, 2.2)."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._members = 0
        self._ended = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            while data and not self._ended:
                if self._stream is not None and self._stream.eof:
                    # Padding after a member is skipped; garbage ends the body.
                    data = data.lstrip(b"\0")
                    self._ended = not b"\x1f\x8b".startswith(data[:2])
                    if self._ended or not data:
                        return
                    self._stream = None
                if self._stream is None:
                    self._members = _counted(self._members)
                    self._stream = zlib.decompressobj(wbits=31)
                yield from _inflate(self._stream, data)
                data = self._stream.unused_data
        except zlib.error as error:
            raise _damaged(error) from None

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof:
            raise _truncated()


class _Deflate:
    """deflate: zlib format (RFC 9110), or the raw format that some servers send in its place."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._head = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._stream is None:
            self._head += data
            if len(self._head) < 2:
                return
            zlib_format = self._head[0] & 0x0F == 8 and int.from_bytes(self._head[:2], "big") % 31 == 0
            self._stream = zlib.decompressobj(wbits=15 if zlib_format else -15)
            data = self._head
        try:
            yield from _inflate(self._stream, data)
        except zlib.error as error:
            raise _damaged(error) from None

    def finish(self) -> None:
        if self._head and (self._stream is None or not self._stream.eof):
            raise _truncated()


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._fed = self._fed or bool(data)
        try:
            # Only an empty result says that nothing is left inside: `can_accept_more_data` does not.
            while not self._stream.is_finished():
                piece = self._stream.process(data, output_buffer_limit=_BROTLI_STEP)
                if not piece:
                    return
                yield piece
                data = b""
        except brotli.error as error:
            raise _damaged(error) from None

    def finish(self) -> None:
        if self._fed and not self._stream.is_finished():
            raise _truncated()


class _Zstd:
    """zstd, with any number of frames one after the other (RFC 8878, 3)."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._frames = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            while data:
                if self._stream is None or self._stream.eof:
                    self._frames = _counted(self._frames)
                    limit = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG_MAX}
                    self._stream = zstd.ZstdDecompressor(options=limit)
                piece = self._stream.decompress(data, STEP)
                while piece:
                    yield piece
                    if self._stream.eof or self._stream.needs_input:
                        break
                    piece = self._stream.decompress(b"", STEP)
                data = self._stream.unused_data if self._stream.eof else b""
        except zstd.ZstdError as error:
            raise _damaged(error) from None

    def finish(self) -> None:
        if self._stream is not None and not self._stream.eof:
            raise _truncated()
