"""OpenAI chat files: JSONL of `{messages: [{role, content, tool_calls, …}], …}`, without ids.

What stands beside `messages` (tools, parameters) says nothing about the user and is not read; but a field of the
product's own format is refused, since here it would be lost.
"""

from __future__ import annotations

from typing import Any, Generic

from msgspec import UNSET, Struct

from simgap_workers.readers.errors import RecordError
from simgap_workers.readers.messages import FileMessage, M, Said
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import Record, lines
from simgap_workers.trace import Trace

_NOT_HERE = ("id", "task_id", "run", "batch", "reward", "survey", "keep")


class _Line(Struct, Generic[M]):
    messages: list[M]
    id: Any = UNSET
    task_id: Any = UNSET
    run: Any = UNSET
    batch: Any = UNSET
    reward: Any = UNSET
    survey: Any = UNSET
    keep: Any = UNSET


def fits(seen: Outline) -> bool:
    """Messages at the top of the first line; `simgap` is asked first."""
    return not seen.array and "messages" in seen.keys


def read(piece: Piece) -> None:
    """One trace a line; its id and its task are `line_<n>`."""
    decoder = piece.decoder(_Line[FileMessage], _Line[Said])

    def trace(record: Record) -> Trace:
        line = decoder.decode(record)
        for field in _NOT_HERE:
            if getattr(line, field) is not UNSET:
                raise RecordError(
                    f"/{field}", "field_of_simgap", f"{field} is read in format simgap alone: give format=simgap."
                )
        messages = piece.conversation(line.messages, "/messages")
        return Trace(record.name, record.name, messages, line=record.line)

    piece.each(lines(piece.data, piece.first_line), trace)
