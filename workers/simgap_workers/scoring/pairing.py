"""Who is held against whom: the tasks that a run of a simulator shares with a batch of people.

Source: usi.md section 5. A simulator's trace is held against every batch, unless it names one: then against that one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from simgap_workers.scoring.baseline import Baseline
from simgap_workers.scoring.dice import Row, population_row
from simgap_workers.shard import Shard

Places = dict[str, int]
"""Task id to the trace's place in its shard, sorted by task."""


class Side:
    """One side's traces, as scoring sees them: the profile's 19 metrics, and success."""

    def __init__(self, traces: Shard, columns: Sequence[int]) -> None:
        self.traces = traces
        self.metrics: npt.NDArray[np.float64] = traces.measures[:, list(columns)] if len(traces) else np.empty((0, 19))

    def row(self, places: Places, tasks: Sequence[str]) -> Row | None:
        """Population row over these tasks; None where none of them has a user turn."""
        return population_row(self.metrics[[places[task] for task in tasks]]) if tasks else None

    def success(self, place: int) -> bool | None:
        """Whether the agent succeeded; None where the trace has no reward."""
        reward = self.traces.reward[place]
        return None if reward is None else reward > 0


class BatchPairing(Struct):
    """One batch of people against a simulator: `runs` holds, by run, only tasks that the batch has."""

    batch: int
    people: Places
    runs: dict[int, Places]

    def common_tasks(self) -> list[str]:
        """Tasks that any run shares with the batch, sorted by code point."""
        return sorted(set().union(*self.runs.values()))


def people_by_batch(baseline: Baseline) -> dict[int, Places]:
    """By batch, where each task's trace stands."""
    batches: dict[int, Places] = {}
    if baseline.people is not None:
        for place, (task, batch) in enumerate(zip(baseline.people.task_id, baseline.people.batch, strict=True)):
            batches.setdefault(batch, {})[task] = place
    return {batch: dict(sorted(batches[batch].items())) for batch in sorted(batches)}


def pair(simulator: Shard, baseline: Baseline) -> list[BatchPairing]:
    """Every batch of the baseline with every run of the simulator; runs without a common task are there, empty.

    Where a run has a task both with and without the batch's name, the trace that names the batch is taken.
    """
    by_run: dict[int, dict[int, Places]] = {run: {} for run in sorted(set(simulator.run))}
    for place, (task, run, batch) in enumerate(zip(simulator.task_id, simulator.run, simulator.batch, strict=True)):
        by_run[run].setdefault(batch, {})[task] = place
    pairings = []
    for batch, people in people_by_batch(baseline).items():
        runs = {
            run: dict(
                sorted(
                    (task, place)
                    for task, place in {**named.get(0, {}), **named.get(batch, {})}.items()
                    if task in people
                )
            )
            for run, named in by_run.items()
        }
        pairings.append(BatchPairing(batch, people, runs))
    return pairings
