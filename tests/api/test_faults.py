from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import httpx
import pytest
from redis import Redis
from rq import Callback, Queue

from simgap_service import valkey as valkey_program
from tests.api.conftest import Service, environment, eventually, processes_on, running
from tests.api.test_score import SCORE, WAIT, is_problem


def valkey(service: Service) -> Redis:
    return Redis(unix_socket_path=str(service.data / "run" / "valkey.sock"))


def named(service: Service, words: str) -> list[int]:
    """The supervisor's own children whose command line holds these words; a job's process, a worker's fork, is none."""
    return [pid for pid, command in service.processes().items() if words in command and is_child(pid, service)]


def is_child(pid: int, service: Service) -> bool:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
    return f"\nPPid:\t{service.process.pid}\n" in status


def test_a_workers_parent_has_no_thread_of_the_store(service: Service, polite: bytes) -> None:
    assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200
    workers = named(service, "processes worker")
    assert len(workers) == 2
    for pid in workers:
        threads = len(list(Path(f"/proc/{pid}/task").iterdir()))
        assert threads == 2, "RQ's main thread and its listener to commands; obstore would add more"


def test_a_second_instance_on_the_same_data_folder_is_refused(service: Service) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "simgap_service.supervisor"],
        env=environment(service.data),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert second.returncode == 2
    assert second.stdout == ""
    assert "Another SimGap runs on" in second.stderr
    assert "Traceback" not in second.stderr


@pytest.mark.parametrize(
    ("name", "value"),
    [("SIMGAP_PORT", "http"), ("SIMGAP_PORT", "70000"), ("SIMGAP_HOST", "0.0.0.0"), ("SIMGAP_WORKERS", "1")],
)
def test_a_setting_that_cannot_be_is_named_and_nothing_starts(tmp_path: Path, name: str, value: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "simgap_service.supervisor"],
        env=environment(tmp_path) | {name: value},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.returncode == 2
    assert name in ended.stderr
    assert "Traceback" not in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = subprocess.run(
            [sys.executable, "-m", "simgap_service.supervisor"],
            env=environment(tmp_path) | {"SIMGAP_PORT": str(taken.getsockname()[1])},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert ended.returncode == 2
    assert "SIMGAP_PORT" in ended.stderr


def test_sigterm_ends_every_process_and_what_was_made_is_there_after_a_restart(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        record = service.http.post(SCORE, content=polite, headers=WAIT).json()
        assert len(service.processes()) >= 6
        assert service.stop() == 0
        assert processes_on(tmp_path) == {}
    with running(tmp_path) as service:
        assert service.http.get(f"/v1/reports/{record['id']}").json() == record


def test_sigkill_of_the_supervisor_leaves_no_orphan(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        assert len(service.processes()) >= 6
        service.process.kill()
        service.process.wait(10)
        assert eventually(lambda: processes_on(tmp_path) == {}, 10)


def test_a_data_folder_with_a_path_too_long_for_a_socket_works(tmp_path: Path, polite: bytes) -> None:
    data = tmp_path / ("long" * 30)
    with running(data) as service:
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200


def test_a_caller_who_waits_hears_something_when_the_server_stops(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        (worker,) = named(service, "worker ingest")
        os.kill(worker, signal.SIGSTOP)
        threading.Timer(0.5, service.process.terminate).start()
        answer = service.http.post(SCORE, content=polite, headers=WAIT)
        assert (answer.status_code, answer.json()["state"]) == (202, "queued")
        os.kill(worker, signal.SIGKILL)


def test_a_worker_killed_in_the_middle_of_a_job_costs_time_only(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        (worker,) = named(service, "worker ingest")
        os.kill(worker, signal.SIGSTOP)
        record = service.http.post(SCORE, content=polite).json()
        redis = valkey(service)
        assert eventually(lambda: redis.llen("rq:queue:ingest") + redis.llen("rq:queue:ingest:intermediate") == 1, 5)
        job = freeze_the_job(worker)
        assert service.http.get(f"/v1/trace-sets/{record['trace_set']}").json()["state"] == "reading"
        os.kill(worker, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(job, signal.SIGCONT)
        done = f"/v1/reports/{record['id']}"
        assert eventually(lambda: service.http.get(done).json()["state"] == "done", 28)


def freeze_the_job(worker: int) -> int:
    """Let the worker go on until it has forked a job's process, and stop that process at once; its id."""
    os.kill(worker, signal.SIGCONT)
    children = Path(f"/proc/{worker}/task/{worker}/children")
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if forked := children.read_text().split():
            os.kill(int(forked[0]), signal.SIGSTOP)
            return int(forked[0])
    raise AssertionError("the worker took no job")


def test_everything_in_redis_lost_costs_time_only(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        (worker,) = named(service, "worker ingest")
        os.kill(worker, signal.SIGSTOP)
        record = service.http.post(SCORE, content=polite).json()
        valkey(service).flushall()
        os.kill(worker, signal.SIGCONT)
        done = f"/v1/reports/{record['id']}"
        assert eventually(lambda: service.http.get(done).json()["state"] == "done", 28)


def test_without_redis_reads_answer_and_posts_are_503_and_store_nothing(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        record = service.http.post(SCORE, content=polite, headers=WAIT).json()
        before = sorted((tmp_path / "objects").rglob("*"))
        (server,) = named(service, "valkey-server")
        os.kill(server, signal.SIGSTOP)
        try:
            assert service.http.get(f"/v1/reports/{record['id']}").json() == record
            assert service.http.get("/readyz").json() == {"store": "ok", "redis": "away"}
            for path, body in ((SCORE, polite), ("/v1/trace-sets", polite)):
                answer = service.http.post(path, content=body)
                is_problem(answer, 503, "queue-unavailable")
                assert int(answer.headers["retry-after"]) >= 1
            assert sorted((tmp_path / "objects").rglob("*")) == before
        finally:
            os.kill(server, signal.SIGCONT)
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200


def test_a_valkey_of_ones_own_is_used_by_its_url(tmp_path: Path, polite: bytes) -> None:
    path = tmp_path / "own.sock"
    with subprocess.Popen(valkey_program.command(tmp_path, path)) as own:
        try:
            assert eventually(lambda: valkey_program.answers(path), 10)
            with running(tmp_path / "data", SIMGAP_REDIS_URL=f"unix://{path}") as service:
                assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200
                assert named(service, "valkey-server") == []
        finally:
            own.terminate()


def test_a_child_that_dies_is_started_again(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        for words in ("processes serve", "worker report", "processes reconcile", "valkey-server"):
            (victim,) = named(service, words)
            os.kill(victim, signal.SIGKILL)
            assert eventually(partial(started_again, service, words, victim), 10), words
        assert eventually(lambda: posted(service, polite), 28)


def started_again(service: Service, words: str, victim: int) -> bool:
    return named(service, words) not in ([], [victim])


def posted(service: Service, body: bytes) -> bool:
    try:
        return service.http.post(SCORE, content=body, headers={"Prefer": "wait=5"}).status_code == 200
    except httpx.HTTPError:
        return False


def test_jobs_written_into_redis_by_hand_are_dropped_or_do_what_their_id_says(tmp_path: Path, polite: bytes) -> None:
    canary = tmp_path / "canary"
    thing = "ts_" + "0" * 32
    with running(tmp_path / "data") as service:
        redis = valkey(service)
        workers = named(service, "processes worker")
        plain = Queue("ingest", connection=redis, serializer="json")
        plain.enqueue_call("os.mkdir", args=[str(canary)], job_id="by-hand")
        plain.enqueue_call("os.mkdir", args=[str(canary)], job_id=f"seal-{thing}-1")
        plain.enqueue_call("simgap_workers.jobs.os.mkdir", args=[str(canary)], job_id=f"seal-{thing}-2")
        plain.enqueue_call("simgap_workers.jobs.seal", args=["../../x"], job_id=f"seal-{thing}-3")
        plain.enqueue_call(
            "simgap_workers.jobs.seal", args=[thing], on_success=Callback("os.mkdir"), job_id=f"seal-{thing}-4"
        )
        Queue("ingest", connection=redis).enqueue_call("os.mkdir", args=[str(canary)], job_id=f"seal-{thing}-5")
        assert eventually(lambda: redis.llen("rq:queue:ingest") == 0, 10)
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200
        assert eventually(lambda: redis.keys("rq:job:*") == [b"rq:job:by-hand"], 5), "all others ended well"
        assert named(service, "processes worker") == workers
        assert not canary.exists()


def test_work_that_never_ends_well_is_given_up_with_a_reason(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path, SIMGAP_ATTEMPTS="1", SIMGAP_RECONCILE_SECONDS="0.3") as service:
        (worker,) = named(service, "worker ingest")
        os.kill(worker, signal.SIGSTOP)
        record = service.http.post(SCORE, content=polite).json()
        redis = valkey(service)
        attempts = tmp_path / "objects" / "attempts" / record["trace_set"]
        assert eventually(lambda: drained(redis) and attempts.is_dir(), 10)
        found = f"/v1/trace-sets/{record['trace_set']}"
        assert eventually(lambda: drained(redis) and service.http.get(found).json()["state"] == "failed", 10)
        assert "2 attempts" in service.http.get(found).json()["failure"]
        os.kill(worker, signal.SIGCONT)
        report = f"/v1/reports/{record['id']}"
        assert eventually(lambda: service.http.get(report).json()["state"] == "failed", 10)


def drained(redis: Redis) -> bool:
    """Take every job off the queue, as a machine that takes them and burns down."""
    redis.delete("rq:queue:ingest", "rq:queue:ingest:intermediate")
    return True
