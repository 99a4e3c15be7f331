import pytest

from simgap_workers.scoring import (
    BaselineError,
    DifficultyError,
    compile_baseline,
    decode_baseline,
    encode_baseline,
    read_difficulty,
)
from tests.workers.scoring.populations import shuffled, traces

TWO = traces({"task": "a", "reward": 1.0}, {"task": "b", "reward": 0.0}, source="human")


def test_a_set_without_batches_is_a_batch_by_its_place() -> None:
    assert compile_baseline("x", [TWO, TWO]).batches() == [1, 2]


def test_batches_that_traces_name_are_kept() -> None:
    people = traces({"task": "a", "batch": 2}, {"task": "a", "batch": 3}, source="human")
    assert compile_baseline("x", [people]).batches() == [2, 3]


def test_the_same_batch_in_two_sets_is_refused() -> None:
    people = traces({"task": "a", "batch": 1}, source="human")
    with pytest.raises(BaselineError, match="batch 1 of set 2 is in an earlier set too"):
        compile_baseline("x", [people, people])


def test_traces_with_and_without_a_batch_are_refused() -> None:
    with pytest.raises(BaselineError, match=r"set 1, line 2"):
        compile_baseline("x", [traces({"task": "a", "batch": 1}, {"task": "b"}, source="human")])


def test_a_task_twice_in_a_batch_is_refused_naming_both_lines() -> None:
    twice = traces({"task": "a"}, {"task": "b"}, {"task": "a", "run": 2}, source="human")
    with pytest.raises(BaselineError, match="lines 1 and 3"):
        compile_baseline("x", [twice])


def test_an_empty_set_makes_no_baseline() -> None:
    with pytest.raises(BaselineError, match="no trace of people is left"):
        compile_baseline("x", [traces(source="human")])


def test_neither_name_nor_order_changes_the_digest_and_a_reward_does() -> None:
    first = compile_baseline("x", [TWO])
    assert compile_baseline("y", [shuffled(TWO, [1, 0])]).digest == first.digest
    other = traces({"task": "a", "reward": 0.0}, {"task": "b", "reward": 0.0}, source="human")
    assert compile_baseline("x", [other]).digest != first.digest
    assert compile_baseline("x", [TWO], {"a": 0.5}).digest != first.digest


def test_an_encoded_baseline_decodes_to_the_same_bytes() -> None:
    data = encode_baseline(compile_baseline("x", [TWO], {"a": 0.5}))
    assert encode_baseline(decode_baseline(data)) == data


@pytest.mark.parametrize("value", [1.5, -0.1, float("nan"), True])
def test_a_difficulty_that_is_no_rate_is_refused_by_its_task(value: float) -> None:
    with pytest.raises(DifficultyError, match='difficulty of task "a"'):
        compile_baseline("x", [TWO], {"a": value})


def test_a_map_of_difficulty_is_read_from_json_and_from_csv() -> None:
    assert read_difficulty(b'{"a": 0.25}') == {"a": 0.25}
    assert read_difficulty(b"task_id,pooled_success_rate\na,0.25\n\nb,1\n") == {"a": 0.25, "b": 1.0}


def test_a_map_of_difficulty_may_begin_with_a_byte_order_mark() -> None:
    assert read_difficulty(b'\xef\xbb\xbf{"a": 0.25}') == {"a": 0.25}
    assert read_difficulty(b"\xef\xbb\xbftask,rate\na,0.25\n") == {"a": 0.25}


def test_no_task_of_a_map_of_difficulty_is_lost_silently() -> None:
    with pytest.raises(DifficultyError, match="put a heading line"):
        read_difficulty(b"airline_0,0.5\nairline_1,0.4\n")
    for twice in (b'{"a": 0.1, "a": 0.2}', b"task,rate\na,0.1\na,0.2\n"):
        with pytest.raises(DifficultyError, match='"a" stands twice'):
            read_difficulty(twice)
    with pytest.raises(DifficultyError, match="names no task"):
        read_difficulty(b"{}")


@pytest.mark.parametrize(
    "data", [b"", b"{", b'{"a": "x"}', b"task,rate\na\n", b"task,rate\na,0.1\na,0.2\n", b"\xff\xfe\n\xff"]
)
def test_what_is_no_map_of_difficulty_is_refused(data: bytes) -> None:
    with pytest.raises(DifficultyError):
        read_difficulty(data)
