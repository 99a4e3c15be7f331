"""OdysSim's result files: `{benchmark, model, user_sim_model, n, results: [{instance_id, conversation, …}]}`.

Tasks that failed are absent: `n` is how many there should be. An empty survey is unrated.
"""

from __future__ import annotations

from typing import Any, Generic

from msgspec import UNSET, Struct

from simgap_workers.readers.errors import RecordError, refusal
from simgap_workers.readers.fields import is_crash, is_kept, reward_number
from simgap_workers.readers.instance_ids import run_of
from simgap_workers.readers.messages import FileMessage, M, Said
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import Record
from simgap_workers.readers.surveys import survey_labels
from simgap_workers.trace import Excluded, Trace


class _Result(Struct, Generic[M]):
    instance_id: Any = None
    domain: Any = None
    task_index: Any = None
    conversation: list[M] | None = None
    survey: Any = None
    reward: Any = None
    keep: Any = UNSET
    info: Any = None
    termination_reason: Any = None


def fits(seen: Outline) -> bool:
    """Results with OdysSim's own fields, or the header that stands before them."""
    if seen.array or ("results" not in seen.keys and seen.complete):
        return False
    results = seen.inner.get("results", set())
    return "user_sim_model" in seen.keys or not results.isdisjoint(("instance_id", "task_index"))


def read(piece: Piece) -> None:
    """The whole file; a trace's id and task are its `instance_id`, else `<domain>_<task_index>`.

    With runs_from_id, the number at the end of the id is the run.
    """
    document = piece.document()
    members = {}
    for member in document.members():
        if member.key in members and member.key in ("n", "results"):
            raise refusal("duplicate_key", f"The document has `{member.key}` twice.", member.line, member.pointer)
        members[member.key] = member
    if "results" not in members:
        raise refusal("missing_field", "The document has no `results`.", 1)
    if "n" in members:
        piece.reading.expected = _expected(members["n"])
    decoder = piece.decoder(_Result[FileMessage], _Result[Said])

    def trace(record: Record) -> Trace | Excluded:
        result = decoder.decode(record)
        name = _name(piece, result)
        task, run = run_of(name) if piece.options.runs_from_id else (name, 1)
        if is_crash(result.conversation, result.info, result.termination_reason):
            return Excluded(name, task, run, None, "error", record.line)
        if result.keep is not UNSET and not is_kept(result.keep, null_is_out=True):
            return Excluded(name, task, run, None, "keep_false", record.line)
        if result.conversation is None:
            raise RecordError("", "missing_field", "The record has no conversation.")
        survey = survey_labels(result.survey, empty_is_rated=False)
        reward = reward_number(result.reward)
        messages = piece.conversation(result.conversation, "/conversation")
        return Trace(name, task, messages, run, reward=reward, survey=survey, line=record.line)

    piece.each(document.elements(members["results"]), trace)
    missing = (piece.reading.expected or 0) - piece.reading.received
    if missing > 0:
        piece.warn("missing_records", f"The file says n = {piece.reading.expected}; {missing} of them are not there.")


def _expected(member: Record) -> int:
    written = bytes(member.raw)
    if not written.isdigit() or len(written) > 9:
        raise refusal("bad_number", "n must be a whole number: how many tasks were to be run.", member.line, "/n")
    return int(written)


def _name(piece: Piece, result: _Result[FileMessage] | _Result[Said]) -> str:
    name = piece.id_text(result.instance_id, "/instance_id")
    if name is None and isinstance(result.domain, str) and type(result.task_index) is int:
        name = piece.id_text(f"{result.domain}_{result.task_index}", "/domain")
    if name is None:
        raise RecordError("/instance_id", "missing_field", "The record has no instance_id, nor domain and task_index.")
    return name
