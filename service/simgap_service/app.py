"""create_app(): wiring, nothing else. What a resource is, and where it comes from, stands here and nowhere else."""

from __future__ import annotations

import secrets

from litestar import Litestar, Router
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.middleware import DefineMiddleware
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError
from redis.retry import Retry

from simgap_service.baselines import Baselines
from simgap_service.guard import LoopbackGuard
from simgap_service.intake import Intake
from simgap_service.patience import Patience
from simgap_service.problems import (
    ProblemError,
    answer_depth,
    answer_fault,
    answer_full,
    answer_http,
    answer_problem,
)
from simgap_service.reports import Reports
from simgap_service.routes import baselines, formats, health, reports, score, trace_sets
from simgap_service.routes.asking import provide_upload, provide_wait
from simgap_service.settings import Settings
from simgap_service.trace_sets import TraceSets
from simgap_workers.dispatch import Dispatch
from simgap_workers.queue import WorkQueue, connect
from simgap_workers.store.objects import Objects, StoreFullError

_SECRET_BYTES = 32
_PATIENCE_SECONDS = 1.0


def create_app(settings: Settings) -> Litestar:
    """The service over the settings' store and Redis."""
    objects = Objects.open(settings.store_url)
    objects.check()
    queue = WorkQueue(_redis(settings.redis_url))
    dispatch = Dispatch(objects, queue)
    secret = _secret(settings, objects)
    made = Baselines(dispatch, secret)
    parts = {
        "objects": objects,
        "queue": queue,
        "intake": Intake(settings),
        "trace_sets": TraceSets(dispatch, objects),
        "baselines": made,
        "reports": Reports(dispatch, made, secret),
    }
    return Litestar(
        route_handlers=[
            trace_sets.create_trace_set,
            trace_sets.get_trace_set,
            baselines.create_baseline,
            baselines.list_baselines,
            baselines.get_baseline,
            reports.create_report,
            reports.get_report,
            score.create_score,
            formats.list_formats,
            health.healthz,
            health.readyz,
        ],
        dependencies={
            **{name: _given(part) for name, part in parts.items()},
            "upload": Provide(provide_upload, sync_to_thread=False),
            "wait": Provide(provide_wait, sync_to_thread=False),
        },
        middleware=[LoopbackGuard, DefineMiddleware(Patience, seconds=settings.idle_seconds)],
        exception_handlers={
            ProblemError: answer_problem,
            HTTPException: answer_http,
            StoreFullError: answer_full,
            RecursionError: answer_depth,
            Exception: answer_fault,
        },
        request_max_body_size=settings.request_bytes,
        openapi_config=OpenAPIConfig(
            title="SimGap", version="1", path="/", use_handler_docstrings=True, render_plugins=[_OpenAPIDocument()]
        ),
    )


class _OpenAPIDocument(JsonRenderPlugin):
    """`/openapi.json`, without the framework's pages for every other name at the root."""

    def receive_router(self, router: Router) -> None:
        router.routes = [route for route in router.routes if route.path == "/openapi.json"]


def _redis(url: str) -> Redis:
    """Redis for the service: one second is its time to answer; a connection from before a restart is tried again."""
    redis = connect(url, _PATIENCE_SECONDS)
    redis.set_retry(Retry(NoBackoff(), 1, (ConnectionError,)))
    return redis


def _given(part: object) -> Provide:
    return Provide(lambda: part, sync_to_thread=False, use_cache=True)


def _secret(settings: Settings, objects: Objects) -> bytes:
    """The setting's secret, else one made once and kept in the store."""
    if settings.secret:
        return settings.secret.encode()
    objects.create("secret", secrets.token_bytes(_SECRET_BYTES), durable=True)
    return objects.get("secret") or b""
