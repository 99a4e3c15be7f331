"""Taking on work: the queue must answer before anything is stored; after that, losing the queue loses only time."""

from __future__ import annotations

import logging

from redis.exceptions import RedisError

from simgap_service.problems import QueueUnavailable
from simgap_workers.dispatch import Dispatch
from simgap_workers.queue import WorkQueue

_log = logging.getLogger("simgap.api")


def require_queue(queue: WorkQueue) -> None:
    """Raise QueueUnavailable where Redis does not answer."""
    if not queue.answers():
        raise QueueUnavailable("Nothing was stored; try again in a few seconds.", headers={"Retry-After": "5"})


def accept(dispatch: Dispatch, thing: str) -> None:
    """Mark a stored thing as pending and enqueue it; where Redis went away just now, the reconciler enqueues it."""
    try:
        dispatch.accept(thing)
    except RedisError:
        _log.warning("%s: accepted while the queue is away", thing)


def resume(dispatch: Dispatch, thing: str) -> None:
    """Accept a stored thing, unless it has its result or is pending: whoever stored it may have died before that."""
    if not dispatch.settled(thing) and not dispatch.pending.has(thing):
        accept(dispatch, thing)
