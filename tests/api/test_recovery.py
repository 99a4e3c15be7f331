"""What was accepted gets done, or fails with a reason and can be asked for again; and nothing of it is left over."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from simgap_client.models import ReportOptions
from simgap_workers.reconciler import Reconciler
from simgap_workers.scoring import encode_baseline
from simgap_workers.store.baselines import builtin
from simgap_workers.store.cache import BaselineCache, digest
from simgap_workers.store.compiled import Facts
from simgap_workers.store.ids import new_id
from simgap_workers.store.records import DAMAGED, INTERNAL, BaselineAsked, Failure, ReportAsked
from tests.api.conftest import Service, eventually, running
from tests.api.place import Place, a_place
from tests.api.test_faults import named, valkey
from tests.api.test_score import SCORE, WAIT, is_problem


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with a_place(tmp_path) as place:
        yield place


def test_a_thing_that_cannot_be_read_does_not_stand_in_the_way_and_fails_as_damaged(
    place: Place, polite: bytes
) -> None:
    good, dispatch = place.upload(polite), place.dispatch
    place.redis.flushall()
    place.redis.lpush("rq:queue:ingest", b"\xff\xfe")
    torn = "ts_" + "0" * 32
    place.objects.create(f"trace-sets/{torn}/request", b"")
    place.objects.create(f"trace-sets/{torn}/received", b"")
    dispatch.pending.open(torn)
    reconciler = Reconciler(dispatch, limit=2)
    for _ in range(3):
        assert torn in reconciler.idle()
        reconciler.restart(reconciler.idle())
    assert place.redis.lrange("rq:queue:ingest", 0, -1) == [b"\xff\xfe", f"ingest-{good}-0-1".encode()]
    failure = dispatch.sets.failure(torn)
    assert failure is not None
    assert failure.code == "damaged"
    assert dispatch.pending.all() == [good]
    assert dispatch.pending.attempts(torn) == 0


def test_a_report_on_a_set_that_lost_a_shard_fails_rather_than_scoring_the_rest(place: Place, polite: bytes) -> None:
    lines, dispatch = polite.splitlines(keepends=True), place.dispatch
    made = place.upload(b"".join(lines[:20]), b"".join(lines[20:]))
    report = new_id("rp")
    asked = ReportAsked("2026-01-01T00:00:00.000Z", "usi", made, "demo", ReportOptions())
    with place.worker("ingest"), place.worker("report"):
        assert eventually(lambda: dispatch.sets.settled(made), 20)
        place.objects.delete(f"trace-sets/{made}/shards/1")
        dispatch.reports.ask(report, asked)
        dispatch.accept(report)
        assert eventually(lambda: dispatch.reports.settled(report), 20)
    assert dispatch.reports.report(report) is None
    failure = dispatch.reports.failure(report)
    assert failure is not None
    assert failure.code == "internal"


def test_only_the_very_bytes_that_the_store_names_come_out_of_the_cache(place: Place) -> None:
    demo, other = builtin("demo"), builtin("taubench-2026")
    assert demo is not None
    assert other is not None
    cache, data = BaselineCache(place.redis), encode_baseline(demo)
    assert cache.get(digest(data)) is None
    cache.put(data)
    assert cache.get(digest(data)) == data
    key = f"simgap:baseline:{digest(data)}"
    for foreign in (b"\xff garbage", b"", encode_baseline(other)):
        place.redis.set(key, foreign)
        assert cache.get(digest(data)) is None
    place.redis.delete(key)
    place.redis.lpush(key, data)
    assert cache.get(digest(data)) is None
    cache.put(data)
    assert cache.get(digest(data)) == data


def test_a_race_of_failing_and_asking_again_leaves_the_thing_pending(place: Place) -> None:
    report_id, dispatch = new_id("rp"), place.dispatch
    dispatch.pending.open(report_id)
    dispatch.finish(report_id)
    assert dispatch.pending.has(report_id), "it has no result: somebody asked for it again just before"


def test_after_the_loss_of_every_process_and_of_redis_work_goes_on_at_once(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path, SIMGAP_RECONCILE_SECONDS="3600") as service:
        paused(service, "ingest")
        record = service.http.post(SCORE, content=polite).json()
        service.process.kill()
        service.process.wait(10)
        assert eventually(lambda: service.processes() == {}, 10)
    shutil.rmtree(tmp_path / "valkey")
    with running(tmp_path, SIMGAP_RECONCILE_SECONDS="3600") as service:
        assert eventually(lambda: state(service, f"/v1/reports/{record['id']}") == "done", 28)
        assert eventually(lambda: left_over(tmp_path) == [], 5)


def test_nothing_is_left_of_what_is_done(tmp_path: Path, polite: bytes, people: bytes) -> None:
    with running(tmp_path) as service:
        baseline = made("people", uploaded(service, people, source="human"))
        assert service.http.post("/v1/baselines", json=baseline, headers=WAIT).json()["state"] == "ready"
        assert service.http.post(SCORE, content=polite, headers=WAIT).json()["state"] == "done"
        assert eventually(lambda: left_over(tmp_path) == [], 5)


def left_over(data: Path) -> list[str]:
    """Files and folders that stand for work."""
    found = (path for name in ("pending", "attempts", "waiting") for path in (data / "objects" / name).glob("**/*"))
    return sorted(str(path.relative_to(data)) for path in found)


def test_what_failed_for_a_reason_that_passed_is_done_when_it_is_asked_for_again(
    tmp_path: Path, polite: bytes, people: bytes
) -> None:
    with running(tmp_path, SIMGAP_ATTEMPTS="1", SIMGAP_RECONCILE_SECONDS="0.3") as service:
        humans, simulator = uploaded(service, people, source="human"), uploaded(service, polite)
        mine, taken = made("mine", humans), made("taken", humans)
        request = {"kind": "usi", "trace_set": simulator, "baseline": "demo"}
        worker = paused(service, "report")
        first, second = (posted(service, "/v1/baselines", body, wait=0)["id"] for body in (mine, taken))
        third = posted(service, "/v1/reports", request, wait=0)["id"]
        for path in (f"/v1/baselines/{first}", f"/v1/baselines/{second}", f"/v1/reports/{third}"):
            assert eventually(partial(failed_without_jobs, service, path), 15)
        is_problem(service.http.get("/v1/baselines/mine"), 404, "not-found")
        os.kill(worker, signal.SIGCONT)
        posted(service, "/v1/baselines", taken | {"difficulty": "published"})
        is_problem(service.http.post("/v1/baselines", json=taken), 409, "name-taken")
        again = posted(service, "/v1/baselines", mine)
        assert (again["id"], again["state"]) == (first, "ready")
        assert service.http.get("/v1/baselines/mine").json() == again
        again = posted(service, "/v1/reports", request)
        assert (again["id"], again["state"], again["failure"]) == (third, "done", None)


def failed_without_jobs(service: Service, path: str) -> bool:
    """Take every job off the queue, as a machine that takes them and burns down. Has this failed of it?"""
    valkey(service).delete("rq:queue:report", "rq:queue:report:intermediate")
    return state(service, path) == "failed"


def test_a_failure_of_what_is_needed_lasts_as_long_as_that_one(place: Place) -> None:
    baseline_id, report_id, dispatch = new_id("bl"), new_id("rp"), place.dispatch
    dispatch.reports.ask(report_id, ReportAsked("", "usi", new_id("ts"), baseline_id, ReportOptions()))
    dispatch.baselines.fail(baseline_id, INTERNAL)
    dispatch.reports.fail(report_id, Failure("baseline-failed", ""))
    assert (dispatch.may_pass(baseline_id), dispatch.may_pass(report_id)) == (True, False)
    dispatch.baselines.reopen(baseline_id)
    assert (dispatch.may_pass(baseline_id), dispatch.may_pass(report_id)) == (False, True)
    dispatch.reports.reopen(report_id)
    assert not dispatch.settled(report_id)
    dispatch.reports.fail(report_id, DAMAGED)
    assert dispatch.reports.failure(report_id) == DAMAGED
    assert not dispatch.may_pass(report_id)


def test_a_failure_that_comes_after_the_result_counts_for_nothing(place: Place) -> None:
    baseline_id, baselines = new_id("bl"), place.dispatch.baselines
    baselines.ask(baseline_id, BaselineAsked("", "mine", []))
    baselines.take_name("mine", baseline_id)
    baselines.finish(baseline_id, b"", Facts(1, 1, "", ""))
    place.dispatch.fail(baseline_id, INTERNAL)
    assert (baselines.failure(baseline_id), baselines.by_name("mine")) == (None, baseline_id)


def test_what_failed_by_its_own_fault_is_answered_with_the_failure(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path) as service:
        simulator = uploaded(service, polite)
        first, second = (posted(service, "/v1/baselines", made("no people", simulator)) for _ in range(2))
        assert first == second
        assert first["state"] == "failed"
        assert "source=human" in first["failure"]
        folder = tmp_path / "objects" / "baselines" / first["id"]
        assert sorted(path.name for path in folder.iterdir()) == ["failed", "request"]


def test_a_cache_that_somebody_wrote_into_changes_no_number(tmp_path: Path, polite: bytes, people: bytes) -> None:
    other = builtin("taubench-2026")
    assert other is not None
    with running(tmp_path) as service:
        baseline = posted(service, "/v1/baselines", made("mine", uploaded(service, people, source="human")))
        redis, scores = valkey(service), []
        for written in (None, b"\xff", encode_baseline(other)):
            (key,) = redis.keys("simgap:baseline:*")
            if written is not None:
                redis.set(key, written)
            request = {"kind": "usi", "trace_set": uploaded(service, polite), "baseline": baseline["id"]}
            scores.append(posted(service, "/v1/reports", request)["report"]["scores"])
        assert scores[0]["d1"]["value"] is not None
        assert scores[1:] == [scores[0], scores[0]]


def paused(service: Service, queue: str) -> int:
    """Stop the worker of this queue as SIGSTOP does; its id."""
    (worker,) = named(service, f"worker {queue}")
    os.kill(worker, signal.SIGSTOP)
    return worker


def uploaded(service: Service, body: bytes, **query: str) -> str:
    answer = service.http.post("/v1/trace-sets", content=body, params=query, headers=WAIT).json()
    assert answer["state"] == "ready"
    return str(answer["id"])


def made(name: str, trace_set: str) -> dict[str, Any]:
    return {"name": name, "trace_sets": [trace_set]}


def posted(service: Service, path: str, body: dict[str, Any], wait: int = 10) -> dict[str, Any]:
    answer = service.http.post(path, json=body, headers={"Prefer": f"wait={wait}"})
    assert answer.status_code in (200, 202), answer.text
    found: dict[str, Any] = answer.json()
    return found


def state(service: Service, path: str) -> str:
    return str(service.http.get(path).json()["state"])
