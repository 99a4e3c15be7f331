"""`Prefer: wait=N` (RFC 7240): hold the answer until the thing is settled, at most 50 s.

Whoever waits asks the store, soon at first and then at most ten times a second; nothing needs to announce a result.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable

LONGEST_SECONDS = 50
_FIRST_PAUSE_SECONDS = 0.01
_LAST_PAUSE_SECONDS = 0.1

_closing = threading.Event()


def preferred_seconds(header: str | None) -> int:
    """How long the caller would wait, 0 to 50; a preference that makes no sense is none (RFC 7240, section 2)."""
    for preference in (header or "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        digits = value.strip().strip('"')
        if name.strip().lower() == "wait" and digits.isascii() and digits.isdigit():
            return LONGEST_SECONDS if len(digits) > 2 else min(int(digits), LONGEST_SECONDS)
    return 0


def end_all() -> None:
    """Let all who wait have their answer now, as things stand: the server is about to stop."""
    _closing.set()


async def settled_within(seconds: float, settled: Callable[[], bool]) -> bool:
    """Wait until `settled` says so, at most `seconds`; returns its last word. `settled` runs in a thread."""
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE_SECONDS
    while not await asyncio.to_thread(settled):
        if time.monotonic() + pause > end or _closing.is_set():
            return False
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, _LAST_PAUSE_SECONDS)
    return True
