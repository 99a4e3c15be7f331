"""What the queue may run: ingest, seal, baseline, report. Each takes ids alone, and writes only what is not there yet.

A job runs in a process of its own, forked for it. Run twice, it does as good as once. What its owner must know becomes
an object (`refused`, `failed`); what may pass (a store or a Redis that is away, a time limit) is raised, and the
reconciler starts the work again.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import traceback
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple

from msgspec import MsgspecError
from obstore.exceptions import BaseError
from redis.exceptions import RedisError
from rq.timeouts import BaseTimeoutException

from simgap_client.models import Located, TraceCounts
from simgap_workers.dispatch import Dispatch
from simgap_workers.measuring import measure_reading
from simgap_workers.queue import WorkQueue, connect
from simgap_workers.readers import MAX_ERRORS, InvalidTraces, ReadOptions, read
from simgap_workers.reports.usi import usi_report
from simgap_workers.scoring import Baseline, BaselineError, compile_baseline, decode_baseline, encode_baseline
from simgap_workers.shard import Shard, decode_shard, encode_shard, join_shards
from simgap_workers.store.baselines import builtin
from simgap_workers.store.cache import BaselineCache, digest
from simgap_workers.store.compiled import Facts
from simgap_workers.store.ids import is_id
from simgap_workers.store.objects import Objects
from simgap_workers.store.records import DAMAGED, INTERNAL, Failure, Sealed, SetRequest

_PASSING = (OSError, MemoryError, BaseError, RedisError, BaseTimeoutException)

_log = logging.getLogger("simgap.jobs")


class Place(NamedTuple):
    """Where a job finds things."""

    dispatch: Dispatch
    cache: BaselineCache


class _Addresses(NamedTuple):
    store_url: str
    redis_url: str


_addresses: list[_Addresses] = []


def set_up(store_url: str, redis_url: str) -> None:
    """Say where store and Redis are. Opens neither: the worker's parent calls this, and must not touch the store."""
    _addresses[:] = [_Addresses(store_url, redis_url)]


def log_fault(name: str, kind: type[BaseException] | None, place: TracebackType | None) -> None:
    """Log where something broke: the class and the lines it came through; the message could quote a trace."""
    lines = "".join(traceback.format_tb(place)) if place else ""
    _log.error("%s: %s\n%s", name, kind.__name__ if kind else "unknown", lines)


def _open() -> Place:
    store_url, redis_url = _addresses[0]
    redis = connect(redis_url)
    return Place(Dispatch(Objects.open(store_url), WorkQueue(redis)), BaselineCache(redis))


def _job(work: Callable[..., None]) -> Callable[..., None]:
    """A job that opens its place, and that turns a fault of ours into a failed thing instead of endless attempts."""

    @functools.wraps(work)
    def run(thing: str, *numbers: str) -> None:
        place = _open()
        try:
            work(place, thing, *map(int, numbers))
        except _PASSING:
            raise
        except Exception as fault:
            log_fault(thing, type(fault), fault.__traceback__)
            place.dispatch.fail(thing, DAMAGED if isinstance(fault, MsgspecError) else INTERNAL)

    return run


@_job
def ingest(place: Place, set_id: str, piece: int) -> None:
    """Read one piece of a set into a shard, or write why it cannot be read; the last one leads to the seal."""
    sets = place.dispatch.sets
    request, received = sets.request(set_id), sets.received(set_id)
    if request is None or received is None or piece >= len(received.pieces):
        return
    data = sets.raw(set_id, received.attempt, piece)
    if data is None:
        place.dispatch.fail(set_id, Failure("piece-lost", f"Piece {piece} of the upload is gone; upload it again."))
        return
    try:
        reading = read(data, _read_options(request), received.pieces[piece].first_line)
        shard = measure_reading(reading)
    except InvalidTraces as invalid:
        sets.refuse(set_id, piece, invalid.errors)
    else:
        sets.put_shard(set_id, piece, encode_shard(shard), reading.errors)
    if all(sets.read(set_id, other) for other in range(len(received.pieces))):
        _seal(place, set_id)


@_job
def seal(place: Place, set_id: str) -> None:
    """Seal a set whose pieces have all been read."""
    _seal(place, set_id)


@_job
def baseline(place: Place, baseline_id: str) -> None:
    """Compile a lab's baseline from its sets."""
    dispatch = place.dispatch
    asked = dispatch.baselines.asked(baseline_id)
    if asked is None:
        return None
    if dispatch.settled(baseline_id):
        return dispatch.finish(baseline_id)
    for set_id in asked.trace_sets:
        if failure := _unusable(dispatch, set_id) or _not_people(dispatch, set_id):
            return dispatch.fail(baseline_id, failure)
    try:
        people = [_shard(dispatch, set_id) for set_id in asked.trace_sets]
        compiled = compile_baseline(asked.name, people, asked.difficulty)
    except BaselineError as error:
        return dispatch.fail(baseline_id, Failure("no-baseline", str(error)))
    data = encode_baseline(compiled)
    facts = Facts(
        batches=len(compiled.batches()), tasks=len(compiled.tasks()), digest=compiled.digest, sha256=digest(data)
    )
    dispatch.baselines.finish(baseline_id, data, facts)
    place.cache.put(data)
    return dispatch.finish(baseline_id)


@_job
def report(place: Place, report_id: str) -> None:
    """Score a set against a baseline."""
    dispatch = place.dispatch
    asked = dispatch.reports.asked(report_id)
    if asked is None:
        return None
    if dispatch.settled(report_id):
        return dispatch.finish(report_id)
    if failure := _unusable(dispatch, asked.trace_set):
        return dispatch.fail(report_id, failure)
    people = _baseline(place, asked.baseline_id)
    if people is None:
        return dispatch.fail(report_id, Failure("baseline-failed", "The baseline could not be compiled."))
    request = dispatch.sets.request(asked.trace_set)
    name = request.name if request else asked.trace_set
    data = usi_report(name, _shard(dispatch, asked.trace_set), people, asked.options)
    dispatch.reports.finish(report_id, data)
    return dispatch.finish(report_id)


def _seal(place: Place, set_id: str) -> None:
    sets = place.dispatch.sets
    received = sets.received(set_id)
    if received is None:
        return None
    if sets.settled(set_id):
        return place.dispatch.finish(set_id)
    outcomes = [sets.errors(set_id, piece) for piece in range(len(received.pieces))]
    errors = [error for found, _ in outcomes for error in found][:MAX_ERRORS]
    if any(refused for _, refused in outcomes):
        sets.seal(set_id, Sealed("invalid", errors=errors))
    else:
        sets.seal(set_id, _sealed(_shard(place.dispatch, set_id), errors))
    return place.dispatch.finish(set_id)


def _sealed(shard: Shard, errors: list[Located]) -> Sealed:
    excluded = Counter(record.reason for record in shard.excluded)
    counts = TraceCounts(shard.expected, len(shard) + excluded.total(), len(shard), dict(sorted(excluded.items())))
    digest = hashlib.sha256(encode_shard(shard)).hexdigest()
    return Sealed("ready", shard.format, shard.source, counts, digest, shard.warnings, errors)


def _shard(dispatch: Dispatch, set_id: str) -> Shard:
    """A ready set's shards as one. Raises LookupError where one is gone: a number over the rest would be wrong."""
    received = dispatch.sets.received(set_id)
    shards = []
    for piece in range(len(received.pieces) if received else 0):
        data = dispatch.sets.shard(set_id, piece)
        if data is None:
            raise LookupError(f"shard {piece} of {set_id} is gone")
        shards.append(decode_shard(data))
    return join_shards(shards)


def _unusable(dispatch: Dispatch, set_id: str) -> Failure | None:
    """Why a set cannot be scored; None where it can."""
    sealed = dispatch.sets.sealed(set_id)
    if sealed is None:
        return Failure("trace-set-failed", f"Trace set {set_id} could not be read; upload it again.")
    if sealed.state == "invalid":
        return Failure("invalid-traces", f"Trace set {set_id} is invalid; its errors say where.")
    return None


def _not_people(dispatch: Dispatch, set_id: str) -> Failure | None:
    """Why a ready set is none of people: read as a simulator's, their interface messages would count as turns."""
    sealed = dispatch.sets.sealed(set_id)
    if sealed is None or sealed.source == "human":
        return None
    return Failure("not-people", f"Trace set {set_id} was read as a simulator's; upload it again with source=human.")


def _baseline(place: Place, baseline_id: str) -> Baseline | None:
    if not is_id(baseline_id, "bl"):
        return builtin(baseline_id)
    baselines = place.dispatch.baselines
    facts = baselines.facts(baseline_id)
    if facts is None:
        return None
    data = place.cache.get(facts.sha256)
    if data is None:
        data = baselines.compiled(baseline_id)
        if data is None:
            return None
        place.cache.put(data)
    return decode_baseline(data)


def _read_options(request: SetRequest) -> ReadOptions:
    return ReadOptions(
        format=request.format,
        source=request.source,
        domain=request.domain,
        roles=request.roles,
        stop_turns=request.stop_turns,
        runs_from_id=request.runs_from_id,
        on_error=request.on_error,
        file_name=request.name,
        users_only=True,
    )
