from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest

from simgap_service.bodies import inflater, read_body
from simgap_service.problems import BadRequest, TooLarge, UnsupportedEncoding
from tests.api.conftest import zstd

TEXT = b"".join(b'{"id": "%d"}\n' % number for number in range(20_000))
MIB = 1024 * 1024


def read(body: bytes, encoding: str, limit: int = 64 * MIB, step: int = 1000) -> bytes:
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), step):
            yield body[start : start + step]

    return asyncio.run(read_body(chunks(), encoding, limit, "LIMIT"))


@pytest.mark.parametrize("step", [1, 7, 65536, 10**9])
def test_members_and_frames_are_all_read_however_the_bytes_arrive(step: int) -> None:
    part = TEXT[: 20_000 if step < 10 else None]
    assert read(gzip.compress(part) + gzip.compress(b"") + gzip.compress(part), "gzip", step=step) == part + part
    assert read(zstd.compress(part) + zstd.compress(b"") + zstd.compress(part), "zstd", step=step) == part + part
    assert read(part, "", step=step) == read(part, "identity", step=step) == part


def test_an_empty_body_is_empty_in_every_encoding() -> None:
    assert [read(b"", encoding) for encoding in ("", "gzip", "zstd")] == [b"", b"", b""]


def test_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    for encoding, body in (("", TEXT), ("gzip", gzip.compress(TEXT)), ("zstd", zstd.compress(TEXT))):
        assert read(body, encoding, limit=len(TEXT)) == TEXT
        with pytest.raises(TooLarge, match="LIMIT"):
            read(body, encoding, limit=len(TEXT) - 1)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_small_body_that_inflates_to_512_mib_never_fills_the_memory(encoding: str) -> None:
    zeros = bytes(MIB)
    bomb = (gzip.compress if encoding == "gzip" else zstd.compress)(zeros * 512)
    tracemalloc.start()
    with pytest.raises(TooLarge):
        read(bomb, encoding, limit=MIB, step=10**9)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * MIB


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_stream_that_breaks_off_or_goes_on_with_rubbish_is_refused(encoding: str) -> None:
    body = gzip.compress(TEXT) if encoding == "gzip" else zstd.compress(TEXT)
    for broken in (body[:-1], body[: len(body) // 2], body + b"rubbish", b"rubbish", body[:30] + b"\xff" + body[31:]):
        with pytest.raises(BadRequest):
            read(broken, encoding)


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, zstd", "gzip,gzip", "x"])
def test_other_encodings_are_not_read(encoding: str) -> None:
    with pytest.raises(UnsupportedEncoding):
        inflater(encoding)
