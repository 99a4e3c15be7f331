import numpy as np
import pytest

from simgap_workers.scoring.calibration import calibration_error, difficulty_bins, pooled_difficulty
from simgap_workers.scoring.difficulty import published_difficulty


@pytest.mark.parametrize(
    ("difficulty", "number"),
    [(0.0, 0), (0.2, 1), (0.4, 2), (0.6, 3), (0.8, 4), (1.0, 4), (0.19999999999999998, 0), (0.6000000000000001, 3)],
)
def test_a_bin_edge_belongs_to_the_bin_above(difficulty: float, number: int) -> None:
    assert difficulty_bins([difficulty]).tolist() == [number]


def test_retail_102_and_airline_13_sit_on_their_edges() -> None:
    difficulty = published_difficulty()
    assert (difficulty["retail_102"], difficulty["airline_13"]) == (0.6, 0.8)
    assert difficulty_bins([difficulty["retail_102"], difficulty["airline_13"]]).tolist() == [3, 4]


def test_the_published_map_holds_50_airline_and_115_retail_tasks() -> None:
    domains = [task.split("_")[0] for task in published_difficulty()]
    assert (domains.count("airline"), domains.count("retail"), len(domains)) == (50, 115, 165)


def test_gaps_within_a_bin_cancel_and_between_bins_do_not() -> None:
    human = np.array([1.0, 0.0, 1.0, 1.0])
    simulator = np.array([0.0, 1.0, 0.0, 1.0])
    assert calibration_error(human, simulator, np.array([0, 0, 0, 0])) == 0.25
    assert calibration_error(human, simulator, np.array([0, 1, 2, 3])) == 0.75


def test_no_task_in_common_gives_no_error_rather_than_zero() -> None:
    assert calibration_error(np.array([]), np.array([]), np.array([], dtype=np.intp)) is None


def test_a_task_is_pooled_from_ten_outcomes_on() -> None:
    nine = {"a": [True] * 4, "b": [True] * 5}
    assert pooled_difficulty([nine, {"a": [False] * 5, "b": [False] * 5}]) == {"b": 0.5}
