"""A trace set in the store: `request`, `raw/<attempt>/<n>`, `received`, `shards/<n>`, `sealed`, and its
failures (outcomes.py).

Its state is which of them exist. `refused/<n>` stands in the place of a shard where a piece cannot be read, and
`skipped/<n>` beside one where bad records were skipped.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from simgap_client.models import Located
from simgap_workers.store.ids import checked
from simgap_workers.store.objects import Objects
from simgap_workers.store.outcomes import Outcomes
from simgap_workers.store.records import Received, Refused, Sealed, SetRequest


class TraceSetObjects(Outcomes):
    """The objects of trace sets. Every method takes the set's id."""

    def __init__(self, objects: Objects) -> None:
        super().__init__(objects, _key, "sealed")

    def ask(self, set_id: str, request: SetRequest) -> None:
        """Write the parameters, first of all objects."""
        self._objects.create(_key(set_id, "request"), msgspec.json.encode(request), durable=True)

    def request(self, set_id: str) -> SetRequest | None:
        """The parameters, or None where there is no such set."""
        data = self._objects.get(_key(set_id, "request"))
        return None if data is None else msgspec.json.decode(data, type=SetRequest)

    def put_raw(self, set_id: str, attempt: int, piece: int, data: bytes) -> None:
        """Keep a piece of the body."""
        self._objects.create(_key(set_id, f"raw/{attempt}/{piece}"), data, durable=True)

    def raw(self, set_id: str, attempt: int, piece: int) -> bytes | None:
        """A piece of the body."""
        return self._objects.get(_key(set_id, f"raw/{attempt}/{piece}"))

    def receive(self, set_id: str, received: Received) -> None:
        """Write the manifest, last of the upload."""
        self._objects.create(_key(set_id, "received"), msgspec.json.encode(received), durable=True)

    def received(self, set_id: str) -> Received | None:
        """The manifest, or None while the body is still coming."""
        data = self._objects.get(_key(set_id, "received"))
        return None if data is None else msgspec.json.decode(data, type=Received)

    def put_shard(self, set_id: str, piece: int, shard: bytes, skipped: Sequence[Located] = ()) -> None:
        """Keep what a piece came to; the errors first, so that a shard never stands without them."""
        if skipped:
            self._objects.create(_key(set_id, f"skipped/{piece}"), msgspec.json.encode(Refused(list(skipped))))
        self._objects.create(_key(set_id, f"shards/{piece}"), shard)

    def shard(self, set_id: str, piece: int) -> bytes | None:
        """A piece's shard, encoded."""
        return self._objects.get(_key(set_id, f"shards/{piece}"))

    def refuse(self, set_id: str, piece: int, errors: Sequence[Located]) -> None:
        """Keep why a piece cannot be read."""
        self._objects.create(_key(set_id, f"refused/{piece}"), msgspec.json.encode(Refused(list(errors))))

    def errors(self, set_id: str, piece: int) -> tuple[list[Located], bool]:
        """A piece's errors, and whether they refuse it (else its bad records were skipped)."""
        for place in ("refused", "skipped"):
            data = self._objects.get(_key(set_id, f"{place}/{piece}"))
            if data is not None:
                return msgspec.json.decode(data, type=Refused).errors, place == "refused"
        return [], False

    def read(self, set_id: str, piece: int) -> bool:
        """Has this piece been read, to a shard or to a refusal?"""
        return any(self._objects.exists(_key(set_id, f"{place}/{piece}")) for place in ("shards", "refused"))

    def seal(self, set_id: str, sealed: Sealed) -> None:
        """Write the result; of two that race, the first stands."""
        self._objects.create(_key(set_id, "sealed"), msgspec.json.encode(sealed))

    def sealed(self, set_id: str) -> Sealed | None:
        """The result, or None while the set is being read."""
        data = self._objects.get(_key(set_id, "sealed"))
        return None if data is None else msgspec.json.decode(data, type=Sealed)


def _key(set_id: str, name: str) -> str:
    return f"trace-sets/{checked(set_id, 'ts')}/{name}"
