"""The real sample files: as many user turns as the manifest says, stop turns kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.samples import sample
from tests.workers.readers.small_files import read_as

FILES = {
    "tau_bench_v1/gpt-4o-airline.sample.json": "taubench",
    "tau_bench_v1/metrics_results.sample.json": "taubench",
    "odyssim/gpt-4o_task_results.sample.json": "odyssim-results",
    "openai_jsonl/sft.sample.jsonl": "openai",
}


@pytest.mark.parametrize("name", FILES)
def test_a_sample_has_the_user_turns_of_the_manifest(name: str) -> None:
    expected: dict[str, dict[str, Any]] = json.loads(sample("manifest.json").read_bytes())[name]["expected"]
    reading = read_as(sample(name).read_bytes(), stop_turns="keep")
    assert reading.format == FILES[name]
    turns = [sum(message.role == "user" for message in trace.messages) for trace in reading.traces]
    assert turns == [one["user_turns"] for one in expected.values() if one["user_turns"]]
    assert reading.received == len(expected)
    if FILES[name] == "taubench":
        assert [trace.id for trace in reading.traces] + [out.id for out in reading.excluded] == list(expected)


def test_the_whole_taubench_file_has_200_traces_of_50_tasks_in_4_runs() -> None:
    reading = read_as(sample("tau_bench_v1/gpt-4o-airline.json").read_bytes())
    assert len(reading.traces) == 200
    assert {trace.task_id for trace in reading.traces} == {f"airline_{task}" for task in range(50)}
    assert {trace.run for trace in reading.traces} == {1, 2, 3, 4}
    assert (reading.stop_turns, reading.warnings[0].code) == ("drop", "stop_turns")
