"""The product's own format, and the fields that say what a trace is (formats.md)."""

from __future__ import annotations

from typing import Any

import pytest

from simgap_workers.readers import read
from tests.workers.readers.small_files import CHAT, complaint, line, read_as, refused, warned


def test_every_field_is_read() -> None:
    data = line(id="t1", task_id="retail_3", run=2, batch=3, reward=True, survey={"reuse": "Maybe"}, metadata={"x": 1})
    (trace,) = read_as(data).traces
    assert (trace.id, trace.task_id, trace.run, trace.batch, trace.reward) == ("t1", "retail_3", 2, 3, 1.0)
    assert (trace.survey, trace.line, len(trace.messages)) == ({"reuse": "Maybe"}, 1, 3)


def test_absent_fields_have_their_defaults() -> None:
    (trace,) = read_as(line(id="t1")).traces
    assert (trace.task_id, trace.run, trace.batch, trace.reward, trace.survey) == ("t1", 1, None, None, None)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"id": None}, "line_1"),
        ({"id": None, "task_id": "retail_3"}, "retail_3_1"),
        ({"id": None, "task_id": "retail_3", "run": 4}, "retail_3_4"),
        ({"id": None, "task_id": "retail_3", "batch": 2}, "retail_3_1_ann2"),
        ({"id": 7}, "7"),
    ],
)
def test_a_trace_without_an_id_is_named_after_its_task_and_run_or_its_line(fields: dict[str, Any], name: str) -> None:
    assert read_as(line(**fields), format="simgap").traces[0].id == name


@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"reward": 2}, "/reward", "bad_reward"),
        ({"reward": -0.1}, "/reward", "bad_reward"),
        ({"reward": "1"}, "/reward", "bad_reward"),
        ({"run": 0}, "/run", "bad_number"),
        ({"run": 1.0}, "/run", "bad_number"),
        ({"run": True}, "/run", "bad_number"),
        ({"run": 10**40}, "/run", "bad_number"),
        ({"batch": "1"}, "/batch", "bad_number"),
        ({"id": ""}, "/id", "bad_id"),
        ({"id": 1.5}, "/id", "bad_id"),
        ({"id": 10**40}, "/id", "bad_id"),
        ({"task_id": []}, "/task_id", "bad_id"),
        ({"keep": "false"}, "/keep", "bad_keep"),
        ({"survey": []}, "/survey", "wrong_type"),
        ({"messages": {}}, "/messages", "wrong_type"),
        ({"messages": [5]}, "/messages/0", "wrong_type"),
        ({"messages": [{"content": "a"}]}, "/messages/0", "wrong_type"),
        ({"messages": [{"role": 1}]}, "/messages/0/role", "wrong_type"),
    ],
)
def test_a_field_that_cannot_be_is_located(fields: dict[str, Any], pointer: str, code: str) -> None:
    assert refused(line() + b"\n" + line(**{"id": "b"} | fields), format="simgap") == [(3, pointer, code)]


def test_nan_is_an_error_where_it_is_read_and_harmless_elsewhere() -> None:
    assert refused(line(reward=float("nan"))) == [(1, "/reward", "bad_reward")]
    assert refused(line(reward=1).replace(b'"reward": 1', b'"reward": 1e400')) == [(1, "/reward", "bad_reward")]
    assert read_as(line(metadata=float("nan"), reward=1)).traces[0].reward == 1.0


def test_rewards_strictly_between_0_and_1_are_counted() -> None:
    reading = read_as(line(reward=0.5) + line(id="b", reward=1) + line(id="c", reward=0) + line(id="d", reward=False))
    assert [trace.reward for trace in reading.traces] == [0.5, 1.0, 0.0, 0.0]
    assert warned(reading, "fractional_reward").startswith("1 rewards")


def test_keep_false_is_excluded_and_null_is_absent() -> None:
    reading = read_as(line(keep=False) + line(id="b", keep=None) + line(id="c", keep=True) + line(id="d", keep=0))
    assert [trace.id for trace in reading.traces] == ["b", "c"]
    assert [(out.id, out.reason, out.line) for out in reading.excluded] == [
        ("a", "keep_false", 1),
        ("d", "keep_false", 4),
    ]
    assert reading.received == 4


def test_unknown_fields_are_counted_by_name() -> None:
    reading = read_as(line(model="m") + line(id="b") + line(id="c", model="m", cost=1))
    assert warned(reading, "unknown_field") == '1 fields that are not read: "cost"; 2 fields that are not read: "model"'


def test_an_empty_survey_is_rated_and_none_is_unrated() -> None:
    reading = read_as(line(survey={}) + line(id="b", survey=None) + line(id="c", survey={"reuse": None}))
    assert [trace.survey for trace in reading.traces] == [{}, None, {}]


def test_a_label_off_the_scale_names_field_label_and_scale() -> None:
    data = line(survey={"interaction_flow": "Bumpy"})
    assert refused(data) == [(1, "/survey/interaction_flow", "survey_label")]
    assert complaint(data) == (
        'interaction_flow: "Bumpy" is no label of its scale ("Not smooth"; "OK"; "Smooth"; "Excellent").'
    )


def test_an_em_dash_for_the_hyphen_is_said_to_be_the_cause() -> None:
    data = line(survey={"task_success": {"answer": "Yes — Task completed"}})
    assert refused(data) == [(1, "/survey/task_success/answer", "survey_label")]
    assert complaint(data).endswith("It has a dash where the label has a hyphen-minus: write `-` (U+002D).")


def test_an_unknown_survey_field_is_an_error_that_names_the_known_ones() -> None:
    assert refused(line(survey={"a/b": "x"})) == [(1, "/survey/a~1b", "unknown_survey_field")]
    assert "task_success, efficiency" in complaint(line(survey={"mood": "x"}))


def test_an_id_twice_names_both_lines() -> None:
    data = line(id="b") + line() + line(id="c") + line()
    assert refused(data) == [(4, "", "duplicate_id")]
    assert complaint(data) == 'The id "a" stands on line 2 and again on line 4. Keep one, or give on_error=skip.'


def test_a_task_twice_in_a_run_names_both_lines() -> None:
    data = line(id="a", task_id="t", run=2) + line(id="b", task_id="t") + line(id="c", task_id="t", run=2)
    assert refused(data) == [(3, "", "duplicate_trace")]
    assert complaint(data) == 'Run 2 of task "t" stands on line 1 and again on line 3. Keep one, or give on_error=skip.'


def test_skip_keeps_the_first_of_two_and_accounts_for_every_record() -> None:
    reading = read_as(line(reward=1) + b"{\n" + line(reward=0) + line(id="b", reward=2), on_error="skip")
    assert [(trace.id, trace.reward) for trace in reading.traces] == [("a", 1.0)]
    assert [(out.id, out.reason) for out in reading.excluded] == [
        ("line_2", "unreadable"),
        ("a", "duplicate"),
        ("line_4", "unreadable"),
    ]
    assert [(error.line, error.code) for error in reading.errors] == [
        (2, "not_json"),
        (3, "duplicate_id"),
        (4, "bad_reward"),
    ]
    assert reading.received == 4


def test_a_trace_that_is_left_out_makes_no_other_a_duplicate() -> None:
    assert len(read_as(line(keep=False) + line()).traces) == 1


def test_line_numbers_go_on_from_the_pieces_first_line() -> None:
    assert [trace.line for trace in read(line() + b"\r\n \n" + line(id="b"), first_line=41).traces] == [41, 44]


def test_carriage_returns_and_a_byte_order_mark_are_accepted() -> None:
    data = b"\xef\xbb\xbf" + line().replace(b"\n", b"\r\n") + line(id="b").replace(b"\n", b"")
    assert [trace.id for trace in read_as(data).traces] == ["a", "b"]


def test_all_errors_of_a_piece_are_collected_up_to_100() -> None:
    assert len(refused(line(reward=2) * 3 + line())) == 3
    assert len(refused(line(reward=2) * 300)) == 100


def test_what_one_line_needs_changes_nothing_for_the_next() -> None:
    plain = line(id="a")
    odd = line(id="b", messages=[{"role": "human", "content": [{"type": "text", "text": "hm"}]}])
    reading = read_as(plain + odd + line(id="c"))
    assert [len(trace.messages) for trace in reading.traces] == [len(CHAT), 1, len(CHAT)]
