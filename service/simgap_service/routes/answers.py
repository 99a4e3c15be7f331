"""How a POST is answered: 202 and where to look, 200 for what was there, or the finished thing for one who waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from litestar import Response

from simgap_service.waiting import settled_within

T = TypeVar("T")


async def accepted(
    path: str, get: Callable[[], T], settled: Callable[[], bool], *, wait: int, new: bool = True
) -> Response[T]:
    """The thing at `path` as it stands; with `wait`, as it stands once it is settled, or after `wait` seconds.

    200 where it is settled for one who waited, or was there before (`new` is False); else 202 with Retry-After.
    """
    headers = {"Location": path}
    done = wait > 0 and await settled_within(wait, settled)
    if wait > 0:
        headers["Preference-Applied"] = f"wait={wait}"
    if not done:
        headers["Retry-After"] = "1"
    return Response(await asyncio.to_thread(get), status_code=200 if done or not new else 202, headers=headers)
