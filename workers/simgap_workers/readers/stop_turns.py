"""What becomes of the tokens with which τ-bench's simulated users end a conversation (formats.md, "Stop turns").

`drop` leaves out the user message that holds a token and all after it, as the rollout behind the published numbers
does; `keep` leaves everything; `trim` cuts the tokens and nothing else. A message of which `trim` leaves nothing but
white space is no turn: usi.md section 1 has a bare `###STOP###` as no turn, section 14 the same of all three, and an
empty turn in its place would count as a short one.
"""

from __future__ import annotations

from simgap_client.models import Warned
from simgap_workers.trace import Message

TOKENS = ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###")
STOP_MARK = "###"
"""What each token begins with."""


class StopTurns:
    """Applies one of the three ways to conversations, and counts."""

    def __init__(self, way: str) -> None:
        """way: `drop`, `keep` or `trim`."""
        self.way = way
        self.turns = 0
        self.dropped = 0

    def apply(self, messages: list[Message]) -> list[Message]:
        """The messages that remain; only those of users are looked at."""
        places = [
            place
            for place, message in enumerate(messages)
            if STOP_MARK in message.content and message.role == "user" and any(t in message.content for t in TOKENS)
        ]
        self.turns += len(places)
        if not places or self.way == "keep":
            return messages
        if self.way == "drop":
            self.dropped += sum(message.role == "user" for message in messages[places[0] :])
            return messages[: places[0]]
        for place in places:
            messages[place].content = _without_tokens(messages[place].content)
        bare = {place for place in places if not messages[place].content.strip()}
        self.dropped += len(bare)
        return [message for place, message in enumerate(messages) if place not in bare]

    def warnings(self) -> list[Warned]:
        """What was done to how many messages, where there was any."""
        done = {
            "drop": "each of them was dropped, with all after it",
            "keep": "they were kept, and the token's words count",
            "trim": "the token was cut out",
        }
        dropped = "user messages from a stop token on, its own included, are not scored"
        if self.way == "trim":
            dropped = "user messages held nothing but a stop token: they are no turns"
        found = (
            (f"user messages hold a stop token (stop_turns={self.way}): {done[self.way]}", self.turns),
            (dropped, self.dropped),
        )
        return [Warned("stop_turns", message, count) for message, count in found if count]


def _without_tokens(text: str) -> str:
    kept: list[str] = []
    start = 0
    at = text.find(STOP_MARK)
    while at >= 0:
        token = next((token for token in TOKENS if text.startswith(token, at)), None)
        if token is None:
            at = text.find(STOP_MARK, at + 1)
        else:
            kept.append(text[start:at])
            start = at + len(token)
            at = text.find(STOP_MARK, start)
    kept.append(text[start:])
    return "".join(kept)
