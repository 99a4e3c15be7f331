"""Small populations with chosen numbers, for tests of scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simgap_workers.behaviour import MEASURES
from simgap_workers.shard import Shard

ABSENT: dict[str, float] = {"none": 1.0}


def traces(*records: dict[str, Any], source: str = "simulator") -> Shard:
    """One trace a record: task, run, batch, reward, survey, and metrics by name (others 0; ABSENT: no user turn)."""
    shard = Shard(source=source)
    rows = []
    for number, record in enumerate(records, start=1):
        shard.id.append(record.get("id", f"{record['task']}_{record.get('run', 1)}_{record.get('batch', 0)}"))
        shard.task_id.append(record["task"])
        shard.run.append(record.get("run", 1))
        shard.batch.append(record.get("batch", 0))
        shard.line.append(number)
        shard.reward.append(record.get("reward"))
        shard.survey.append(record.get("survey"))
        metrics = record.get("metrics", {})
        shard.turns.append(0 if metrics is ABSENT else 1)
        rows.append([np.nan if metrics is ABSENT else metrics.get(name, 0.0) for name in MEASURES])
    shard.measures = np.array(rows, dtype=np.float64).reshape(len(rows), len(MEASURES))
    return shard


def shuffled(shard: Shard, order: Sequence[int]) -> Shard:
    """The same traces in another order."""
    return shard.take(list(order))
