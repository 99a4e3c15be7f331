"""Child processes: started again when they end, ever more slowly when they end at once, and stopped in order."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

from simgap_workers.offspring import die_with_parent

_FIRST_PAUSE_SECONDS = 0.5
_LONGEST_PAUSE_SECONDS = 30.0
_STEADY_SECONDS = 10.0


def keep_private() -> None:
    """What this process makes from now on, and what its children make, nobody but its owner may read."""
    os.umask(0o077)


class Child:
    """One program that should always run."""

    def __init__(
        self, name: str, command: Sequence[str], environment: Mapping[str, str], keep: Sequence[int] = ()
    ) -> None:
        """keep: file descriptors that it inherits."""
        self.name = name
        self._command = list(command)
        self._environment = dict(environment)
        self._keep = tuple(keep)
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._pause = _FIRST_PAUSE_SECONDS
        self._next = 0.0

    @property
    def pid(self) -> int | None:
        """Its process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start it. It dies with us (PDEATHSIG), and a Ctrl+C in our terminal does not reach it before we decide."""
        parent = os.getpid()
        self._process = subprocess.Popen(
            self._command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            pass_fds=self._keep,
            process_group=0,
            preexec_fn=lambda: die_with_parent(parent),
        )
        self._started = time.monotonic()

    def tend(self) -> str | None:
        """Start it again if it ended and its pause is over; returns what to log of its end, once."""
        now = time.monotonic()
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return None
            if now - self._started > _STEADY_SECONDS:
                self._pause = _FIRST_PAUSE_SECONDS
            self._process, self._next = None, now + self._pause
            said = f"{self.name} ended (exit code {code}); started again in {self._pause:g} s"
            self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
            return said
        if now >= self._next:
            self.start()
        return None

    def terminate(self) -> None:
        """Ask it to end."""
        if self.pid is not None and self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def ended(self, seconds: float) -> bool:
        """Wait for its end, at most `seconds`, then kill it; returns True where no kill was needed."""
        if self._process is None:
            return True
        try:
            self._process.wait(max(seconds, 0.01))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return False
        return True


def stop(children: Sequence[Child], seconds: float) -> None:
    """Ask all of them to end at once, and kill those that have not after `seconds`."""
    end = time.monotonic() + seconds
    for child in children:
        child.terminate()
    for child in children:
        child.ended(end - time.monotonic())
