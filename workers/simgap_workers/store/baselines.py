"""The built-in baselines: `taubench-2026`, figures as published, and `demo`, synthetic people."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

from simgap_workers.measuring import measure_reading
from simgap_workers.readers import ReadOptions, read
from simgap_workers.scoring import Baseline, compile_baseline
from simgap_workers.scoring.published import TAUBENCH_2026, taubench_2026

DEMO = "demo"


def builtin_names() -> tuple[str, ...]:
    """Names that every lab may use."""
    return (TAUBENCH_2026, DEMO)


def builtin(name: str) -> Baseline | None:
    """The built-in baseline of this name, compiled once a process; None where there is none."""
    if name == TAUBENCH_2026:
        return taubench_2026()
    return _demo() if name == DEMO else None


@cache
def _demo() -> Baseline:
    folder = resources.files("simgap_workers.store").joinpath("demo")
    people = read(
        folder.joinpath("people.ndjson").read_bytes(), ReadOptions(format="simgap", source="human", users_only=True)
    )
    difficulty = msgspec.json.decode(folder.joinpath("difficulty.json").read_bytes(), type=dict[str, float])
    return compile_baseline(DEMO, [measure_reading(people)], difficulty)
