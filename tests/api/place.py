"""A Valkey, a store and a queue without a service; workers are started one by one."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis

from simgap_service import valkey as valkey_program
from simgap_workers.dispatch import Dispatch
from simgap_workers.queue import WorkQueue, connect
from simgap_workers.store.ids import new_id
from simgap_workers.store.objects import Objects
from simgap_workers.store.records import Piece, Received, SetRequest
from tests.api.conftest import environment, eventually


class Place:
    """Where workers work."""

    def __init__(self, data: Path, url: str) -> None:
        self.data = data
        self.url = url
        self.redis: Redis = connect(url)
        self.objects = Objects.open((data / "objects").as_uri())
        self.dispatch = Dispatch(self.objects, WorkQueue(self.redis))

    def upload(self, *bodies: bytes) -> str:
        """Store and accept a trace set, as the API does; each body is a piece of it."""
        set_id, sets = new_id("ts"), self.dispatch.sets
        sets.ask(set_id, SetRequest("2026-01-01T00:00:00.000Z", "polite"))
        for number, body in enumerate(bodies):
            sets.put_raw(set_id, 0, number, body)
        sets.receive(set_id, Received(0, [Piece(len(body), 1) for body in bodies], ""))
        self.dispatch.accept(set_id)
        return set_id

    @contextmanager
    def worker(self, queue: str) -> Iterator[subprocess.Popen[bytes]]:
        """A worker's process on one queue; it ends with the block, unless it ended before."""
        process = subprocess.Popen(
            [sys.executable, "-m", "simgap_service.processes", "worker", queue],
            env=environment(self.data, SIMGAP_REDIS_URL=self.url),
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(20)


@contextmanager
def a_place(data: Path) -> Iterator[Place]:
    """A place of one's own, until the block ends."""
    path = data / "own.sock"
    with subprocess.Popen(valkey_program.command(data, path)) as server:
        try:
            assert eventually(lambda: valkey_program.answers(path), 10)
            yield Place(data, f"unix://{path}")
        finally:
            server.terminate()
