"""A baseline that a lab made, in the store: `request`, `baseline` (compiled), `facts`; and its failures (outcomes.py).

`names/<SHA-256 of the name>` holds the id of the baseline of that name, so that a name is taken once.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Struct

from simgap_workers.store.ids import checked
from simgap_workers.store.objects import Objects
from simgap_workers.store.outcomes import Outcomes
from simgap_workers.store.records import BaselineAsked


class Facts(Struct, frozen=True):
    """What a list of baselines shows of a compiled one; `sha256` is of its bytes."""

    batches: int
    tasks: int
    digest: str
    sha256: str = ""


class BaselineObjects(Outcomes):
    """The objects of baselines. Every method takes the baseline's id."""

    def __init__(self, objects: Objects) -> None:
        super().__init__(objects, _key, "facts")

    def take_name(self, name: str, baseline_id: str) -> str:
        """Take a name, if it is free; returns the id of its holder."""
        holder = None
        while holder is None:
            if self._objects.create(_name_key(name), checked(baseline_id, "bl").encode(), durable=True):
                return baseline_id
            holder = self.by_name(name)  # None: given back since the create
        return holder

    def by_name(self, name: str) -> str | None:
        """The id of the baseline of this name."""
        data = self._objects.get(_name_key(name))
        return None if data is None else data.decode()

    def free_name(self, name: str, baseline_id: str) -> None:
        """Give a name back, if this baseline holds it."""
        if self.by_name(name) == baseline_id:
            self._objects.delete(_name_key(name))

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


def _name_key(name: str) -> str:
    return f"names/{hashlib.sha256(name.encode()).hexdigest()}"


def _key(baseline_id: str, name: str) -> str:
    return f"baselines/{checked(baseline_id, 'bl')}/{name}"
