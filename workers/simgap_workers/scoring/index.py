"""The User-Sim Index: the mean of its parts, batch by batch; and what each metric costs it.

Source: arXiv:2603.11245, section 3.4; usi.md sections 8 and 12.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from simgap_workers.scoring.dice import DIMENSION_NAMES


def user_sim_index(dimensions: Mapping[str, float], ece: float, agreement: float | None) -> float:
    """USI against one batch on 0-100: six parts, or five where there is no agreement."""
    parts = [dimensions[name] for name in DIMENSION_NAMES] + [(1.0 - ece) * 100.0]
    if agreement is not None:
        parts.append(agreement)
    return sum(parts) / len(parts)


def mean_and_sd(values: Sequence[float]) -> tuple[float, float]:
    """Mean and population standard deviation; values must not be empty."""
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def points_lost(similarity: float, dimension_size: int, parts: int) -> float:
    """Points of the index that one metric's dice below 1 costs."""
    return (1.0 - similarity) * 100.0 / dimension_size / parts
