"""Reading users alone gives what reading everybody gives, save what the others said."""

from __future__ import annotations

import json

import msgspec
import pytest

from simgap_client.models import Located
from simgap_workers.readers import FORMATS, InvalidTraces, Reading, ReadOptions, read
from tests.samples import sample
from tests.workers.readers.small_files import SMALL
from tests.workers.readers.test_damaged_files import ODD, paths, replaced

SAMPLES = (
    "tau_bench_v1/gpt-4o-airline.json",
    "tau_bench_v1/metrics_results.sample.json",
    "odyssim/gpt-4o_task_results.sample.json",
    "openai_jsonl/sft.sample.jsonl",
)


def _read(data: bytes, **options: object) -> Reading | list[Located]:
    try:
        reading = read(data, msgspec.convert(options, ReadOptions))
    except InvalidTraces as invalid:
        return invalid.errors
    for trace in reading.traces:
        trace.messages = [message for message in trace.messages if message.role == "user"]
    # What is mended is counted where it is read: in users' text alone, or in everybody's.
    reading.warnings = [w for w in reading.warnings if w.code not in ("lone_surrogates", "nul_removed")]
    return reading


def _same(data: bytes, **options: object) -> Reading | list[Located]:
    whole, users = _read(data, **options), _read(data, users_only=True, **options)
    assert msgspec.json.encode(whole) == msgspec.json.encode(users)
    return whole


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("stop_turns", ["drop", "keep", "trim"])
def test_samples_read_alike(name: str, stop_turns: str) -> None:
    reading = _same(sample(name).read_bytes(), stop_turns=stop_turns)
    assert isinstance(reading, Reading)
    assert reading.received > 0


@pytest.mark.parametrize("name", SMALL)
def test_small_files_read_alike(name: str) -> None:
    assert isinstance(_same(SMALL[name]), Reading)


@pytest.mark.parametrize("name", SMALL)
def test_a_value_of_any_type_at_any_path_reads_alike(name: str) -> None:
    value = json.loads(SMALL[name].splitlines()[0] if FORMATS[name].splittable else SMALL[name])
    for path in paths(value):
        for odd in (*ODD, "user", "assistant", "clerk"):
            for on_error in ("refuse", "skip"):
                _same(json.dumps(replaced(value, path, odd)).encode(), format=name, on_error=on_error)
