"""A process that dies with the one that started it, also where that one is killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int, how: signal.Signals = signal.SIGKILL) -> None:
    """Ask the kernel to send us `how` when our parent ends; leave at once if `parent` (its process id) is gone already.

    Linux only; elsewhere nothing happens. Call it right after the fork; the parent must fork from its main thread.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(how), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
