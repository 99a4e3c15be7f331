"""The parts of a report that are the same for people's batches and for published figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from simgap_client.models import BaselineSummary, Diagnostics, MetricResult, SideValue, SimulatorSummary
from simgap_workers.behaviour import DIMENSIONS, MEASURES, METRICS
from simgap_workers.scoring.baseline import Baseline
from simgap_workers.scoring.coverage import partial_reasons
from simgap_workers.scoring.dice import DIMENSION_SIZES, Row, mean_row, population_row
from simgap_workers.scoring.index import points_lost
from simgap_workers.shard import Shard

_STRICT = MEASURES.index("strict_identifier_density")


def simulator_summary(
    name: str, traces: Shard, scored: Collection[int], without_row: Collection[int]
) -> SimulatorSummary:
    """Who was scored."""
    return SimulatorSummary(
        name=name,
        traces=len(scored),
        tasks=len({traces.task_id[place] for place in scored}),
        runs=len(set(traces.run)),
        runs_without_row=sorted(without_row),
    )


def baseline_summary(baseline: Baseline, difficulty: Mapping[str, float] | None) -> BaselineSummary:
    """Whom the simulator was held against. difficulty: the map that the report uses."""
    people = baseline.people or Shard()
    return BaselineSummary(
        name=baseline.name,
        digest=baseline.digest,
        batches=len(baseline.batches()),
        traces=len(people),
        excluded=dict(sorted(Counter(record.reason for record in people.excluded).items())),
        partial=partial_reasons(people, range(len(people)), difficulty),
    )


def diagnostics(traces: Shard, scored: Collection[int], rounding: dict[str, tuple[float, float]] | None) -> Diagnostics:
    """Numbers beside the index, over the scored traces."""
    places = sorted(scored, key=lambda i: (traces.task_id[i], traces.run[i], traces.id[i]))
    row = population_row(traces.measures[places]) if places else None
    return Diagnostics(
        turns=sum(traces.turns[place] for place in places),
        stop_turns=traces.stop_turns,
        strict_identifier_density=None if row is None else float(row[_STRICT]),
        rounding=rounding,
    )


def metric_results(
    human: Sequence[Row], simulator: Sequence[Row], similarity: Row | None, parts: int
) -> list[MetricResult]:
    """The 19 metrics, those that cost most first; rows are one for each batch that counts."""
    people = mean_row(list(human)) if human else None
    simulated = mean_row(list(simulator)) if simulator else None
    results = []
    for i, metric in enumerate(METRICS):
        dimension = DIMENSIONS[metric]
        dice = None if similarity is None else float(similarity[i])
        here = None if people is None else float(people[i])
        there = None if simulated is None else float(simulated[i])
        results.append(
            MetricResult(
                id=metric,
                dimension=dimension,
                human=SideValue(here),
                simulator=SideValue(there),
                dice=dice,
                points_lost=None if dice is None else points_lost(dice, DIMENSION_SIZES[dimension], parts),
                direction=_direction(here, there),
            )
        )
    return sorted(results, key=lambda result: -(result.points_lost or 0.0))


def _direction(human: float | None, simulator: float | None) -> str:
    if human is None or simulator is None:
        return "unknown"
    if np.isclose(human, simulator, rtol=1e-12, atol=0.0):
        return "as people"
    return "more than people" if simulator > human else "less than people"
