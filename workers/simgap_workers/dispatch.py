"""What comes next for a thing, and who waits for it: how sets, baselines and reports hang together.

A set needs nothing. A baseline needs its sets. A report needs its set, and its baseline where a lab made it.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec import MsgspecError

from simgap_workers.queue import WorkQueue
from simgap_workers.store.compiled import BaselineObjects
from simgap_workers.store.ids import is_id
from simgap_workers.store.objects import Objects
from simgap_workers.store.outcomes import Outcomes
from simgap_workers.store.pending import Pending
from simgap_workers.store.records import OF_NEEDS, PASSING, Failure
from simgap_workers.store.reports import ReportObjects
from simgap_workers.store.trace_sets import TraceSetObjects


class Dispatch:
    """Starts what can be started, and finishes what has its result."""

    def __init__(self, objects: Objects, queue: WorkQueue) -> None:
        self.queue = queue
        self.sets = TraceSetObjects(objects)
        self.baselines = BaselineObjects(objects)
        self.reports = ReportObjects(objects)
        self.pending = Pending(objects)

    def needs(self, thing: str) -> list[str]:
        """The ids that must be settled before work on this thing can start; none where its request cannot be read."""
        with suppress(MsgspecError):
            if is_id(thing, "bl") and (baseline := self.baselines.asked(thing)):
                return baseline.trace_sets
            if is_id(thing, "rp") and (report := self.reports.asked(thing)):
                return [need for need in (report.trace_set, report.baseline_id) if is_id(need)]
        return []

    def settled(self, thing: str) -> bool:
        """Has the thing a result, good or bad?"""
        return self._outcomes(thing).settled(thing)

    def ready(self, thing: str) -> bool:
        """Can work on this thing start?"""
        if is_id(thing, "ts"):
            return self.sets.received(thing) is not None
        return all(self.settled(need) for need in self.needs(thing))

    def accept(self, thing: str) -> None:
        """Take on a thing whose request is in the store: markers first, then a look, then the queue."""
        self.pending.open(thing)
        for need in self.needs(thing):
            if not self.settled(need):
                self.pending.wait(need, thing)
        self.start(thing)

    def start(self, thing: str, attempt: int = 0) -> None:
        """Enqueue the thing's next jobs, if it can start."""
        if not self.ready(thing):
            return
        if is_id(thing, "bl"):
            self.queue.put("baseline", thing, attempt=attempt)
        elif is_id(thing, "rp"):
            self.queue.put("report", thing, attempt=attempt)
        else:
            self._start_set(thing, attempt)

    def finish(self, thing: str) -> None:
        """The thing's result is stored: start those who waited for it, then forget that it was pending."""
        for who in self.pending.waiting(thing):
            self.start(who)
        for need in self.needs(thing):
            self.pending.served(need, thing)
        if is_id(thing, "bl") and self.baselines.failed(thing):
            self._free_name(thing)
        self.pending.close(thing)
        if not self.settled(thing):  # asked for again while we were here
            self.pending.open(thing)

    def fail(self, thing: str, failure: Failure) -> None:
        """Store that this attempt came to nothing, and finish it."""
        self._outcomes(thing).fail(thing, failure)
        self.finish(thing)

    def may_pass(self, thing: str) -> bool:
        """Did the thing fail for a reason that may have passed: of the moment, or of what it needs and is well now?"""
        failure = self._outcomes(thing).failure(thing)
        if failure is None:
            return False
        if failure.code in OF_NEEDS:
            return not any(self._outcomes(need).failed(need) for need in self.needs(thing))
        return failure.code in PASSING

    def reopen(self, thing: str) -> None:
        """Begin the next attempt at a thing that failed, and take it on."""
        self._outcomes(thing).reopen(thing)
        self.accept(thing)

    def _outcomes(self, thing: str) -> Outcomes:
        if is_id(thing, "bl"):
            return self.baselines
        return self.reports if is_id(thing, "rp") else self.sets

    def _free_name(self, baseline_id: str) -> None:
        with suppress(MsgspecError):
            if asked := self.baselines.asked(baseline_id):
                self.baselines.free_name(asked.name, baseline_id)

    def _start_set(self, set_id: str, attempt: int) -> None:
        received = self.sets.received(set_id)
        pieces = range(len(received.pieces)) if received else range(0)
        unread = [piece for piece in pieces if not self.sets.read(set_id, piece)]
        for piece in unread:
            self.queue.put("ingest", set_id, piece, attempt=attempt)
        if not unread:
            self.queue.put("seal", set_id, attempt=attempt)
