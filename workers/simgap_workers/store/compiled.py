"""A baseline that a lab made, in the store: `request`, `baseline` (compiled), `facts`, `failed/0`; and its name.

`names/<SHA-256 of the name>` holds the id of the baseline of that name, so that a name is taken once.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Struct

from simgap_workers.store.ids import checked
from simgap_workers.store.objects import Objects
from simgap_workers.store.records import BaselineAsked, Failure


class Facts(Struct, frozen=True):
    """What a list of baselines shows of a compiled one."""

    batches: int
    tasks: int
    digest: str


class BaselineObjects:
    """The objects of baselines. Every method takes the baseline's id."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def take_name(self, name: str, baseline_id: str) -> str:
        """Take a name, if it is free; returns the id of its holder."""
        key = f"names/{hashlib.sha256(name.encode()).hexdigest()}"
        if self._objects.create(key, checked(baseline_id, "bl").encode(), durable=True):
            return baseline_id
        return self.by_name(name) or baseline_id

    def by_name(self, name: str) -> str | None:
        """The id of the baseline of this name."""
        data = self._objects.get(f"names/{hashlib.sha256(name.encode()).hexdigest()}")
        return None if data is None else data.decode()

    def free_name(self, name: str, baseline_id: str) -> None:
        """Give a name back, if this baseline holds it."""
        if self.by_name(name) == baseline_id:
            self._objects.delete(f"names/{hashlib.sha256(name.encode()).hexdigest()}")

    def ask(self, baseline_id: str, asked: BaselineAsked) -> None:
        """Write what was asked for."""
        self._objects.create(_key(baseline_id, "request"), msgspec.json.encode(asked), durable=True)

    def asked(self, baseline_id: str) -> BaselineAsked | None:
        """What was asked for, or None where there is no such baseline."""
        data = self._objects.get(_key(baseline_id, "request"))
        return None if data is None else msgspec.json.decode(data, type=BaselineAsked)

    def ids(self) -> list[str]:
        """Every baseline in the store."""
        return self._objects.folders("baselines")

    def finish(self, baseline_id: str, compiled: bytes, facts: Facts) -> None:
        """Write the result: the compiled baseline, then the facts, which make it ready."""
        self._objects.create(_key(baseline_id, "baseline"), compiled)
        self._objects.create(_key(baseline_id, "facts"), msgspec.json.encode(facts))

    def compiled(self, baseline_id: str) -> bytes | None:
        """The compiled baseline, encoded."""
        return self._objects.get(_key(baseline_id, "baseline"))

    def facts(self, baseline_id: str) -> Facts | None:
        """The facts, or None while it is not ready."""
        data = self._objects.get(_key(baseline_id, "facts"))
        return None if data is None else msgspec.json.decode(data, type=Facts)

    def fail(self, baseline_id: str, failure: Failure) -> None:
        """Write that the baseline will never be."""
        self._objects.create(_key(baseline_id, "failed/0"), msgspec.json.encode(failure))

    def failure(self, baseline_id: str) -> Failure | None:
        """Why the baseline will never be, or None."""
        data = self._objects.get(_key(baseline_id, "failed/0"))
        return None if data is None else msgspec.json.decode(data, type=Failure)

    def settled(self, baseline_id: str) -> bool:
        """Is there a result, good or bad?"""
        return any(self._objects.exists(_key(baseline_id, name)) for name in ("facts", "failed/0"))


def _key(baseline_id: str, name: str) -> str:
    return f"baselines/{checked(baseline_id, 'bl')}/{name}"
