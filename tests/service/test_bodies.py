from __future__ import annotations

import asyncio
import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest

from simgap_service.bodies import read_body
from simgap_service.problems import BadRequest, TooLarge, UnsupportedEncoding
from tests.api.conftest import zstd

TEXT = b"".join(b'{"id": "%d"}\n' % number for number in range(20_000))
MIB = 1024 * 1024


def read(body: bytes, encoding: str, limit: int = 64 * MIB, step: int = 1000) -> bytes:
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), step):
            yield body[start : start + step]

    bodies: list[bytes] = []

    async def receive() -> None:
        bodies.append(await read_body(chunks(), encoding, limit, "LIMIT"))

    asyncio.run(receive())
    return bodies[0]


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
        read(b"", encoding)


SKIPPABLE = b"\x50\x2a\x4d\x18"


def test_what_inflates_to_nothing_counts_as_it_comes_over_the_wire() -> None:
    skipped = SKIPPABLE + (300_000).to_bytes(4, "little") + bytes(300_000)
    assert read(skipped + zstd.compress(b"{}"), "zstd") == b"{}"
    for encoding, body in (("zstd", skipped * 4), ("gzip", gzip.compress(b"") * 60_000)):
        with pytest.raises(TooLarge, match="LIMIT"):
            read(body, encoding, limit=MIB, step=10**9)


def test_1000_members_or_frames_may_be_empty_and_more_only_where_256_bytes_are_in_each() -> None:
    empty = SKIPPABLE + bytes(4)
    for encoding, part, full in (
        ("gzip", gzip.compress(b""), gzip.compress(bytes(256))),
        ("zstd", empty, zstd.compress(bytes(256))),
    ):
        assert read(part * 1000, encoding) == b""
        assert len(read(full * 5000, encoding)) == 5000 * 256
        for step in (1000, 10**9):
            with pytest.raises(BadRequest, match="1001 gzip members or zstd frames"):
                read(part * 1001, encoding, step=step)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_others_are_served_while_a_body_inflates(encoding: str) -> None:
    bomb = (gzip.compress if encoding == "gzip" else zstd.compress)(bytes(64 * MIB))
    order: list[str] = []

    async def chunks() -> AsyncIterator[bytes]:
        yield bomb

    async def receive() -> None:
        await read_body(chunks(), encoding, 64 * MIB, "LIMIT")
        order.append("body")

    async def serve() -> None:
        for _ in range(3):
            await asyncio.sleep(0.001)
        order.append("others")

    async def both() -> None:
        await asyncio.gather(receive(), serve())

    asyncio.run(both())
    assert order == ["others", "body"]


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_body_is_held_once(encoding: str) -> None:
    size = 32 * MIB
    body = gzip.compress(bytes(size)) if encoding else bytes(size)
    tracemalloc.start()
    assert len(read(body, encoding, step=65536)) == size
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * size
