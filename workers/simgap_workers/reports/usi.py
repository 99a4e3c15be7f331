"""Report kind `usi`: the User-Sim Index of one trace set against one baseline, as the bytes that are stored."""

from __future__ import annotations

import msgspec

from simgap_client.models import Report, ReportOptions
from simgap_workers.scoring import Baseline, Options, Simulator, score
from simgap_workers.shard import Shard
from simgap_workers.trace import SurveyAnswer


def usi_report(
    name: str, traces: Shard, baseline: Baseline, options: ReportOptions, surveys: list[SurveyAnswer] | None = None
) -> bytes:
    """The report's bytes; equal inputs give equal bytes.

    `options.difficulty` must not be `pooled`: the caller pools over the simulators it knows and gives the map.
    """
    if options.difficulty == "pooled":
        raise ValueError("difficulty `pooled` needs the simulators to pool over: give their map")
    return encode_report(
        score(Simulator(name, traces, surveys), baseline, Options(options.profile, options.difficulty))
    )


def encode_report(report: Report) -> bytes:
    """The report as JSON, without white space, in the order of its fields."""
    return msgspec.json.encode(report)
