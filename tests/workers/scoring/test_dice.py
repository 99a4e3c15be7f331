import numpy as np
import pytest

from simgap_workers.behaviour import METRICS
from simgap_workers.scoring.dice import DIMENSION_SIZES, dice, dimension_scores, population_row


def test_dice_of_one_and_three_is_a_half() -> None:
    assert dice(np.array([1.0]), np.array([3.0]))[0] == 0.5


def test_two_zeros_are_alike_and_zero_against_something_is_not() -> None:
    assert dice(np.zeros(2), np.array([0.0, 0.25])).tolist() == [1.0, 0.0]


def test_dimensions_have_7_4_5_and_3_metrics() -> None:
    assert DIMENSION_SIZES == {"d1": 7, "d2": 4, "d3": 5, "d4": 3}
    assert sum(DIMENSION_SIZES.values()) == len(METRICS) == 19


def test_one_metric_of_d4_at_dice_0_costs_a_third_of_d4_alone() -> None:
    similarity = np.ones(19)
    similarity[METRICS.index("pivot_rate")] = 0.0
    scores = dimension_scores(similarity)
    assert scores["d4"] == pytest.approx(200 / 3, rel=1e-15)
    assert (scores["d1"], scores["d2"], scores["d3"]) == (100.0, 100.0, 100.0)


def test_a_trace_without_turns_weighs_nothing_in_the_row() -> None:
    rows = np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, 4.0]])
    row = population_row(rows)
    assert row is not None
    assert row.tolist() == [2.0, 3.0]


def test_a_population_without_a_single_turn_has_no_row() -> None:
    assert population_row(np.full((3, 19), np.nan)) is None
