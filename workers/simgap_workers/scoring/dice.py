"""How alike two population rows are: Dice per metric, D1-D4 per dimension.

Source: arXiv:2603.11245, section 3.1; usi.md sections 4 and 5.
Conventions: a row is the 19 metrics in METRICS order, as fractions or counts; people come first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simgap_workers.behaviour import DIMENSIONS, METRICS

Row = npt.NDArray[np.float64]

DIMENSION_NAMES = ("d1", "d2", "d3", "d4")
_MEMBERS = {name: [i for i, metric in enumerate(METRICS) if DIMENSIONS[metric] == name] for name in DIMENSION_NAMES}
DIMENSION_SIZES = {name: len(members) for name, members in _MEMBERS.items()}


def population_row(measures: npt.NDArray[np.float64]) -> Row | None:
    """Mean of each metric over traces, each weighing 1: (traces, 19) -> (19,).

    Rows of NaN are traces without a user turn and weigh nothing. None where no trace has metrics. The sum runs from
    left to right, so that the caller's order (task, run, id) decides the last digit, and nothing else does.
    """
    present = measures[~np.isnan(measures[:, 0])]
    if len(present) == 0:
        return None
    return np.asarray(np.add.accumulate(present, axis=0)[-1] / len(present))


def mean_row(rows: list[Row]) -> Row:
    """The mean of several runs' rows, each run weighing the same."""
    return np.asarray(np.add.accumulate(np.stack(rows), axis=0)[-1] / len(rows))


def dice(human: Row, simulator: Row) -> Row:
    """Overlap of two rows, metric by metric, 0-1: 2·min(M, H)/(M + H), and 1 where both are 0."""
    low = np.minimum(np.abs(human), np.abs(simulator))
    total = np.abs(human) + np.abs(simulator)
    return np.where(total == 0.0, 1.0, 2.0 * low / np.where(total == 0.0, 1.0, total))


def dimension_scores(similarity: Row) -> dict[str, float]:
    """D1-D4 on 0-100: 100 × the mean dice of a dimension's metrics."""
    return {
        name: 100.0 * sum(float(similarity[i]) for i in members) / len(members) for name, members in _MEMBERS.items()
    }
