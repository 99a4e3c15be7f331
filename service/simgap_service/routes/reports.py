"""`/v1/reports`: a trace set held against a baseline."""

from __future__ import annotations

from functools import partial

from litestar import Response, get, post

from simgap_client.models import ReportRecord, ReportRequest
from simgap_service.reports import Reports
from simgap_service.routes.answers import accepted
from simgap_service.threads import in_post_thread


@post("/v1/reports", operation_id="createReport", status_code=202)
async def create_report(data: ReportRequest, wait: int, reports: Reports) -> Response[ReportRecord]:
    """Ask for a report. Equal requests share one."""
    report_id, new = await in_post_thread(reports.request, data)
    path, settled = f"/v1/reports/{report_id}", partial(reports.settled, report_id)
    return await accepted(path, partial(reports.get, report_id), settled, wait=wait, new=new)


@get("/v1/reports/{report_id:str}", operation_id="getReport", sync_to_thread=True)
def get_report(report_id: str, reports: Reports) -> ReportRecord:
    """One report: its state, and once it is done, what is in it."""
    return reports.get(report_id)
