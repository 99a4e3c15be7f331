"""`simgap up`: the whole service on one data folder. Valkey, the API, workers and the reconciler as its children.

All of them die with it, however it ends; each is started again when it ends by itself. Valkey stops last.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import FrameType

from msgspec.structs import replace

from simgap_service import valkey
from simgap_service.children import Child, keep_private, stop
from simgap_service.settings import Settings, SettingsError, read_settings, write_settings
from simgap_workers.duties import QUEUES

_VALKEY_SECONDS = 20.0
_STOP_SECONDS = 10.0
_LOOK_SECONDS = 0.05


class UpError(Exception):
    """The service cannot start here; the message says why."""


def up(settings: Settings) -> int:
    """Run the service until SIGTERM or SIGINT. Returns an exit code: 0, or 2 where it cannot start."""
    keep_private()
    stopping = threading.Event()
    before = {number: signal.signal(number, _setter(stopping)) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with ExitStack() as stack:
            _run(settings, stopping, stack)
    except (UpError, valkey.ValkeyMissingError) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


def _run(settings: Settings, stopping: threading.Event, stack: ExitStack) -> None:
    if not settings.loopback:
        raise UpError(f"SIMGAP_HOST={settings.host} is not a loopback address, and there are no keys: not started.")
    stack.enter_context(_alone(settings.folder))
    listening = stack.enter_context(_listen(settings.host, settings.port))
    settings = replace(settings, data=str(settings.folder), port=listening.getsockname()[1])
    servers: list[Child] = []
    if not settings.redis_url:
        url, server = _start_valkey(settings.folder, stopping, stack)
        settings = replace(settings, redis_url=url)
        servers.append(server)
    children = _children(settings, listening)
    stack.callback(stop, children, _STOP_SECONDS)
    for child in children:
        child.start()
    _watch([*servers, *children], _address(settings), stopping)


def _children(settings: Settings, listening: socket.socket) -> list[Child]:
    """The API, the workers (both queues by turns) and the reconciler."""
    environment = {**os.environ, **write_settings(settings), "OPENBLAS_NUM_THREADS": "1"}

    def child(name: str, *arguments: str, keep: tuple[int, ...] = ()) -> Child:
        return Child(name, [sys.executable, "-m", "simgap_service.processes", *arguments], environment, keep)

    descriptor = listening.fileno()
    queues = [QUEUES[number % len(QUEUES)] for number in range(settings.workers)]
    return [
        child("the API", "serve", str(descriptor), keep=(descriptor,)),
        *(child(f"worker {number} ({queue})", "worker", queue) for number, queue in enumerate(queues, start=1)),
        child("the reconciler", "reconcile"),
    ]


def _watch(children: list[Child], address: str, stopping: threading.Event) -> None:
    """Tend the children until we are to stop; say once that the service is ready."""
    ready = False
    while not stopping.wait(_LOOK_SECONDS if not ready else 4 * _LOOK_SECONDS):
        for child in children:
            if said := child.tend():
                print(said, file=sys.stderr, flush=True)
        if not ready and _answers(address):
            ready = True
            print(f"SimGap is ready on {address}", flush=True)


def _start_valkey(data: Path, stopping: threading.Event, stack: ExitStack) -> tuple[str, Child]:
    """Start Valkey; returns its URL once it answers. What is started after it is stopped before it."""
    path, short = valkey.socket_path(data)
    if short is not None:
        stack.callback(shutil.rmtree, short, ignore_errors=True)
    server = Child("Valkey", valkey.command(data, path), os.environ)
    server.start()
    stack.callback(stop, [server], _STOP_SECONDS)
    end = time.monotonic() + _VALKEY_SECONDS
    while not valkey.answers(path):
        if server.pid is None or time.monotonic() > end or stopping.is_set():
            raise UpError(f"Valkey does not start; {data / 'valkey' / 'valkey.log'} says why.")
        time.sleep(0.01)
    return f"unix://{path}", server


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the data folder; raises UpError where another instance does."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UpError(f"SIMGAP_DATA={folder} cannot be used: {error.strerror}.") from error
    try:
        _lock(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise UpError(f"Another SimGap runs on {folder}; stop it, or set SIMGAP_DATA.") from error


@contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    """The listening socket: ours, so that an API that is started again finds its callers waiting."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family, backlog=512)
    except OSError as error:
        raise UpError(f"Cannot listen on {host}:{port} ({error.strerror}); set SIMGAP_PORT.") from error
    with listening:
        yield listening


def _address(settings: Settings) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"


def _answers(address: str) -> bool:
    """Does the API answer within a second?"""
    asked = HTTPConnection(address.removeprefix("http://"), timeout=1)
    try:
        asked.request("GET", "/readyz")
        return asked.getresponse().status == 200
    except (HTTPException, OSError):
        return False
    finally:
        asked.close()


def _setter(event: threading.Event) -> Callable[[int, FrameType | None], None]:
    def note(_: int, __: FrameType | None) -> None:
        event.set()

    return note


if __name__ == "__main__":
    try:
        sys.exit(up(read_settings(os.environ)))
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
