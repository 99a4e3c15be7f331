"""The processes of the service, one entry each: serve, worker, reconcile. `simgap up` starts all of them."""

from __future__ import annotations

import logging
import os
import socket
import sys
from types import FrameType

import uvicorn

from simgap_service.children import keep_private
from simgap_service.settings import Settings, SettingsError, read_settings
from simgap_service.waiting import end_all
from simgap_workers.store.objects import StoreError


def serve(settings: Settings, listening: socket.socket | None = None) -> int:
    """Answer HTTP until SIGTERM or SIGINT, on the socket that is given, if one is. Returns an exit code."""
    from simgap_service.app import create_app

    keep_private()
    if not settings.loopback:
        return _refuse(f"SIMGAP_HOST={settings.host} is not a loopback address, and there are no keys: not started.")
    if not settings.redis_url:
        return _refuse("SIMGAP_REDIS_URL: which Redis or Valkey? (`simgap up` brings its own.)")
    try:
        app = create_app(settings)
    except StoreError as error:
        return _refuse(str(error))
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
    )
    _Server(config).run(sockets=None if listening is None else [listening])
    return 0


class _Server(uvicorn.Server):
    """Uvicorn, which on its way out answers those who wait."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT."""
        end_all()
        super().handle_exit(sig, frame)


def work(settings: Settings, queue: str) -> int:
    """Work on one queue until SIGTERM or SIGINT. Returns an exit code."""
    from simgap_workers.worker import run

    keep_private()
    if not settings.redis_url:
        return _refuse("SIMGAP_REDIS_URL: which Redis or Valkey? (`simgap up` brings its own.)")
    run(settings.store_url, settings.redis_url, queue)
    return 0


def reconcile(settings: Settings) -> int:
    """Look for lost work until SIGTERM or SIGINT. Returns an exit code."""
    from simgap_workers.reconciler import run

    keep_private()
    if not settings.redis_url:
        return _refuse("SIMGAP_REDIS_URL: which Redis or Valkey? (`simgap up` brings its own.)")
    run(settings.store_url, settings.redis_url, settings.reconcile_seconds, settings.attempts)
    return 0


def main(arguments: list[str]) -> int:
    """What the supervisor starts: `serve FD`, `worker QUEUE`, `reconcile`."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(message)s")
    settings = read_settings(os.environ)
    match arguments:
        case ["serve", descriptor]:
            return serve(settings, socket.socket(fileno=int(descriptor)))
        case ["worker", queue]:
            return work(settings, queue)
        case ["reconcile"]:
            return reconcile(settings)
    return _refuse("serve FD, worker QUEUE or reconcile")


def _refuse(reason: str) -> int:
    print(reason, file=sys.stderr)
    return 2


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SettingsError as error:
        sys.exit(_refuse(str(error)))
