"""Reports: equal requests are one report, by an id made of what is asked for."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from simgap_client.models import ReportRecord, ReportRequest
from simgap_service.acceptance import require_queue, resume
from simgap_service.baselines import Baselines
from simgap_service.problems import BadRequest, NotFound
from simgap_service.trace_sets import now
from simgap_workers.dispatch import Dispatch
from simgap_workers.scoring.difficulty import DifficultyError, check_difficulty
from simgap_workers.store.baselines import builtin
from simgap_workers.store.ids import is_id, keyed_id
from simgap_workers.store.records import ReportAsked


class Reports:
    """The reports of the service. Methods block: call them in a thread."""

    def __init__(self, dispatch: Dispatch, baselines: Baselines, secret: bytes) -> None:
        self._dispatch = dispatch
        self._reports = dispatch.reports
        self._baselines = baselines
        self._secret = secret

    def check(self, request: ReportRequest) -> str:
        """The baseline's id, if the options and the baseline can be had; raises BadRequest or NotFound."""
        difficulty = request.options.difficulty
        if difficulty == "pooled":
            raise BadRequest('difficulty: the service cannot pool; give "published", or a map of task to success rate.')
        if isinstance(difficulty, dict):
            try:
                check_difficulty(difficulty)
            except DifficultyError as error:
                raise BadRequest(str(error)) from error
        return self._baselines.resolve(request.baseline)

    def request(self, request: ReportRequest) -> tuple[str, bool]:
        """Have a report made. Returns its id, and False where an equal one was asked for before.

        Raises BadRequest, NotFound (set or baseline), QueueUnavailable, StoreFullError.
        """
        baseline_id = self.check(request)
        if not is_id(request.trace_set, "ts") or self._dispatch.sets.request(request.trace_set) is None:
            raise NotFound("There is no trace set of this id.")
        require_queue(self._dispatch.queue)
        people = builtin(baseline_id)
        digest = people.digest if people else ""
        options = msgspec.json.encode(request.options, order="sorted").decode()
        report_id = keyed_id("rp", self._secret, request.trace_set, baseline_id, digest, request.kind, options)
        asked = ReportAsked(now(), request.kind, request.trace_set, baseline_id, request.options)
        new = self._reports.ask(report_id, asked)
        resume(self._dispatch, report_id)
        return report_id, new

    def get(self, report_id: str) -> ReportRecord:
        """The report as it stands; raises NotFound."""
        asked = self._reports.asked(report_id) if is_id(report_id, "rp") else None
        if asked is None:
            raise NotFound("There is no report of this id.")
        found = ReportRecord(report_id, "queued", asked.created, asked.kind, asked.trace_set, asked.baseline_id)
        if (data := self._reports.report(report_id)) is not None:
            found.state, found.report = "done", Raw(data)
        elif failure := self._reports.failure(report_id):
            found.state, found.failure = "failed", failure.message
        return found

    def settled(self, report_id: str) -> bool:
        """Is there a result, good or bad?"""
        return self._reports.settled(report_id)
