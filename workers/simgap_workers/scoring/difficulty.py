"""How hard a task is: the pooled success rate of reference simulators, and which map of it a report uses.

Source: usi.md section 6.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec


class DifficultyError(Exception):
    """A map of difficulty that cannot be used; the message names the task and what is wrong."""


@cache
def published_difficulty() -> Mapping[str, float]:
    """τ-bench's 165 tasks, pooled over the paper's 31 simulators (arXiv:2603.11245)."""
    text = resources.files(__package__).joinpath("published/taubench_difficulty.csv").read_text("utf-8")
    return {row["task_id"]: float(row["pooled_success_rate"]) for row in csv.DictReader(text.splitlines())}


def check_difficulty(difficulty: Mapping[str, float]) -> dict[str, float]:
    """The map, sorted by task; DifficultyError where a value is no number in [0, 1]."""
    if not difficulty:
        raise DifficultyError("the map of difficulty names no task.")
    for task, value in difficulty.items():
        if isinstance(value, bool) or not math.isfinite(value) or not 0.0 <= value <= 1.0:
            raise DifficultyError(
                f'difficulty of task "{task}" is {value}; it must be a success rate in [0, 1], not per cent.'
            )
    return {task: float(value) for task, value in sorted(difficulty.items())}


def difficulty_digest(difficulty: Mapping[str, float] | None) -> str:
    """Eight hexadecimal digits that two equal maps share; `none` where there is no map."""
    if not difficulty:
        return "none"
    return hashlib.sha256(msgspec.json.encode(sorted(difficulty.items()))).hexdigest()[:8]


def read_difficulty(data: bytes) -> dict[str, float]:
    """A map out of a file: JSON `{task: rate}`, or CSV whose first two columns are task and rate, with a heading.

    Raises DifficultyError.
    """
    try:
        text = data.decode("utf-8-sig")
        rows = _json_rows(text) if text.lstrip()[:1] == "{" else _csv_rows(text)
    except (ValueError, IndexError, RecursionError, csv.Error) as error:
        raise DifficultyError(
            f"the map of difficulty cannot be read ({error}). "
            'Give JSON {"task": rate} or CSV with a heading line and the columns task, rate.'
        ) from None
    difficulty = dict(rows)
    if len(difficulty) < len(rows):
        twice = next(task for task, number in Counter(task for task, _ in rows).items() if number > 1)
        raise DifficultyError(f'task "{twice}" stands twice in the map of difficulty. Keep one.')
    return check_difficulty(difficulty)


def _json_rows(text: str) -> list[tuple[str, float]]:
    rows: list[tuple[str, float]] = json.loads(text, object_pairs_hook=list)
    for task, rate in rows:
        if not isinstance(rate, int | float):
            raise ValueError(f'the rate of task "{task}" is no number')
    return rows


def _csv_rows(text: str) -> list[tuple[str, float]]:
    heading, *rows = [row for row in csv.reader(text.splitlines()) if row] or [["", ""]]
    if heading[1].strip()[:1].isdigit():
        raise DifficultyError("the first line of the CSV is a task; put a heading line (task,rate) above it.")
    return [(row[0], float(row[1])) for row in rows]
