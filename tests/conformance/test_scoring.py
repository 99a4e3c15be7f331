"""Scores against the published scorer's: every number of scoring_expected.json and edge_expected.json, at 1e-12."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from simgap_client.models import Report
from simgap_workers.behaviour import profile_columns
from simgap_workers.local import read_surveys, read_traces
from simgap_workers.readers import ReadOptions
from simgap_workers.scoring import Baseline, Options, Simulator, compile_baseline, pooled_difficulty, score
from simgap_workers.scoring.batch_scores import human_row
from simgap_workers.scoring.difficulty import published_difficulty
from simgap_workers.scoring.pairing import Side, people_by_batch
from simgap_workers.shard import Shard
from simgap_workers.trace import SurveyAnswer

HERE = Path(__file__).parent
NAMES = {"D1_conv": "d1", "D2_info": "d2", "D3_clarif": "d3", "D4_react": "d4", "eval_agree": "eval", "ece": "ece"}
GROUPS = {
    "scoring": ("scoring_human_batches.json", ["sim-one-run", "sim-three-runs"]),
    "edge": ("edge_human_batches.json", ["edge-0", "edge-1", "edge-2", "edge-3"]),
}
BLOCKS = ("published_difficulty_with_survey", "self_pooled_difficulty_no_survey")


def _traces(file: str) -> Shard:
    return read_traces(HERE / file, ReadOptions())[0]


def _expected(group: str, block: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((HERE / f"{group}_expected.json").read_text())[block]
    return rows


def _surveys(name: str, block: str) -> list[SurveyAnswer] | None:
    """Edge-0's answers come in a file of their own; the second block scores no surveys at all."""
    if block == BLOCKS[1]:
        return []
    return read_surveys(HERE / "edge_survey_comparable_edge-0.json", ReadOptions()) if name == "edge-0" else None


def _same(got: float | None, expected: float | None) -> bool:
    if got is None or expected is None:
        return got is expected
    return math.isclose(got, expected, rel_tol=1e-12, abs_tol=0.0)


def _reports(group: str, block: str) -> tuple[Baseline, dict[str, float], dict[str, Report]]:
    people_file, names = GROUPS[group]
    baseline = compile_baseline("people", [_traces(people_file)])
    traces = {name: _traces(f"{group}_{name}.json") for name in names}
    pooled = pooled_difficulty([shard.outcomes() for shard in traces.values()])
    difficulty = dict(published_difficulty()) if block == BLOCKS[0] else pooled
    reports = {
        name: score(Simulator(name, shard, _surveys(name, block)), baseline, Options(difficulty=difficulty))
        for name, shard in traces.items()
    }
    return baseline, difficulty, reports


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("group", GROUPS)
def test_every_score_equals_the_published_scorer_to_1e_12(group: str, block: str) -> None:
    _, _, reports = _reports(group, block)
    compared = 0
    for row in _expected(group, block)[1:]:
        scores = reports[row["name"]].scores
        for key, value in row.items():
            if key == "name":
                continue
            name = NAMES.get(key) or ("usi5" if row["eval_agree"] is None else "usi6")
            got = getattr(scores, name)
            mean, sd = value if value is not None else (None, None)
            assert _same(got.value, mean), (row["name"], name, got.value, mean)
            assert _same(got.batch_sd, sd), (row["name"], name, got.batch_sd, sd)
            assert (got.reason is None) == (got.value is not None)
            compared += 2
    assert compared == 14 * len(reports)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("group", GROUPS)
def test_the_human_row_equals_the_published_scorer_to_1e_12(group: str, block: str) -> None:
    baseline, difficulty, _ = _reports(group, block)
    assert baseline.people is not None
    people = Side(baseline.people, profile_columns("tau-usi-1"))
    row = human_row(people, people_by_batch(baseline), baseline.tasks(), difficulty)
    expected = _expected(group, block)[0]
    for key, name in {**NAMES, "usi": "usi5"}.items():
        if key == "eval_agree":
            continue
        mean, sd = expected[key]
        got = row.get(name)
        assert _same(got and got.mean, mean), (name, got, mean)
        assert _same(got and got.sd, sd), (name, got, sd)
