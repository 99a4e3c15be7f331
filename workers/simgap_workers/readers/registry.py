"""The formats that can be read. A new one is a module and a line here.

To be recognised, a format says which outlines fit it (outline.py); the first that fits is it.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from simgap_workers.readers import instances, odyssim_results, openai, simgap, taubench
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.piece import Piece


class Format(Struct, frozen=True):
    """One format. splittable: one trace a line, so that a file can be cut at line ends.

    source, stop_turns: what holds where the caller says nothing. fits: whether the outline of a file is this format's.
    read: fills the piece; raises InvalidTraces where a file cannot be read on. runs_in_ids: whether ids may end in
    the run, as the caller says with runs_from_id.
    """

    name: str
    description: str
    splittable: bool
    fits: Callable[[Outline], bool]
    read: Callable[[Piece], None]
    source: str = "simulator"
    stop_turns: str = "keep"
    runs_in_ids: bool = False


_ALL = (
    Format(
        "simgap", "NDJSON, one trace a line: {id, task_id, run, messages, reward, …}", True, simgap.fits, simgap.read
    ),
    Format("openai", "JSONL of {messages: [{role, content, …}]}, without ids", True, openai.fits, openai.read),
    Format(
        "taubench",
        "τ-bench results: a list of {task_id, reward, trial, info, traj}, or {metrics, results: […]}",
        False,
        taubench.fits,
        taubench.read,
        stop_turns="drop",
    ),
    Format(
        "odyssim-results",
        "OdysSim results: {benchmark, model, user_sim_model, n, results: [{instance_id, conversation, …}]}",
        False,
        odyssim_results.fits,
        odyssim_results.read,
        runs_in_ids=True,
    ),
    Format(
        "tau-usi-human",
        "people's traces: {instance_id: {conversation, survey, reward, keep}} with ids ending in _ann2, _ann3",
        False,
        instances.fits_people,
        instances.read_instances,
        source="human",
    ),
    Format(
        "odyssim-eval",
        "a simulator's traces: {instance_id: {conversation, survey, reward, keep}}",
        False,
        instances.fits_simulator,
        instances.read_instances,
        runs_in_ids=True,
    ),
    Format(
        "survey-comparable",
        "a simulator's answers about people's conversations: {instance_id: {survey: {field: {answer}}}}",
        False,
        instances.fits_surveys,
        instances.read_surveys,
        runs_in_ids=True,
    ),
)

FORMATS: dict[str, Format] = {one.name: one for one in _ALL}
"""Name -> format, in the order in which they are tried."""
