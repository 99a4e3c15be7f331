"""`/v1/trace-sets`: uploads, and what came of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from litestar import Request, Response, get, post

from simgap_client.models import TraceSet
from simgap_service.intake import Intake
from simgap_service.routes.answers import accepted
from simgap_service.routes.asking import only
from simgap_service.routes.uploading import TraceSetOperation
from simgap_service.threads import in_post_thread
from simgap_service.trace_sets import TraceSets
from simgap_workers.store.records import SetRequest


@post(
    "/v1/trace-sets",
    operation_id="createTraceSet",
    operation_class=TraceSetOperation,
    summary="Upload traces",
    status_code=202,
    request_max_body_size=None,
)
async def create_trace_set(
    request: Request[Any, Any, Any], upload: SetRequest, wait: int, trace_sets: TraceSets, intake: Intake
) -> Response[TraceSet]:
    """Upload traces: the file is the body. With `Prefer: wait=30`, the answer is the set once it is read."""
    only(request)
    set_id = await receive(request, upload, trace_sets, intake)
    path = f"/v1/trace-sets/{set_id}"
    return await accepted(path, partial(trace_sets.get, set_id), partial(trace_sets.settled, set_id), wait=wait)


@get("/v1/trace-sets/{set_id:str}", operation_id="getTraceSet", sync_to_thread=True)
def get_trace_set(set_id: str, trace_sets: TraceSets) -> TraceSet:
    """One trace set: its state, counts, warnings and errors."""
    return trace_sets.get(set_id)


async def receive(request: Request[Any, Any, Any], upload: SetRequest, trace_sets: TraceSets, intake: Intake) -> str:
    """Read the body and store it; returns the set's id."""
    await in_post_thread(trace_sets.check)
    async with intake.body(request) as body:
        return await in_post_thread(trace_sets.receive, upload, body)
