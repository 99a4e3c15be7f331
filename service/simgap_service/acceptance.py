"""Taking on work: the queue must answer before anything is stored; after that, losing the queue loses only time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import RedisError

from simgap_service.problems import NameTaken, QueueUnavailable
from simgap_workers.dispatch import Dispatch
from simgap_workers.queue import WorkQueue
from simgap_workers.store.ids import is_id

_log = logging.getLogger("simgap.api")


def require_queue(queue: WorkQueue) -> None:
    """Raise QueueUnavailable where Redis does not answer."""
    if not queue.answers():
        raise QueueUnavailable("Nothing was stored; try again in a few seconds.", headers={"Retry-After": "5"})


def accept(dispatch: Dispatch, thing: str) -> None:
    """Mark a stored thing as pending and enqueue it; where Redis went away just now, the reconciler enqueues it."""
    with _queue_away(thing):
        dispatch.accept(thing)


def resume(dispatch: Dispatch, thing: str) -> None:
    """Go on with a stored thing that is asked for once more.

    Whoever stored it may have died before it was accepted; or it failed, for a reason that may have passed: then this
    is its next attempt. Raises NameTaken where a failed baseline's name belongs to another by now.
    """
    if dispatch.may_pass(thing):
        _take_name_again(dispatch, thing)
        with _queue_away(thing):
            dispatch.reopen(thing)
    elif not dispatch.settled(thing) and not dispatch.pending.has(thing):
        accept(dispatch, thing)


def _take_name_again(dispatch: Dispatch, thing: str) -> None:
    asked = dispatch.baselines.asked(thing) if is_id(thing, "bl") else None
    if asked is not None and dispatch.baselines.take_name(asked.name, thing) != thing:
        raise NameTaken(f'There is another baseline named "{asked.name}"; choose another name.')


@contextmanager
def _queue_away(thing: str) -> Iterator[None]:
    try:
        yield
    except RedisError:
        _log.warning("%s: accepted while the queue is away", thing)
