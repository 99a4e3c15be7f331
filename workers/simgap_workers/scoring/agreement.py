"""Survey agreement (Eval): does the simulated user rate the agent as people did?

Source: arXiv:2603.11245, section 3.3 and appendix A.3; usi.md section 7.
Conventions: an answer is a label of its field's scale; it counts as (v - lowest)/(highest - lowest); people come first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, field

from simgap_workers.survey import FIELDS

Answers = Mapping[str, str]

_POSITION: dict[str, dict[str, float]] = {
    name: {
        label: (value - min(scale.values())) / (max(scale.values()) - min(scale.values()))
        for label, value in scale.items()
    }
    for name, scale in FIELDS.items()
}
_CHOICES: dict[str, list[float]] = {name: sorted(set(scale.values())) for name, scale in _POSITION.items()}


class FieldAgreement(Struct):
    """What one question adds up to: positions as answered, and the gaps, imputed answers included."""

    human: list[float] = field(default_factory=list)
    simulator: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    imputed: int = 0


class Agreement(Struct):
    """Agreement of one run of a simulator: per batch the mean over tasks on 0-100, None where no task is rated."""

    batches: dict[int, float | None]
    fields: dict[str, FieldAgreement]


def survey_agreement(
    people: Mapping[int, Mapping[str, Answers]], simulator: Mapping[int, Mapping[str, Answers]], profile: str
) -> Agreement:
    """Agreement of one run with each batch of people.

    people, simulator: by batch, the survey of each rated task. An answer that a person gave and the simulator did not
    is drawn among the field's distinct values from numpy's default_rng(42), made anew here and drawn on through
    batches, tasks (by code point) and fields in order (`tau-usi-1`), or counts as that draw's mean (`paper-1`).
    """
    generator = np.random.default_rng(42) if profile == "tau-usi-1" else None
    fields = {name: FieldAgreement() for name in FIELDS}
    batches: dict[int, float | None] = {}
    for batch in sorted(people):
        rated = simulator.get(batch, {})
        scores = [
            score
            for task in sorted(people[batch])
            if task in rated
            and (score := _task_agreement(people[batch][task], rated[task], generator, fields)) is not None
        ]
        batches[batch] = sum(scores) / len(scores) if scores else None
    return Agreement(batches, fields)


def _task_agreement(
    human: Answers, simulator: Answers, generator: np.random.Generator | None, fields: dict[str, FieldAgreement]
) -> float | None:
    gaps: list[float] = []
    for name, choices in _CHOICES.items():
        if name not in human:
            continue
        position = _POSITION[name][human[name]]
        tally = fields[name]
        tally.human.append(position)
        if name in simulator:
            answered = _POSITION[name][simulator[name]]
            tally.simulator.append(answered)
            gap = abs(position - answered)
        else:
            tally.imputed += 1
            gap = _imputed_gap(position, choices, generator)
        tally.gaps.append(gap)
        gaps.append(gap)
    return 100.0 * (1.0 - sum(gaps) / len(gaps)) if gaps else None


def _imputed_gap(position: float, choices: Sequence[float], generator: np.random.Generator | None) -> float:
    if generator is None:
        return sum(abs(position - choice) for choice in choices) / len(choices)
    return abs(position - float(generator.choice(choices)))
