"""A report as a table that a person reads in a terminal: the paper's columns, the human row above the simulators."""

from __future__ import annotations

from collections.abc import Sequence

from simgap_client.models import MetricResult, Report, Score, Warned

_COLUMNS = ("d1", "d2", "d3", "d4", "eval", "ece", "usi5", "usi6")
_TITLES = {"eval": "Eval", "ece": "ECE", "usi5": "USI-5", "usi6": "USI-6"}
_PER_CENT = "_rate"
_MISSING = "–"


def render_reports(reports: Sequence[Report]) -> str:
    """One table of scores over all reports, then what is behind each of them. Ends in a line feed."""
    blocks = [score_table(reports)]
    blocks.extend(_details(report) for report in reports)
    return "\n\n".join(blocks) + "\n"


def score_table(reports: Sequence[Report]) -> str:
    """Mean ± sd over batches, a row a simulator; above it people against people on its tasks, each such row once."""
    rows: list[tuple[str, list[str]]] = []
    for report in reports:
        people = (
            f"people against people, {report.coverage.common_tasks} tasks",
            [_ceiling(getattr(report.scores, column), column) for column in _COLUMNS],
        )
        if any(cell != _MISSING for cell in people[1]) and people not in rows:
            rows.append(people)
        rows.append((report.simulator.name, [_cell(getattr(report.scores, column), column) for column in _COLUMNS]))
    name_width = max(len(name) for name, _ in rows)
    head = " " * name_width + "".join(f"{_TITLES.get(column, column.upper()):>12}" for column in _COLUMNS)
    body = [name.ljust(name_width) + "".join(f"{cell:>12}" for cell in cells) for name, cells in rows]
    return "\n".join([head, *body])


def _ceiling(score: Score, column: str) -> str:
    return _MISSING if score.ceiling is None else _number(score.ceiling.mean, score.ceiling.sd, column)


def _cell(score: Score, column: str) -> str:
    return _MISSING if score.value is None else _number(score.value, score.batch_sd, column)


def _number(value: float, sd: float | None, column: str) -> str:
    digits = 3 if column == "ece" else 1
    return f"{value:.{digits}f}" if sd is None else f"{value:.{digits}f}±{sd:.{digits}f}"


def _details(report: Report) -> str:
    counts = report.coverage
    left_out = ", ".join(f"{number} {reason}" for reason, number in counts.excluded.items())
    partly = ", ".join(f"{number} {reason}" for reason, number in counts.partial.items())
    lines = [
        f"{report.simulator.name} against {report.baseline.name}: {counts.scored} of {counts.received} traces scored, "
        f"{counts.common_tasks} of {counts.baseline_tasks} tasks, runs: {report.simulator.runs}.",
    ]
    if counts.expected is not None:
        lines.append(f"The file says it should hold {counts.expected} traces.")
    if left_out:
        lines.append(f"Left out: {left_out}.")
    if partly:
        lines.append(f"Scored, but not in every number: {partly}.")
    lines.extend(_people(report))
    if counts.imputed_answers:
        lines.append(f"Survey answers that were missing and imputed: {counts.imputed_answers}.")
    lines.extend(_reasons(report))
    lines += ["", _metric_table(report.metrics), ""]
    losses = (("ECE", report.other_losses.ece), ("Eval", report.other_losses.eval))
    lines.extend(f"{name} costs {loss:.2f} points." for name, loss in losses if loss is not None)
    if report.bounds.ece_low is not None:
        lines.append(f"ECE is at least {report.bounds.ece_low:.3f}, USI-5 at most {report.bounds.usi5_high:.1f}.")
    lines.extend(f"Warning ({warned.code}): {counted(warned)}" for warned in report.warnings)
    lines.append(f"Signature: {report.signature}")
    return "\n".join(lines)


def counted(warned: Warned) -> str:
    """A warning with how often it was met, where that was more than once."""
    return warned.message if warned.count == 1 else f"{warned.count:,} × {warned.message}"


def _people(report: Report) -> list[str]:
    """What was left out of the baseline."""
    reasons = {**report.baseline.excluded, **report.baseline.partial}
    if not reasons:
        return []
    left_out = ", ".join(f"{number} {reason}" for reason, number in reasons.items())
    return [f"Of people's {report.baseline.traces} traces, left out or not in every number: {left_out}."]


def _reasons(report: Report) -> list[str]:
    """Each reason once, in the order of the columns."""
    reasons = [getattr(report.scores, column).reason for column in ("d1", "ece", "eval")]
    shown = [f"{_MISSING} {reason}" for reason in reasons if reason]
    if report.scores.usi5.value is None:
        shown.append(f"{_MISSING} The index is missing because parts of it are.")
    return shown


def _metric_table(metrics: Sequence[MetricResult]) -> str:
    head = f"{'metric':<26}{'':<4}{'people':>9}{'simulator':>11}{'dice':>7}{'points lost':>13}"
    rows = [
        f"{metric.id:<26}{metric.dimension.upper():<4}{_value(metric.id, metric.human.value):>9}"
        f"{_value(metric.id, metric.simulator.value):>11}"
        f"{_MISSING if metric.dice is None else f'{metric.dice:.2f}':>7}"
        f"{_MISSING if metric.points_lost is None else f'{metric.points_lost:.2f}':>13}  {metric.direction}"
        for metric in metrics
    ]
    return "\n".join([head, *rows])


def _value(metric: str, value: float | None) -> str:
    if value is None:
        return _MISSING
    return f"{100.0 * value:.1f} %" if metric.endswith(_PER_CENT) else f"{value:.2f}"
