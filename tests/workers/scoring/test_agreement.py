from collections.abc import Mapping

import pytest

from simgap_workers.scoring.agreement import survey_agreement

Surveys = Mapping[int, Mapping[str, Mapping[str, str]]]


def _agreement(people: Surveys, simulator: Surveys, profile: str = "paper-1") -> float | None:
    return survey_agreement(people, simulator, profile).batches[1]


def test_the_same_answers_agree_by_100() -> None:
    answers = {1: {"a": {"human_like": "Partially", "reuse": "Yes"}}}
    assert _agreement(answers, answers) == 100.0


def test_no_against_yes_on_three_steps_agrees_by_0_and_partially_by_50() -> None:
    assert _agreement({1: {"a": {"human_like": "No"}}}, {1: {"a": {"human_like": "Yes"}}}) == 0.0
    assert _agreement({1: {"a": {"human_like": "No"}}}, {1: {"a": {"human_like": "Partially"}}}) == 50.0


def test_too_many_and_too_few_questions_are_both_the_low_end() -> None:
    people = {1: {"a": {"question_amount_preference": "Too many"}}}
    assert _agreement(people, {1: {"a": {"question_amount_preference": "Too few"}}}) == 100.0
    assert _agreement(people, {1: {"a": {"question_amount_preference": "About right"}}}) == 0.0


def test_a_missing_answer_costs_the_expected_gap_in_paper_1() -> None:
    # human_like "No" is 0; the choice is among 0, 1/2 and 1: expected gap 1/2.
    result = survey_agreement({1: {"a": {"human_like": "No"}}}, {1: {"a": {}}}, "paper-1")
    assert result.batches[1] == pytest.approx(50.0, rel=1e-15)
    assert result.fields["human_like"].imputed == 1


def test_a_missing_answer_is_drawn_with_numpys_seed_42_in_tau_usi_1() -> None:
    # numpy.random.default_rng(42).choice over 3 values, five times: places 0, 2, 1, 1, 1.
    people = {1: {f"task_{i}": {"human_like": "No"} for i in range(5)}}
    result = survey_agreement(people, {1: {f"task_{i}": {} for i in range(5)}}, "tau-usi-1")
    assert result.fields["human_like"].gaps == [0.0, 1.0, 0.5, 0.5, 0.5]


def test_draws_go_through_tasks_by_code_point_so_retail_10_comes_before_retail_2() -> None:
    # The draws are "No" (0), then "Yes" (1): they are the people's own answers only if retail_10 is drawn first.
    people = {1: {"retail_2": {"human_like": "Yes"}, "retail_10": {"human_like": "No"}}}
    both = survey_agreement(people, {1: {"retail_2": {}, "retail_10": {}}}, "tau-usi-1")
    assert both.fields["human_like"].gaps == [0.0, 0.0]


def test_a_task_that_the_person_did_not_answer_has_no_score_and_draws_nothing() -> None:
    people: Surveys = {1: {"a": {}, "b": {"human_like": "No"}}}
    result = survey_agreement(people, {1: {"a": {"human_like": "Yes"}, "b": {}}}, "tau-usi-1")
    assert result.fields["human_like"].gaps == [0.0]
    assert _agreement({1: {"a": {}}}, {1: {"a": {"human_like": "Yes"}}}) is None


def test_an_unrated_task_is_left_out() -> None:
    people = {1: {"a": {"human_like": "No"}, "b": {"human_like": "No"}}}
    assert _agreement(people, {1: {"a": {"human_like": "No"}}}) == 100.0
