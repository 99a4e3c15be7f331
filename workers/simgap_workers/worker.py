"""A worker process: takes jobs from one queue, forks a process for each, watches over it.

The parent never touches the object store: obstore starts threads, and children forked after that hang. It stays small,
and has numpy, re2, the readers and the built-in baselines loaded, so that a job starts within milliseconds.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

from rq import Queue, Worker
from rq.job import Job

from simgap_workers import jobs, upkeep
from simgap_workers.duties import QUEUES
from simgap_workers.offspring import die_with_parent
from simgap_workers.queue import CheckedJob, CheckedQueue, connect, open_queue
from simgap_workers.store.baselines import builtin, builtin_names

_HEARTBEAT_SECONDS = 8
_MONITOR_SECONDS = 2
_MAINTENANCE_SECONDS = 4
_WORKER_SECONDS = 20


class JobWorker(Worker):
    """RQ's worker, quicker to notice a death, silent about contents, and blind to features of RQ that we do not use."""

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:  # noqa: ARG002 - RQ's signature
        """Seconds after which a job without a sign of life counts as lost (RQ: over a minute)."""
        return _HEARTBEAT_SECONDS

    def main_work_horse(self, job: Job, queue: Queue) -> None:
        """The job's process: it dies when the worker dies, also where the worker is killed."""
        die_with_parent(self.pid or os.getppid())
        super().main_work_horse(job, queue)

    def check_for_suspension(self, burst: bool) -> None:
        """Do nothing: a key in Redis by which all workers would stand still is not used."""

    def clean_registries(self) -> None:
        """Clear away what is lost or not ours.

        Without RQ's lock: it outlives its holder by 15 minutes, and two at once do no harm.
        """
        for queue in self.queues:
            upkeep.clear(queue)
        vars(self)["last_cleaned_at"] = datetime.now(UTC)

    def clean_group_registries(self) -> None:
        """Do nothing: groups are not used, and RQ reads them with pickle."""

    def handle_exception(self, job: Job, *exc_info: Any) -> None:
        """Log where a job broke, without the message."""
        kind, _, place = exc_info
        jobs.log_fault(job.id, kind, place)


def run(store_url: str, redis_url: str, queue: str) -> None:
    """Work on one queue until SIGTERM or SIGINT; the job at work is finished first.

    One queue a process: RQ loses a job of a killed worker that listens on several. Raises SystemExit(1) where the work
    ended unasked; RQ has logged why.
    """
    if queue not in QUEUES:
        raise ValueError(f'no queue "{queue}" (known: {", ".join(QUEUES)})')
    for name in builtin_names():
        builtin(name)
    jobs.set_up(store_url, redis_url)
    redis = connect(redis_url)
    ours = open_queue(queue, redis)
    upkeep.delete_strange_keys(ours)
    worker = JobWorker(
        [ours],
        connection=redis,
        job_class=CheckedJob,
        queue_class=CheckedQueue,
        serializer="json",
        worker_ttl=_WORKER_SECONDS,
        job_monitoring_interval=_MONITOR_SECONDS,
        maintenance_interval=_MAINTENANCE_SECONDS,
        log_job_description=False,
    )
    worker.work(logging_level="ERROR")
    if worker._shutdown_requested_date is None:  # RQ says it nowhere else
        raise SystemExit(1)
