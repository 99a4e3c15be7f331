"""The four jobs, and the two queues they go to. One queue a worker: RQ loses a job of a killed worker with several."""

from __future__ import annotations

from typing import NamedTuple


class Duty(NamedTuple):
    """Which queue a job goes to, and how many seconds it may take."""

    queue: str
    seconds: int


DUTIES: dict[str, Duty] = {
    "ingest": Duty("ingest", 120),
    "seal": Duty("ingest", 900),
    "baseline": Duty("report", 900),
    "report": Duty("report", 900),
}
QUEUES: tuple[str, ...] = ("ingest", "report")
