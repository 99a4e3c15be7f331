import math
import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simgap_client.models import Report
from simgap_workers.behaviour import METRICS
from simgap_workers.scoring import Options, Simulator, compile_baseline, score
from simgap_workers.shard import join_shards
from simgap_workers.survey import FIELDS
from simgap_workers.trace import SurveyAnswer
from tests.workers.scoring.populations import ABSENT, shuffled, traces

TASKS = [f"retail_{i}" for i in range(8)]
DIFFICULTY = {task: i / 7 for i, task in enumerate(TASKS)}
SCORES = ("d1", "d2", "d3", "d4", "eval", "ece", "usi5", "usi6")


def _record(draw: random.Random, task: str, **where: int) -> dict[str, Any]:
    survey = {name: draw.choice(list(scale)) for name, scale in FIELDS.items() if draw.random() < 0.8}
    metrics = {name: draw.random() for name in METRICS} if draw.random() < 0.9 else ABSENT
    return {"task": task, "reward": float(draw.random() < 0.6), "survey": survey, "metrics": metrics, **where}


def _people(seed: int, batches: int = 3) -> Any:
    draw = random.Random(seed)
    return traces(
        *(_record(draw, task, batch=batch) for batch in range(1, batches + 1) for task in TASKS if draw.random() < 0.9),
        source="human",
    )


def _simulator(seed: int, runs: int = 2) -> Any:
    draw = random.Random(seed)
    return traces(
        *(_record(draw, task, run=run) for run in range(1, runs + 1) for task in TASKS if draw.random() < 0.9)
    )


def _score(simulator: Any, people: Any, **options: Any) -> Report:
    chosen = {"difficulty": DIFFICULTY, **options}
    return score(Simulator("s", simulator), compile_baseline("people", [people]), Options(**chosen))


def _bytes(report: Report) -> bytes:
    return msgspec.json.encode(report)


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_people_against_themselves_score_100_in_every_part(seed: int) -> None:
    people = _people(seed)
    # A drawn answer may differ from the person's own, who gave none: nothing is drawn where both are the same.
    report = _score(people, people)
    assert [getattr(report.scores, name).value for name in SCORES] == [
        100.0,
        100.0,
        100.0,
        100.0,
        100.0,
        0.0,
        100.0,
        100.0,
    ]
    assert all(metric.points_lost == 0.0 for metric in report.metrics)


@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_traces_changes_no_byte_of_the_report(seed: int, order: random.Random) -> None:
    people, simulator = _people(seed), _simulator(seed + 1)
    mixed = [shuffled(side, order.sample(range(len(side)), len(side))) for side in (simulator, people)]
    assert _bytes(_score(*mixed)) == _bytes(_score(simulator, people))


@given(st.integers(0, 10_000), st.sampled_from(["tau-usi-1", "paper-1"]))
@settings(max_examples=60, deadline=None)
def test_scores_lie_in_range_and_points_lost_sum_to_what_the_index_lacks(seed: int, profile: str) -> None:
    report = _score(_simulator(seed), _people(seed + 1), profile=profile)
    for name in SCORES:
        value = getattr(report.scores, name).value
        assert value is None or 0.0 <= value <= (1.0 if name == "ece" else 100.0)
    if report.scores.usi6.value is not None:
        lost = sum(metric.points_lost or 0.0 for metric in report.metrics)
        lost += (report.other_losses.ece or 0.0) + (report.other_losses.eval or 0.0)
        assert math.isclose(lost, 100.0 - report.scores.usi6.value, abs_tol=1e-9)
    assert report.coverage.received == report.coverage.scored + sum(report.coverage.excluded.values())
    assert "NaN" not in _bytes(report).decode()


@given(st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_doubling_every_run_changes_no_score(seed: int) -> None:
    once = _simulator(seed, runs=1)
    again = msgspec.structs.replace(once, run=[2] * len(once), id=[f"{name}-again" for name in once.id])
    doubled = join_shards([once, again])
    people = _people(seed + 1)
    one, two = _score(once, people), _score(doubled, people)
    for name in SCORES:
        left, right = getattr(one.scores, name).value, getattr(two.scores, name).value
        assert (left is None and right is None) or left == pytest.approx(right, rel=1e-12)


def test_each_run_weighs_the_same_however_many_traces_it_has() -> None:
    people = traces(
        {"task": "a", "metrics": {"words_per_turn": 2.0}}, {"task": "b", "metrics": {"words_per_turn": 2.0}}
    )
    simulator = traces(
        {"task": "a", "run": 1, "metrics": {"words_per_turn": 1.0}},
        {"task": "b", "run": 1, "metrics": {"words_per_turn": 1.0}},
        {"task": "a", "run": 2, "metrics": {"words_per_turn": 3.0}},
    )
    words = {metric.id: metric for metric in _score(simulator, people).metrics}["words_per_turn"]
    assert (words.simulator.value, words.human.value, words.dice) == (2.0, 2.0, 1.0)


def test_a_trace_that_names_a_batch_is_held_against_that_batch_alone() -> None:
    people = traces(
        {"task": "a", "batch": 1, "metrics": {"words_per_turn": 1.0}},
        {"task": "a", "batch": 2, "metrics": {"words_per_turn": 3.0}},
    )
    simulator = traces(
        {"task": "a", "batch": 1, "metrics": {"words_per_turn": 1.0}},
        {"task": "a", "batch": 2, "metrics": {"words_per_turn": 3.0}},
    )
    words = {metric.id: metric for metric in _score(simulator, people).metrics}["words_per_turn"]
    assert words.dice == 1.0


def test_a_task_that_no_person_did_is_left_out_and_counted() -> None:
    people = traces({"task": "a", "metrics": {"words_per_turn": 2.0}})
    simulator = traces(
        {"task": "a", "metrics": {"words_per_turn": 2.0}}, {"task": "z", "metrics": {"words_per_turn": 9.0}}
    )
    report = _score(simulator, people)
    assert report.coverage.excluded == {"task_not_in_baseline": 1}
    assert (report.coverage.common_tasks, report.coverage.simulator_tasks, report.coverage.baseline_tasks) == (1, 2, 1)
    assert report.scores.d2.value == 100.0


def test_no_common_task_gives_null_everywhere_each_with_a_reason() -> None:
    report = _score(traces({"task": "x"}), traces({"task": "a"}))
    for name in SCORES:
        value = getattr(report.scores, name)
        assert value.value is None
        assert value.reason
    assert report.signature.endswith("|parts:0|stop:keep|boot:0")


def test_a_set_in_which_no_user_speaks_has_no_row_rather_than_a_perfect_one() -> None:
    people = traces({"task": "a", "metrics": {"words_per_turn": 2.0}})
    report = _score(traces({"task": "a", "metrics": ABSENT, "reward": 1.0}), people)
    assert report.scores.d1.value is None
    assert report.simulator.runs_without_row == [1]
    assert report.coverage.partial["no_user_turn"] == 1


def test_without_surveys_usi5_is_there_and_usi6_says_what_to_upload() -> None:
    people = traces({"task": "retail_0", "reward": 1.0, "metrics": {"words_per_turn": 2.0}})
    report = _score(people, people)
    assert report.scores.usi5.value == 100.0
    assert report.scores.usi6.value is None
    assert "survey" in (report.scores.usi6.reason or "")
    assert "|parts:5|" in report.signature


def test_an_ece_against_one_of_two_batches_leaves_the_index_to_that_batch() -> None:
    people = traces(
        {"task": "retail_0", "batch": 1, "reward": 1.0, "metrics": {"words_per_turn": 2.0}},
        {"task": "retail_0", "batch": 2, "metrics": {"words_per_turn": 6.0}},
    )
    simulator = traces({"task": "retail_0", "reward": 1.0, "metrics": {"words_per_turn": 2.0}})
    report = _score(simulator, people)
    assert report.scores.d2.value == pytest.approx((100.0 + 87.5) / 2)
    assert (report.scores.ece.value, report.scores.usi5.value, report.scores.usi5.batch_sd) == (0.0, 100.0, 0.0)


def test_ids_of_taubench_get_the_published_difficulty_and_others_none() -> None:
    known = traces({"task": "retail_0", "reward": 1.0})
    assert _score(known, known, difficulty=None).scores.ece.value == 0.0
    other = traces({"task": "shop_0", "reward": 1.0})
    report = _score(other, other, difficulty=None)
    assert report.scores.ece.value is None
    assert "difficulty" in (report.scores.ece.reason or "")


def test_a_given_difficulty_goes_before_the_baselines_own() -> None:
    people = traces({"task": "a", "reward": 1.0}, {"task": "b", "reward": 0.0})
    simulator = traces({"task": "a", "reward": 0.0}, {"task": "b", "reward": 1.0})
    baseline = compile_baseline("people", [people], {"a": 0.1, "b": 0.1})
    assert score(Simulator("s", simulator), baseline, Options()).scores.ece.value == 0.0
    given_map = Options(difficulty={"a": 0.1, "b": 0.9})
    assert score(Simulator("s", simulator), baseline, given_map).scores.ece.value == 1.0


def test_separate_surveys_replace_those_in_the_traces_and_unknown_ones_are_counted() -> None:
    people = traces({"task": "a", "batch": 1, "survey": {"human_like": "No"}})
    simulator = traces({"task": "a", "survey": {"human_like": "Yes"}})
    baseline = compile_baseline("people", [people])
    answers = [SurveyAnswer("a", {"human_like": "No"}, batch=1), SurveyAnswer("z", {"human_like": "No"})]
    report = score(Simulator("s", simulator, answers), baseline, Options())
    assert report.scores.eval.value == 100.0
    assert [warned.code for warned in report.warnings] == ["survey_without_people"]
    assert score(Simulator("s", simulator), baseline, Options()).scores.eval.value == 0.0


def test_the_human_row_is_over_the_reports_own_tasks() -> None:
    people = traces(
        {"task": "a", "batch": 1, "metrics": {"words_per_turn": 2.0}},
        {"task": "a", "batch": 2, "metrics": {"words_per_turn": 2.0}},
        {"task": "b", "batch": 1, "metrics": {"words_per_turn": 1.0}},
        {"task": "b", "batch": 2, "metrics": {"words_per_turn": 9.0}},
    )
    report = _score(traces({"task": "a", "metrics": {"words_per_turn": 2.0}}), people)
    assert report.scores.d2.ceiling is not None
    assert (report.scores.d2.ceiling.mean, report.scores.d2.ceiling.pairs) == (100.0, 1)


def test_metrics_are_listed_by_points_lost_with_their_direction() -> None:
    people = traces({"task": "a", "metrics": {"words_per_turn": 10.0, "politeness_rate": 0.2}})
    report = _score(traces({"task": "a", "metrics": {"words_per_turn": 30.0, "politeness_rate": 0.1}}), people)
    assert [(m.id, m.direction) for m in report.metrics[:2]] == [
        ("words_per_turn", "more than people"),
        ("politeness_rate", "less than people"),
    ]
    assert report.metrics[2].direction == "as people"


def test_the_signature_names_what_the_numbers_depend_on() -> None:
    people = _people(1)
    parts = dict(part.split(":", 1) for part in _score(_simulator(2), people).signature.split("|"))
    assert list(parts) == ["profile", "rev", "base", "diff", "tasks", "batches", "runs", "parts", "stop", "boot"]
    assert (parts["batches"], parts["runs"], parts["parts"]) == ("3", "2", "6")
    assert parts["base"] == compile_baseline("people", [people]).digest[:8]


def test_no_report_holds_nan_even_where_nothing_can_be_scored() -> None:
    report = _score(traces(), traces({"task": "a"}))
    assert b"NaN" not in _bytes(report)
    assert report.coverage.received == 0
    assert report.diagnostics.strict_identifier_density is None
