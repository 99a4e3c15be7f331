"""Whatever is done to a file, it is read or refused, and every record is accounted for."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simgap_client.models import Located
from simgap_workers.readers import FORMATS, InvalidTraces
from tests.workers.readers.small_files import SMALL, read_as

ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2,
    1.5,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "x",
    "\ud800",
    "\0",
    [],
    [1],
    {},
    {"a": 1},
]


def errors_of(data: bytes, name: str | None, on_error: str, users_only: bool) -> list[Located]:
    """The errors with which a file is refused, none where it is read; what was read is sound."""
    try:
        reading = read_as(data, format=name, on_error=on_error, users_only=users_only)
    except InvalidTraces as invalid:
        return invalid.errors
    assert reading.received == len(reading.traces) + len(reading.surveys) + len(reading.excluded)
    assert len({trace.id for trace in reading.traces}) == len(reading.traces)
    for trace in reading.traces:
        assert trace.run >= 1
        assert trace.reward is None or 0 <= trace.reward <= 1
        assert {message.role for message in trace.messages} <= {"user", "assistant", "system", "tool"}
        "".join([trace.id, trace.task_id, *(message.content for message in trace.messages)]).encode()
    return []


def check(data: bytes, name: str | None) -> None:
    for on_error, users_only in itertools.product(("refuse", "skip"), (False, True)):
        errors = errors_of(data, name, on_error, users_only)
        assert len(errors) <= 100
        assert all(error.message and error.code for error in errors)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_bytes_are_read_or_refused(name: str, data: st.DataObject) -> None:
    damaged = bytearray(SMALL[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        damaged[place] = data.draw(st.sampled_from(b'{}[]",:\\\0\n u0919-\xff\xe9\xed') | st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)) | st.just(len(damaged)))
    check(bytes(damaged[:end]), data.draw(st.sampled_from([name, None])))


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here] + [path for key, inner in items for path in paths(inner, (*here, key))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("name", FORMATS)
def test_a_value_of_any_type_at_any_path_is_read_or_refused(name: str) -> None:
    splittable = FORMATS[name].splittable
    value = json.loads(SMALL[name].splitlines()[0] if splittable else SMALL[name])
    for path in paths(value):
        for odd in ODD:
            damaged = json.dumps(replaced(value, path, odd)).encode()
            check(damaged, name)
            check(damaged, None)


@pytest.mark.parametrize("name", FORMATS)
def test_every_head_of_a_file_is_read_or_refused(name: str) -> None:
    for end in range(len(SMALL[name])):
        check(SMALL[name][:end], name)
