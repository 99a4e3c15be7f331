"""OpenAI chat files: JSONL of `{messages: [{role, content, tool_calls, …}], …}`, without ids.

What stands beside `messages` (tools, parameters) says nothing about the user and is not read.
"""

from __future__ import annotations

from typing import Generic

from msgspec import Struct

from simgap_workers.readers.messages import FileMessage, M, Said
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import Record, lines
from simgap_workers.trace import Trace


class _Line(Struct, Generic[M]):
    messages: list[M]


def fits(seen: Outline) -> bool:
    """Messages at the top of the first line; `simgap` is asked first."""
    return not seen.array and "messages" in seen.keys


def read(piece: Piece) -> None:
    """One trace a line; its id and its task are `line_<n>`."""
    decoder = piece.decoder(_Line[FileMessage], _Line[Said])

    def trace(record: Record) -> Trace:
        messages = piece.conversation(decoder.decode(record).messages, "/messages")
        return Trace(record.name, record.name, messages, line=record.line)

    piece.each(lines(piece.data, piece.first_line), trace)
