"""From traces to a shard: the step after which no text is needed."""

from __future__ import annotations

from simgap_workers.behaviour import measure, user_turns
from simgap_workers.readers import Reading, refusal
from simgap_workers.shard import Shard


def measure_reading(reading: Reading) -> Shard:
    """All measures of a reading's traces, as columns in the order of the file.

    Raises InvalidTraces (`no_conversations`) where it holds survey answers instead of traces.
    """
    if reading.surveys:
        raise refusal(
            "no_conversations",
            "This file holds survey answers without conversations. They go with the simulator's traces "
            "(--surveys FILE), not in their place.",
        )
    traces = reading.traces
    conversations = [user_turns(trace.messages, reading.source) for trace in traces]
    return Shard(
        id=[trace.id for trace in traces],
        task_id=[trace.task_id for trace in traces],
        run=[trace.run for trace in traces],
        batch=[trace.batch or 0 for trace in traces],
        line=[trace.line for trace in traces],
        reward=[trace.reward for trace in traces],
        survey=[trace.survey for trace in traces],
        turns=[len(turns) for turns in conversations],
        measures=measure(conversations),
        excluded=reading.excluded,
        warnings=reading.warnings,
        expected=reading.expected,
        format=reading.format,
        source=reading.source,
        stop_turns=reading.stop_turns,
    )
