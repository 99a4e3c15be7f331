"""From bytes to records: the lines of a line format, the elements or members of a document.

Each record keeps its bytes, the line on which it begins and the pointer to it, so that it is decoded, refused or
skipped on its own. Time is linear in the bytes; a document that msgspec refuses is walked by the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from simgap_workers.readers.errors import InvalidTraces, RecordError, pointer_token, refusal
from simgap_workers.readers.patient import CUT_OFF, Mended, json_complaint, patient_value, too_deep, without_nul

MAX_LINE_BYTES = 8 * 1024 * 1024
MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

_ELEMENTS = msgspec.json.Decoder(list[msgspec.Raw])
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_WALKER = json.JSONDecoder(strict=False, parse_float=len, parse_int=len, parse_constant=len)
_LINE_FEED, _BRACE, _COMMA = b"\n{,"
_MANY = 4_000_000


class Record(NamedTuple):
    """One record: its bytes, its first line (from 1), its pointer in the document, its key where it has one.

    start: where its bytes begin in the document.
    """

    raw: bytes | memoryview
    line: int
    pointer: str = ""
    key: str = ""
    start: int = 0

    @property
    def name(self) -> str:
        """What to call a record that could not be read."""
        return self.key or f"line_{self.line}" + self.pointer.replace("/", "_")


def lines(data: bytes, first_line: int) -> Iterator[Record]:
    """The lines of a line format that are not blank; `first_line` is the number of the first."""
    start, number, size = 0, first_line, len(data)
    view = memoryview(data)
    while start < size:
        end = data.find(b"\n", start)
        if end < 0:
            end = size
        if data[start] == _BRACE or not (end == start or data[start:end].isspace()):
            yield Record(view[start:end], number)
        start = end + 1
        number += 1


def check_line(record: Record) -> None:
    """Raise RecordError (`line_too_long`) where a line format's line is above the limit."""
    if not record.pointer and len(record.raw) > MAX_LINE_BYTES:
        raise RecordError(
            "",
            "line_too_long",
            f"The line is longer than {MAX_LINE_BYTES} bytes (8 MiB), the limit a line. One line is one trace.",
        )


class Document:
    """A JSON document, walked from left to right, one level at a time."""

    def __init__(self, data: bytes, mended: Mended) -> None:
        """mended: counts what is mended in keys. Raises InvalidTraces (`document_too_large`)."""
        if len(data) > MAX_DOCUMENT_BYTES:
            raise refusal(
                "document_too_large",
                f"The document is larger than {MAX_DOCUMENT_BYTES} bytes (64 MiB), the limit. Split it, or "
                "convert it to NDJSON, one trace a line (format `simgap`), which has no such limit.",
            )
        self.data = data
        self._mended = mended
        self._view = memoryview(data)
        # One character a byte: what delimits JSON is ASCII, so that places in the text are places in the bytes.
        self._text = data.decode("latin-1")
        self._bytes = np.frombuffer(data, dtype=np.uint8)
        self._counted, self._line = 0, 1

    def is_array(self) -> bool:
        """Whether the document is an array; else it is an object, or InvalidTraces (`not_json`) is raised."""
        first = self._peek(self._skip(0))
        if first not in (b"[", b"{"):
            raise refusal("not_json", "Not JSON: the document begins with neither { nor [.", 1)
        return first == b"["

    def elements(self, member: Record | None = None) -> Iterator[Record]:
        """The elements of the array that the document is, or that this member of it is.

        Raises InvalidTraces (`not_json`, `too_deep`, `wrong_type`) where the walk cannot go on.
        """
        start, pointer = (self._skip(0), "") if member is None else (member.start, member.pointer)
        self._expect(start, b"[", "array", pointer)
        known = self._split(self.data if member is None else member.raw)
        at = self._skip(start + 1)
        number, more = 0, self._peek(at) != b"]"
        while more:
            here = f"{pointer}/{number}"
            raw = memoryview(known[number]) if known is not None else self._view[at : self._end(at, here)]
            yield Record(raw, self._line_at(at), here, start=at)
            at, more = self._next(at + len(raw), b"]", here)
            number += 1
        if member is None:
            self._close(at + 1)

    def members(self) -> Iterator[Record]:
        """The members of the object that the document is, repeated keys included.

        Raises InvalidTraces (`not_json`, `too_deep`, `wrong_type`) where the walk cannot go on.
        """
        start = self._skip(0)
        self._expect(start, b"{", "object", "")
        try:
            known = _MEMBERS.decode(self.data)
        except (msgspec.DecodeError, RecursionError):
            known = {}
        last: dict[str, bytes] = {}
        at = self._skip(start + 1)
        more = self._peek(at) != b"}"
        while more:
            line = self._line_at(at)
            key, at = self._key(at)
            here = pointer_token(key)
            # Of a repeated key msgspec keeps the last value only: the others are found here, by not being it.
            raw = last.get(key)
            if raw is None and key in known:
                raw = last[key] = bytes(known[key])
            if raw is None or not self.data.startswith(raw, at):
                raw = self.data[at : self._end(at, here)]
            yield Record(raw, line, here, key, at)
            at, more = self._next(at + len(raw), b"}", here)
        self._close(at + 1)

    def _split(self, array: bytes | memoryview) -> list[msgspec.Raw] | None:
        """The elements by msgspec; None where it refuses, or where so many of them could only be an attack."""
        if len(array) > _MANY and np.count_nonzero(np.frombuffer(array, dtype=np.uint8) == _COMMA) > _MANY:
            return None
        try:
            return _ELEMENTS.decode(array)
        except (msgspec.DecodeError, RecursionError):
            return None

    def _peek(self, at: int) -> bytes:
        return self.data[at : at + 1]

    def _skip(self, at: int) -> int:
        data = self.data
        while at < len(data) and data[at] in b" \t\r\n":
            at += 1
        return at

    def _line_at(self, at: int) -> int:
        if at < self._counted:
            self._counted, self._line = 0, 1
        self._line += int(np.count_nonzero(self._bytes[self._counted : at] == _LINE_FEED))
        self._counted = at
        return self._line

    def _refuse(self, at: int, pointer: str, complaint: str, code: str = "not_json") -> InvalidTraces:
        if at >= len(self.data.rstrip()):
            complaint = CUT_OFF
        return refusal(code, complaint, self._line_at(min(at, len(self.data))), pointer)

    def _expect(self, at: int, opening: bytes, kind: str, pointer: str) -> None:
        if self._peek(at) != opening:
            raise self._refuse(at, pointer, f"Expected an {kind} here.", "wrong_type")

    def _end(self, at: int, pointer: str) -> int:
        """Where the value that begins at this byte ends."""
        try:
            return _WALKER.raw_decode(self._text, at)[1]
        except json.JSONDecodeError as error:
            complaint = json_complaint(error, f"byte {error.colno} of the line")
            raise self._refuse(error.pos, pointer, complaint) from None
        except RecursionError:
            raise refusal("too_deep", too_deep().message, self._line_at(at), pointer) from None

    def _key(self, at: int) -> tuple[str, int]:
        """The key that begins at this byte, and where its value begins."""
        if self._peek(at) != b'"':
            raise self._refuse(at, "", "Not JSON: a key in double quotes should stand here.")
        end = self._end(at, "")
        try:
            key = without_nul(patient_value(self.data[at:end], self._mended), self._mended)
        except RecordError as error:
            raise refusal(error.code, error.message, self._line_at(at)) from None
        at = self._skip(end)
        if self._peek(at) != b":":
            raise self._refuse(at, pointer_token(key), "Not JSON: a colon should follow the key.")
        return key, self._skip(at + 1)

    def _next(self, at: int, closing: bytes, pointer: str) -> tuple[int, bool]:
        """Where the next value (or key) begins and True; where the container closes and False."""
        at = self._skip(at)
        mark = self._peek(at)
        if mark == closing:
            return at, False
        if mark != b",":
            raise self._refuse(at, pointer, f"Not JSON: a comma or {closing.decode()} should follow this record.")
        return self._skip(at + 1), True

    def _close(self, at: int) -> None:
        at = self._skip(at)
        if at < len(self.data):
            raise self._refuse(at, "", "Not JSON: more text follows where the document ends.")
