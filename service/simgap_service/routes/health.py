"""`/healthz` and `/readyz`: is the process alive, and do store and queue answer?"""

from __future__ import annotations

import asyncio
from typing import Literal

from litestar import get
from msgspec import Struct

from simgap_service.threads import in_post_thread
from simgap_workers.queue import WorkQueue
from simgap_workers.store.objects import Objects


class Health(Struct):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Readiness(Struct):
    """The store answers; without Redis, reads work and POSTs answer 503."""

    store: Literal["ok"]
    redis: Literal["ok", "away"]


@get("/healthz", operation_id="health", sync_to_thread=False)
def healthz() -> Health:
    """Alive."""
    return Health()


@get("/readyz", operation_id="readiness")
async def readyz(objects: Objects, queue: WorkQueue) -> Readiness:
    """Ready to answer reads, and whether uploads are taken."""
    await asyncio.to_thread(objects.exists, "secret")
    return Readiness("ok", "ok" if await in_post_thread(queue.answers) else "away")
