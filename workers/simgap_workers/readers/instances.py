"""Documents keyed by instance id: `odyssim-eval`, `tau-usi-human`, `survey-comparable`.

The first two hold `{instance_id: {conversation, survey, reward, keep}}`, and `keep` false, null or 0 takes an entry
out. One key that ends in `_ann<N>` makes the file people's: N is then the batch, 1 where none is written. In a
simulator's file an id may end in the run. The third holds only surveys: a simulator's answers about the conversations
of people, whose batch the key's ending names; an empty survey there is rated, elsewhere unrated.
"""

from __future__ import annotations

from typing import Any, Generic

from msgspec import UNSET, Struct

from simgap_workers.readers.errors import RecordError
from simgap_workers.readers.fields import is_crash, is_kept, reward_number
from simgap_workers.readers.instance_ids import batch_of, ends_in_two_numbers, run_of
from simgap_workers.readers.messages import FileMessage, M, Said
from simgap_workers.readers.outline import Outline
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.records import Record
from simgap_workers.readers.surveys import survey_labels
from simgap_workers.trace import Excluded, SurveyAnswer, Trace


class _Entry(Struct, Generic[M]):
    conversation: list[M] | None = None
    survey: Any = None
    reward: Any = None
    keep: Any = UNSET
    info: Any = None
    termination_reason: Any = None


class _Rated(Struct):
    survey: Any


def fits_people(seen: Outline) -> bool:
    """Conversations by instance, one of them of a further annotator."""
    return fits_simulator(seen) and any(batch_of(key)[1] for key in seen.keys)


def fits_simulator(seen: Outline) -> bool:
    """Conversations by instance."""
    return not seen.array and "conversation" in seen.below()


def fits_surveys(seen: Outline) -> bool:
    """Surveys by instance, and no conversation in an entry that was seen to its end."""
    whole = seen.complete or len(seen.keys) > 1
    return not seen.array and whole and "survey" in seen.below() and "conversation" not in seen.below()


def read_instances(piece: Piece) -> None:
    """`odyssim-eval` and `tau-usi-human`: the keys of the whole file tell which, unless the caller named one."""
    records = list(piece.document().members())
    if piece.options.format is None and any(batch_of(record.key)[1] for record in records):
        piece.become_people("tau-usi-human")
    people = piece.reading.format == "tau-usi-human"
    with_runs = not people and _has_runs(piece, records)
    decoder = piece.decoder(_Entry[FileMessage], _Entry[Said])

    def trace(record: Record) -> Trace | Excluded:
        entry = decoder.decode(record)
        task, run, batch = piece.id_text(record.key, "") or "", 1, None
        if people:
            task, batch = batch_of(task)
            batch = batch or 1
        elif with_runs:
            task, run = run_of(task)
        if is_crash(entry.conversation, entry.info, entry.termination_reason):
            return Excluded(record.key, task, run, batch, "error", record.line)
        if entry.keep is not UNSET and not is_kept(entry.keep, null_is_out=True):
            return Excluded(record.key, task, run, batch, "keep_false", record.line)
        if entry.conversation is None:
            raise RecordError("", "missing_field", "The entry has no conversation.")
        survey = survey_labels(entry.survey, empty_is_rated=False)
        reward = reward_number(entry.reward)
        messages = piece.conversation(entry.conversation, "/conversation")
        return Trace(record.key, task, messages, run, batch, reward, survey, record.line)

    piece.each(records, trace)


def read_surveys(piece: Piece) -> None:
    """`survey-comparable`: answers without traces. With runs_from_id, the number before the ending is the run."""
    decoder = piece.decoder(_Rated, _Rated)

    def answers(record: Record) -> SurveyAnswer:
        survey = survey_labels(decoder.decode(record).survey, empty_is_rated=True)
        if survey is None:
            raise RecordError("/survey", "wrong_type", "survey is null; an empty one is {}, every answer missing.")
        task, batch = batch_of(record.key)
        run = 1
        if piece.options.runs_from_id:
            task, run = run_of(task)
        return SurveyAnswer(task, survey, batch or 1, run, record.line)

    piece.each(piece.document().members(), answers)


def _has_runs(piece: Piece, records: list[Record]) -> bool:
    asked = piece.options.runs_from_id
    if asked is not None or not records:
        return bool(asked)
    if all(ends_in_two_numbers(record.key) for record in records):
        piece.warn(
            "runs_from_id",
            "Every id ends in two numbers: the last was read as the run. If it is not, give runs_from_id=no.",
        )
        return True
    piece.warn(
        "runs_from_id",
        "Not every id ends in two numbers: all traces are run 1 and ids are tasks. If the last number of each id is "
        "its run, give runs_from_id=yes.",
    )
    return False
