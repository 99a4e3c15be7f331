"""The house stands: imports go down a floor, never up, and the pure packages know neither Redis, nor HTTP, nor disk."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from simgap_workers import behaviour, readers, scoring

ROOT = Path(__file__).parents[1]
FLOORS = {
    "clients/python/simgap_client": {"simgap_client"},
    "workers/simgap_workers": {"simgap_client", "simgap_workers"},
    "service/simgap_service": {"simgap_client", "simgap_workers", "simgap_service"},
}
OURS = {"simgap_client", "simgap_workers", "simgap_service"}
PURE = ("readers", "behaviour", "scoring")
# What the pure packages may use: computing, and data that ships in the package. `re` backtracks on trace text.
COMPUTING = {
    *("__future__", "collections", "csv", "functools", "hashlib", "importlib", "itertools", "json", "math", "tomllib"),
    *("typing", "unicodedata", "msgspec", "numpy", "re2"),
}
MAX_LINES = 400


def _imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""


def _files(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("floor", FLOORS)
def test_imports_go_down_a_floor_and_never_up(floor: str) -> None:
    for file in _files(floor):
        above = {name.split(".")[0] for name in _imported(file)} & OURS - FLOORS[floor]
        assert not above, f"{file.relative_to(ROOT)} imports {above}"


@pytest.mark.parametrize("package", PURE)
def test_the_pure_packages_use_nothing_that_reaches_out(package: str) -> None:
    allowed = {f"simgap_workers.{name}" for name in (*PURE, "trace", "shard", "survey")}
    for file in _files(f"workers/simgap_workers/{package}"):
        for name in _imported(file):
            ours = name.startswith("simgap_workers.")
            known = ".".join(name.split(".")[:2]) in allowed if ours else name.split(".")[0] in COMPUTING
            assert known or name == "simgap_client.models", f"{file.relative_to(ROOT)} imports {name}"


def test_no_file_holds_two_ideas_by_its_length() -> None:
    long = {file.name: lines for floor in FLOORS for file in _files(floor) if (lines := _length(file)) > MAX_LINES}
    assert long == {}


def _length(file: Path) -> int:
    return len(file.read_text("utf-8").splitlines())


def test_the_surface_of_the_pure_packages_is_what_others_are_told_of() -> None:
    assert behaviour.__all__ == ["DIMENSIONS", "MEASURES", "METRICS", "measure", "profile_columns", "user_turns"]
    assert scoring.__all__ == [
        "Baseline",
        "BaselineError",
        "DifficultyError",
        "Options",
        "Simulator",
        "compile_baseline",
        "decode_baseline",
        "encode_baseline",
        "pooled_difficulty",
        "read_difficulty",
        "score",
    ]
    assert {"FORMATS", "InvalidTraces", "ReadOptions", "Reading", "read", "recognise"} < set(readers.__all__)
