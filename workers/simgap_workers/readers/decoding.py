"""A record's bytes to a typed Struct: msgspec first, the patient decoder once where it refuses."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from simgap_workers.readers.errors import RecordError
from simgap_workers.readers.patient import Mended, patient_value, too_deep
from simgap_workers.readers.records import Record, check_line

T = TypeVar("T")
B = TypeVar("B")


class RecordDecoder(Generic[T, B]):
    """Decodes the records of one piece. `mended` counts what was mended on the way; NUL stays in the texts."""

    def __init__(self, kind: type[T], brief: type[B] | None, mended: Mended) -> None:
        """brief: what a record is decoded to where that goes; what does not fit it is decoded to `kind`."""
        self._kind = kind
        self._mended = mended
        self._full = msgspec.json.Decoder(kind)
        self._brief = None if brief is None else msgspec.json.Decoder(brief)

    def decode(self, record: Record) -> T | B:
        """Raises RecordError: `line_too_long`, `not_utf8`, `not_json`, `too_deep`, `wrong_type`."""
        check_line(record)
        if self._brief is not None:
            try:
                return self._brief.decode(record.raw)
            except (msgspec.DecodeError, RecursionError):
                pass
        try:
            return self._full.decode(record.raw)
        except msgspec.DecodeError:
            return self._patiently(record)
        except RecursionError:
            raise too_deep() from None

    def _patiently(self, record: Record) -> T:
        value = patient_value(bytes(record.raw), self._mended)
        try:
            return msgspec.convert(value, self._kind)
        except msgspec.ValidationError as error:
            raise type_error(error) from None
        except RecursionError:
            raise too_deep() from None


def type_error(error: msgspec.ValidationError) -> RecordError:
    """msgspec's complaint with its path as a JSON pointer; fields of our Structs only, so no key needs escaping."""
    message, _, path = str(error).partition(" - at `$")
    pointer = path.rstrip("`").replace("[", "/").replace("]", "").replace(".", "/")
    return RecordError(pointer, "wrong_type", message.replace("`", "") + ".")
