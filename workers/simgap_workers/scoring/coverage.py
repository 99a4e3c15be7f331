"""What was used and what was left out, with its reason: received = scored + excluded.

Source: usi.md sections 1 and 15; formats.md, "what every reader does".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from simgap_client.models import Coverage
from simgap_workers.scoring.baseline import Baseline
from simgap_workers.shard import Shard


def coverage(
    simulator: Shard,
    baseline: Baseline,
    scored: Collection[int],
    common_tasks: Collection[str],
    *,
    difficulty: Mapping[str, float] | None,
    separate_surveys: bool,
    imputed_answers: int,
) -> Coverage:
    """Counts over one simulator's traces.

    scored: places of the traces that take part in some number. difficulty: None where there is no map at all.
    """
    used = set(scored)
    known = set(baseline.tasks())
    excluded = Counter(record.reason for record in simulator.excluded)
    for place, task in enumerate(simulator.task_id):
        if place not in used:
            excluded[_why_unused(task in known, simulator.batch[place])] += 1
    return Coverage(
        expected=simulator.expected,
        received=len(simulator) + len(simulator.excluded),
        scored=len(used),
        excluded=dict(sorted(excluded.items())),
        partial=partial_reasons(simulator, used, difficulty, rated_apart=separate_surveys),
        common_tasks=len(common_tasks),
        simulator_tasks=len(set(simulator.task_id)),
        baseline_tasks=len(known),
        imputed_answers=imputed_answers,
    )


def partial_reasons(
    traces: Shard, places: Iterable[int], difficulty: Mapping[str, float] | None, *, rated_apart: bool = False
) -> dict[str, int]:
    """How many of these traces take no part in some number, by reason."""
    partial: Counter[str] = Counter()
    for place in places:
        partial["no_user_turn"] += bool(np.isnan(traces.measures[place, 0]))
        partial["no_reward"] += traces.reward[place] is None
        partial["no_difficulty"] += difficulty is not None and traces.task_id[place] not in difficulty
        partial["unrated"] += not rated_apart and traces.survey[place] is None
    return {reason: number for reason, number in sorted(partial.items()) if number}


def _why_unused(known: bool, batch: int) -> str:
    if not known:
        return "task_not_in_baseline"
    return "task_not_in_batch" if batch else "other_names_batch"
