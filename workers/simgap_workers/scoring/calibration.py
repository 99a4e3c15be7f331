"""Outcome calibration (ECE): does the agent succeed as often with the simulator as with people?

Source: arXiv:2603.11245, section 3.2; usi.md section 6.
Conventions: arrays run over the same tasks; difficulty is the pooled success rate of reference simulators, in [0, 1];
people come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

BIN_EDGES = (0.2, 0.4, 0.6, 0.8)
POOLED_OUTCOMES = 10

Successes = npt.NDArray[np.float64]


def difficulty_bins(difficulty: Sequence[float]) -> npt.NDArray[np.intp]:
    """The bin, 0-4, of each difficulty: [0, .2) [.2, .4) [.4, .6) [.6, .8) [.8, 1]."""
    return np.digitize(np.asarray(difficulty, dtype=np.float64), BIN_EDGES)


def calibration_error(human: Successes, simulator: Successes, bins: npt.NDArray[np.intp]) -> float | None:
    """Weighted mean gap between success rates over the bins of difficulty.

    human, simulator: success (0 or 1) per task; bins: the task's bin. All of one length.

    Returns a fraction in [0, 1], or None where there is no task.
    """
    tasks = len(bins)
    if tasks == 0:
        return None
    error = 0.0
    for number in range(len(BIN_EDGES) + 1):
        inside = bins == number
        size = int(inside.sum())
        if size:
            gap = float(simulator[inside].sum()) / size - float(human[inside].sum()) / size
            error += size / tasks * abs(gap)
    return error


def pooled_difficulty(outcomes: Sequence[Mapping[str, Sequence[bool]]]) -> dict[str, float]:
    """Difficulty pooled over simulators that are scored together: the success rate of each task.

    outcomes: for each simulator, the outcomes per task over all its runs. A task counts from 10 outcomes in all.
    """
    pooled: dict[str, list[bool]] = {}
    for simulator in outcomes:
        for task, results in simulator.items():
            pooled.setdefault(task, []).extend(results)
    return {
        task: sum(results) / len(results) for task, results in sorted(pooled.items()) if len(results) >= POOLED_OUTCOMES
    }
