"""`/v1/score`: upload and report in one call."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any, Literal

from litestar import Request, Response, post
from litestar.params import Parameter

from simgap_client.models import Profile, ReportOptions, ReportRecord, ReportRequest
from simgap_service.intake import Intake
from simgap_service.reports import Reports
from simgap_service.routes.answers import accepted
from simgap_service.routes.asking import only
from simgap_service.routes.trace_sets import receive
from simgap_service.routes.uploading import ScoreOperation
from simgap_service.threads import in_post_thread
from simgap_service.trace_sets import TraceSets
from simgap_workers.store.records import SetRequest

Against = Annotated[str, Parameter(query="baseline", description="The baseline's id or name.")]
Scored = Annotated[Profile, Parameter(query="profile", description="Which definitions of the metrics are used.")]
Difficulty = Annotated[
    Literal["published"] | None, Parameter(query="difficulty", description="Whose difficulty; else the baseline's.")
]


@post(
    "/v1/score",
    operation_id="score",
    operation_class=ScoreOperation,
    summary="Upload and report in one call",
    status_code=202,
    request_max_body_size=None,
)
async def create_score(
    request: Request[Any, Any, Any],
    upload: SetRequest,
    wait: int,
    trace_sets: TraceSets,
    reports: Reports,
    intake: Intake,
    baseline: Against,
    profile: Scored = "tau-usi-1",
    difficulty: Difficulty = None,
) -> Response[ReportRecord]:
    """Score a file: the file is the body. With `Prefer: wait=30`, the answer is the finished report."""
    only(request, "baseline", "profile", "difficulty")
    asked = ReportRequest("", baseline, options=ReportOptions(profile, difficulty))
    await asyncio.to_thread(reports.check, asked)
    asked.trace_set = await receive(request, upload, trace_sets, intake)
    report_id, _ = await in_post_thread(reports.request, asked)
    path, settled = f"/v1/reports/{report_id}", partial(reports.settled, report_id)
    answer = await accepted(path, partial(reports.get, report_id), settled, wait=wait)
    if wait:
        await asyncio.to_thread(trace_sets.require_valid, asked.trace_set)
    return answer
