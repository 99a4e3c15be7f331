"""Reading a request's body as a stream, inflated and never larger than a limit.

Every gzip member and every zstd frame is read: a reader that stops after the first loses traces silently. Each call to
an inflater gives a bounded piece, so that no small body can fill the memory.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Protocol

from simgap_service.problems import BadRequest, TooLarge, UnsupportedEncoding

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_STEP_BYTES = 1 << 20


class Inflater(Protocol):
    """Bytes in, pieces of at most 1 MiB out."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """What these bytes inflate to."""
        ...

    def whole(self) -> bool:
        """Does the stream end here?"""
        ...


class _Plain:
    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def whole(self) -> bool:
        return True


class _Gzip:
    def __init__(self) -> None:
        self._member = zlib.decompressobj(wbits=31)
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            self._begun = True
            yield self._member.decompress(data, _STEP_BYTES)
            data = self._member.unconsumed_tail
            if self._member.eof:
                data = self._member.unused_data
                self._member = zlib.decompressobj(wbits=31)
                self._begun = False

    def whole(self) -> bool:
        return not self._begun


class _Zstd:
    def __init__(self) -> None:
        self._frame = zstd.ZstdDecompressor()
        self._begun = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data or (self._begun and not self._frame.needs_input):
            self._begun = True
            yield self._frame.decompress(data, _STEP_BYTES)
            data = b""
            if self._frame.eof:
                data = self._frame.unused_data
                self._frame = zstd.ZstdDecompressor()
                self._begun = False

    def whole(self) -> bool:
        return not self._begun


_INFLATERS: dict[str, Callable[[], Inflater]] = {
    "": _Plain,
    "identity": _Plain,
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "zstd": _Zstd,
}


def inflater(encoding: str) -> Inflater:
    """The inflater of a Content-Encoding; raises UnsupportedEncoding for others, and for several at once."""
    made = _INFLATERS.get(encoding.strip().lower())
    if made is None:
        raise UnsupportedEncoding(
            "Content-Encoding may be gzip or zstd, or absent.", headers={"Accept-Encoding": "gzip, zstd"}
        )
    return made()


async def read_body(chunks: AsyncIterator[bytes], encoding: str, limit: int, setting: str) -> bytes:
    """The decoded body.

    limit: bytes, named by `setting` in the error. Raises TooLarge, UnsupportedEncoding, BadRequest (a broken stream).
    """
    inflating = inflater(encoding)
    body = bytearray()
    try:
        async for chunk in chunks:
            for piece in inflating.feed(chunk):
                body += piece
                if len(body) > limit:
                    await _drain(chunks, limit)
                    raise TooLarge(f"The body is larger than {limit} bytes once decoded (limit {setting}).")
    except (zlib.error, zstd.ZstdError) as error:
        raise BadRequest(f"The body is no {encoding} stream: it breaks off or is damaged.") from error
    if not inflating.whole():
        raise BadRequest(f"The body's {encoding} stream ends too early; send it again.")
    return bytes(body)


async def _drain(chunks: AsyncIterator[bytes], limit: int) -> None:
    """Read on for a while: a caller that is still sending hears no answer when the connection is closed on it."""
    drained = 0
    async for chunk in chunks:
        drained += len(chunk)
        if drained > limit:
            return
