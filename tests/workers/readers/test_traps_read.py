"""Traps that a second reader of the specification found, each by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from simgap_workers.readers import recognise
from tests.workers.readers.small_files import complaint, read_as, refused, warned

CHAT = [{"role": "user", "content": "hi"}]


def _lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_a_field_of_simgap_in_an_openai_file_is_refused_rather_than_lost() -> None:
    data = _lines({"messages": CHAT}, {"messages": CHAT, "task_id": "airline_1", "keep": False})
    assert recognise(data) == "openai"
    assert refused(data) == [(2, "/task_id", "field_of_simgap")]
    assert [out.reason for out in read_as(data, format="simgap").excluded] == ["keep_false"]


def test_a_survey_answer_without_a_label_is_refused_rather_than_drawn() -> None:
    survey = {"task_success": {"label": "Yes - Task completed"}}
    data = json.dumps({"airline_2": {"survey": survey}}).encode()
    assert refused(data) == [(1, "/airline_2/survey/task_success", "survey_label")]
    missing = json.dumps({"airline_2": {"survey": {"task_success": {}}}}).encode()
    assert read_as(missing).surveys[0].survey == {}


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("odyssim-eval", {"a_0": {"conversation": CHAT, "termination_reason": "infrastructure_error", "reward": 0}}),
        ("odyssim-eval", {"a_0": {"conversation": [], "info": {"error": "timeout"}, "reward": 0}}),
        ("odyssim-results", {"n": 1, "results": [{"instance_id": "a_0", "conversation": [], "info": {"error": "x"}}]}),
        ("taubench", [{"task_id": 0, "reward": 0, "traj": None, "info": {"error": "x"}}]),
        ("taubench", [{"task_id": 0, "reward": -1, "traj": [], "info": {"error": "x"}}]),
        ("taubench", [{"task_id": 0, "info": {"error": "x"}}]),
    ],
)
def test_a_crash_is_neither_a_conversation_nor_a_failure(name: str, document: Any) -> None:
    reading = read_as(json.dumps(document).encode(), format=name)
    assert ([out.reason for out in reading.excluded], reading.traces) == (["error"], [])


def test_an_empty_conversation_without_an_error_is_a_trace_without_turns() -> None:
    reading = read_as(json.dumps({"a_0": {"conversation": [], "reward": 1}}).encode())
    assert (len(reading.traces), reading.excluded) == (1, [])


def test_nul_and_lone_surrogates_in_the_keys_of_a_document_are_mended_and_counted() -> None:
    data = b'{"airline_0\\u0000": {"conversation": []}, "air\\ud800": {"conversation": []}}'
    reading = read_as(data)
    assert [trace.id for trace in reading.traces] == ["airline_0", "air\ufffd"]
    assert warned(reading, "nul_removed") == "1 NUL characters were removed"
    assert warned(reading, "lone_surrogates") == "1 lone surrogates became U+FFFD"


def test_nul_in_what_an_agent_says_is_not_counted_whatever_else_the_record_holds() -> None:
    agent = {"role": "assistant", "content": "a\0b"}
    for content, surrogates in (("hi", ""), ("hi \ud800", "1 lone surrogates became U+FFFD")):
        reading = read_as(_lines({"id": "a", "messages": [agent, {"role": "user", "content": content}]}))
        assert (warned(reading, "nul_removed"), warned(reading, "lone_surrogates")) == ("", surrogates)


def test_both_places_of_a_duplicate_in_a_document_of_one_line_are_named() -> None:
    record = {"instance_id": "a_0", "conversation": CHAT}
    data = json.dumps({"n": 2, "results": [record, record]}).encode()
    assert refused(data) == [(1, "/results/1", "duplicate_id")]
    assert "stands on line 1 (/results/0) and again on line 1 (/results/1)" in complaint(data)


def test_runs_from_id_splits_the_ids_of_odyssim_results() -> None:
    records = [{"instance_id": f"airline_0_{run}", "conversation": CHAT} for run in (1, 2)]
    data = json.dumps({"n": 2, "results": records}).encode()
    traces = read_as(data, runs_from_id=True).traces
    assert [(trace.task_id, trace.run) for trace in traces] == [("airline_0", 1), ("airline_0", 2)]


def test_runs_from_id_is_warned_of_where_ids_hold_no_runs() -> None:
    reading = read_as(_lines({"id": "a_1", "messages": CHAT}), runs_from_id=True)
    assert "runs_from_id says nothing in format simgap" in warned(reading, "not_used")


def test_a_time_stamp_can_be_a_task_id() -> None:
    assert read_as(_lines({"task_id": 1767225600000, "messages": CHAT})).traces[0].task_id == "1767225600000"


@pytest.mark.parametrize("tasks", [[7], [0, 1, 2], ["0", "1", "2"]])
def test_a_trial_that_is_the_tasks_number_is_run_1(tasks: list[int | str]) -> None:
    records = [{"task_id": task, "trial": int(task), "reward": 1, "traj": CHAT} for task in tasks]
    reading = read_as(json.dumps(records).encode(), domain="airline")
    assert [trace.run for trace in reading.traces] == [1] * len(tasks)


def test_a_survey_before_a_long_first_conversation_does_not_make_the_file_one_of_surveys() -> None:
    entry = {"survey": {}, "reward": 1, "tools": "x" * 70_000, "conversation": CHAT}
    data = json.dumps({"airline_0": entry}).encode()
    assert read_as(data).format == "odyssim-eval"


def test_a_line_over_8_mib_is_one_error_and_can_be_skipped() -> None:
    long = {"id": "long", "messages": [{"role": "user", "content": "x" * (8 * 1024 * 1024)}]}
    data = _lines({"id": "a", "messages": CHAT}, long, {"id": "b", "messages": CHAT})
    assert refused(data) == [(2, "", "line_too_long")]
    reading = read_as(data, on_error="skip")
    assert ([trace.id for trace in reading.traces], [out.reason for out in reading.excluded]) == (
        ["a", "b"],
        ["unreadable"],
    )
