"""The demo's bundled conversations: what their README says of them is true."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

GENERATOR = Path(__file__).resolve().parents[2] / "demo" / "generate.py"
FILES = ("people.ndjson", "simulator-polite.ndjson", "simulator-terse.ndjson")

# arXiv:2603.11245, appendix A.3
SCALE = {
    "task_success": {
        "No - Task failed",
        "No - Due to a policy issue, which the agent clearly explained",
        "Partially - Some progress",
        "Yes - Task completed",
        "Fully - Exceeded expectations",
    },
    "efficiency": {"Very inefficient - Too many steps", "Somewhat inefficient", "About right", "Very efficient"},
    "question_amount_preference": {"Too many", "About right", "Too few"},
    "answer_effort_time": {"High", "Medium", "Low"},
    "human_like": {"No", "Partially", "Yes"},
    "interaction_flow": {"Not smooth", "OK", "Smooth", "Excellent"},
    "overall_score": {"1 (Very poor)", "2 (Poor)", "3 (Acceptable)", "4 (Good)", "5 (Excellent)"},
    "reuse": {"Absolutely no", "No", "Maybe", "Yes", "Absolutely yes"},
}


def shipped(name: str) -> bytes:
    return resources.files("simgap_workers.store").joinpath("demo", name).read_bytes()


def traces(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in shipped(name).splitlines()]


def difficulty() -> dict[str, float]:
    pooled: dict[str, float] = json.loads(shipped("difficulty.json"))
    return pooled


def test_the_generator_writes_the_shipped_files_byte_for_byte(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(GENERATOR), str(tmp_path)], check=True, timeout=60)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["difficulty.json", *FILES]
    for name in ("difficulty.json", *FILES):
        assert (tmp_path / name).read_bytes() == shipped(name), f"{name} differs: run python demo/generate.py"


@pytest.mark.parametrize("name", FILES)
def test_every_trace_says_first_that_it_is_synthetic(name: str) -> None:
    for trace in traces(name):
        assert next(iter(trace.items())) == ("metadata", {"synthetic": True})


@pytest.mark.parametrize("name", FILES)
def test_a_file_stays_under_350_kb(name: str) -> None:
    assert len(shipped(name)) < 350_000


def test_three_batches_of_people_hold_103_traces_over_36_tasks() -> None:
    people = traces("people.ndjson")
    assert Counter(trace["batch"] for trace in people) == {1: 34, 2: 35, 3: 34}
    assert len({trace["task_id"] for trace in people}) == 36


def test_the_polite_simulator_has_one_run_and_the_terse_one_three() -> None:
    assert Counter(trace["run"] for trace in traces("simulator-polite.ndjson")) == {1: 35}
    assert Counter(trace["run"] for trace in traces("simulator-terse.ndjson")) == {1: 36, 2: 35, 3: 36}


@pytest.mark.parametrize("name", FILES)
def test_no_id_and_no_task_of_a_round_stands_twice(name: str) -> None:
    found = traces(name)
    assert len({trace["id"] for trace in found}) == len(found)
    assert len({(trace["task_id"], trace.get("batch"), trace.get("run")) for trace in found}) == len(found)


def test_all_36_tasks_have_a_difficulty_and_every_bin_of_difficulty_holds_some() -> None:
    assert {trace["task_id"] for name in FILES for trace in traces(name)} == set(difficulty())
    assert all(0.0 <= value <= 1.0 for value in difficulty().values())
    assert {min(int(value * 5), 4) for value in difficulty().values()} == {0, 1, 2, 3, 4}


def test_people_succeed_in_about_six_of_ten_and_more_often_where_the_task_is_easy() -> None:
    people = traces("people.ndjson")
    pooled = difficulty()
    hard = [trace["reward"] for trace in people if pooled[trace["task_id"]] < 0.5]
    easy = [trace["reward"] for trace in people if pooled[trace["task_id"]] >= 0.5]
    assert 0.55 < sum(hard + easy) / len(people) < 0.70
    assert sum(hard) / len(hard) + 0.2 < sum(easy) / len(easy)
    assert {trace["reward"] for name in FILES for trace in traces(name)} == {0, 1}


@pytest.mark.parametrize("name", FILES)
def test_every_survey_label_is_on_the_scale_and_some_answers_are_missing(name: str) -> None:
    surveys = [trace["survey"] for trace in traces(name)]
    assert all(label in SCALE[field] for survey in surveys for field, label in survey.items())
    assert 0 < sum(len(SCALE) - len(survey) for survey in surveys) < 0.1 * len(SCALE) * len(surveys)


@pytest.mark.parametrize("name", FILES)
def test_users_and_agent_take_turns_and_a_user_speaks_first(name: str) -> None:
    for trace in traces(name):
        roles = [message["role"] for message in trace["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2)
        assert all(message["content"].strip() for message in trace["messages"])
