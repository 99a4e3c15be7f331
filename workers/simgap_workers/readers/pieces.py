"""Cutting a stream into pieces at line ends, without decoding a byte of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simgap_workers.readers.records import MAX_LINE_BYTES


def pieces(chunks: Iterable[bytes], size: int = MAX_LINE_BYTES) -> Iterator[tuple[int, bytes]]:
    """The same bytes in pieces that end where a line ends, each with the number of its first line, from 1.

    A piece has at most `size` bytes and a line feed. Of a line that is longer by itself, its first `size` + 1 bytes
    become a piece and the rest is passed over: enough for the reader to refuse that line and no other. Holds one piece
    and one chunk at a time.
    """
    held, first_line, passing = bytearray(), 1, False
    for chunk in chunks:
        held += chunk
        while passing or len(held) > size:
            if passing:
                end = held.find(b"\n") + 1
                del held[: end or len(held)]
                if not end:
                    break
                first_line += 1
                passing = False
                continue
            end = held.rfind(b"\n", 0, size + 1) + 1
            passing = end == 0
            piece = bytes(held[: end or size + 1])
            del held[: len(piece)]
            yield first_line, piece
            first_line += piece.count(b"\n")
    if held and not passing:
        yield first_line, bytes(held)
