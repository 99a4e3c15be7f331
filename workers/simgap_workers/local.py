"""One process, neither Redis nor HTTP: from a file on disk to a shard. What the command line stands on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from simgap_client.models import Located
from simgap_workers.measuring import measure_reading
from simgap_workers.readers import (
    FORMATS,
    MAX_DOCUMENT_BYTES,
    MAX_ERRORS,
    InvalidTraces,
    Reading,
    ReadOptions,
    duplicate_message,
    find_duplicates,
    read,
    recognise,
    refusal,
)
from simgap_workers.readers.pieces import pieces
from simgap_workers.shard import Shard, join_shards
from simgap_workers.trace import Excluded, SurveyAnswer

_HEAD_BYTES = 1024 * 1024


def read_file(path: Path, options: ReadOptions) -> Iterator[Reading]:
    """The file's readings, one a piece: a document is one piece, lines are read in pieces of at most 8 MiB.

    Raises InvalidTraces where the file cannot be used, OSError where it cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        options = msgspec.structs.replace(options, file_name=path.name, users_only=True)
        name = options.format or _recognised(head)
        if name in FORMATS and FORMATS[name].splittable:
            options = msgspec.structs.replace(options, format=name, in_pieces=True)
            for first_line, piece in pieces(_chunks(head, file)):
                yield read(piece, options, first_line)
        else:
            yield read(b"".join(_chunks(head, file, at_most=MAX_DOCUMENT_BYTES + 1)), options)


def read_traces(path: Path, options: ReadOptions) -> tuple[Shard, list[Located]]:
    """The file's traces, measured, and what `on_error=skip` skipped (at most 100 errors)."""
    shards: list[Shard] = []
    skipped: list[Located] = []
    for reading in read_file(path, options):
        shards.append(measure_reading(reading))
        skipped.extend(reading.errors)
    traces, later = without_duplicates(join_shards(shards), options.on_error)
    return traces, (skipped + later)[:MAX_ERRORS]


def read_surveys(path: Path, options: ReadOptions) -> list[SurveyAnswer]:
    """The survey answers of a file that holds them apart from traces."""
    answers = [answer for reading in read_file(path, options) for answer in reading.surveys]
    if not answers:
        raise refusal("no_surveys", "This file holds no survey answers apart from traces (survey-comparable).")
    return answers


def without_duplicates(traces: Shard, on_error: str) -> tuple[Shard, list[Located]]:
    """The set without later traces of one id, or of one (task, run, batch), and an error for each of those.

    A document's were found when it was read; lines, which are read in pieces, are looked through here, all together.
    Raises InvalidTraces where the caller did not say `skip`.
    """
    found = find_duplicates(traces.id, traces.task_id, traces.run, traces.batch)
    errors = [_located(traces, duplicate.index, duplicate.first, duplicate.code) for duplicate in found]
    if not errors:
        return traces, []
    if on_error != "skip":
        raise InvalidTraces(errors)
    later = {duplicate.index for duplicate in found}
    kept = traces.take([place for place in range(len(traces)) if place not in later])
    kept.excluded = kept.excluded + [
        Excluded(traces.id[i], traces.task_id[i], traces.run[i], traces.batch[i] or None, "duplicate", traces.line[i])
        for i in sorted(later)
    ]
    return kept, errors


def _recognised(head: bytes) -> str | None:
    """The format that the head tells; None where it does not, and the whole file must be looked at."""
    try:
        return recognise(head)
    except InvalidTraces:
        return None


def _located(traces: Shard, place: int, first: int, code: str) -> Located:
    message = duplicate_message(
        code,
        traces.id[place],
        traces.task_id[place],
        traces.run[place],
        traces.batch[place],
        (traces.line[first], ""),
        (traces.line[place], ""),
    )
    return Located(traces.line[place], "", code, message)


def _chunks(head: bytes, file: BinaryIO, at_most: int | None = None) -> Iterable[bytes]:
    """The head and what follows it, up to a limit that lets the reader see that there is more."""
    yield head
    given = len(head)
    while (chunk := file.read(_HEAD_BYTES)) and (at_most is None or given < at_most):
        given += len(chunk)
        yield chunk
