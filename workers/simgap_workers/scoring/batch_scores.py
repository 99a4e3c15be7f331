"""A simulator against one batch of people, and people against people: D1-D4 and ECE.

Source: usi.md sections 5, 6 and 9.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct, field

from simgap_client.models import Ceiling
from simgap_workers.scoring.calibration import calibration_error, difficulty_bins
from simgap_workers.scoring.dice import DIMENSION_NAMES, Row, dice, dimension_scores, mean_row
from simgap_workers.scoring.index import mean_and_sd, user_sim_index
from simgap_workers.scoring.pairing import BatchPairing, Places, Side


class Outcomes(Struct):
    """Successes of both sides on the tasks that have an outcome on each and a known difficulty; one place a task."""

    tasks: list[str] = field(default_factory=list)
    human: list[bool] = field(default_factory=list)
    simulator: list[bool] = field(default_factory=list)
    bins: list[int] = field(default_factory=list)

    def calibration_error(self) -> float | None:
        """ECE over these outcomes; None where there are none."""
        return calibration_error(
            np.asarray(self.human, dtype=np.float64),
            np.asarray(self.simulator, dtype=np.float64),
            np.asarray(self.bins, dtype=np.intp),
        )


class BatchScores(Struct):
    """What one batch gives: rows and dice (None without a row on both sides), and ECE (None without outcomes)."""

    batch: int
    human: Row | None
    simulator: Row | None
    similarity: Row | None
    dimensions: dict[str, float] | None
    ece: float | None
    runs_without_row: list[int]
    outcomes: list[Outcomes]

    @property
    def has_index(self) -> bool:
        """Whether D1-D4 and ECE are all there."""
        return self.dimensions is not None and self.ece is not None


def score_batch(
    people: Side, simulator: Side, pairing: BatchPairing, difficulty: Mapping[str, float] | None
) -> BatchScores:
    """D1-D4 of the mean of the runs' rows, and the mean of the runs' ECE, against one batch."""
    common = pairing.common_tasks()
    human = people.row(pairing.people, common)
    rows = {run: simulator.row(places, list(places)) for run, places in pairing.runs.items()}
    present = [row for row in rows.values() if row is not None]
    mean = mean_row(present) if present else None
    similarity = dice(human, mean) if human is not None and mean is not None else None
    outcomes = [
        paired_outcomes(people, pairing.people, simulator, places, list(places), difficulty or {})
        for places in pairing.runs.values()
    ]
    errors = [error for one_run in outcomes if (error := one_run.calibration_error()) is not None]
    return BatchScores(
        batch=pairing.batch,
        human=human,
        simulator=mean,
        similarity=similarity,
        dimensions=None if similarity is None else dimension_scores(similarity),
        ece=sum(errors) / len(errors) if errors else None,
        runs_without_row=[run for run, row in rows.items() if row is None],
        outcomes=outcomes,
    )


def paired_outcomes(
    people: Side,
    people_places: Places,
    simulator: Side,
    simulator_places: Places,
    tasks: Sequence[str],
    difficulty: Mapping[str, float],
) -> Outcomes:
    """The outcomes that ECE compares, over these tasks."""
    outcomes = Outcomes()
    known = [task for task in tasks if task in difficulty]
    for task, number in zip(known, difficulty_bins([difficulty[task] for task in known]).tolist(), strict=True):
        human = people.success(people_places[task])
        simulated = simulator.success(simulator_places[task])
        if human is not None and simulated is not None:
            outcomes.tasks.append(task)
            outcomes.human.append(human)
            outcomes.simulator.append(simulated)
            outcomes.bins.append(number)
    return outcomes


def human_row(
    people: Side, batches: Mapping[int, Places], tasks: Collection[str], difficulty: Mapping[str, float] | None
) -> dict[str, Ceiling]:
    """People against people over the report's own tasks: `d1`-`d4`, `ece` and `usi5`, where a pair of batches has it.

    usi.md section 9: mean and population standard deviation over the pairs of batches.
    """
    wanted = set(tasks)
    numbers: dict[str, list[float]] = {name: [] for name in (*DIMENSION_NAMES, "ece", "usi5")}
    for first, second in combinations(batches.values(), 2):
        common = [task for task in first if task in second and task in wanted]
        one, other = people.row(first, common), people.row(second, common)
        dimensions = None if one is None or other is None else dimension_scores(dice(one, other))
        ece = paired_outcomes(people, first, people, second, common, difficulty or {}).calibration_error()
        for name, value in (dimensions or {}).items():
            numbers[name].append(value)
        if ece is not None:
            numbers["ece"].append(ece)
        if dimensions is not None and ece is not None:
            numbers["usi5"].append(user_sim_index(dimensions, ece, None))
    return {name: Ceiling(*mean_and_sd(values), pairs=len(values)) for name, values in numbers.items() if values}
