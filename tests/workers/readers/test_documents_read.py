"""The document formats: taubench, odyssim-results, odyssim-eval, tau-usi-human, survey-comparable; and openai."""

from __future__ import annotations

from typing import Any

import pytest

from simgap_workers.readers import Reading
from tests.workers.readers.small_files import (
    CHAT,
    SMALL,
    SURVEY,
    document,
    entry,
    odyssim,
    read_as,
    refused,
    result,
    texts,
    warned,
)


def places(reading: Reading) -> list[tuple[str, str, int, int | None]]:
    return [(trace.id, trace.task_id, trace.run, trace.batch) for trace in reading.traces]


def call(*names: str) -> dict[str, Any]:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": None, "tool_calls": calls}


# --- taubench ---


def test_taubench_ids_hold_domain_task_and_run_counted_from_1() -> None:
    reading = read_as(SMALL["taubench"])
    assert places(reading) == [("retail_0_1", "retail_0", 1, None), ("retail_0_2", "retail_0", 2, None)]
    assert [(out.id, out.reason) for out in reading.excluded] == [("retail_1_1", "error")]
    assert (reading.source, reading.received, reading.traces[1].line) == ("simulator", 3, 26)


def test_taubench_reads_the_results_inside_a_wrapper() -> None:
    data = document({"metrics": {"results": 1}, "results": [result(4, 0), result(5, 0, reward=7)]})
    assert refused(data) == [(30, "/results/1/reward", "bad_reward")]
    assert [trace.id for trace in read_as(data, on_error="skip").traces] == ["retail_4_1"]


def test_the_called_tools_tell_the_domain_before_the_heading_does() -> None:
    reading = read_as(document([result(0, 0, *CHAT, call("think", "book_reservation"))]))
    assert reading.traces[0].task_id == "airline_0"


def test_records_that_tell_nothing_take_what_the_others_agree_on() -> None:
    silent = result(1, 0, traj=CHAT)
    assert [t.task_id for t in read_as(document([result(0, 0), silent])).traces] == ["retail_0", "retail_1"]
    both = [result(0, 0), result(2, 0, *CHAT, call("send_certificate")), silent]
    assert [t.task_id for t in read_as(document(both)).traces] == ["retail_0", "airline_2", "1"]


def test_the_callers_domain_goes_first_and_the_file_name_last() -> None:
    silent = document([result(1, 0, traj=CHAT)])
    assert read_as(SMALL["taubench"], domain="telecom").traces[0].task_id == "telecom_0"
    assert read_as(silent, file_name="gpt-4o-Airline.json").traces[0].task_id == "airline_1"
    assert read_as(SMALL["taubench"], file_name="airline.json").traces[0].task_id == "retail_0"


def test_without_a_domain_the_task_is_its_bare_number_and_a_warning_says_so() -> None:
    reading = read_as(document([result(1, 0, traj=CHAT)]), file_name="retail-or-airline.json")
    assert places(reading) == [("1_1", "1", 1, None)]
    assert "domain of 1 records" in warned(reading, "no_domain")


def test_a_trial_that_holds_the_tasks_number_is_run_1() -> None:
    reading = read_as(document([result(3, 3), result(7, 7)]))
    assert [trace.run for trace in reading.traces] == [1, 1]
    assert warned(reading, "trial_is_task")
    assert [trace.run for trace in read_as(document([result(1, 1), result(1, 0)])).traces] == [2, 1]


def test_an_empty_traj_without_an_error_is_a_trace_without_turns() -> None:
    reading = read_as(document([result(0, 0), result(1, 0, traj=[], info={})]))
    assert [len(trace.messages) for trace in reading.traces] == [4, 0]


def test_a_crash_that_was_run_again_is_no_duplicate() -> None:
    crash = result(0, 0, traj=[], info={"error": "Connection error."}, reward=0.0)
    assert read_as(document([crash, result(0, 0)]), domain="retail").received == 2


def test_one_task_twice_in_a_trial_names_the_lines_of_the_document() -> None:
    data = document([result(0, 0), result(0, 0)])
    assert refused(data) == [(26, "/1", "duplicate_id")]


def test_errors_in_a_document_carry_the_pointer_to_the_record() -> None:
    bad = result(1, 0, *CHAT, {"role": "clerk", "content": ""})
    assert refused(document([result(0, 0), bad]))[0][1:] == ("/1/traj/4/role", "unknown_role")
    assert refused(document([result(0, -1)]))[0][1:] == ("/0/trial", "bad_number")
    assert refused(document([result(0, 0), 5]))[0][1:] == ("/1", "wrong_type")
    assert refused(document([{"task_id": 1, "traj": None}]))[0][1:] == ("/0/traj", "missing_field")


# --- odyssim-results ---


def test_odyssim_results_say_how_many_were_expected() -> None:
    reading = read_as(SMALL["odyssim-results"])
    assert (reading.format, reading.expected, reading.received) == ("odyssim-results", 2, 1)
    assert warned(reading, "missing_records") == "1 The file says n = 2; 1 of them are not there."
    assert reading.traces[0].survey == {"task_success": "Yes - Task completed", "reuse": "Maybe"}


def test_odyssim_results_leave_out_crashes_and_what_is_not_kept() -> None:
    reading = read_as(
        odyssim(
            {"instance_id": "a", "termination_reason": "infrastructure_error"} | entry(conversation=[]),
            {"instance_id": "b", "termination_reason": "too_many_errors"} | entry(survey={}),
            {"instance_id": "c"} | entry(keep=False),
            {"domain": "retail", "task_index": 4, "conversation": CHAT},
        )
    )
    assert [(out.id, out.reason) for out in reading.excluded] == [("a", "error"), ("c", "keep_false")]
    assert [(trace.id, trace.survey) for trace in reading.traces] == [("b", None), ("retail_4", None)]


def test_a_repeated_instance_is_a_duplicate() -> None:
    one = {"instance_id": "a"} | entry()
    assert refused(odyssim(one, one)) == [(34, "/results/1", "duplicate_id")]


@pytest.mark.parametrize("n", ["-1", "1.5", '"2"', "null", "1" * 50])
def test_an_expected_count_that_is_none_is_located(n: str) -> None:
    data = SMALL["odyssim-results"].replace(b'"n": 2', f'"n": {n}'.encode())
    assert refused(data) == [(5, "/n", "bad_number")]


# --- odyssim-eval, tau-usi-human ---


def test_two_numbers_at_the_end_of_every_id_make_the_last_the_run() -> None:
    reading = read_as(SMALL["odyssim-eval"])
    assert places(reading) == [("retail_0_1", "retail_0", 1, None), ("retail_0_2", "retail_0", 2, None)]
    assert [(out.id, out.task_id, out.reason) for out in reading.excluded] == [("retail_1_1", "retail_1", "keep_false")]
    assert [trace.survey is None for trace in reading.traces] == [False, True]
    assert "the last was read as the run" in warned(reading, "runs_from_id")


def test_one_id_without_two_numbers_makes_all_of_them_run_1() -> None:
    reading = read_as(document({"retail_0_1": entry(), "retail_0": entry()}))
    assert places(reading) == [("retail_0_1", "retail_0_1", 1, None), ("retail_0", "retail_0", 1, None)]
    assert "all traces are run 1" in warned(reading, "runs_from_id")


def test_the_caller_says_whether_ids_hold_runs() -> None:
    assert places(read_as(SMALL["odyssim-eval"], runs_from_id=False))[0] == ("retail_0_1", "retail_0_1", 1, None)
    flight = document({"flight_2": entry()})
    assert places(read_as(flight, runs_from_id=True)) == [("flight_2", "flight", 2, None)]
    assert read_as(flight, runs_from_id=True).warnings == []
    assert refused(document({"flight": entry()}), runs_from_id=True) == [(2, "/flight", "no_run_in_id")]
    assert refused(document({"t_0_0": entry()})) == [(2, "/t_0_0", "no_run_in_id")]


def test_one_key_of_a_further_annotator_makes_the_file_peoples() -> None:
    reading = read_as(SMALL["tau-usi-human"])
    assert (reading.format, reading.source) == ("tau-usi-human", "human")
    assert places(reading) == [("retail_0", "retail_0", 1, 1), ("retail_0_ann2", "retail_0", 1, 2)]
    assert [(out.id, out.batch, out.reason) for out in reading.excluded] == [("retail_0_ann3", 3, "keep_false")]


def test_a_key_beyond_any_head_still_makes_the_file_peoples() -> None:
    long = entry(conversation=[{"role": "user", "content": "x" * 2_000_000}])
    data = document({"retail_0": long, "retail_0_ann2": entry()})
    assert read_as(data).format == "tau-usi-human"
    assert read_as(data, format="odyssim-eval").format == "odyssim-eval"


def test_the_caller_says_whose_traces_they_are() -> None:
    assert read_as(SMALL["tau-usi-human"], source="simulator").source == "simulator"
    assert read_as(SMALL["simgap"], source="human").source == "human"


def test_a_key_twice_in_a_document_loses_no_trace_silently() -> None:
    first, second = document(entry(reward=0.0)), document(entry(reward=1.0, keep=1))
    data = b'{"a": ' + first + b',\n "b": ' + second + b', "a": ' + second + b"}"
    assert [error[1:] for error in refused(data)] == [("/a", "duplicate_id")]
    reading = read_as(data, on_error="skip")
    assert [(trace.id, trace.reward) for trace in reading.traces] == [("a", 0.0), ("b", 1.0)]
    assert [(out.id, out.reason) for out in reading.excluded] == [("a", "duplicate")]


def test_keys_are_read_with_their_escapes() -> None:
    data = b'{"caf\\u00e9/~\\"_1": ' + document(entry()) + b', "caf\xc3\xa9_2": ' + document(entry(reward=3)) + b"}"
    assert read_as(data, on_error="skip", runs_from_id=False).traces[0].id == 'café/~"_1'
    assert refused(data)[0][1] == "/café_2/reward"


def test_a_kept_entry_without_a_conversation_is_an_error() -> None:
    data = document({"a": {"reward": 1.0, "conversation": None}, "b": {"keep": False}})
    assert refused(data) == [(2, "/a", "missing_field")]


def test_one_bad_entry_is_skipped_on_its_own() -> None:
    data = document({"a": entry(), "b": entry(reward=float("nan")), "c": entry()}).replace(b"hurry", b"\\ud800")
    reading = read_as(data, on_error="skip")
    assert [trace.id for trace in reading.traces] == ["a", "c"]
    assert [(error.pointer, error.code) for error in reading.errors] == [("/b/reward", "bad_reward")]
    assert texts(reading)[0][2] == ("user", "W1234567, and \ufffd")


# --- survey-comparable ---


def test_separate_surveys_name_their_batch_and_an_empty_one_is_rated() -> None:
    reading = read_as(SMALL["survey-comparable"])
    assert [(one.task_id, one.batch, one.run, one.survey) for one in reading.surveys] == [
        ("retail_0", 1, 1, {"task_success": "Yes - Task completed", "reuse": "Maybe"}),
        ("retail_0", 2, 1, {}),
    ]
    assert (reading.traces, reading.received, [one.line for one in reading.surveys]) == ([], 2, [2, 12])


def test_separate_surveys_are_refused_where_they_repeat_or_say_nothing() -> None:
    assert refused(document({"a": {"survey": SURVEY}, "a_ann1": {"survey": {}}}))[0][1:] == ("/a_ann1", "duplicate_id")
    assert refused(document({"a": {"survey": {}}, "b": {"survey": None}}))[0][1:] == ("/b/survey", "wrong_type")
    assert refused(document({"a": {"survey": {}}, "b": {}}))[0][1:] == ("/b", "wrong_type")


# --- openai ---


def test_openai_lines_are_named_after_their_line() -> None:
    reading = read_as(b"\n" + SMALL["openai"] * 2)
    assert places(reading) == [("line_2", "line_2", 1, None), ("line_3", "line_3", 1, None)]
    assert (reading.format, reading.warnings) == ("openai", [])
