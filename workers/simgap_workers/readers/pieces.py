"""Cutting a stream into pieces at line ends, without decoding a byte of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simgap_workers.readers.errors import refusal

PIECE_BYTES = 8 * 1024 * 1024


def pieces(chunks: Iterable[bytes], size: int = PIECE_BYTES) -> Iterator[tuple[int, bytes]]:
    """The same bytes in pieces of at most `size` that end where a line ends, each with the number of its first line.

    Lines count from 1. Holds one piece and one chunk at a time. Raises InvalidTraces (`line_too_long`) where a line
    alone is longer than a piece.
    """
    held, first_line = bytearray(), 1
    for chunk in chunks:
        held += chunk
        while len(held) > size:
            end = held.rfind(b"\n", 0, size) + 1
            if end == 0:
                raise refusal(
                    "line_too_long",
                    f"The line is longer than {size:,} bytes, which is the limit a line. "
                    "Each trace is one line; is this a document of another format? Then name it.",
                    first_line,
                )
            piece = bytes(held[:end])
            del held[:end]
            yield first_line, piece
            first_line += piece.count(b"\n")
    if held:
        yield first_line, bytes(held)
