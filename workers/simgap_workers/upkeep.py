"""What a worker clears away in Redis, at its start and every few seconds: what is lost, and what is no job of ours.

Entries are looked at one by one and as bytes, so that none of them, whatever it is, stops a worker. Nothing is started
again here: the reconciler does that.
"""

from __future__ import annotations

import logging
import time
from typing import Any

from rq import Queue
from rq.worker_registration import REDIS_WORKER_KEYS, WORKERS_BY_QUEUE_KEY

from simgap_workers.queue import FAILURE_SECONDS, CheckedJob, log_dropped, read_job_id

_log = logging.getLogger("simgap.queue")


def delete_strange_keys(queue: Queue) -> None:
    """Delete the keys of this queue that are of another Redis type than RQ makes them."""
    kinds = {
        queue.key: b"list",
        queue.intermediate_queue_key: b"list",
        queue.started_job_registry.key: b"zset",
        queue.failed_job_registry.key: b"zset",
        queue.redis_queues_keys: b"set",
        WORKERS_BY_QUEUE_KEY % queue.name: b"set",
        REDIS_WORKER_KEYS: b"set",
    }
    for key, kind in kinds.items():
        if queue.connection.type(key) not in (kind, b"none"):
            _log.warning("%s: deleted, it was of another type", key)
            queue.connection.delete(key)


def clear(queue: Queue) -> None:
    """Forget jobs whose process is lost, workers that are gone, old failures, and all that is not ours."""
    _clear_running(queue)
    _clear_taken(queue)
    _clear_workers(queue)
    queue.failed_job_registry.cleanup()


def _clear_running(queue: Queue) -> None:
    """Entries `job:execution`, each with the time up to which its heartbeat is good."""
    redis, key = queue.connection, queue.started_job_registry.key
    entries: Any = redis.zrange(key, 0, -1, withscores=True)
    for entry, alive_until in entries:
        job = entry.partition(b":")[0]
        if read_job_id(job) is None:
            log_dropped(key, entry)
        elif alive_until >= time.time():
            continue
        redis.zrem(key, entry)
        _let_expire(queue, job)


def _clear_taken(queue: Queue) -> None:
    """The list of jobs taken and not begun. Only we read it: one that its worker still begins loses nothing by it."""
    redis, key = queue.connection, queue.intermediate_queue_key
    entries: Any = redis.lrange(key, 0, -1)
    for entry in entries:
        if read_job_id(entry) is None:
            log_dropped(key, entry)
        redis.lrem(key, 0, entry)
        _let_expire(queue, entry)


def _let_expire(queue: Queue, job: bytes) -> None:
    """Let a job's hash go in a while; a worker that begins the job after all keeps it."""
    queue.connection.expire(CheckedJob.redis_job_namespace_prefix.encode() + job, FAILURE_SECONDS)


def _clear_workers(queue: Queue) -> None:
    redis, key = queue.connection, WORKERS_BY_QUEUE_KEY % queue.name
    for worker in redis.smembers(key):
        if not redis.exists(worker):
            redis.srem(key, worker)
            redis.srem(REDIS_WORKER_KEYS, worker)
