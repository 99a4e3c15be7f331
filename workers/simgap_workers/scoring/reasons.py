"""Why a number is missing, and what to upload so that it is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from simgap_workers.scoring.batch_scores import BatchScores

NO_BATCH_HAS_EVERY_PART = "No batch of people has every part: D1-D4 and ECE are there, but against different batches."
BOUNDS_NEED_PUBLISHED = "Bounds are for baselines that are published figures; here the numbers themselves are there."

_NO_ROW = (
    "D1-D4 are missing: no task that the baseline has holds a user turn on both sides. "
    "Check that task ids are the baseline's (`task_id`; for τ-bench files give the domain)."
)
_NO_COMMON_TASK = (
    "ECE is missing: the simulator and the baseline have no task in common. Check that task ids are equal."
)
_NO_DIFFICULTY = (
    "ECE is missing: no difficulty of these tasks is known. Give a map of task to pooled success rate "
    "(--difficulty FILE, `difficulty` in the request), or score several simulators with --difficulty pooled."
)
_NOT_IN_MAP = (
    "ECE is missing: none of the common tasks is in the map of difficulty. Give a map of these tasks; "
    "a pooled map holds a task from 10 outcomes on, over all simulators that are scored together."
)
_NO_OUTCOMES = (
    "ECE is missing: no common task has an outcome on both sides and a known difficulty. "
    "Upload the traces of both sides with `reward`."
)
_PEOPLE_UNRATED = (
    "Eval is missing: the baseline has no survey answers. Upload people's traces with `survey` as a baseline."
)
_SIMULATOR_UNRATED = (
    "Eval is missing: the simulator has no survey answers. Upload them with the traces (`survey`) or apart from them "
    "(--surveys FILE)."
)
_NO_RATED_TASK = (
    "Eval is missing: no task was rated both by people and by the simulator. Its survey answers are about other tasks, "
    "runs or batches than people's: check their ids."
)

PUBLISHED_ECE = (
    "ECE is missing: this baseline is figures as published, without people's outcomes task by task. "
    "Upload the human traces (the TAU-USI file, or your own people) as a baseline."
)
PUBLISHED_EVAL = (
    "Eval is missing: this baseline is figures as published, without people's survey answers. "
    "Upload the human traces with surveys (the TAU-USI file, or your own people) as a baseline."
)
PUBLISHED_BOUNDS = (
    "ECE's lower bound needs an outcome on each of τ-bench's 165 tasks (airline_0-49, retail_0-114): "
    "the published success rate is over all of them."
)


def missing_parts(
    batches: Sequence[BatchScores],
    common_tasks: Sequence[str],
    difficulty: Mapping[str, float] | None,
    *,
    people_rated: bool,
    simulator_rated: bool,
    agreement: tuple[float, float] | None,
) -> dict[str, str]:
    """By part (`d`, `ece`, `eval`), why it is missing; parts that are there are not named."""
    absent: dict[str, str] = {}
    if all(batch.dimensions is None for batch in batches):
        absent["d"] = _NO_ROW
    if all(batch.ece is None for batch in batches):
        absent["ece"] = _no_ece(common_tasks, difficulty)
    if agreement is None:
        if not people_rated:
            absent["eval"] = _PEOPLE_UNRATED
        else:
            absent["eval"] = _NO_RATED_TASK if simulator_rated else _SIMULATOR_UNRATED
    return absent


def _no_ece(common_tasks: Sequence[str], difficulty: Mapping[str, float] | None) -> str:
    if not common_tasks:
        return _NO_COMMON_TASK
    if difficulty is None:
        return _NO_DIFFICULTY
    return _NO_OUTCOMES if any(task in difficulty for task in common_tasks) else _NOT_IN_MAP


def no_published_row(tasks: Sequence[str]) -> str:
    """Why D1-D4 are missing against a published row over these tasks."""
    return (
        f"D1-D4 are missing: no trace with a user turn is on one of the baseline's {len(tasks)} tasks "
        f"({tasks[0]} … {tasks[-1]}). Check `task_id`; for a τ-bench file whose domain is not found give --domain "
        "airline|retail; for other tasks use a baseline of people on those tasks."
    )
