"""The program behind `make demo`: two simulators against people, by way of the real service, said step by step.

It starts `simgap up` on a temporary folder and a free port, does over HTTP what a lab would do, prints the calls, and
stops the service again, whatever happens. The conversations are synthetic: demo/README.md says how they were written.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from types import FrameType
from typing import TypeVar

import httpx
import msgspec
from msgspec import Struct

from simgap_client.models import (
    BaselineRecord,
    BaselineRequest,
    Located,
    MetricResult,
    ProblemDocument,
    Report,
    TraceSet,
)
from simgap_workers.reports.table import score_table

READY = "SimGap is ready on "
SIMULATORS = ("simulator-polite", "simulator-terse")
FINISHED = {"ready", "done", "invalid", "failed"}
START_SECONDS = 30.0
STOP_SECONDS = 15.0
WAIT_SECONDS = 60.0


class ScoredReport(Struct):
    """What the demo needs of a `ReportRecord`, with the report itself decoded."""

    id: str
    state: str
    failure: str | None = None
    report: Report | None = None


Record = TypeVar("Record", TraceSet, BaselineRecord, ScoredReport)


class DemoError(Exception):
    """The demo cannot go on; the message says why, in words for the person at the terminal."""


def main() -> int:
    """Run the demo. Returns 0, or 1 where the service refused something or did not answer."""
    signal.signal(signal.SIGTERM, _leave)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="simgap-demo-", ignore_cleanup_errors=True) as folder,
            _service(Path(folder)) as address,
        ):
            with httpx.Client(base_url=address, timeout=WAIT_SECONDS, trust_env=False) as http:
                _show(_reports(http))
            _say("Done. Stopping the service.")
    except DemoError as failure:
        return _stopped(f"The demo stopped: {failure}")
    except httpx.HTTPError as failure:
        return _stopped(f"The demo stopped: the service did not answer ({failure}).")
    except KeyboardInterrupt:
        return _stopped("Interrupted; the service is stopped.", 130)
    return 0


def _stopped(why: str, code: int = 1) -> int:
    """Say on stderr, after all that was said before, why the demo ends here; the exit code."""
    sys.stdout.flush()
    print(f"\n{why}", file=sys.stderr)
    return code


def _leave(_number: int, _frame: FrameType | None) -> None:
    """SIGTERM unwinds the stack, so that the service is stopped too."""
    sys.exit(143)


# --- the service ----------------------------------------------------------------------------------------------------


@contextmanager
def _service(folder: Path) -> Iterator[str]:
    """The running service's address; the service is stopped on the way out.

    It gets a session of its own: Ctrl-C reaches the demo alone, which then stops it in order. Its output goes to a
    file, which cannot fill up as a pipe would.
    """
    log = folder / "service.log"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SIMGAP_")},
        "SIMGAP_DATA": str(folder / "data"),
        "SIMGAP_PORT": "0",
        "PYTHONUNBUFFERED": "1",
    }
    _say("Starting the service on a temporary folder and a free port.", "SIMGAP_PORT=0 simgap up")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "simgap_service.cli", "up"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    try:
        address = _ready_address(process, log)
        print(f"  It is ready.\n  $ URL={address}", flush=True)
        yield address
    finally:
        _stop(process)


def _ready_address(process: subprocess.Popen[bytes], log: Path) -> str:
    """The address in the service's ready line. Raises DemoError where the line does not come."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        for line in lines:
            if READY in line and line.endswith("\n"):
                return line.split(READY, 1)[1].split()[0].rstrip("/")
        if process.poll() is not None:
            said = "".join(lines[-15:]) or "nothing"
            raise DemoError(f"the service ended with code {process.returncode} before it was ready. It said:\n{said}")
        time.sleep(0.05)
    raise DemoError(f"the service was not ready after {START_SECONDS:.0f} seconds.")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """SIGTERM, and SIGKILL where the service does not end within the time or a second Ctrl-C comes."""
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


# --- the calls ------------------------------------------------------------------------------------------------------


def _reports(http: httpx.Client) -> list[Report]:
    """Upload the people, make a baseline of them, score both simulators."""
    _say(
        "Uploading the people: three batches of synthetic conversations, with rewards and survey answers.",
        "curl -H 'Prefer: wait=30' --data-binary @people.ndjson '$URL/v1/trace-sets?name=people&source=human'",
    )
    people = _post(http, "/v1/trace-sets", TraceSet, _data("people.ndjson"), {"name": "people", "source": "human"})
    received = people.counts.received if people.counts else 0
    print(f"  {people.id} is {people.state}: {received} conversations.")

    _say(
        "Making a baseline of them, with the difficulty of each task.",
        f'curl -H \'Prefer: wait=30\' --json \'{{"name": "demo-people", "trace_sets": ["{people.id}"], '
        '"difficulty": {…}}\' $URL/v1/baselines',
    )
    difficulty = msgspec.json.decode(_data("difficulty.json"), type=dict[str, float])
    request = BaselineRequest(name="demo-people", trace_sets=[people.id], difficulty=difficulty)
    baseline = _post(http, "/v1/baselines", BaselineRecord, msgspec.json.encode(request))
    print(f"  {baseline.id} is {baseline.state}: {baseline.batches} batches, {baseline.tasks} tasks.")

    reports = []
    for name in SIMULATORS:
        _say(
            f"Scoring {name} against it.",
            f"curl -H 'Prefer: wait=30' --data-binary @{name}.ndjson "
            f"'$URL/v1/score?baseline={baseline.id}&name={name}'",
        )
        options = {"baseline": baseline.id, "name": name}
        record = _post(http, "/v1/score", ScoredReport, _data(f"{name}.ndjson"), options, found_at="/v1/reports")
        if record.report is None:
            raise DemoError(f"report {record.id} is {record.state} and holds nothing.")
        print(f"  {record.id} is {record.state}.")
        reports.append(record.report)
    return reports


def _data(name: str) -> bytes:
    """A file of the demo's data, as it ships in the package."""
    return resources.files("simgap_workers.store").joinpath("demo", name).read_bytes()


def _post(
    http: httpx.Client,
    path: str,
    kind: type[Record],
    body: bytes,
    query: Mapping[str, str] | None = None,
    found_at: str = "",
) -> Record:
    """What a POST made, once it is finished; asked for again at `found_at` (or `path`) while it is not.

    Raises DemoError where the service refuses it, fails at it, or takes too long.
    """
    media_type = "application/json" if kind is BaselineRecord else "application/x-ndjson"
    headers = {"Prefer": "wait=30", "Content-Type": media_type}
    record = _read(http.post(path, params=query, content=body, headers=headers), kind)
    deadline = time.monotonic() + WAIT_SECONDS
    while record.state not in FINISHED:
        if time.monotonic() > deadline:
            raise DemoError(f"{record.id} is still {record.state} after {WAIT_SECONDS:.0f} seconds.")
        time.sleep(0.2)
        record = _read(http.get(f"{found_at or path}/{record.id}"), kind)
    if record.state in {"invalid", "failed"}:
        located = _located(record.errors) if isinstance(record, TraceSet) else ""
        raise DemoError(f"{record.id} is {record.state}. {record.failure or ''}{located}")
    return record


def _read(answer: httpx.Response, kind: type[Record]) -> Record:
    """The record in an answer. Raises DemoError with the problem's own words where the answer is none."""
    try:
        if answer.is_success:
            return msgspec.json.decode(answer.content, type=kind)
        problem = msgspec.json.decode(answer.content, type=ProblemDocument)
    except msgspec.DecodeError as error:
        raise DemoError(f"{answer.request.url.path} answered {answer.status_code}, unreadably: {error}") from error
    said = f"{problem.title} ({problem.status}). {problem.detail}{_located(problem.errors)}"
    raise DemoError(f"{answer.request.url.path}: {said}")


def _located(errors: Sequence[Located]) -> str:
    """The errors of a file, one a line."""
    return "".join(f"\n  line {error.line}, {error.pointer}: {error.message}" for error in errors)


# --- what is shown --------------------------------------------------------------------------------------------------


def _say(what: str, call: str = "") -> None:
    """One step, in words, and the call that does it."""
    print(f"\n{what}", flush=True)
    if call:
        print(f"  $ {call}", flush=True)


def _show(reports: list[Report]) -> None:
    """The reports side by side, then what cost each simulator most."""
    print(
        "\nHow human are they? 0 to 100, higher is more like people; ECE is a fraction, lower is better.\n"
        "± is the standard deviation over the batches of people. USI-6 is the mean of all six parts; USI-5 leaves out "
        "Eval,\nwhich people do not have of each other.\n"
    )
    print(score_table(reports))
    for report in reports:
        _show_losses(report)


def _show_losses(report: Report) -> None:
    """The three metrics that cost most, what was used, and the signature."""
    print(f"\n{report.simulator.name}: the three metrics that cost it most")
    for metric in sorted(report.metrics, key=lambda metric: -(metric.points_lost or 0.0))[:3]:
        print(f"  {metric.id:<26}{metric.points_lost or 0.0:5.1f} points   {_sides(metric)}")
    coverage = report.coverage
    excluded = sum(coverage.excluded.values())
    print(
        f"  coverage: {coverage.received} traces received, {coverage.scored} scored, {excluded} excluded; "
        f"{coverage.common_tasks} of the baseline's {coverage.baseline_tasks} tasks, "
        f"runs: {report.simulator.runs}, survey answers imputed: {coverage.imputed_answers}"
    )
    print(f"  signature: {report.signature}")


def _sides(metric: MetricResult) -> str:
    """Both sides of a metric and its direction, in words."""
    people, simulator = metric.human.value, metric.simulator.value
    numbers = "" if people is None or simulator is None else f" (people {people:.3g}, simulator {simulator:.3g})"
    return f"{metric.direction}{numbers}"


if __name__ == "__main__":
    sys.exit(main())
