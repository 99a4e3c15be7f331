"""The fields that say what a trace is: ids, run, batch, reward, keep. Each is checked once, here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simgap_workers.readers.errors import RecordError

LARGEST = 2**31 - 1


def id_text(value: Any, pointer: str) -> str | None:
    """An id as text (whole numbers are written out), or None where the file has none.

    Raises RecordError (`bad_id`).
    """
    if type(value) is str and value:
        return value
    if value is None:
        return None
    if type(value) is int and abs(value) < 2**63:
        return str(value)
    raise RecordError(pointer, "bad_id", "An id is text that is not empty, or a whole number of at most 64 bits.")


def count_from_one(value: Any, pointer: str) -> int | None:
    """A run or a batch: a whole number from 1, or None where absent. Raises RecordError (`bad_number`)."""
    if value is None or (type(value) is int and 1 <= value <= LARGEST):
        return value
    raise RecordError(pointer, "bad_number", f"{pointer[1:]} must be a whole number from 1 to {LARGEST}, or absent.")


def reward_number(value: Any, pointer: str = "/reward") -> float | None:
    """A reward in [0, 1]; true is 1, false 0, None where absent. Raises RecordError (`bad_reward`)."""
    if value is None:
        return None
    if type(value) in (bool, int, float) and 0 <= value <= 1:
        return float(value)
    raise RecordError(pointer, "bad_reward", "reward must be a number from 0 to 1, true, false, null, or absent.")


def is_crash(conversation: Sequence[object] | None, info: Any = None, termination: Any = None) -> bool:
    """Whether a record stands for a run that broke, and is no conversation: formats.md, "What every reader does".

    That is: an infrastructure error ended it, or it has no message and `info.error` says why.
    """
    if isinstance(termination, str):
        reason = termination.lower()
        if reason == "error" or reason.startswith(("infrastructure", "infra_")):
            return True
    error = info.get("error") if isinstance(info, dict) else None
    return not conversation and error is not None


def is_kept(value: Any, *, null_is_out: bool) -> bool:
    """Whether `keep` leaves a trace in: false and 0 take it out, null too where the format says so.

    Raises RecordError (`bad_keep`) where it is neither a boolean nor a number nor null.
    """
    if value is None:
        return not null_is_out
    if type(value) in (bool, int, float):
        return bool(value)
    raise RecordError("/keep", "bad_keep", "keep must be true, false, 1, 0 or null.")
