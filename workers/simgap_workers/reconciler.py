"""The reconciler: compares what was accepted with what is being worked on, and starts again what nobody works on.

It is the only retry. One is at work at a time, by a lock in Redis. A thing is started again only when two passes in a
row found nobody at it: between two lists of the queue a job is for an instant in neither.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator

from obstore.exceptions import BaseError
from redis import Redis
from redis.exceptions import LockError, RedisError
from redis.lock import Lock

from simgap_workers.dispatch import Dispatch
from simgap_workers.queue import WorkQueue, connect
from simgap_workers.store.objects import Objects
from simgap_workers.store.records import Failure

_log = logging.getLogger("simgap.reconciler")


class Reconciler:
    """One pass after the other over the pending markers."""

    def __init__(self, dispatch: Dispatch, limit: int) -> None:
        """limit: how often a thing is started again before it counts as failed."""
        self._dispatch = dispatch
        self._limit = limit
        self._idle: set[str] = set()

    def once(self) -> list[str]:
        """Look at everything pending once; returns the ids whose work was started again."""
        pending = self._dispatch.pending.all()
        busy = self._dispatch.queue.at_work()
        idle = {thing for thing in pending if thing not in busy}
        lost = [thing for thing in pending if thing in idle & self._idle]
        self._idle = idle
        return [thing for thing in lost if self._resume(thing)]

    def _resume(self, thing: str) -> bool:
        dispatch = self._dispatch
        if dispatch.settled(thing):
            dispatch.finish(thing)
            return False
        if not dispatch.ready(thing):
            return False
        attempt = dispatch.pending.attempts(thing) + 1
        if attempt > self._limit:
            dispatch.fail(
                thing, Failure("attempts", f"Given up after {attempt} attempts: each ended without a result.")
            )
            return False
        dispatch.pending.again(thing, attempt)
        dispatch.start(thing, attempt)
        _log.warning("%s: started again (attempt %d)", thing, attempt + 1)
        return True


def run(store_url: str, redis_url: str, every: float, limit: int) -> None:
    """Reconcile every `every` seconds until SIGTERM or SIGINT."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    redis = connect(redis_url)
    reconciler = Reconciler(Dispatch(Objects.open(store_url), WorkQueue(redis)), limit)
    with _turn(redis, 3 * every + 5) as lock:
        while not stopped.wait(every):
            try:
                if _holds(lock):
                    reconciler.once()
            except (RedisError, OSError, BaseError) as error:
                _log.warning("waiting: %s", type(error).__name__)


@contextlib.contextmanager
def _turn(redis: Redis, seconds: float) -> Iterator[Lock]:
    lock = redis.lock("simgap:reconciler", timeout=seconds, blocking=False)
    try:
        yield lock
    finally:
        with contextlib.suppress(RedisError, LockError):
            lock.release()


def _holds(lock: Lock) -> bool:
    """Take the lock or keep it; False while another has it."""
    try:
        if lock.local.token is not None and lock.reacquire():
            return True
    except LockError:
        lock.local.token = None
    return bool(lock.acquire())
