"""A real service for the tests: the supervisor as a process of its own, with its Valkey, workers and reconciler."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import IO

import httpx
import pytest

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

DOCUMENT_BYTES = 40 * 1024 * 1024


class Service:
    """A running service: its address, its data folder, its processes."""

    def __init__(self, process: subprocess.Popen[str], address: str, data: Path) -> None:
        self.process = process
        self.address = address
        self.data = data
        self.http = httpx.Client(base_url=address, trust_env=False, timeout=60)

    def processes(self) -> dict[int, str]:
        """Command lines of all live processes on this data folder, the supervisor's among them."""
        return processes_on(self.data)

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def processes_on(data: Path) -> dict[int, str]:
    """Command lines of the live processes whose environment names this data folder, or (Valkey's) whose title does."""
    mark = f"SIMGAP_DATA={data}\0".encode()
    found = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
            if mark in (folder / "environ").read_bytes() or str(data) in command:
                found[int(folder.name)] = command
        except OSError:
            continue
    return {pid: command for pid, command in found.items() if command}


def environment(data: Path, **settings: str) -> dict[str, str]:
    """The environment of a service under test."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SIMGAP_")}
    return {**kept, "SIMGAP_DATA": str(data), "SIMGAP_PORT": "0", "SIMGAP_RECONCILE_SECONDS": "1", **settings}


@contextmanager
def running(data: Path, **settings: str) -> Iterator[Service]:
    """A service on this data folder until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "simgap_service.supervisor"],
        env=environment(data, **settings),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    service = None
    try:
        line = first_line(process.stdout, 30)
        assert line.startswith("SimGap is ready on http://"), line
        service = Service(process, line.split()[-1], data)
        yield service
    finally:
        if service is not None:
            service.http.close()
        if process.poll() is None:
            process.terminate()
            process.wait(30)
        process.stdout.close()


def first_line(stream: IO[str], seconds: float) -> str:
    """The stream's first line, or what stands instead after `seconds`."""
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: lines.put(stream.readline()), daemon=True).start()
    try:
        return lines.get(timeout=seconds)
    except queue.Empty:
        return "(nothing was printed)"


def eventually(condition: Callable[[], bool], seconds: float) -> bool:
    """Does the condition become true within so many seconds?"""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for all tests that do not stop it."""
    with running(tmp_path_factory.mktemp("service"), SIMGAP_DOCUMENT_BYTES=str(DOCUMENT_BYTES)) as service:
        yield service


@pytest.fixture(scope="session")
def people() -> bytes:
    """The bundled synthetic people: NDJSON, 103 lines."""
    return demo("people.ndjson")


@pytest.fixture(scope="session")
def polite() -> bytes:
    """A bundled synthetic simulator: NDJSON, 35 lines, one run."""
    return demo("simulator-polite.ndjson")


def demo(name: str) -> bytes:
    """A file of the bundled demo."""
    return resources.files("simgap_workers.store").joinpath("demo", name).read_bytes()
