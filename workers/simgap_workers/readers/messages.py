"""Messages as files have them, to messages as the metrics see them (formats.md, "What every reader does")."""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from simgap_workers.readers.errors import RecordError, quoted
from simgap_workers.readers.roles import DROPPED, RoleMap, UnknownRole
from simgap_workers.trace import Message

_TEXT_PARTS = frozenset(("text", "input_text", "output_text"))
_TOOL_PARTS = frozenset(("tool_use", "tool_result", "tool_call", "tool_calls", "function_call", "function_call_output"))


class FileMessage(Struct, gc=False):
    """A message of a chat log. All that is not here (names, times, reasoning) is kept out of scoring."""

    role: str
    content: str | list[Any] | UnsetType | None = UNSET
    tool_calls: Any = None
    function_call: Any = None


def conversation(said: list[FileMessage], pointer: str, roles: RoleMap, other_parts: Counter[str]) -> list[Message]:
    """The messages that are turns of someone, in order; without those of roles that the caller drops.

    Text is text. Null with a tool call is no turn, without one an empty turn. Of a list of parts, the texts are
    joined by a line feed and the others counted by type in `other_parts`; one that holds calls or results of tools and
    no text is no turn. pointer: of the list of messages, in the record.
    Raises RecordError: `unknown_role`, `missing_content`, `bad_content`.
    """
    messages: list[Message] = []
    for position, message in enumerate(said):
        try:
            role = roles[message.role]
        except UnknownRole as error:
            raise RecordError(f"{pointer}/{position}/role", "unknown_role", error.advice) from None
        if role == DROPPED:
            continue
        content = message.content
        if type(content) is str:
            messages.append(Message(role, content))
        elif type(content) is list:
            text = _parts_text(content, f"{pointer}/{position}/content", other_parts)
            if text is not None:
                messages.append(Message(role, text))
        elif message.tool_calls or message.function_call:
            continue
        elif content is UNSET and role == "user":
            raise RecordError(
                f"{pointer}/{position}", "missing_content", "The message has no content: text, null or a list of parts."
            )
        else:
            messages.append(Message(role, ""))
    return messages


def _parts_text(parts: list[Any], pointer: str, other_parts: Counter[str]) -> str | None:
    """The text parts joined by a line feed; None where all that stands there is the work of tools."""
    texts: list[str] = []
    tools = False
    for position, part in enumerate(parts):
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            raise RecordError(f"{pointer}/{position}", "bad_content", "A part of a message is an object or text.")
        kind = part.get("type", "text" if "text" in part else "untyped")
        if not isinstance(kind, str):
            raise RecordError(f"{pointer}/{position}/type", "bad_content", "The type of a part is text.")
        if kind in _TEXT_PARTS:
            text = part.get("text")
            if not isinstance(text, str):
                raise RecordError(f"{pointer}/{position}/text", "bad_content", f"A part of type {kind} holds a text.")
            texts.append(text)
        else:
            tools = tools or kind in _TOOL_PARTS
            other_parts[quoted(kind)] += 1
    return None if tools and not texts else "\n".join(texts)
