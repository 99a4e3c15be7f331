"""A report in the store: `request`, `report`; and its failures (outcomes.py)."""

from __future__ import annotations

import msgspec

from simgap_workers.store.ids import checked
from simgap_workers.store.objects import Objects
from simgap_workers.store.outcomes import Outcomes
from simgap_workers.store.records import ReportAsked


class ReportObjects(Outcomes):
    """The objects of reports. Every method takes the report's id."""

    def __init__(self, objects: Objects) -> None:
        super().__init__(objects, _key, "report")

    def ask(self, report_id: str, asked: ReportAsked) -> bool:
        """Write what was asked for; False where an equal request did so before."""
        return self._objects.create(_key(report_id, "request"), msgspec.json.encode(asked), durable=True)

    def asked(self, report_id: str) -> ReportAsked | None:
        """What was asked for, or None where there is no such report."""
        data = self._objects.get(_key(report_id, "request"))
        return None if data is None else msgspec.json.decode(data, type=ReportAsked)

    def finish(self, report_id: str, report: bytes) -> None:
        """Write the report; of two that race, the first stands."""
        self._objects.create(_key(report_id, "report"), report)

    def report(self, report_id: str) -> bytes | None:
        """The report's bytes, or None while it is not done."""
        return self._objects.get(_key(report_id, "report"))


def _key(report_id: str, name: str) -> str:
    return f"reports/{checked(report_id, 'rp')}/{name}"
