"""A Redis that is there and does not answer: POSTs wait for it, and nobody else."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import httpx

from tests.api.conftest import running
from tests.api.test_faults import named
from tests.api.test_score import SCORE, WAIT, is_problem


def test_while_20_posts_wait_for_a_frozen_redis_reads_are_answered_first(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service, ThreadPoolExecutor(20) as pool:
        record = service.http.post(SCORE, content=polite, headers=WAIT).json()
        (server,) = named(service, "valkey-server")
        os.kill(server, signal.SIGSTOP)
        try:
            together = threading.Barrier(21)

            def post(_: int) -> httpx.Response:
                together.wait()
                return service.http.post(SCORE, content=polite)

            posts = [pool.submit(post, number) for number in range(20)]
            together.wait()
            for _ in range(3):
                assert service.http.get(f"/v1/reports/{record['id']}").json() == record
                assert service.http.get(f"/v1/trace-sets/{record['trace_set']}").json()["state"] == "ready"
                assert service.http.get("/healthz").status_code == 200
            assert [post.done() for post in posts] == [False] * 20
            wait(posts)
        finally:
            os.kill(server, signal.SIGCONT)
        for answered in posts:
            is_problem(answered.result(), 503, "queue-unavailable")
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200
