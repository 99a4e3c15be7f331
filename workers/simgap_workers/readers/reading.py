"""What a reader hands on: the traces of one piece of a file, and an account of everything else in it."""

from __future__ import annotations

from msgspec import Struct, field

from simgap_client.models import Located, Warned
from simgap_workers.trace import Excluded, SurveyAnswer, Trace


class Reading(Struct):
    """One piece as read. Every record of it is in `traces`, `surveys` or `excluded`.

    errors: what was skipped, at most 100 of them, only with on_error=skip. expected: how many records the file says
    there should be. surveys: only of `survey-comparable`.
    """

    format: str
    source: str
    stop_turns: str
    traces: list[Trace] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    surveys: list[SurveyAnswer] = field(default_factory=list)
    errors: list[Located] = field(default_factory=list)
    expected: int | None = None
    warnings: list[Warned] = field(default_factory=list)

    @property
    def received(self) -> int:
        """Records in the piece: scored + excluded."""
        return len(self.traces) + len(self.surveys) + len(self.excluded)
