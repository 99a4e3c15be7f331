"""τ-bench's result files: a list of `{task_id, reward, trial, info, traj}`, or `{metrics, results: [...]}` around it.

No field holds the domain: the caller gives it, else the tools that are called or the policy's heading tell it, record
by record; records that tell nothing take what the others agree on, or what the file is called. Trials count from 0;
in some forks `trial` holds the task's number, and then every task has one run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Generic

from msgspec import Struct

from simgap_workers.readers.errors import RecordError, refusal
from simgap_workers.readers.fields import LARGEST, reward_number
from simgap_workers.readers.messages import AssistantSaid, FileMessage, M, Said, SystemSaid
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import Document, Record
from simgap_workers.trace import Excluded, Trace

_HEADING = 40
DOMAINS = ("airline", "retail")
_AIRLINE_TOOLS = (
    "book_reservation cancel_reservation get_reservation_details list_all_airports search_direct_flight "
    "search_onestop_flight send_certificate update_reservation_baggages update_reservation_flights "
    "update_reservation_passengers"
)
_RETAIL_TOOLS = (
    "cancel_pending_order exchange_delivered_order_items find_user_id_by_email find_user_id_by_name_zip "
    "get_order_details get_product_details list_all_product_types modify_pending_order_address "
    "modify_pending_order_items modify_pending_order_payment modify_user_address return_delivered_order_items"
)
TOOLS = dict.fromkeys(_AIRLINE_TOOLS.split(), "airline") | dict.fromkeys(_RETAIL_TOOLS.split(), "retail")
"""Tools that one domain alone has."""


class _Info(Struct):
    error: Any = None


class _Result(Struct, Generic[M]):
    task_id: int | str
    traj: list[M] | None = None
    reward: Any = None
    trial: Any = None
    info: _Info | None = None


_AnyResult = _Result[FileMessage] | _Result[Said]


def fits(seen: Outline) -> bool:
    """Records with a `traj`, or with what stands before it where the head ends earlier."""
    keys = set(seen.keys) if seen.array else seen.inner.get("results", set())
    return "traj" in keys or (not seen.complete and keys >= {"task_id", "info"})


def read(piece: Piece) -> None:
    """The whole file; ids are `<task_id>_<run>`."""
    decoder = piece.decoder(_Result[FileMessage], _Result[Said])
    records: list[Record] = []
    results: list[_AnyResult] = []

    def decode(record: Record) -> None:
        results.append(_checked(decoder.decode(record)))
        records.append(record)

    piece.each(_result_records(piece), decode)
    trial_is_task = _trial_is_task(results)
    domains = _Domains(piece.options.domain, results, piece.options.file_name)
    known = zip(results, domains.each, strict=True)

    def trace(record: Record) -> Trace | Excluded:
        result, domain = next(known)
        number = piece.id_text(result.task_id, "/task_id") or ""
        task = f"{domain}_{number}" if domain else number
        run = 1 if trial_is_task else (result.trial or 0) + 1
        name = f"{task}_{run}"
        if not result.traj and result.info is not None and result.info.error is not None:
            return Excluded(name, task, run, None, "error", record.line)
        if result.traj is None:
            raise RecordError("/traj", "missing_field", "The record has no traj, and no info.error to say why.")
        reward = reward_number(result.reward)
        return Trace(name, task, piece.conversation(result.traj, "/traj"), run, reward=reward, line=record.line)

    piece.each(records, trace)
    if trial_is_task:
        piece.warn("trial_is_task", "In every record `trial` is the task's number: each was read as the task's run 1.")
    if domains.untold:
        piece.warn(
            "no_domain",
            f"Nothing tells the domain of {domains.untold} records: their tasks go by their bare number and have no "
            "published difficulty. Give domain=airline or domain=retail.",
        )


def _checked(result: _AnyResult) -> _AnyResult:
    if result.trial is not None and not (type(result.trial) is int and 0 <= result.trial < LARGEST):
        raise RecordError("/trial", "bad_number", f"trial must be a whole number from 0 below {LARGEST}, or absent.")
    return result


def _result_records(piece: Piece) -> Iterator[Record]:
    document = piece.document()
    if document.is_array():
        return document.elements()
    return document.elements(the_member(document, "results"))


def the_member(document: Document, key: str) -> Record:
    """The one member of that name. Raises InvalidTraces (`missing_field`, `duplicate_key`)."""
    found = [member for member in document.members() if member.key == key]
    if not found:
        raise refusal("missing_field", f"The document has no `{key}`.", 1)
    if len(found) > 1:
        raise refusal("duplicate_key", f"The document has `{key}` twice.", found[1].line, found[1].pointer)
    return found[0]


def _trial_is_task(results: Sequence[_AnyResult]) -> bool:
    tasks = {str(result.task_id) for result in results}
    return len(tasks) == len(results) and all(str(result.trial) == str(result.task_id) for result in results)


class _Domains:
    """The domain of each record, None where nothing tells it; `untold` counts these."""

    def __init__(self, given: str | None, results: Sequence[_AnyResult], file_name: str) -> None:
        told = [given or _told_by(result) for result in results]
        agreed = set(told) - {None} or {domain for domain in DOMAINS if domain in file_name.lower()}
        elsewhere = agreed.pop() if len(agreed) == 1 else None
        self.each = [domain or elsewhere for domain in told]
        self.untold = self.each.count(None)


def _told_by(result: _AnyResult) -> str | None:
    """The domain that most of the called tools belong to, else the one in the policy's heading."""
    called: Counter[str] = Counter()
    for message in result.traj or ():
        if isinstance(message, FileMessage | AssistantSaid) and message.tool_calls:
            called.update(TOOLS[name] for name in _called_by(message.tool_calls) if name in TOOLS)
    most = called.most_common(2)
    if most and (len(most) == 1 or most[0][1] > most[1][1]):
        return most[0][0]
    heading = _heading(result.traj[0]) if result.traj else ""
    return next((domain for domain in DOMAINS if heading.startswith(f"# {domain} agent policy")), None)


def _heading(message: FileMessage | Said) -> str:
    """The beginning of a message that is a policy, in lower case."""
    if isinstance(message, FileMessage) and isinstance(message.content, str):
        return message.content[:_HEADING].lower()
    if isinstance(message, SystemSaid):
        return bytes(memoryview(message.content)[: _HEADING + 1]).decode("utf-8", "replace").removeprefix('"').lower()
    return ""


def _called_by(calls: Any) -> Iterator[str]:
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        name = function.get("name") if isinstance(function, dict) else None
        if isinstance(name, str):
            yield name
