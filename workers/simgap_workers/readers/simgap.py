"""The product's own format: NDJSON, one trace a line (formats.md, "The product's own format").

Lines of text messages under the four roles are decoded straight to what the metrics see; the first line that is
anything else moves the piece to the tolerant decoder.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from simgap_workers.readers.errors import quoted
from simgap_workers.readers.fields import LARGEST, count_from_one, is_kept, reward_number
from simgap_workers.readers.messages import FileMessage
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.patient import NUL, Mended, patient_value
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import MAX_LINE_BYTES, Record, lines
from simgap_workers.readers.roles import CANONICAL
from simgap_workers.readers.surveys import survey_labels
from simgap_workers.trace import Excluded, Message, Trace

_Count = Annotated[int, Meta(ge=1, le=LARGEST)]
_Name = Annotated[str, Meta(min_length=1)]
_Reward = Annotated[float, Meta(ge=0, le=1)]


class _PlainLine(Struct, forbid_unknown_fields=True):
    messages: list[Message]
    id: _Name | None = None
    task_id: _Name | None = None
    run: _Count = 1
    batch: _Count | None = None
    reward: _Reward | bool | None = None
    survey: dict[str, Any] | None = None
    keep: bool | None = None
    metadata: Any = None


class _Line(Struct):
    messages: list[FileMessage]
    id: Any = None
    task_id: Any = None
    run: Any = None
    batch: Any = None
    reward: Any = None
    survey: Any = None
    keep: Any = None
    metadata: Any = None


class _KnownLine(_Line, forbid_unknown_fields=True):
    pass


_FIELDS = frozenset(_Line.__struct_fields__)
_OWN = _FIELDS - {"messages", "metadata"}
_PLAIN = msgspec.json.Decoder(_PlainLine)
_KNOWN = msgspec.json.Decoder(_KnownLine)
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def fits(seen: Outline) -> bool:
    """Messages, and a field that only this format has; or so little of the first line that nothing speaks against."""
    if seen.array or "messages" not in seen.keys:
        return False
    return not _OWN.isdisjoint(seen.keys) or (not seen.complete and len(seen.keys) == 1)


def read(piece: Piece) -> None:
    """One trace a line."""
    reader = _LineReader(piece)
    piece.each(lines(piece.data, piece.first_line), reader.read)


class _LineReader:
    """Reads lines, each with the narrowest decoder that has fitted all lines so far."""

    def __init__(self, piece: Piece) -> None:
        self._piece = piece
        self._plain = not piece.options.roles
        self._known = True
        self._tolerant = piece.decoder(_Line)

    def read(self, record: Record) -> Trace | Excluded:
        if self._plain:
            trace = self._plain_trace(record)
            if trace is not None:
                return trace
            self._plain = False
        line = self._line(record)
        messages = self._piece.conversation(line.messages, "/messages")
        run = count_from_one(line.run, "/run") or 1
        batch = count_from_one(line.batch, "/batch")
        given = self._piece.id_text(line.id, "/id")
        task = self._piece.id_text(line.task_id, "/task_id")
        trace_id, task = _names(record, given, task, run, batch)
        if not is_kept(line.keep, null_is_out=False):
            return Excluded(trace_id, task, run, batch, "keep_false", record.line)
        survey = survey_labels(line.survey, empty_is_rated=True)
        return Trace(trace_id, task, messages, run, batch, reward_number(line.reward), survey, record.line)

    def _plain_trace(self, record: Record) -> Trace | Excluded | None:
        """The trace of a line that needs nothing done to it, else None."""
        if len(record.raw) > MAX_LINE_BYTES:
            return None
        try:
            line = _PLAIN.decode(record.raw)
        except (msgspec.DecodeError, RecursionError):
            return None
        messages = line.messages
        if not CANONICAL.issuperset([message.role for message in messages]):
            return None
        if [message for message in messages if NUL in message.content] or NUL in f"{line.id}{line.task_id}":
            return None
        trace_id, task = _names(record, line.id, line.task_id, line.run, line.batch)
        if line.keep is False:
            return Excluded(trace_id, task, line.run, line.batch, "keep_false", record.line)
        survey = None if line.survey is None else survey_labels(line.survey, empty_is_rated=True)
        reward = None if line.reward is None else float(line.reward)
        messages = self._piece.stop_turns.apply(messages)
        return Trace(trace_id, task, messages, line.run, line.batch, reward, survey, record.line)

    def _line(self, record: Record) -> _Line:
        if self._known and len(record.raw) <= MAX_LINE_BYTES:
            try:
                return _KNOWN.decode(record.raw)
            except (msgspec.DecodeError, RecursionError):
                self._known = False
        line = self._tolerant.decode(record)
        self._count_unknown_fields(record)
        return line

    def _count_unknown_fields(self, record: Record) -> None:
        try:
            names: Iterable[str] = _KEYS.decode(record.raw)
        except msgspec.DecodeError:
            names = patient_value(bytes(record.raw), Mended())
        self._piece.unknown_fields.update(quoted(name) for name in names if name not in _FIELDS)


def _names(record: Record, given: str | None, task: str | None, run: int, batch: int | None) -> tuple[str, str]:
    """The id and the task. A trace without an id is `<task_id>_<run>`, or `line_<n>` where it has no task either.

    People of further batches are told apart as TAU-USI does it, by `_ann<batch>`.
    """
    if given is None and task is not None:
        given = f"{task}_{run}" if batch in (None, 1) else f"{task}_{run}_ann{batch}"
    given = given or record.name
    return given, task or given
