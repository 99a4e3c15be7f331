"""`/v1/baselines`: people to compare with."""

from __future__ import annotations

from functools import partial

from litestar import Response, get, post

from simgap_client.models import BaselinePage, BaselineRecord, BaselineRequest
from simgap_service.baselines import Baselines
from simgap_service.routes.answers import accepted
from simgap_service.threads import in_post_thread


@post("/v1/baselines", operation_id="createBaseline", status_code=202)
async def create_baseline(data: BaselineRequest, wait: int, baselines: Baselines) -> Response[BaselineRecord]:
    """Make a baseline of people's trace sets. Equal requests share one."""
    baseline_id, new = await in_post_thread(baselines.request, data)
    path, settled = f"/v1/baselines/{baseline_id}", partial(baselines.settled, baseline_id)
    return await accepted(path, partial(baselines.get, baseline_id), settled, wait=wait, new=new)


@get("/v1/baselines", operation_id="listBaselines", sync_to_thread=True)
def list_baselines(baselines: Baselines) -> BaselinePage:
    """Every baseline: the built-in ones, then the newest first."""
    return BaselinePage(baselines.all())


@get("/v1/baselines/{baseline:str}", operation_id="getBaseline", sync_to_thread=True)
def get_baseline(baseline: str, baselines: Baselines) -> BaselineRecord:
    """One baseline, by id or name."""
    return baselines.get(baseline)
