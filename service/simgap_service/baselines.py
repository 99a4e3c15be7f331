"""Baselines: the built-in ones by name, a lab's by id or by the name it gave."""

from __future__ import annotations

from simgap_client.models import BaselineRecord, BaselineRequest
from simgap_service.acceptance import accept, require_queue, resume
from simgap_service.problems import BadRequest, NameTaken, NotFound
from simgap_service.trace_sets import now
from simgap_workers.dispatch import Dispatch
from simgap_workers.scoring.difficulty import DifficultyError, check_difficulty
from simgap_workers.store.baselines import builtin, builtin_names
from simgap_workers.store.ids import is_id, keyed_id
from simgap_workers.store.objects import StoreFullError
from simgap_workers.store.records import BaselineAsked

_NAME_LENGTH = 200


class Baselines:
    """The baselines of the service. Methods block: call them in a thread."""

    def __init__(self, dispatch: Dispatch, secret: bytes) -> None:
        self._dispatch = dispatch
        self._baselines = dispatch.baselines
        self._secret = secret

    def request(self, request: BaselineRequest) -> tuple[str, bool]:
        """Have a baseline compiled. Returns its id, and False where this very baseline was asked for before.

        Raises BadRequest, NotFound (a trace set), NameTaken, QueueUnavailable, StoreFullError.
        """
        self._check(request)
        require_queue(self._dispatch.queue)
        baseline_id = keyed_id("bl", self._secret, request.name, *request.trace_sets, _difficulty_key(request))
        if self._baselines.asked(baseline_id) is not None:
            resume(self._dispatch, baseline_id)
            return baseline_id, False
        if self._baselines.take_name(request.name, baseline_id) != baseline_id:
            raise NameTaken(f'There is another baseline named "{request.name}"; choose another name.')
        asked = BaselineAsked(now(), request.name, request.trace_sets, request.difficulty)
        try:
            self._baselines.ask(baseline_id, asked)
        except StoreFullError:
            self._baselines.free_name(request.name, baseline_id)
            raise
        accept(self._dispatch, baseline_id)
        return baseline_id, True

    def resolve(self, name: str) -> str:
        """The id of a baseline by its id or name; the name itself for a built-in one. Raises NotFound."""
        if name in builtin_names():
            return name
        found = name if is_id(name, "bl") else self._baselines.by_name(name)
        if found is None or self._baselines.asked(found) is None:
            raise NotFound("There is no baseline of this id or name; GET /v1/baselines lists them.")
        return found

    def get(self, name: str) -> BaselineRecord:
        """The baseline of this id or name, as it stands; raises NotFound."""
        baseline_id = self.resolve(name)
        if not is_id(baseline_id, "bl"):
            return _builtin_record(baseline_id)
        found = self._record(baseline_id)
        if found is None:
            raise NotFound("There is no baseline of this id or name; GET /v1/baselines lists them.")
        return found

    def all(self) -> list[BaselineRecord]:
        """Every baseline: the built-in ones, then the labs', newest first."""
        made = [record for baseline_id in self._baselines.ids() if (record := self._record(baseline_id))]
        made.sort(key=lambda record: (record.created or "", record.id), reverse=True)
        return [*map(_builtin_record, builtin_names()), *made]

    def settled(self, baseline_id: str) -> bool:
        """Is there a result, good or bad?"""
        return self._baselines.settled(baseline_id)

    def _record(self, baseline_id: str) -> BaselineRecord | None:
        asked = self._baselines.asked(baseline_id)
        if asked is None:
            return None
        found = BaselineRecord(baseline_id, asked.name, "compiling", asked.created, asked.trace_sets)
        if facts := self._baselines.facts(baseline_id):
            found.state = "ready"
            found.batches, found.tasks, found.digest = facts.batches, facts.tasks, facts.digest
        elif failure := self._baselines.failure(baseline_id):
            found.state, found.failure = "failed", failure.message
        return found

    def _check(self, request: BaselineRequest) -> None:
        name = request.name
        if not 0 < len(name) <= _NAME_LENGTH or not name.isprintable() or name != name.strip() or is_id(name):
            raise BadRequest(f"name: 1 to {_NAME_LENGTH} printable characters, and not the form of an id.")
        if "/" in name or name in (".", ".."):
            raise BadRequest('name: without "/", and not "." or "..": it becomes a part of a path.')
        if name in builtin_names():
            raise NameTaken(f'"{name}" is built in; choose another name.')
        if not request.trace_sets or len(set(request.trace_sets)) != len(request.trace_sets):
            raise BadRequest("trace_sets: at least one, and each only once.")
        for set_id in request.trace_sets:
            if not is_id(set_id, "ts") or self._dispatch.sets.request(set_id) is None:
                raise NotFound("trace_sets: there is no trace set of one of these ids.")
        if isinstance(request.difficulty, dict):
            try:
                check_difficulty(request.difficulty)
            except DifficultyError as error:
                raise BadRequest(str(error)) from error


def _difficulty_key(request: BaselineRequest) -> str:
    if isinstance(request.difficulty, dict):
        return repr(sorted(request.difficulty.items()))
    return str(request.difficulty)


def _builtin_record(name: str) -> BaselineRecord:
    baseline = builtin(name)
    if baseline is None:
        raise NotFound("There is no baseline of this name.")
    return BaselineRecord(
        id=name,
        name=name,
        state="ready",
        created=None,
        trace_sets=[],
        batches=len(baseline.batches()),
        tasks=len(baseline.tasks()),
        digest=baseline.digest,
    )
