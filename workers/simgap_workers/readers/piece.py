"""One piece while it is read: what every reader shares (formats.md, "What every reader does before a metric sees it").

A reader walks its records and says what each is; here they are collected, counted, refused or skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from simgap_client.models import Located, Warned
from simgap_workers.readers.decoding import RecordDecoder
from simgap_workers.readers.duplicates import duplicate_message, find_duplicates
from simgap_workers.readers.errors import MAX_ERRORS, InvalidTraces, RecordError, refusal
from simgap_workers.readers.fields import id_text
from simgap_workers.readers.messages import FileMessage, Said, conversation, users_conversation
from simgap_workers.readers.options import ReadOptions
from simgap_workers.readers.patient import NUL, Mended, without_nul
from simgap_workers.readers.reading import Reading
from simgap_workers.readers.records import Document, Record
from simgap_workers.readers.roles import RoleMap
from simgap_workers.readers.stop_turns import STOP_MARK, StopTurns
from simgap_workers.trace import Excluded, Message, SurveyAnswer, Trace

T = TypeVar("T")
B = TypeVar("B")
MAX_SKIPPED = 100_000
_NAMED = 1000


class Piece:
    """The state of reading one piece, and its outcome."""

    def __init__(self, data: bytes, options: ReadOptions, first_line: int, reading: Reading) -> None:
        """reading: empty, with the format's name and the defaults that it brings."""
        self.data = data
        self.brief = options.users_only and not options.roles and _is_utf8(data)
        self.options = options
        self.first_line = first_line
        self.reading = reading
        self.roles = RoleMap(options.roles)
        self.stop_turns = StopTurns(reading.stop_turns)
        self.unknown_fields: Counter[str] = Counter()
        self._mended = Mended()
        self._other_parts: Counter[str] = Counter()
        self._skipped = 0
        self._errors: list[Located] = []
        self._pointers: list[str] = []

    def decoder(self, kind: type[T], brief: type[B]) -> RecordDecoder[T, B]:
        """A decoder of this piece's records: to `brief`, with `Said` for messages, where users are all that counts."""
        return RecordDecoder(kind, brief if self.brief else None, self._mended)

    def document(self) -> Document:
        """The piece as a document. Raises InvalidTraces (`document_too_large`)."""
        return Document(self.data, self._mended)

    def conversation(self, said: list[FileMessage] | list[Said], pointer: str) -> list[Message]:
        """A record's messages as metrics see them; `pointer` is that of the list. Raises RecordError."""
        if said and type(said[0]) is FileMessage:
            messages = conversation(said, pointer, self.roles, self._other_parts)
            for message in messages:
                message.content = without_nul(message.content, self._mended if message.role == "user" else Mended())
            if self.options.users_only:
                messages = [message for message in messages if message.role == "user"]
        else:
            messages = users_conversation(cast(list[Said], said))
        return self._mended_and_stopped(messages)

    def collect(self, traces: list[Trace], excluded: list[Excluded]) -> None:
        """Take the whole piece as a reader found it, users' messages alone, a trace a line."""
        text = "".join([message.content for trace in traces for message in trace.messages])
        if NUL in text or STOP_MARK in text:
            for trace in traces:
                trace.messages = self._mended_and_stopped(trace.messages)
        self.reading.traces = traces
        self.reading.excluded = excluded
        self._pointers = [""] * len(traces)

    def _mended_and_stopped(self, messages: list[Message]) -> list[Message]:
        """The messages without NUL, and with stop turns treated as asked."""
        text = "".join([message.content for message in messages])
        if NUL in text:
            for message in messages:
                message.content = without_nul(message.content, self._mended)
        return self.stop_turns.apply(messages) if STOP_MARK in text else messages

    def id_text(self, value: Any, pointer: str) -> str | None:
        """An id as text, None where the file has none. Raises RecordError (`bad_id`)."""
        name = id_text(value, pointer)
        return None if name is None else id_text(without_nul(name, self._mended), pointer)

    def each(
        self, records: Iterable[Record], read_one: Callable[[Record], Trace | Excluded | SurveyAnswer | None]
    ) -> None:
        """Read every record. What `read_one` returns is collected; a RecordError is kept, and its record skipped."""
        for record in records:
            try:
                found = read_one(record)
            except RecordError as error:
                self._skip(record, error)
            else:
                if type(found) is Trace:
                    self.reading.traces.append(found)
                    self._pointers.append(record.pointer)
                elif type(found) is SurveyAnswer:
                    self.reading.surveys.append(found)
                    self._pointers.append(record.pointer)
                elif type(found) is Excluded:
                    self.reading.excluded.append(found)

    def become_people(self, name: str) -> None:
        """The file turns out to be of a format of people's traces, unless the caller says whose they are."""
        self.reading.format = name
        self.reading.source = self.options.source or "human"

    def warn(self, code: str, message: str) -> None:
        """Say something that changes no number."""
        self.reading.warnings.append(Warned(code, message))

    def finish(self) -> Reading:
        """The reading. Raises InvalidTraces where there are errors that are not to be skipped."""
        if not self.reading.received and self.first_line == 1:
            raise refusal("empty", "The file holds no traces.", 1)
        reading = self.reading
        if not self.options.in_pieces:
            self._leave_out_duplicates()
        if self._errors and self.options.on_error == "refuse":
            raise InvalidTraces(sorted(self._errors, key=_by_line))
        reading.errors = sorted(self._errors, key=_by_line)
        self._warn_of_counts()
        return reading

    def _skip(self, record: Record, error: RecordError) -> None:
        self._skipped += 1
        if self._skipped > MAX_SKIPPED:
            raise refusal("too_many_errors", f"More than {MAX_SKIPPED} records cannot be read.", record.line)
        self._note(Located(record.line, record.pointer + error.pointer, error.code, error.message))
        name = record.name
        self.reading.excluded.append(Excluded(name, name, 1, None, "unreadable", record.line))

    def _note(self, error: Located) -> None:
        if len(self._errors) < MAX_ERRORS:
            self._errors.append(error)
        if len(self._errors) == MAX_ERRORS and self.options.on_error == "refuse":
            raise InvalidTraces(sorted(self._errors, key=_by_line))

    def _leave_out_duplicates(self) -> None:
        reading = self.reading
        found: Sequence[Trace | SurveyAnswer] = reading.surveys or reading.traces
        ids = [trace.id for trace in reading.traces] if not reading.surveys else [_name(one) for one in reading.surveys]
        repeated = find_duplicates(
            ids, [one.task_id for one in found], [one.run for one in found], [one.batch for one in found]
        )
        for again in repeated:
            one, first = found[again.index], found[again.first]
            places = (first.line, self._pointers[again.first]), (one.line, self._pointers[again.index])
            message = duplicate_message(again.code, ids[again.index], one.task_id, one.run, one.batch, *places)
            self._note(Located(one.line, self._pointers[again.index], again.code, message))
            reading.excluded.append(Excluded(ids[again.index], one.task_id, one.run, one.batch, "duplicate", one.line))
        if repeated:
            out = {again.index for again in repeated}
            reading.traces = [trace for place, trace in enumerate(reading.traces) if place not in out]
            reading.surveys = [answer for place, answer in enumerate(reading.surveys) if place not in out]
            reading.excluded.sort(key=lambda excluded: excluded.line)

    def _warn_of_counts(self) -> None:
        warnings = self.reading.warnings
        warnings += self.stop_turns.warnings()
        fractional = len([t for t in self.reading.traces if t.reward is not None and 0 < t.reward < 1])
        counts = [
            ("lone_surrogates", "lone surrogates became U+FFFD", self._mended.lone_surrogates),
            ("nul_removed", "NUL characters were removed", self._mended.nul_removed),
            ("fractional_reward", "rewards lie strictly between 0 and 1; each counts as a success", fractional),
            *_named_counts("unknown_field", "fields that are not read", self.unknown_fields),
            *_named_counts("other_part", "parts of messages that are not text", self._other_parts),
        ]
        warnings += [Warned(code, message, count) for code, message, count in counts if count]


def _is_utf8(data: bytes) -> bool:
    """Whether all of it is UTF-8: what is passed over unread must be checked before."""
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _by_line(error: Located) -> int:
    return error.line


def _name(answer: SurveyAnswer) -> str:
    return f"{answer.task_id}_{answer.run}_ann{answer.batch}"


def _named_counts(code: str, what: str, counts: Counter[str]) -> list[tuple[str, str, int]]:
    """A warning for each name, and one for all those that are too many to keep."""
    named = sorted(counts.items())
    rest = sum(count for _, count in named[_NAMED:])
    return [*((code, f"{what}: {name}", count) for name, count in named[:_NAMED]), (code, f"{what}: others", rest)]
