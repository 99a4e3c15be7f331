"""`score(simulator, baseline, options) -> Report`: the one pure function that every way to a report calls.

Source: arXiv:2603.11245, section 3; usi.md sections 4-10, 12, 13 and 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from simgap_client.models import (
    Bounds,
    CalibrationBin,
    OtherLosses,
    Report,
    Score,
    Scores,
    SurveyField,
    Warned,
)
from simgap_workers.behaviour import profile_columns
from simgap_workers.scoring import reasons
from simgap_workers.scoring.agreement import Agreement
from simgap_workers.scoring.baseline import Baseline
from simgap_workers.scoring.batch_scores import BatchScores, human_row, score_batch
from simgap_workers.scoring.calibration import BIN_EDGES
from simgap_workers.scoring.coverage import coverage
from simgap_workers.scoring.dice import DIMENSION_NAMES, mean_row
from simgap_workers.scoring.difficulty import check_difficulty, difficulty_digest, published_difficulty
from simgap_workers.scoring.index import mean_and_sd, user_sim_index
from simgap_workers.scoring.pairing import Side, pair, people_by_batch
from simgap_workers.scoring.published_scores import score_published
from simgap_workers.scoring.ratings import (
    agreements,
    batch_agreement,
    inline_ratings,
    people_ratings,
    separate_ratings,
)
from simgap_workers.scoring.signature import signature
from simgap_workers.scoring.summaries import baseline_summary, diagnostics, metric_results, simulator_summary
from simgap_workers.shard import Shard
from simgap_workers.trace import SurveyAnswer


class Simulator(Struct):
    """One simulator: its traces, and its survey answers where they came apart (then the traces' own do not count)."""

    name: str
    traces: Shard
    surveys: list[SurveyAnswer] | None = None


class Options(Struct, frozen=True):
    """How to score. `difficulty` goes before the baseline's own map; a pooled map is given as a map."""

    profile: str = "tau-usi-1"
    difficulty: Mapping[str, float] | Literal["published"] | None = None


def score(simulator: Simulator, baseline: Baseline, options: Options) -> Report:
    """The report of one simulator against one baseline. Pure: equal arguments give equal reports.

    Raises DifficultyError where the given map holds a value that is no rate in [0, 1].
    """
    if baseline.published is not None:
        report = score_published(simulator.name, simulator.traces, baseline, baseline.published, options.profile)
        report.warnings += _not_used(simulator, options)
        return report

    columns = profile_columns(options.profile)
    people = Side(baseline.people or Shard(), columns)
    side = Side(simulator.traces, columns)
    pairings = pair(simulator.traces, baseline)
    common = sorted(set().union(*(pairing.common_tasks() for pairing in pairings)))
    difficulty = choose_difficulty(options.difficulty, baseline, common)
    batches = [score_batch(people, side, pairing, difficulty) for pairing in pairings]
    ceiling = human_row(people, people_by_batch(baseline), common, difficulty)

    human_ratings = people_ratings(baseline)
    if simulator.surveys is None:
        ratings = inline_ratings(simulator.traces, pairings)
    else:
        ratings = separate_ratings(simulator.surveys, baseline.batches())
    runs = agreements(human_ratings, ratings, options.profile)
    eval_by_batch = batch_agreement(runs)
    agreement = mean_and_sd(list(eval_by_batch.values())) if eval_by_batch else None

    indexed = [batch for batch in batches if batch.has_index]
    counted = indexed or [batch for batch in batches if batch.dimensions is not None]
    parts = 5 if agreement is None else 6
    scored = {place for pairing in pairings for places in pairing.runs.values() for place in places.values()}
    imputed = sum(field.imputed for run in runs for field in run.fields.values())
    absent = reasons.missing_parts(
        batches,
        common,
        difficulty,
        people_rated=bool(human_ratings),
        simulator_rated=bool(simulator.surveys) or any(survey is not None for survey in simulator.traces.survey),
        agreement=agreement,
    )

    scores = Scores(
        **{name: _dimension(name, batches, absent) for name in DIMENSION_NAMES},
        eval=Score(*agreement) if agreement is not None else Score(None, reason=absent["eval"]),
        ece=_mean_score([batch.ece for batch in batches], absent.get("ece")),
        usi5=_index(indexed, None, absent, ("d", "ece")),
        usi6=_index(indexed, agreement, absent, ("d", "ece", "eval")),
    )
    for name, human in ceiling.items():
        getattr(scores, name).ceiling = human
    return Report(
        kind="usi",
        version=1,
        profile=options.profile,
        signature=signature(
            profile=options.profile,
            baseline=baseline.digest,
            difficulty=difficulty_digest(difficulty),
            tasks=common,
            batches=len(batches),
            runs=len(set(simulator.traces.run)),
            parts=parts if indexed else 0,
            stop_turns=simulator.traces.stop_turns,
        ),
        simulator=simulator_summary(
            simulator.name, simulator.traces, scored, {run for batch in batches for run in batch.runs_without_row}
        ),
        baseline=baseline_summary(baseline, difficulty),
        coverage=coverage(
            simulator.traces,
            baseline,
            scored,
            common,
            difficulty=difficulty,
            separate_surveys=simulator.surveys is not None,
            imputed_answers=imputed,
        ),
        scores=scores,
        metrics=metric_results(
            [batch.human for batch in counted if batch.human is not None],
            [batch.simulator for batch in counted if batch.simulator is not None],
            mean_row([batch.similarity for batch in counted if batch.similarity is not None]) if counted else None,
            parts,
        ),
        other_losses=OtherLosses(
            ece=100.0 * _mean([batch.ece for batch in indexed if batch.ece is not None]) / parts if indexed else None,
            eval=(100.0 - agreement[0]) / parts if agreement is not None else None,
        ),
        calibration=_calibration(batches),
        survey=_survey(runs),
        bounds=Bounds(None, None, reason=reasons.BOUNDS_NEED_PUBLISHED),
        diagnostics=diagnostics(simulator.traces, scored, None),
        warnings=[*simulator.traces.warnings, *_survey_warnings(simulator, baseline)],
    )


def choose_difficulty(
    given: Mapping[str, float] | Literal["published"] | None, baseline: Baseline, tasks: Sequence[str]
) -> Mapping[str, float] | None:
    """The map that a report uses: given, else the baseline's own, else the published one for τ-bench's ids."""
    chosen = given if given is not None else baseline.difficulty
    if isinstance(chosen, Mapping):
        return check_difficulty(chosen) if chosen else {}
    published = published_difficulty()
    if chosen == "published" or any(task in published for task in tasks):
        return published
    return None


def _mean(values: Sequence[float]) -> float:
    return mean_and_sd(values)[0]


def _mean_score(values: Sequence[float | None], reason: str | None) -> Score:
    present = [value for value in values if value is not None]
    return Score(*mean_and_sd(present)) if present else Score(None, reason=reason)


def _dimension(name: str, batches: Sequence[BatchScores], absent: Mapping[str, str]) -> Score:
    return _mean_score([batch.dimensions[name] for batch in batches if batch.dimensions is not None], absent.get("d"))


def _index(
    batches: Sequence[BatchScores],
    agreement: tuple[float, float] | None,
    absent: Mapping[str, str],
    parts: Sequence[str],
) -> Score:
    missing = [absent[part] for part in parts if part in absent]
    if missing:
        return Score(None, reason=" ".join(missing))
    return _mean_score(
        [
            user_sim_index(batch.dimensions, batch.ece, None if agreement is None else agreement[0])
            for batch in batches
            if batch.dimensions is not None and batch.ece is not None
        ],
        reasons.NO_BATCH_HAS_EVERY_PART,
    )


def _calibration(batches: Sequence[BatchScores]) -> list[CalibrationBin]:
    """Success rates by bin of difficulty, over all runs and batches together."""
    edges = (0.0, *BIN_EDGES, 1.0)
    pooled = [outcomes for batch in batches for outcomes in batch.outcomes]
    bins = []
    for number in range(len(edges) - 1):
        inside = [
            (outcomes.tasks[i], outcomes.human[i], outcomes.simulator[i])
            for outcomes in pooled
            for i, bin_number in enumerate(outcomes.bins)
            if bin_number == number
        ]
        bins.append(
            CalibrationBin(
                low=edges[number],
                high=edges[number + 1],
                tasks=len({task for task, _, _ in inside}),
                human=sum(human for _, human, _ in inside) / len(inside) if inside else None,
                simulator=sum(simulated for _, _, simulated in inside) / len(inside) if inside else None,
            )
        )
    return bins


def _survey(runs: Sequence[Agreement]) -> list[SurveyField]:
    """Each question over all runs, batches and tasks together; nothing where nobody was asked."""
    fields = []
    for name in runs[0].fields if runs else ():
        answers = [run.fields[name] for run in runs]
        human = [position for answer in answers for position in answer.human]
        simulated = [position for answer in answers for position in answer.simulator]
        gaps = [gap for answer in answers for gap in answer.gaps]
        fields.append(
            SurveyField(
                field=name,
                human=_mean(human) if human else None,
                simulator=_mean(simulated) if simulated else None,
                agreement=100.0 * (1.0 - _mean(gaps)) if gaps else None,
                imputed=sum(answer.imputed for answer in answers),
            )
        )
    return fields


def _not_used(simulator: Simulator, options: Options) -> list[Warned]:
    """What was given for parts that published figures cannot have."""
    given = {
        "survey answers": simulator.surveys is not None,
        "difficulty": options.difficulty not in (None, "published"),
    }
    return [
        Warned("not_used", f"The {name} given with the request: not used, since the baseline is figures as published.")
        for name, there in given.items()
        if there
    ]


def _survey_warnings(simulator: Simulator, baseline: Baseline) -> list[Warned]:
    """Separate answers about conversations that the baseline does not have."""
    if simulator.surveys is None or baseline.people is None:
        return []
    known = set(zip(baseline.people.task_id, baseline.people.batch, strict=True))
    tasks = set(baseline.people.task_id)
    unused = sum(
        answer.task_id not in tasks if answer.batch is None else (answer.task_id, answer.batch) not in known
        for answer in simulator.surveys
    )
    if not unused:
        return []
    return [
        Warned(
            "survey_without_people",
            f"{unused} of {len(simulator.surveys)} survey records are about conversations that the baseline lacks; "
            "they are left out.",
        )
    ]
