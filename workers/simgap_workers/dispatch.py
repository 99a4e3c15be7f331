"""What comes next for a thing, and who waits for it: how sets, baselines and reports hang together.

A set needs nothing. A baseline needs its sets. A report needs its set, and its baseline where a lab made it.
"""

from __future__ import annotations

from simgap_workers.queue import WorkQueue
from simgap_workers.store.compiled import BaselineObjects
from simgap_workers.store.ids import is_id
from simgap_workers.store.objects import Objects
from simgap_workers.store.pending import Pending
from simgap_workers.store.records import Failure
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
        """The ids that must be settled before work on this thing can start."""
        if is_id(thing, "bl"):
            asked = self.baselines.asked(thing)
            return asked.trace_sets if asked else []
        if is_id(thing, "rp"):
            report = self.reports.asked(thing)
            return [need for need in (report.trace_set, report.baseline_id) if is_id(need)] if report else []
        return []

    def settled(self, thing: str) -> bool:
        """Has the thing a result, good or bad?"""
        if is_id(thing, "bl"):
            return self.baselines.settled(thing)
        return self.reports.settled(thing) if is_id(thing, "rp") else self.sets.settled(thing)

    def ready(self, thing: str) -> bool:
        """Can work on this thing start?"""
        if is_id(thing, "ts"):
            return self.sets.received(thing) is not None
        return all(self.settled(need) for need in self.needs(thing))

    def accept(self, thing: str) -> None:
        """Take on a thing whose request is in the store: markers first, then a look, then the queue."""
        self.pending.open(thing)
        for need in self.needs(thing):
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
        self.pending.close(thing)

    def fail(self, thing: str, failure: Failure) -> None:
        """Store that the thing will never have a result, and finish it."""
        if is_id(thing, "bl"):
            self.baselines.fail(thing, failure)
            if asked := self.baselines.asked(thing):
                self.baselines.free_name(asked.name, thing)
        elif is_id(thing, "rp"):
            self.reports.fail(thing, failure)
        else:
            self.sets.fail(thing, failure)
        self.finish(thing)

    def _start_set(self, set_id: str, attempt: int) -> None:
        received = self.sets.received(set_id)
        pieces = range(len(received.pieces)) if received else range(0)
        unread = [piece for piece in pieces if not self.sets.read(set_id, piece)]
        for piece in unread:
            self.queue.put("ingest", set_id, piece, attempt=attempt)
        if not unread:
            self.queue.put("seal", set_id, attempt=attempt)
