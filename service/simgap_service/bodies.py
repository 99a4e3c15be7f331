"""Reading a request's body as a stream, inflated, and never larger than a limit, on the wire or decoded.

Every gzip member and every zstd frame is read: a reader that stops after the first loses traces silently. Each call to
an inflater takes and gives a bounded piece, so that no small body can fill the memory, and is made in a thread.
"""

from __future__ import annotations

import asyncio
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import Protocol

from simgap_service.problems import BadRequest, TooLarge, UnsupportedEncoding, UploadTimeout
from simgap_service.threads import in_post_thread

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_IN_BYTES = 1 << 12
_OUT_BYTES = 1 << 20
_PARTS = 1000
_PART_BYTES = 256
_DRAIN_SECONDS = 5


class _Part(Protocol):
    """One gzip member or one zstd frame."""

    def inflate(self, data: bytes) -> Iterator[bytes]:
        """At most 4 KiB in, pieces of at most about 4 MiB out."""
        ...

    def rest(self) -> bytes | None:
        """What follows its end; None before its end."""
        ...


class _Member:
    def __init__(self) -> None:
        self._inflating = zlib.decompressobj(wbits=31)

    def inflate(self, data: bytes) -> Iterator[bytes]:
        yield self._inflating.decompress(data)  # at most 1032 bytes for one

    def rest(self) -> bytes | None:
        return self._inflating.unused_data if self._inflating.eof else None


class _Frame:
    def __init__(self) -> None:
        self._inflating = zstd.ZstdDecompressor()

    def inflate(self, data: bytes) -> Iterator[bytes]:
        yield self._inflating.decompress(data, _OUT_BYTES)
        while not (self._inflating.needs_input or self._inflating.eof):
            yield self._inflating.decompress(b"", _OUT_BYTES)

    def rest(self) -> bytes | None:
        return self._inflating.unused_data if self._inflating.eof else None


class _Inflater:
    """Parts in a row, appended to `body` as they inflate."""

    def __init__(self, new: Callable[[], _Part], body: BytesIO, limit: int) -> None:
        self._new = new
        self._body = body
        self._limit = limit
        self._part: _Part | None = None
        self._parts = 0

    def feed(self, chunk: bytes) -> None:
        """Inflate these bytes; stops once the body is beyond the limit.

        In time linear in what comes in and out: a part copies what follows its end, so it is given little at once.
        """
        for start in range(0, len(chunk), _IN_BYTES):
            data = chunk[start : start + _IN_BYTES]
            while data:
                part = self._part or self._begin()
                for piece in part.inflate(data):
                    self._body.write(piece)
                    if self._body.tell() > self._limit:
                        return
                rest = part.rest()
                self._part, data = (part, b"") if rest is None else (None, rest)

    def whole(self) -> bool:
        """Has every part ended?"""
        return self._part is None

    def _begin(self) -> _Part:
        """A new part. Raises BadRequest where there are far more of them than bytes in them: each has its price."""
        self._parts += 1
        if self._parts > _PARTS + self._body.tell() // _PART_BYTES:
            raise BadRequest(f"The body is {self._parts} gzip members or zstd frames with little in them; send one.")
        return self._new()


_PARTS_OF: dict[str, Callable[[], _Part] | None] = {
    "": None,
    "identity": None,
    "gzip": _Member,
    "x-gzip": _Member,
    "zstd": _Frame,
}


async def read_body(chunks: AsyncIterator[bytes], encoding: str, limit: int, setting: str) -> bytes:
    """The decoded body.

    limit: bytes, as they come and decoded, named by `setting` in the error.
    Raises TooLarge, UnsupportedEncoding, BadRequest (a broken stream).
    """
    part = _part(encoding)
    body = BytesIO()  # hands its bytes over without a copy
    inflating = None if part is None else _Inflater(part, body, limit)
    come = 0
    try:
        async for chunk in chunks:
            come += len(chunk)
            if inflating is None:
                body.write(chunk)
            elif come <= limit and chunk:
                await in_post_thread(inflating.feed, chunk)
            if max(come, body.tell()) > limit:
                body.close()
                await _drain(chunks)
                raise TooLarge(f"The body is larger than {limit} bytes, as sent or decoded (limit {setting}).")
    except (zlib.error, zstd.ZstdError) as error:
        raise BadRequest(f"The body is no {encoding} stream: it breaks off or is damaged.") from error
    if inflating is not None and not inflating.whole():
        raise BadRequest(f"The body's {encoding} stream ends too early; send it again.")
    return body.getvalue()


def _part(encoding: str) -> Callable[[], _Part] | None:
    """What a Content-Encoding consists of, None for plain bytes; raises UnsupportedEncoding for others and several."""
    name = encoding.strip().lower()
    if name not in _PARTS_OF:
        raise UnsupportedEncoding(
            "Content-Encoding may be gzip or zstd, or absent.", headers={"Accept-Encoding": "gzip, zstd"}
        )
    return _PARTS_OF[name]


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read on for a while: a caller that is still sending hears no answer when the connection is closed on it."""
    with suppress(TimeoutError, UploadTimeout):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass
