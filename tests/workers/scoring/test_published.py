import tomllib
from importlib import resources
from typing import Any

import numpy as np
import pytest

from simgap_client.models import Report
from simgap_workers.behaviour import METRICS
from simgap_workers.scoring import Options, Simulator, score
from simgap_workers.scoring.dice import dice, dimension_scores
from simgap_workers.scoring.published import taubench_2026
from tests.workers.scoring.populations import ABSENT, traces

PRINTED = tomllib.loads(
    resources.files("simgap_workers.scoring").joinpath("published/taubench_human.toml").read_text("utf-8")
)
# The comment of taubench_human.toml: D1-D4 of the printed rows.
STATED = {
    "GPT-4o": (30.6, 84.3, 77.4, 74.2),
    "CoSER-8B": (36.7, 71.5, 72.1, 75.3),
    "UserLM-8B": (30.7, 50.8, 55.3, 84.1),
}


@pytest.mark.parametrize("name", STATED)
def test_the_printed_rows_give_the_d1_to_d4_that_their_source_states(name: str) -> None:
    human = np.array([PRINTED["metrics"][metric] for metric in METRICS])
    simulator = np.array([PRINTED["simulators"][name][metric] for metric in METRICS])
    scores = dimension_scores(dice(human, simulator))
    assert tuple(round(scores[dimension], 1) for dimension in ("d1", "d2", "d3", "d4")) == STATED[name]


def test_the_published_row_is_in_fractions_and_counts() -> None:
    published = taubench_2026().published
    assert published is not None
    row = dict(zip(METRICS, published.row, strict=True))
    assert (row["short_turn_rate"], row["words_per_turn"], row["verbosity_cv"]) == (0.29, 10.7, 0.8)
    assert len(published.tasks) == 165


def _report(*records: dict[str, Any]) -> Report:
    return score(Simulator("s", traces(*records)), taubench_2026(), Options())


def test_d1_to_d4_are_there_and_the_rest_is_null_with_what_to_upload() -> None:
    report = _report({"task": "airline_0", "metrics": {"words_per_turn": 10.7}, "reward": 1})
    assert report.scores.d2.value == pytest.approx(25.0)
    for part in ("ece", "eval", "usi5", "usi6"):
        missing = getattr(report.scores, part)
        assert missing.value is None
        assert "Upload" in missing.reason
    assert report.scores.d1.batch_sd is None
    assert report.scores.d1.ceiling is None
    assert report.baseline.batches == 0
    assert report.signature.startswith("profile:tau-usi-1|rev:1|base:")


def test_points_lost_are_in_sixths() -> None:
    report = _report({"task": "airline_0", "metrics": {"words_per_turn": 10.7}})
    lost = {metric.id: metric.points_lost for metric in report.metrics}
    assert lost["words_per_turn"] == 0.0
    assert lost["opening_words"] == pytest.approx(100 / 4 / 6, rel=1e-15)


def test_a_task_that_is_not_taubenchs_is_left_out_and_counted() -> None:
    report = _report({"task": "airline_0"}, {"task": "tau2-airline_0"})
    assert report.coverage.excluded == {"task_not_in_baseline": 1}
    assert (report.coverage.received, report.coverage.scored) == (2, 1)


def test_no_taubench_task_at_all_gives_null_and_says_to_check_ids() -> None:
    report = _report({"task": "line_1", "metrics": {"words_per_turn": 10.0}})
    assert report.scores.d1.value is None
    assert "--domain" in (report.scores.d1.reason or "")
    assert all(metric.dice is None for metric in report.metrics)


def test_bounds_need_an_outcome_on_all_165_tasks() -> None:
    published = taubench_2026().published
    assert published is not None
    everywhere = [{"task": task, "reward": 1.0, "metrics": {"words_per_turn": 10.7}} for task in published.tasks]
    report = _report(*everywhere)
    assert report.bounds.ece_low == pytest.approx(1 - 0.636, rel=1e-12)
    d = [getattr(report.scores, name).value for name in ("d1", "d2", "d3", "d4")]
    assert report.bounds.usi5_high == pytest.approx((sum(d) + 63.6) / 5, rel=1e-12)
    assert _report(*everywhere[1:]).bounds.ece_low is None
    assert "165" in (_report(*everywhere[1:]).bounds.reason or "")


def test_rounding_spans_the_score_and_is_widest_where_people_are_printed_as_zero() -> None:
    report = _report({"task": "airline_0", "metrics": {"repetition_rate": 0.0004, "words_per_turn": 10.7}})
    assert report.diagnostics.rounding is not None
    assert report.scores.d1.value is not None
    low, high = report.diagnostics.rounding["d1"]
    assert low <= report.scores.d1.value <= high
    assert high - report.scores.d1.value == pytest.approx(100 / 7, rel=1e-12)


def test_a_run_without_a_user_turn_is_listed() -> None:
    report = _report({"task": "airline_0"}, {"task": "airline_0", "run": 2, "metrics": ABSENT})
    assert report.simulator.runs_without_row == [2]
    assert report.coverage.partial["no_user_turn"] == 1
