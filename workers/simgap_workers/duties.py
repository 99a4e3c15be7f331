"""The four jobs, and the two queues they go to. One queue a worker: RQ loses a job of a killed worker with several."""

from __future__ import annotations

from typing import NamedTuple

from simgap_workers.store.ids import Kind


class Duty(NamedTuple):
    """Which queue a job goes to, how many seconds it may take, what it works on, and how many numbers it takes."""

    queue: str
    seconds: int
    kind: Kind
    numbers: int = 0


DUTIES: dict[str, Duty] = {
    "ingest": Duty("ingest", 120, "ts", numbers=1),
    "seal": Duty("ingest", 900, "ts"),
    "baseline": Duty("report", 900, "bl"),
    "report": Duty("report", 900, "rp"),
}
QUEUES: tuple[str, ...] = ("ingest", "report")
