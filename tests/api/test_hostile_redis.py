"""One bad entry in Redis, whoever wrote it, costs nothing but itself: real workers on a real Valkey."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from simgap_client.models import ReportOptions
from simgap_workers.store.ids import new_id
from simgap_workers.store.records import ReportAsked
from tests.api.conftest import eventually
from tests.api.place import Place, a_place

INGEST = "rq:queue:ingest"
TAKEN = "rq:queue:ingest:intermediate"
RUNNING = "rq:wip:ingest"
WORKERS = "rq:workers:ingest"
FOREIGN = "seal-ts_" + "0" * 32 + "-0"
CANARY = Path(tempfile.gettempdir()) / f"simgap-canary-{os.getpid()}"
NOT_UTF8 = b"\xff\xfe\x00"

Write = Callable[[Redis, str], object]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with a_place(tmp_path_factory.mktemp("hostile")) as place:
        yield place


def spoil(field: bytes, value: bytes) -> Write:
    """Write a field into the hash of a job of ours."""
    return lambda redis, job: redis.hset(f"rq:job:{job}", mapping={field: value})


def push(key: str, entry: bytes) -> Write:
    return lambda redis, _: redis.lpush(key, entry)


def run(key: str, entry: bytes, score: str) -> Write:
    return lambda redis, _: redis.zadd(key, {entry: score})


def strange(key: str) -> Write:
    """Put a stream where RQ has something else."""

    def write(redis: Redis, _: str) -> None:
        redis.delete(key)
        redis.xadd(key, {"a": "b"})

    return write


def queue_strange(redis: Redis, _: str) -> None:
    redis.set(f"rq:job:{FOREIGN}", "no hash")
    redis.lpush(INGEST, FOREIGN)


HOSTILE: dict[str, Write] = {
    "timeout": spoil(b"timeout", b"abc"),
    "timeout without end": spoil(b"timeout", b"-1"),
    "created_at": spoil(b"created_at", b"abc"),
    "result_ttl": spoil(b"result_ttl", b"x"),
    "status": spoil(b"status", b"\xff"),
    "field not in UTF-8": spoil(NOT_UTF8, b"x"),
    "data": spoil(b"data", f'["os.mkdir", null, ["{CANARY}"], {{}}]'.encode()),
    "id with a space": push(INGEST, b"seal ts 0"),
    "id with a slash": push(INGEST, b"seal/../ts"),
    "id of nobody": push(INGEST, b"by-hand-1"),
    "id with a number too many": push(INGEST, FOREIGN.encode() + b"-1"),
    "id with a huge number": push(INGEST, b"ingest-ts_" + b"0" * 32 + b"-" + b"9" * 5000 + b"-0"),
    "id of a baseline to seal": push(INGEST, b"seal-bl_" + b"0" * 32 + b"-0"),
    "job of another type": queue_strange,
    "queued, not in UTF-8": push(INGEST, NOT_UTF8),
    "taken, not in UTF-8": push(TAKEN, NOT_UTF8),
    "taken, without a job": push(TAKEN, FOREIGN.encode()),
    "running, not in UTF-8": run(RUNNING, NOT_UTF8, "1"),
    "running, not in UTF-8, for ever": run(RUNNING, NOT_UTF8, "+inf"),
    "running, a:b:c": run(RUNNING, b"a:b:c", "1"),
    "running, ours and a:b:c": run(RUNNING, FOREIGN.encode() + b":b:c", "1"),
    "worker, not in UTF-8": lambda redis, _: redis.sadd(WORKERS, NOT_UTF8),
    "the queue is of another type": strange(INGEST),
    "the list of those taken is of another type": strange(TAKEN),
    "the list of those running is of another type": strange(RUNNING),
    "the list of workers is of another type": strange(WORKERS),
    "all workers suspended": lambda redis, _: redis.set("rq:suspended", 1),
}


@pytest.mark.parametrize("write", HOSTILE.values(), ids=HOSTILE.keys())
def test_one_bad_entry_stops_no_worker_and_no_good_work(place: Place, polite: bytes, write: Write) -> None:
    place.redis.flushall()
    good = [place.upload(polite)]
    write(place.redis, f"ingest-{good[0]}-0-0")
    if place.redis.type(INGEST) == b"stream":
        good.clear()  # its job went with the queue; a reconciler would start it again
    with place.worker("ingest") as worker:
        assert eventually(lambda: at_home(place.redis), 20)
        good.append(place.upload(polite))
        assert eventually(lambda: all(map(place.dispatch.sets.sealed, good)), 20)
        assert eventually(lambda: clean(place.redis), 10)
        assert worker.poll() is None
    assert worker.returncode == 0
    assert not CANARY.exists()


def at_home(redis: Redis) -> bool:
    """Has the worker put things right, and itself into the list of workers?"""
    return redis.type(WORKERS) == b"set" and len(redis.keys("rq:worker:*")) == 1 and redis.scard(WORKERS) >= 1


def clean(redis: Redis) -> bool:
    """Is there nothing left but the worker itself?"""
    return (redis.llen(INGEST), redis.llen(TAKEN), redis.zcard(RUNNING), redis.scard(WORKERS)) == (0, 0, 0, 1)


def test_bad_entries_stop_no_worker_of_the_other_queue_either(place: Place, polite: bytes) -> None:
    place.redis.flushall()
    report_id, dispatch = new_id("rp"), place.dispatch
    set_id = place.upload(polite)
    for key in ("rq:queue:report", "rq:queue:report:intermediate"):
        place.redis.rpush(key, NOT_UTF8, b"a b", b"")
    dispatch.reports.ask(report_id, ReportAsked("", "usi", set_id, "demo", ReportOptions()))
    dispatch.accept(report_id)
    with place.worker("ingest"), place.worker("report") as worker:
        assert eventually(lambda: dispatch.reports.report(report_id) is not None, 30)
        assert worker.poll() is None
    assert worker.returncode == 0


def test_a_worker_that_ends_of_a_fault_says_so_by_its_exit_code(place: Place) -> None:
    place.redis.flushall()
    with place.worker("ingest") as worker:
        assert eventually(lambda: at_home(place.redis), 20)
        strange(INGEST)(place.redis, "")
        place.redis.client_kill_filter(_type="normal", skipme=True)
        assert eventually(lambda: worker.poll() is not None, 20)
    assert worker.returncode == 1


def test_a_report_whose_request_is_torn_fails_as_damaged_and_is_forgotten(place: Place) -> None:
    place.redis.flushall()
    report_id, baseline_id, dispatch = new_id("rp"), new_id("bl"), place.dispatch
    place.objects.create(f"reports/{report_id}/request", b"")
    place.objects.create(f"baselines/{baseline_id}/request", b'{"created": "20')
    dispatch.accept(report_id)
    dispatch.accept(baseline_id)
    with place.worker("report"):
        assert eventually(lambda: dispatch.settled(report_id) and dispatch.settled(baseline_id), 20)
        assert eventually(lambda: not dispatch.pending.has(report_id) and not dispatch.pending.has(baseline_id), 5)
    for failure in (dispatch.reports.failure(report_id), dispatch.baselines.failure(baseline_id)):
        assert failure is not None
        assert failure.code == "damaged"
