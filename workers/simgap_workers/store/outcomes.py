"""How a thing ends: with a result, or with failures, one an attempt.

`failed/<n>` says that attempt n came to nothing, `reopened/<n>` that the thing was asked for again after it. Both are
only ever created: a thing stands failed while its last failure was not reopened.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from simgap_workers.store.objects import Objects
from simgap_workers.store.records import Failure


class Outcomes:
    """What the objects of sets, baselines and reports have in common. Every method takes the thing's id."""

    def __init__(self, objects: Objects, key: Callable[[str, str], str], result: str) -> None:
        """key: the key of one of a thing's objects, by its id and the object's name. result: the name of a good end."""
        self._objects = objects
        self._key_of = key
        self._result = result

    def settled(self, thing: str) -> bool:
        """Is there a result, good or bad?"""
        return self._done(thing) or self._last(thing)[1]

    def fail(self, thing: str, failure: Failure) -> None:
        """Write that this attempt came to nothing, unless the thing has its result."""
        attempt, failed = self._last(thing)
        if not failed and not self._done(thing):
            self._objects.create(self._key_of(thing, f"failed/{attempt}"), msgspec.json.encode(failure))

    def failed(self, thing: str) -> bool:
        """Does a failure stand, and no result?"""
        return self._last(thing)[1] and not self._done(thing)

    def failure(self, thing: str) -> Failure | None:
        """The failure that stands where there is no result, or None."""
        attempt, failed = self._last(thing)
        data = self._objects.get(self._key_of(thing, f"failed/{attempt}")) if failed else None
        return None if data is None or self._done(thing) else msgspec.json.decode(data, type=Failure)

    def reopen(self, thing: str) -> None:
        """Begin the next attempt, where a failure stands."""
        attempt, failed = self._last(thing)
        if failed:
            self._objects.create(self._key_of(thing, f"reopened/{attempt}"), b"", durable=True)

    def _done(self, thing: str) -> bool:
        return self._objects.exists(self._key_of(thing, self._result))

    def _last(self, thing: str) -> tuple[int, bool]:
        """The attempt that counts, from 0, and whether it failed."""
        attempt = 0
        while self._objects.exists(self._key_of(thing, f"failed/{attempt}")):
            if not self._objects.exists(self._key_of(thing, f"reopened/{attempt}")):
                return attempt, True
            attempt += 1
        return attempt, False
