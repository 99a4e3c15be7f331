"""A trace: one conversation of a user with an agent, as every reader hands it on."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Role = Literal["user", "assistant", "system", "tool"]


class Message(Struct, gc=False):
    """One message; `content` is text, never None."""

    role: Role
    content: str


class Trace(Struct, gc=False):
    """One conversation, what came of it, and what its user said afterwards.

    reward: in [0, 1], or None where the file gives none. Success is above 0.
    survey: label per field; None is unrated, an empty survey is rated with every answer missing.
    batch: which batch of people (or which people's conversation is answered), None where none is named.
    line: the line of the file, from 1, on which the trace begins.
    """

    id: str
    task_id: str
    messages: list[Message]
    run: int = 1
    batch: int | None = None
    reward: float | None = None
    survey: dict[str, str] | None = None
    line: int = 0


class Excluded(Struct):
    """A record of the file that is not scored, and why (`error`, `keep_false`, `unreadable`)."""

    id: str
    task_id: str
    run: int
    batch: int | None
    reason: str
    line: int = 0


class SurveyAnswer(Struct):
    """Survey answers that came apart from the traces: about one task, of one run, about one batch's conversation."""

    task_id: str
    survey: dict[str, str]
    batch: int | None = None
    run: int = 1
    line: int = 0
