"""The queue: RQ on Redis or Valkey, made so that whoever can write to Redis still cannot run code of their own.

A job is the name of one of four functions and ids as strings, in JSON. No pickle, no instance, no callback, no webhook,
no retry: what must be tried again, the reconciler starts again.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry
from rq import Queue
from rq.exceptions import DeserializationError
from rq.job import Job

from simgap_workers.duties import DUTIES, QUEUES
from simgap_workers.store.ids import is_id

_MODULE = "simgap_workers.jobs"
_FAILURE_SECONDS = 600


class CheckedJob(Job):
    """A job as it comes out of Redis, with everything dropped or refused that ours never have."""

    def restore(self, raw_data: Any) -> Any:
        """Read the job, and forget callbacks, webhooks, retries, repeats and dependencies that were written into it."""
        super().restore(raw_data)
        self.webhooks = []
        self._success_callback_name = self._failure_callback_name = self._stopped_callback_name = None
        self._dependency_ids = []
        self.retries_left = self.number_of_retries = self.repeats_left = None
        self.group_id = self.rate_limit_key = None

    def _deserialize_data(self) -> None:
        """Read the call; raises DeserializationError unless it is one of DUTIES on an id and numbers."""
        try:
            function, instance, arguments, keywords = self.serializer.loads(self.data)
        except Exception as broken:
            raise DeserializationError("not a job of SimGap") from broken
        module, _, name = str(function).rpartition(".")
        sound = (
            module == _MODULE
            and name in DUTIES
            and instance is None
            and keywords == {}
            and isinstance(arguments, list)
            and all(isinstance(argument, str) for argument in arguments)
            and bool(arguments)
            and is_id(arguments[0])
            and all(argument.isascii() and argument.isdigit() for argument in arguments[1:])
        )
        if not sound:
            raise DeserializationError("not a job of SimGap")
        self._func_name, self._instance, self._args, self._kwargs = function, instance, arguments, keywords

    @property
    def func(self) -> Callable[..., Any]:
        """The function, looked up among DUTIES alone."""
        name = str(self.func_name).rpartition(".")[2]
        if name not in DUTIES:
            raise DeserializationError("not a job of SimGap")
        function: Callable[..., Any] = getattr(importlib.import_module(_MODULE), name)
        return function


def connect(url: str, patience: float = 5.0) -> Redis:
    """A connection that gives up after `patience` seconds, so that an absent Redis is an answer and not a hang.

    Tries twice: a connection that was kept from before a restart of Redis fails once.
    """
    again = Retry(NoBackoff(), 1)
    return Redis.from_url(url, socket_connect_timeout=patience, socket_timeout=patience, retry=again)


def open_queue(name: str, redis: Redis) -> Queue:
    """One of QUEUES, with our job class and JSON."""
    return Queue(name, connection=redis, job_class=CheckedJob, serializer="json")


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
            failure_ttl=_FAILURE_SECONDS,
            description=duty,
            job_id="-".join((duty, *arguments, str(attempt))),
        )

    def at_work(self) -> set[str]:
        """The ids of all things that a queued or a running job works on; a job runs while its heartbeat lives."""
        jobs: set[str] = set()
        for queue in self._queues.values():
            running = self._redis.zrangebyscore(queue.started_job_registry.key, time.time(), "+inf")
            for job in (*self._redis.lrange(queue.key, 0, -1), *running):
                jobs.add(job.decode().partition(":")[0] if isinstance(job, bytes) else str(job))
        return {parts[1] for job in jobs if len(parts := job.split("-")) > 1}
