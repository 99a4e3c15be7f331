"""The queue: RQ on Redis or Valkey, made so that whoever can write to Redis still cannot run code of their own.

A job is its id: `ingest-ts_…-3-0` reads piece 3 of a set, attempt 0. What else stands in Redis about it is not read: no
function, no time limit, no pickle, no callback, no webhook, no retry; what must be tried again, the reconciler starts
again. What is no id of ours is dropped where it is met.
"""

from __future__ import annotations

import logging
import time
from typing import Any, NamedTuple

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.exceptions import NoSuchJobError
from rq.intermediate_queue import IntermediateQueue
from rq.job import Job

from simgap_workers.duties import DUTIES, QUEUES
from simgap_workers.store.ids import is_id

FAILURE_SECONDS = 600
_MODULE = "simgap_workers.jobs"
_DIGITS = 9

_log = logging.getLogger("simgap.queue")


class Call(NamedTuple):
    """What a job's id says: one of DUTIES, on a thing, with its numbers."""

    duty: str
    thing: str
    numbers: list[str]


def read_job_id(entry: bytes | str) -> Call | None:
    """What this id says; None where it is no id of a job of ours."""
    text = entry if isinstance(entry, str) else entry.decode("ascii", "replace")
    name, *arguments = text.split("-")
    duty = DUTIES.get(name)
    if duty is None or len(arguments) != duty.numbers + 2:
        return None
    thing, *numbers = arguments
    if not is_id(thing, duty.kind) or not all(map(_is_number, numbers)):
        return None
    return Call(name, thing, numbers[:-1])


def log_dropped(place: str, entry: bytes) -> None:
    """Log that something in Redis was dropped, without showing it: it is not ours."""
    _log.warning("%s: dropped an entry that is no job of ours (%d bytes)", place, len(entry))


class CheckedJob(Job):
    """A job as its id says it."""

    def refresh(self) -> None:
        """Be what the id says; raises NoSuchJobError where Redis holds no job of ours under it."""
        if self.connection.type(self.key) != b"hash":
            raise NoSuchJobError("no job of SimGap")
        self.restore({})

    def restore(self, raw_data: Any) -> None:  # noqa: ARG002 - RQ's signature
        """Be what the id says, whatever is written beside it."""
        call = read_job_id(self.id)
        if call is None:
            raise NoSuchJobError("no job of SimGap")
        duty = DUTIES[call.duty]
        self._func_name, self._instance, self._kwargs = f"{_MODULE}.{call.duty}", None, {}
        self._args = [call.thing, *call.numbers]
        self.origin, self.description = duty.queue, call.duty
        self.timeout, self.result_ttl, self.failure_ttl = duty.seconds, 0, FAILURE_SECONDS


class CheckedQueue(Queue):
    """A queue of such jobs, from which everything else is dropped as it is taken."""

    job_class = CheckedJob

    @classmethod
    def lmove(cls, connection: Redis, queue_key: str, timeout: int | None) -> Any:
        """Take the next job's id, and note it in the list of those taken; RQ's answers and exceptions."""
        while (taken := super().lmove(connection, queue_key, timeout)) is not None and read_job_id(taken[1]) is None:
            log_dropped(queue_key, taken[1])
            connection.lrem(IntermediateQueue.get_intermediate_queue_key(queue_key), 0, taken[1])
        return taken


def connect(url: str, patience: float = 5.0) -> Redis:
    """A connection that gives up after `patience` seconds, so that an absent Redis is an answer and not a hang.

    Tries twice: a connection that was kept from before a restart of Redis fails once.
    """
    again = Retry(NoBackoff(), 1)
    return Redis.from_url(url, socket_connect_timeout=patience, socket_timeout=patience, retry=again)


def open_queue(name: str, redis: Redis) -> CheckedQueue:
    """One of QUEUES, with our job class and JSON."""
    return CheckedQueue(name, connection=redis, job_class=CheckedJob, serializer="json")


class WorkQueue:
    """Where the service and the jobs put work. Raises redis.exceptions.RedisError while Redis is away."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._queues = {name: open_queue(name, redis) for name in QUEUES}

    def answers(self) -> bool:
        """Does Redis answer?"""
        try:
            return bool(self._redis.ping())
        except RedisError:
            return False

    def put(self, duty: str, thing: str, *numbers: int, attempt: int = 0) -> None:
        """Enqueue one job; its id ends in the attempt, so that a lost job never stands in the way of the next."""
        arguments = [thing, *map(str, numbers)]
        self._queues[DUTIES[duty].queue].enqueue_call(
            f"{_MODULE}.{duty}",
            args=arguments,
            timeout=DUTIES[duty].seconds,
            result_ttl=0,
            failure_ttl=FAILURE_SECONDS,
            description=duty,
            job_id="-".join((duty, *arguments, str(attempt))),
        )

    def at_work(self) -> set[str]:
        """The ids of all things that a queued or a running job works on; a job runs while its heartbeat lives."""
        now = time.time()
        entries: list[Any] = []
        for queue in self._queues.values():
            entries += self._redis.lrange(queue.key, 0, -1)
            entries += self._redis.zrangebyscore(queue.started_job_registry.key, now, "+inf")
        calls = (read_job_id(entry.partition(b":")[0]) for entry in entries)
        return {call.thing for call in calls if call is not None}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _DIGITS
