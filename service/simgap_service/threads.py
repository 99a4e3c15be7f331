"""Threads of their own for what a POST does: it inflates, and it waits for Redis. Reads never queue behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 16

_posts = ThreadPoolExecutor(_THREADS, thread_name_prefix="post")


async def in_post_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `asyncio.to_thread` does, on the threads of POSTs."""
    return await asyncio.get_running_loop().run_in_executor(_posts, partial(call, *args, **kwargs))
