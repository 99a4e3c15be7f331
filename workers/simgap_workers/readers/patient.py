"""The second look at a record that msgspec refuses: the standard library's JSON, mended where formats.md says so.

Lone surrogates become U+FFFD, and are counted; NUL, which JSON allows, is removed elsewhere (`without_nul`). NaN,
Infinity and numbers beyond a double stay in the value as `NotANumber`, which no typed field accepts: where nothing
reads them, they do no harm.
"""

from __future__ import annotations

import json
import math
from typing import Any

from msgspec import Struct

from simgap_workers.readers.errors import RecordError
from simgap_workers.readers.roles import KNOWN

NUL = "\0"
CUT_OFF = "Not JSON: the text ends before what it holds is closed. Was it cut off, or is one trace on several lines?"
_BLANKS = " \t\r\n"


class Mended(Struct):
    """How many lone surrogates became U+FFFD, and how many NULs were removed."""

    lone_surrogates: int = 0
    nul_removed: int = 0


class NotANumber:
    """Stands for NaN, Infinity, or a number that no double holds."""

    def __init__(self, literal: str) -> None:
        self.literal = literal


def _finite(literal: str) -> float | NotANumber:
    value = float(literal)
    return value if math.isfinite(value) else NotANumber(literal)


def _whole(literal: str) -> int | NotANumber:
    return int(literal) if len(literal) <= 19 else NotANumber(literal)


_JSON = json.JSONDecoder(strict=False, parse_float=_finite, parse_int=_whole, parse_constant=NotANumber)


def patient_value(raw: bytes, mended: Mended) -> Any:
    """The record's value, without lone surrogates, in time linear in its length.

    They are counted in `mended` save in messages of others than users, which are mostly passed over unread.

    Raises RecordError: `not_utf8`, `not_json`, `too_deep`.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(
            "", "not_utf8", f"Byte {error.start + 1} of the record is not UTF-8. Convert the file with iconv -t UTF-8."
        ) from None
    start = len(text) - len(text.lstrip(_BLANKS))
    try:
        value, end = _JSON.raw_decode(text, start)
        rest = text[end:].strip(_BLANKS)
        if rest:
            raise RecordError("", "not_json", f"More text follows where the JSON ends, at character {end + 1}.")
        return _without_surrogates(value, mended)
    except json.JSONDecodeError as error:
        raise RecordError("", "not_json", json_complaint(error, f"character {error.pos + 1} of the record")) from None
    except RecursionError:
        raise too_deep() from None


def json_complaint(error: json.JSONDecodeError, place: str) -> str:
    """Why a text is not JSON, at which place, and without a word of it."""
    if error.pos >= len(error.doc.rstrip(_BLANKS)) or error.msg.startswith("Unterminated"):
        return CUT_OFF
    return f"Not JSON: {error.msg.removesuffix(':').removesuffix(' at')} at {place}."


def too_deep() -> RecordError:
    """The error of a record that is nested beyond what a JSON decoder follows."""
    return RecordError("", "too_deep", "The record is nested too deeply; no trace needs more than a few levels.")


def _without_surrogates(value: Any, mended: Mended) -> Any:
    if isinstance(value, str):
        return _surrogates_replaced(value, mended)
    if isinstance(value, list):
        return [_without_surrogates(item, mended) for item in value]
    if isinstance(value, dict):
        role = value.get("role")
        if isinstance(role, str) and KNOWN.get(role.lower(), "user") != "user":
            mended = Mended()
        return {_surrogates_replaced(key, mended): _without_surrogates(item, mended) for key, item in value.items()}
    return value


def _surrogates_replaced(text: str, mended: Mended) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        kept = ["\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text]
        mended.lone_surrogates += sum(new != old for new, old in zip(kept, text, strict=True))
        return "".join(kept)
    return text


def without_nul(text: str, mended: Mended) -> str:
    """The text without NUL; otherwise not a character is changed."""
    if NUL in text:
        mended.nul_removed += text.count(NUL)
        return text.replace(NUL, "")
    return text
