"""The reconciler: compares what was accepted with what is being worked on, and starts again what nobody works on.

It is the only retry. One is at work at a time, by a lock in Redis. A thing is started again only when two looks, a
second apart, found nobody at it: between two lists of the queue a job is for an instant in neither.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from collections.abc import Iterable, Iterator

from msgspec import MsgspecError
from obstore.exceptions import BaseError
from redis import Redis
from redis.exceptions import LockError, RedisError

from simgap_workers.dispatch import Dispatch
from simgap_workers.queue import WorkQueue, connect
from simgap_workers.store.objects import Objects
from simgap_workers.store.records import DAMAGED, Failure

_SECOND_LOOK_SECONDS = 1.0
_LOCK_SECONDS = 10.0

_log = logging.getLogger("simgap.reconciler")


class Reconciler:
    """Finds what is pending and idle, and starts it again."""

    def __init__(self, dispatch: Dispatch, limit: int) -> None:
        """limit: how often a thing is started again before it counts as failed."""
        self._dispatch = dispatch
        self._limit = limit

    def idle(self) -> set[str]:
        """The ids that are pending and that no job works on at this moment."""
        pending = self._dispatch.pending.all()
        return set(pending) - self._dispatch.queue.at_work()

    def restart(self, things: Iterable[str]) -> None:
        """Start these again, each for itself: one that cannot be read does not stand in the way of the others.

        Raises RedisError.
        """
        for thing in sorted(things):
            try:
                self._restart(thing)
            except RedisError:
                raise
            except Exception as fault:
                _log.warning("%s: not started again: %s", thing, type(fault).__name__)

    def _restart(self, thing: str) -> None:
        dispatch = self._dispatch
        if dispatch.settled(thing):
            return dispatch.finish(thing)
        attempt = dispatch.pending.attempts(thing) + 1
        why = Failure("attempts", f"Given up after {attempt} attempts: each ended without a result. Ask again later.")
        try:
            if not dispatch.ready(thing):
                return None
        except MsgspecError:
            why = DAMAGED
        if attempt > self._limit:
            return dispatch.fail(thing, why)
        dispatch.pending.again(thing, attempt)
        dispatch.start(thing, attempt)
        _log.warning("%s: started again (attempt %d)", thing, attempt + 1)
        return None


def run(store_url: str, redis_url: str, every: float, limit: int) -> None:
    """Reconcile at once, and then every `every` seconds, until SIGTERM or SIGINT."""
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    redis = connect(redis_url)
    reconciler = Reconciler(Dispatch(Objects.open(store_url), WorkQueue(redis)), limit)
    soon = min(every, _SECOND_LOOK_SECONDS)
    pause = 0.0
    while not stopped.wait(pause):
        pause = soon
        try:
            with _turn(redis) as ours:
                if not ours:
                    continue
                if (idle := reconciler.idle()) and not stopped.wait(soon):
                    reconciler.restart(idle & reconciler.idle())
                pause = every
        except (RedisError, OSError, BaseError) as error:
            _log.warning("waiting: %s", type(error).__name__)


@contextlib.contextmanager
def _turn(redis: Redis) -> Iterator[bool]:
    """Is it our turn? The lock ends with the block, and soon after one who died in it; two at once do no harm."""
    lock = redis.lock("simgap:reconciler", timeout=_LOCK_SECONDS, blocking=False)
    ours = lock.acquire()
    try:
        yield ours
    finally:
        if ours:
            with contextlib.suppress(RedisError, LockError):
                lock.release()
