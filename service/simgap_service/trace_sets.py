"""Trace sets: an upload becomes a request, a raw piece and a manifest in the store, and then a job."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from datetime import UTC, datetime

from obstore.exceptions import BaseError

from simgap_client.models import TraceSet
from simgap_service.acceptance import accept, require_queue
from simgap_service.problems import Invalid, NotFound
from simgap_workers.dispatch import Dispatch
from simgap_workers.store.ids import is_id, new_id
from simgap_workers.store.objects import Objects, StoreFullError
from simgap_workers.store.records import Piece, Received, SetRequest


class TraceSets:
    """The trace sets of the service. Methods block: call them in a thread."""

    def __init__(self, dispatch: Dispatch, objects: Objects) -> None:
        self._dispatch = dispatch
        self._objects = objects
        self._sets = dispatch.sets

    def check(self) -> None:
        """Raise QueueUnavailable where an upload could not be worked on: ask before reading a body."""
        require_queue(self._dispatch.queue)

    def receive(self, request: SetRequest, body: bytes) -> str:
        """Store a decoded body and have it read; returns the set's id. When this returns, the body is on the disk.

        Raises QueueUnavailable, or StoreFullError; then nothing of it stays.
        """
        require_queue(self._dispatch.queue)
        set_id = new_id("ts")
        try:
            self._store(set_id, request, body)
        except StoreFullError:
            with suppress(OSError, BaseError):
                self._dispatch.pending.close(set_id)
                self._objects.clear(f"trace-sets/{set_id}")
            raise
        return set_id

    def _store(self, set_id: str, request: SetRequest, body: bytes) -> None:
        self._sets.ask(set_id, request)
        self._sets.put_raw(set_id, 0, 0, body)
        digest = hashlib.sha256(body).hexdigest()
        self._sets.receive(set_id, Received(0, [Piece(len(body), 1)], digest))
        accept(self._dispatch, set_id)

    def get(self, set_id: str) -> TraceSet:
        """The set as it stands; raises NotFound."""
        request = self._sets.request(set_id) if is_id(set_id, "ts") else None
        if request is None:
            raise NotFound("There is no trace set of this id.")
        received, sealed, failure = self._sets.received(set_id), self._sets.sealed(set_id), self._sets.failure(set_id)
        found = TraceSet(
            id=set_id,
            state="reading" if received else "receiving",
            created=request.created,
            name=request.name,
            source=request.source or "simulator",
            format=request.format,
            bytes=sum(piece.bytes for piece in received.pieces) if received else 0,
            pieces=len(received.pieces) if received else 0,
        )
        if failure:
            found.state, found.failure = "failed", failure.message
        if sealed:
            found.state, found.counts = sealed.state, sealed.counts
            found.format, found.source = sealed.format or found.format, sealed.source or found.source
            found.warnings, found.errors = sealed.warnings, sealed.errors
        return found

    def settled(self, set_id: str) -> bool:
        """Is there a result, good or bad?"""
        return self._sets.settled(set_id)

    def require_valid(self, set_id: str) -> None:
        """Raise Invalid, with the errors, where the set could not be read."""
        sealed = self._sets.sealed(set_id)
        if sealed is not None and sealed.state == "invalid":
            raise Invalid("The file could not be read; `errors` say where and what to do.", sealed.errors)


def now() -> str:
    """This moment in UTC, as RFC 3339 writes it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
