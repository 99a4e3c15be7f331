"""Which messages of a trace are turns of its user: those that are not meta.

Source: usi.md section 1. Meta is tested on the raw content, case-sensitive.
"""

from __future__ import annotations

from collections.abc import Sequence

from simgap_workers.trace import Message

_STOP = "###STOP###"
_COMMANDS = ("\\tau ", "\\reward")


def user_turns(messages: Sequence[Message], source: str) -> list[str]:
    """The contents of the user's turns in order, mark-up not yet cut.

    source: `human` where a person played the user, else `simulator`: the two have different meta messages.
    """
    if source == "human":
        return [m.content for m in messages if m.role == "user" and not _is_interface_message(m.content)]
    turns = [message.content for message in messages if message.role == "user"]
    if _STOP not in "\n".join(turns):
        return turns
    return [turn for turn in turns if turn.strip() != _STOP]


def _is_interface_message(content: str) -> bool:
    """Whether a person's message was made by the interface of the study, or was a command to it."""
    return (
        content.startswith(_COMMANDS)
        or "<|canvas|>" in content
        or "<|highlight|>" in content
        or "<|survey|>" in content
        or content.strip() == "/stop"
    )
