"""Small files of every format, written for these tests."""

from __future__ import annotations

import json
from typing import Any

from simgap_workers.readers import InvalidTraces, Reading, ReadOptions, read

CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "I want my money back"},
    {"role": "assistant", "content": "May I have the order number?"},
    {"role": "user", "content": "W1234567, and hurry"},
]
SURVEY = {"task_success": {"answer": "Yes - Task completed"}, "reuse": {"answer": "Maybe"}}


def line(**fields: Any) -> bytes:
    """One line of the `simgap` format."""
    return json.dumps({"id": "a", "messages": CHAT} | fields).encode() + b"\n"


def result(task: int, trial: int, *said: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """One record of τ-bench: the retail policy, the given messages."""
    policy = {"role": "system", "content": "# Retail agent policy\n\nAs a retail agent, you can help users."}
    return {"task_id": task, "reward": 1.0, "info": {}, "traj": [policy, *(said or CHAT)], "trial": trial} | fields


def entry(**fields: Any) -> dict[str, Any]:
    """One entry of `odyssim-eval` and `tau-usi-human`."""
    return {"conversation": CHAT, "survey": SURVEY, "reward": 1.0, "keep": True} | fields


def document(value: Any) -> bytes:
    """Indented JSON, a record on several lines."""
    return json.dumps(value, indent=1).encode()


def odyssim(*results: dict[str, Any], n: int = 2) -> bytes:
    """An OdysSim result file."""
    return document({"benchmark": "tau_usi", "model": "m", "user_sim_model": "u", "n": n, "results": list(results)})


SMALL: dict[str, bytes] = {
    "simgap": line(reward=0.5, survey={"reuse": "Yes"}) + line(id="b", run=2, keep=False) + line(id="c", batch=1),
    "openai": document({"messages": CHAT, "tools": []}).replace(b"\n", b"") + b"\n",
    "taubench": document([result(0, 0), result(0, 1), result(1, 0, traj=[], info={"error": "Connection error."})]),
    "odyssim-results": odyssim({"instance_id": "retail_0", "domain": "retail", "task_index": 0} | entry()),
    "odyssim-eval": document({"retail_0_1": entry(), "retail_0_2": entry(survey={}), "retail_1_1": entry(keep=0)}),
    "tau-usi-human": document({"retail_0": entry(), "retail_0_ann2": entry(), "retail_0_ann3": entry(keep=None)}),
    "survey-comparable": document({"retail_0": {"survey": SURVEY}, "retail_0_ann2": {"survey": {}}}),
}


def read_as(data: bytes, **options: Any) -> Reading:
    """Read with these options."""
    return read(data, ReadOptions(**options))


def texts(reading: Reading) -> list[list[tuple[str, str]]]:
    """Role and content of each message of each trace."""
    return [[(message.role, message.content) for message in trace.messages] for trace in reading.traces]


def refused(data: bytes, **options: Any) -> list[tuple[int, str, str]]:
    """Line, pointer and code of each error."""
    try:
        reading = read_as(data, **options)
    except InvalidTraces as invalid:
        return [(error.line, error.pointer, error.code) for error in invalid.errors]
    raise AssertionError(f"read {reading.received} records")


def complaint(data: bytes, **options: Any) -> str:
    """The text of the first error."""
    try:
        reading = read_as(data, **options)
    except InvalidTraces as invalid:
        return invalid.errors[0].message
    raise AssertionError(f"read {reading.received} records")


def warned(reading: Reading, code: str) -> str:
    """The warnings of that code, each with its count before it."""
    return "; ".join(f"{warning.count} {warning.message}" for warning in reading.warnings if warning.code == code)
