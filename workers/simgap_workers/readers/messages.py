"""Messages as files have them, to messages as the metrics see them (formats.md, "What every reader does").

A file's messages are decoded in one of two ways: as `FileMessage`, which takes whatever there is, or, where only users
matter and nothing is out of the ordinary, as `Said`, which passes over the text of everybody else.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeVar, cast

from msgspec import UNSET, Raw, Struct

from simgap_workers.readers.errors import RecordError, quoted
from simgap_workers.readers.roles import DROPPED, RoleMap, UnknownRole
from simgap_workers.trace import Message, Role

_TEXT_PARTS = frozenset(("text", "input_text", "output_text"))
_TOOL_PARTS = frozenset(("tool_use", "tool_result", "tool_call", "tool_calls", "function_call", "function_call_output"))


class FileMessage(Struct, gc=False):
    """A message of a chat log. All that is not here (names, times, reasoning) is kept out of scoring."""

    role: str
    content: Any = UNSET
    tool_calls: Any = None
    function_call: Any = None


class UserSaid(Struct, gc=False, tag_field="role", tag="user"):
    """A user's message of text."""

    content: str


class AssistantSaid(Struct, gc=False, tag_field="role", tag="assistant"):
    """An agent's message, of which only the calls are read."""

    tool_calls: Any = None


class SystemSaid(Struct, gc=False, tag_field="role", tag="system"):
    """A system message: its JSON, not decoded."""

    content: Raw = Raw()


class ToolSaid(Struct, gc=False, tag_field="role", tag="tool"):
    """A tool's answer, of which nothing is read."""


Said = UserSaid | AssistantSaid | SystemSaid | ToolSaid
"""What a file's message is where only the text of users is decoded."""

M = TypeVar("M")
"""FileMessage or Said: a record of a file is generic in what its messages are decoded to."""


def users_conversation(said: list[Said]) -> list[Message]:
    """The users' messages, in order."""
    return [Message("user", message.content) for message in said if type(message) is UserSaid]


def conversation(said: list[FileMessage], pointer: str, roles: RoleMap, other_parts: Counter[str]) -> list[Message]:
    """The messages that are turns of someone, in order; without those of roles that the caller drops.

    Text is text. Null with a tool call is no turn, without one an empty turn. Of a list of parts, the texts are
    joined by a line feed and the others counted by type in `other_parts`; one that holds calls or results of tools and
    no text is no turn. Of others than users, nothing but the role is checked. pointer: of the list of messages, in the
    record.
    Raises RecordError: `unknown_role`, `missing_content`, `wrong_type`, `bad_content`.
    """
    messages: list[Message] = []
    for position, message in enumerate(said):
        try:
            role = roles[message.role]
        except UnknownRole as error:
            raise RecordError(f"{pointer}/{position}/role", "unknown_role", error.advice) from None
        if role == DROPPED:
            continue
        text = _users_text(message, f"{pointer}/{position}", other_parts) if role == "user" else _others_text(message)
        if text is not None:
            messages.append(Message(cast(Role, role), text))
    return messages


def _users_text(message: FileMessage, pointer: str, other_parts: Counter[str]) -> str | None:
    """A user's text; None where the message is no turn."""
    content = message.content
    if type(content) is str:
        return content
    if type(content) is list:
        return _parts_text(content, f"{pointer}/content", other_parts)
    if content is not None and content is not UNSET:
        raise RecordError(f"{pointer}/content", "wrong_type", "content must be text, null or a list of parts.")
    if message.tool_calls or message.function_call:
        return None
    if content is UNSET:
        raise RecordError(pointer, "missing_content", "The message has no content: text, null or a list of parts.")
    return ""


def _others_text(message: FileMessage) -> str | None:
    """What another than a user said, as far as it is text; None where the message is no turn."""
    content = message.content
    if type(content) is str:
        return content
    if type(content) is list:
        parts = [part.get("text") if isinstance(part, dict) else part for part in content]
        texts = [part for part in parts if isinstance(part, str)]
        return "\n".join(texts) if texts or not parts else None
    return None if message.tool_calls or message.function_call else ""


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
