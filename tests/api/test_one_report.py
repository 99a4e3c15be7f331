"""One report, whichever way it is asked for: the command line's bytes are the service's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from simgap_client.models import ReportRecord
from tests.api.conftest import Service
from tests.samples import sample

WAIT = {"Prefer": "wait=30"}


def _by_command(file: Path, *options: str) -> bytes:
    command = [sys.executable, "-m", "simgap_service.cli", "score", str(file), *options, "--json"]
    return subprocess.run(command, capture_output=True, check=True).stdout.rstrip(b"\n")


def _by_service(service: Service, file: Path, query: str) -> bytes:
    answer = service.http.post(f"/v1/score?{query}", content=file.read_bytes(), headers=WAIT)
    assert answer.status_code == 200, answer.text
    return bytes(msgspec.json.decode(answer.content, type=ReportRecord).report)


@pytest.mark.parametrize("profile", ["tau-usi-1", "paper-1"])
def test_the_taubench_file_gives_the_same_bytes_over_http_as_on_the_command_line(
    service: Service, profile: str
) -> None:
    file = sample("tau_bench_v1/gpt-4o-airline.json")
    here = _by_command(file, "--baseline", "taubench-2026", "--profile", profile)
    there = _by_service(service, file, f"baseline=taubench-2026&name=gpt-4o-airline&profile={profile}")
    assert there == here
    report = msgspec.json.decode(here)
    assert (report["simulator"]["traces"], report["simulator"]["tasks"], report["simulator"]["runs"]) == (200, 50, 4)


def test_stop_turns_are_treated_alike_over_http_and_on_the_command_line(service: Service) -> None:
    file = sample("tau_bench_v1/gpt-4o-airline.sample.json")
    here = _by_command(file, "--baseline", "taubench-2026", "--stop-turns", "trim")
    query = "baseline=taubench-2026&name=gpt-4o-airline.sample&stop_turns=trim"
    assert _by_service(service, file, query) == here


def test_a_set_read_as_a_simulators_makes_no_baseline(service: Service, people: bytes) -> None:
    made = service.http.post("/v1/trace-sets", content=people, headers=WAIT).json()["id"]
    request = {"name": "a simulator's", "trace_sets": [made]}
    failed = service.http.post("/v1/baselines", json=request, headers=WAIT).json()
    assert failed["state"] == "failed"
    assert "source=human" in failed["failure"]
