"""Markers: what was accepted and is not done yet, and who waits for whom.

`pending/<id>` stands from before the answer of 202 until the result is stored. `waiting/<id>/<who>` says that `who`
needs `id` first: one that asks writes its marker and then looks whether `id` is settled; whoever settles it writes the
result and then looks for markers. So one of the two always sees the other.
`attempts/<id>/<n>` counts how often the work had to be started again. Nothing of this is left when all is done.
"""

from __future__ import annotations

from simgap_workers.store.ids import checked, is_id
from simgap_workers.store.objects import Objects


class Pending:
    """The markers in the store."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def open(self, thing: str) -> None:
        """Mark a thing as accepted: from now on the reconciler sees that it gets done."""
        self._objects.create(f"pending/{checked(thing)}", b"", durable=True)

    def close(self, thing: str) -> None:
        """The thing has its result: no attempt counts any more, and nobody waits for it."""
        self._objects.clear(f"attempts/{checked(thing)}")
        self._objects.clear(f"waiting/{checked(thing)}")
        self._objects.delete(f"pending/{checked(thing)}")

    def has(self, thing: str) -> bool:
        """Is the thing accepted and not done?"""
        return self._objects.exists(f"pending/{checked(thing)}")

    def all(self) -> list[str]:
        """Every id that is accepted and not done."""
        names = (key.rpartition("/")[2] for key in self._objects.keys("pending"))
        return [name for name in names if is_id(name)]

    def wait(self, thing: str, who: str) -> None:
        """Say that `who` needs `thing`."""
        self._objects.create(f"waiting/{checked(thing)}/{checked(who)}", b"", durable=True)

    def waiting(self, thing: str) -> list[str]:
        """Who needs `thing`."""
        names = (key.rpartition("/")[2] for key in self._objects.keys(f"waiting/{checked(thing)}"))
        return [name for name in names if is_id(name)]

    def served(self, thing: str, who: str) -> None:
        """Forget that `who` needs `thing`."""
        self._objects.delete(f"waiting/{checked(thing)}/{checked(who)}")

    def attempts(self, thing: str) -> int:
        """How often the work was started again."""
        return len(self._objects.keys(f"attempts/{checked(thing)}"))

    def again(self, thing: str, attempt: int) -> bool:
        """Begin attempt number `attempt` (from 1); False where somebody else began it."""
        return self._objects.create(f"attempts/{checked(thing)}/{attempt}", b"")
