"""The surveys that Eval compares: people's by batch and task, and each run's of the simulator.

Source: usi.md section 7.
"""

from __future__ import annotations

from collections.abc import Sequence

from simgap_workers.scoring.agreement import Agreement, Answers, survey_agreement
from simgap_workers.scoring.baseline import Baseline
from simgap_workers.scoring.pairing import BatchPairing
from simgap_workers.shard import Shard
from simgap_workers.trace import SurveyAnswer

Ratings = dict[int, dict[str, Answers]]
"""By batch, by task: the answers."""


def people_ratings(baseline: Baseline) -> Ratings:
    """People's answers; a trace without a survey is unrated and not there."""
    ratings: Ratings = {}
    people = baseline.people
    if people is not None:
        for task, batch, survey in zip(people.task_id, people.batch, people.survey, strict=True):
            if survey is not None:
                ratings.setdefault(batch, {})[task] = survey
    return ratings


def inline_ratings(simulator: Shard, pairings: Sequence[BatchPairing]) -> list[Ratings]:
    """The answers that stand in the simulator's traces, one entry a run that has any."""
    runs: dict[int, Ratings] = {}
    for pairing in pairings:
        for run, places in pairing.runs.items():
            for task, place in places.items():
                survey = simulator.survey[place]
                if survey is not None:
                    runs.setdefault(run, {}).setdefault(pairing.batch, {})[task] = survey
    return [runs[run] for run in sorted(runs)]


def separate_ratings(answers: Sequence[SurveyAnswer], batches: Sequence[int]) -> list[Ratings]:
    """The answers that came apart from the traces, one entry a run; without a batch they are held against each."""
    runs: dict[int, Ratings] = {}
    for answer in sorted(answers, key=lambda answer: answer.batch or 0):
        for batch in batches if answer.batch is None else (answer.batch,):
            runs.setdefault(answer.run, {}).setdefault(batch, {})[answer.task_id] = answer.survey
    return [runs[run] for run in sorted(runs)]


def agreements(people: Ratings, runs: Sequence[Ratings], profile: str) -> list[Agreement]:
    """Each run's agreement with people, in the order of runs."""
    return [survey_agreement(people, run, profile) for run in runs]


def batch_agreement(runs: Sequence[Agreement]) -> dict[int, float]:
    """Per batch, the mean over the runs that have one."""
    values: dict[int, list[float]] = {}
    for run in runs:
        for batch, value in run.batches.items():
            if value is not None:
                values.setdefault(batch, []).append(value)
    return {batch: sum(numbers) / len(numbers) for batch, numbers in values.items()}
