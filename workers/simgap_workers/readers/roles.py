"""Roles: what a file calls the speakers, and which of the four they are (formats.md, "What every reader does")."""

from __future__ import annotations

from collections.abc import Mapping

from simgap_workers.readers.errors import quoted, refusal

DROPPED = "-"
CANONICAL = frozenset(("user", "assistant", "system", "tool"))

NAMES: dict[str, tuple[str, ...]] = {
    "user": ("user", "human", "customer"),
    "assistant": ("assistant", "agent", "gpt", "bot", "chatbot", "model", "ai"),
    "system": ("system", "developer"),
    "tool": (
        "tool",
        "tool_call",
        "tool_result",
        "function",
        "function_call",
        "action",
        "observation",
        "environment",
        "event",
    ),
}
"""The four roles and the names that each goes by, in any case."""

KNOWN: dict[str, str] = {name: role for role, names in NAMES.items() for name in names}


class UnknownRole(Exception):
    """A role that is none of the known names; `advice` is what to tell the file's owner."""

    def __init__(self, role: str) -> None:
        super().__init__(role)
        name = role if role.isidentifier() and len(role) <= 40 else "NAME"
        self.advice = (
            f"{quoted(role)} is no known role (user, assistant, system, tool, or a name listed by `simgap formats`). "
            f"Map it with --role {name}=assistant, or drop such messages with --role {name}=-."
        )


class RoleMap(dict[str, str]):
    """Role as written -> `user`, `assistant`, `system`, `tool`, or `-` where the caller drops it.

    The caller's map goes first, as written and then in any case. A look-up of another name raises UnknownRole.
    """

    def __init__(self, asked: Mapping[str, str]) -> None:
        """Raises InvalidTraces (`bad_role_map`) where the caller maps to something unknown."""
        super().__init__(KNOWN)
        for name, target in asked.items():
            role = DROPPED if target == DROPPED else KNOWN.get(target.lower())
            if role is None:
                raise refusal(
                    "bad_role_map",
                    f"The role {quoted(name)} is mapped to {quoted(target)}, which is neither user, assistant, system, "
                    "tool nor `-` (drop).",
                )
            self.setdefault(name.lower(), role)
            self[name] = role
            if name.lower() not in asked:
                self[name.lower()] = role

    def __missing__(self, name: str) -> str:
        role = self.get(name.lower())
        if role is None:
            raise UnknownRole(name)
        self[name] = role
        return role
