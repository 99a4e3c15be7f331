"""A detector of Python's `re` at work: nothing may hand it trace text (its lazy and nested patterns are not linear)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def watched_patterns() -> Iterator[list[str]]:
    """Names of the methods of compiled patterns that are called meanwhile in this thread, as `match`, `sub`, ..."""
    called: list[str] = []

    def watch(frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call" and isinstance(getattr(function, "__self__", None), re.Pattern):
            called.append(function.__name__)

    before: Callable[..., Any] | None = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield called
    finally:
        sys.setprofile(before)
