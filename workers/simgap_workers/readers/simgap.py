"""The product's own format: NDJSON, one trace a line (formats.md, "The product's own format").

Where users are all that counts, a piece whose lines are all plain (texts of users under the four roles, known fields,
nothing to mend) is decoded straight to what the metrics see; any other is read line by line, tolerantly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Generic

import msgspec
from msgspec import Meta, Struct

from simgap_workers.readers.errors import RecordError, quoted
from simgap_workers.readers.fields import LARGEST, count_from_one, is_kept, reward_number
from simgap_workers.readers.messages import FileMessage, M, Said, users_conversation
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.patient import NUL, Mended, patient_value
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import MAX_LINE_BYTES, Record, lines
from simgap_workers.readers.surveys import survey_labels
from simgap_workers.trace import Excluded, Trace

_Count = Annotated[int, Meta(ge=1, le=LARGEST)]
_Name = Annotated[str, Meta(min_length=1)]
_Reward = Annotated[float, Meta(ge=0, le=1)]


class _PlainLine(Struct, forbid_unknown_fields=True, gc=False):
    messages: list[Said]
    id: _Name | None = None
    task_id: _Name | None = None
    run: _Count = 1
    batch: _Count | None = None
    reward: _Reward | bool | None = None
    survey: dict[str, Any] | None = None
    keep: bool | None = None
    metadata: Any = None


class _Line(Struct, Generic[M]):
    messages: list[M]
    id: Any = None
    task_id: Any = None
    run: Any = None
    batch: Any = None
    reward: Any = None
    survey: Any = None
    keep: Any = None
    metadata: Any = None


class _KnownLine(_Line[M], Generic[M], forbid_unknown_fields=True):
    pass


_FIELDS = frozenset(_Line.__struct_fields__)
_OWN = _FIELDS - {"messages", "metadata"}
_PLAIN = msgspec.json.Decoder(_PlainLine)
_KNOWN = msgspec.json.Decoder(_KnownLine[FileMessage])
_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])


def fits(seen: Outline) -> bool:
    """Messages, and a field that only this format has; or so little of the first line that nothing speaks against."""
    if seen.array or "messages" not in seen.keys:
        return False
    return not _OWN.isdisjoint(seen.keys) or (not seen.complete and len(seen.keys) == 1)


def read(piece: Piece) -> None:
    """One trace a line."""
    if not _read_plain(piece):
        piece.each(lines(piece.data, piece.first_line), _LineReader(piece).read)


def _read_plain(piece: Piece) -> bool:
    """Read the piece if users are all that counts and all its lines are plain; else leave it, and return False."""
    data = piece.data
    if not piece.brief or len(data) > MAX_LINE_BYTES:
        return False
    traces: list[Trace] = []
    excluded: list[Excluded] = []
    decode = _PLAIN.decode
    try:
        for number, raw in enumerate(data.split(b"\n"), piece.first_line):
            if not raw or raw.isspace():
                continue
            line = decode(raw)
            messages = users_conversation(line.messages)
            trace_id, task = _names(number, line.id, line.task_id, line.run, line.batch)
            if line.keep is False:
                excluded.append(Excluded(trace_id, task, line.run, line.batch, "keep_false", number))
                continue
            survey = None if line.survey is None else survey_labels(line.survey, empty_is_rated=True)
            reward = None if line.reward is None else float(line.reward)
            traces.append(Trace(trace_id, task, messages, line.run, line.batch, reward, survey, number))
    except (msgspec.DecodeError, RecursionError, RecordError):
        return False
    if NUL in "".join([*(one.id + one.task_id for one in traces), *(one.id + one.task_id for one in excluded)]):
        return False
    piece.collect(traces, excluded)
    return True


class _LineReader:
    """Reads lines, by the stricter decoder as long as it fits all of them."""

    def __init__(self, piece: Piece) -> None:
        self._piece = piece
        self._known = True
        self._tolerant = piece.decoder(_Line[FileMessage], _Line[Said])

    def read(self, record: Record) -> Trace | Excluded:
        line = self._line(record)
        run = count_from_one(line.run, "/run") or 1
        batch = count_from_one(line.batch, "/batch")
        given = self._piece.id_text(line.id, "/id")
        task = self._piece.id_text(line.task_id, "/task_id")
        trace_id, task = _names(record.line, given, task, run, batch)
        if not is_kept(line.keep, null_is_out=False):
            return Excluded(trace_id, task, run, batch, "keep_false", record.line)
        messages = self._piece.conversation(line.messages, "/messages")
        survey = survey_labels(line.survey, empty_is_rated=True)
        return Trace(trace_id, task, messages, run, batch, reward_number(line.reward), survey, record.line)

    def _line(self, record: Record) -> _Line[FileMessage] | _Line[Said]:
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


def _names(number: int, given: str | None, task: str | None, run: int, batch: int | None) -> tuple[str, str]:
    """The id and the task. A trace without an id is `<task_id>_<run>`, or `line_<n>` where it has no task either.

    People of further batches are told apart as TAU-USI does it, by `_ann<batch>`.
    """
    if given is None and task is not None:
        given = f"{task}_{run}" if batch in (None, 1) else f"{task}_{run}_ann{batch}"
    given = given or f"line_{number}"
    return given, task or given
