"""A simulator against figures as published: D1-D4 from the mean row, bounds, and nothing that needs people's traces.

Source: usi.md section 10.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simgap_client.models import Bounds, OtherLosses, Report, Score, Scores, Warned
from simgap_workers.behaviour import profile_columns
from simgap_workers.scoring import reasons
from simgap_workers.scoring.baseline import Baseline, Published
from simgap_workers.scoring.coverage import coverage
from simgap_workers.scoring.dice import DIMENSION_NAMES, Row, dice, dimension_scores, mean_row
from simgap_workers.scoring.difficulty import difficulty_digest
from simgap_workers.scoring.index import user_sim_index
from simgap_workers.scoring.pairing import Places, Side
from simgap_workers.scoring.signature import signature
from simgap_workers.scoring.summaries import baseline_summary, diagnostics, metric_results, simulator_summary
from simgap_workers.shard import Shard

PARTS = 6


def score_published(name: str, traces: Shard, baseline: Baseline, published: Published, profile: str) -> Report:
    """The report against a published mean row. ECE, Eval and the index are None, each with its reason."""
    side = Side(traces, profile_columns(profile))
    runs = _runs(traces, set(published.tasks))
    rows = {run: side.row(places, list(places)) for run, places in runs.items()}
    present = [row for row in rows.values() if row is not None]
    mean = mean_row(present) if present else None
    human = np.asarray(published.row)
    similarity = None if mean is None else dice(human, mean)
    dimensions = None if similarity is None else dimension_scores(similarity)
    scored = {place for places in runs.values() for place in places.values()}
    common = sorted({traces.task_id[place] for place in scored})
    no_row = None if dimensions is not None else reasons.no_published_row(published.tasks)
    missing = " ".join(filter(None, (no_row, reasons.PUBLISHED_ECE)))
    return Report(
        kind="usi",
        version=1,
        profile=profile,
        signature=signature(
            profile=profile,
            baseline=baseline.digest,
            difficulty=difficulty_digest(None),
            tasks=common,
            batches=0,
            runs=len(runs),
            parts=0,
            stop_turns=traces.stop_turns,
        ),
        simulator=simulator_summary(name, traces, scored, [run for run, row in rows.items() if row is None]),
        baseline=baseline_summary(baseline, None),
        coverage=coverage(
            traces,
            baseline,
            scored,
            common,
            difficulty=None,
            separate_surveys=False,
            imputed_answers=0,
        ),
        scores=Scores(
            **{
                name: Score(None if dimensions is None else dimensions[name], reason=no_row) for name in DIMENSION_NAMES
            },
            eval=Score(None, reason=reasons.PUBLISHED_EVAL),
            ece=Score(None, reason=reasons.PUBLISHED_ECE),
            usi5=Score(None, reason=missing),
            usi6=Score(None, reason=f"{missing} {reasons.PUBLISHED_EVAL}"),
        ),
        metrics=metric_results([human], [] if mean is None else [mean], similarity, PARTS),
        other_losses=OtherLosses(None, None),
        calibration=[],
        survey=[],
        bounds=_bounds(side, runs, published, dimensions),
        diagnostics=diagnostics(traces, scored, None if mean is None else _rounding(human, mean, published)),
        warnings=[
            *traces.warnings,
            Warned(
                "published_row",
                "People's row is as printed, to one decimal (diagnostics.rounding says what that leaves open), and "
                "D1-D4 are of that one mean row. Table 1 of the paper prints means of batch-wise scores, which can "
                "differ by some points (UserLM-8B's D4: 84.1 from the row, 80.0 in the table): do not rank this report "
                "beside it.",
            ),
        ],
    )


def _runs(traces: Shard, tasks: set[str]) -> dict[int, Places]:
    """By run, the traces on the published tasks, sorted by task."""
    runs: dict[int, Places] = {run: {} for run in sorted(set(traces.run))}
    for place in sorted(range(len(traces)), key=lambda i: (traces.task_id[i], traces.batch[i])):
        if traces.task_id[place] in tasks:
            runs[traces.run[place]].setdefault(traces.task_id[place], place)
    return runs


def _rounding(human: Row, simulator: Row, published: Published) -> dict[str, tuple[float, float]]:
    """Between what values D1-D4 lie, if each printed figure may be half a last digit off."""
    half = np.asarray(published.rounding)
    low, high = np.maximum(human - half, 0.0), human + half
    at_ends = dice(low, simulator), dice(high, simulator)
    best = dice(np.clip(simulator, low, high), simulator)
    worst = dimension_scores(np.minimum(*at_ends))
    return {name: (worst[name], value) for name, value in dimension_scores(best).items()}


def _bounds(side: Side, runs: dict[int, Places], published: Published, dimensions: dict[str, float] | None) -> Bounds:
    """What the published success rate still says of ECE and USI, where every task has an outcome."""
    rates = [_success_rate(side, places, published.tasks) for places in runs.values()]
    complete = [rate for rate in rates if rate is not None]
    if dimensions is None or not complete or len(complete) < len(rates):
        return Bounds(None, None, reason=reasons.PUBLISHED_BOUNDS)
    ece_low = abs(sum(complete) / len(complete) - published.success_rate)
    return Bounds(ece_low, user_sim_index(dimensions, ece_low, None))


def _success_rate(side: Side, places: Places, tasks: Sequence[str]) -> float | None:
    outcomes = [side.success(places[task]) for task in tasks if task in places]
    known = [outcome for outcome in outcomes if outcome is not None]
    return sum(known) / len(known) if len(known) == len(tasks) else None
